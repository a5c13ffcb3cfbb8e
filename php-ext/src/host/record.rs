//! Converts objects to arrays and back: `fromArray()`, `serialize()`, `var_export()`.
//!
//! Restored fields may come from a stranger or from another version, so every field is checked. A
//! wrong field throws an exception with the code of `invalid_record`. An existing object is never
//! overwritten.

use std::panic::AssertUnwindSafe;

use ext_php_rs::args::Arg;
use ext_php_rs::builders::{ClassBuilder, FunctionBuilder};
use ext_php_rs::class::RegisteredClass;
use ext_php_rs::exception::PhpResult;
use ext_php_rs::flags::{DataType, MethodFlags};
use ext_php_rs::types::{ZendHashTable, Zval};
use ext_php_rs::zend::{ExecuteData, run_handler};
use ext_php_rs::zend_fastcall;
use serde_json::Value;
use toolwire::{Error, ErrorKind, Span};

use crate::host::exception;
use crate::host::option;
use crate::host::value::{self, held};
use crate::zend::{self, Scalar};

/// A class whose objects consist only of their fields.
pub(crate) trait Record: RegisteredClass {
    /// Every field under its name in snake case, as `toArray()` returns them.
    fn write(&self) -> PhpResult<Zval>;

    /// Makes an object from these fields.
    ///
    /// # Errors
    ///
    /// `invalid_record` for a field that does not fit.
    fn read(fields: &Fields<'_>) -> Result<Self, Error>;
}

/// How the fields of an array are named.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum Naming {
    /// In snake case, as in `toArray()`.
    Fields,
    /// As the properties are named, which `var_export()` writes.
    Properties,
}

/// The fields from which an object is made.
pub(crate) struct Fields<'a> {
    class: &'static str,
    whole: &'a Zval,
    table: &'a ZendHashTable,
    naming: Naming,
}

impl<'a> Fields<'a> {
    /// The fields in an array; `None` for another value.
    fn of<T: Record>(whole: &'a Zval, naming: Naming) -> Option<Self> {
        let table = zend::table(whole.dereference())?;
        Some(Self { class: T::CLASS_NAME, whole, table, naming })
    }

    /// All the fields as JSON.
    pub(crate) fn json(&self) -> Result<Value, Error> {
        self.json_of(self.whole)
    }

    /// A field as JSON.
    pub(crate) fn json_in(&self, name: &str) -> Result<Value, Error> {
        self.json_of(self.value(name)?)
    }

    fn json_of(&self, value: &Zval) -> Result<Value, Error> {
        let read = option::given(self.class, value);
        read.map_err(|error| Error::new(ErrorKind::InvalidRecord, error.to_string()))
    }

    /// A string of UTF-8; none if the field is null, or missing in a record of an older version.
    pub(crate) fn later_text(&self, name: &str) -> Result<Option<String>, Error> {
        match self.table.get(self.name(name).as_str()) {
            None => Ok(None),
            Some(_) => self.text_or_null(name),
        }
    }

    /// A boolean; false for a field that a record of an older version does not have.
    pub(crate) fn later_flag(&self, name: &str) -> Result<bool, Error> {
        if self.has(name) { self.flag(name) } else { Ok(false) }
    }

    /// Whether the field is there, which it is not in a record of an older version.
    pub(crate) fn has(&self, name: &str) -> bool {
        self.table.get(self.name(name).as_str()).is_some()
    }

    /// Whether the fields are named as properties.
    pub(crate) fn are_properties(&self) -> bool {
        self.naming == Naming::Properties
    }

    /// The error for a field with a wrong value.
    pub(crate) fn error(&self, name: &str, wanted: &str) -> Error {
        let message = format!("{}: {} must be {wanted}", self.class, self.name(name));
        Error::new(ErrorKind::InvalidRecord, message)
    }

    fn name(&self, name: &str) -> String {
        if self.naming == Naming::Fields {
            return name.to_owned();
        }
        let mut words = name.split('_');
        let mut camel = words.next().unwrap_or_default().to_owned();
        for word in words {
            let (first, rest) = word.split_at_checked(1).unwrap_or((word, ""));
            camel.push_str(&first.to_ascii_uppercase());
            camel.push_str(rest);
        }
        camel
    }

    /// The value of a required field.
    pub(crate) fn value(&self, name: &str) -> Result<&'a Zval, Error> {
        let value = self.table.get(self.name(name).as_str()).map(Zval::dereference);
        value.ok_or_else(|| self.error(name, "there"))
    }

    /// A string of any bytes.
    pub(crate) fn bytes(&self, name: &str) -> Result<&'a Zval, Error> {
        let value = self.value(name)?;
        zend::text(value).map(|_| value).ok_or_else(|| self.error(name, "a string"))
    }

    /// A string of UTF-8.
    pub(crate) fn text(&self, name: &str) -> Result<String, Error> {
        let bytes = value::bytes(self.bytes(name)?).to_vec();
        String::from_utf8(bytes).map_err(|_| self.error(name, "UTF-8"))
    }

    /// A string of any bytes, or null.
    pub(crate) fn bytes_or_null(&self, name: &str) -> Result<Option<&'a Zval>, Error> {
        if self.value(name)?.is_null() { Ok(None) } else { self.bytes(name).map(Some) }
    }

    /// A string of UTF-8, or null.
    pub(crate) fn text_or_null(&self, name: &str) -> Result<Option<String>, Error> {
        if self.value(name)?.is_null() { Ok(None) } else { self.text(name).map(Some) }
    }

    /// A boolean.
    pub(crate) fn flag(&self, name: &str) -> Result<bool, Error> {
        self.value(name)?.bool().ok_or_else(|| self.error(name, "a boolean"))
    }

    /// An integer of at least 0.
    pub(crate) fn whole(&self, name: &str) -> Result<usize, Error> {
        let number = self.value(name)?.long();
        let number = number.and_then(|number| usize::try_from(number).ok());
        number.ok_or_else(|| self.error(name, "an integer of at least 0"))
    }

    /// A float; an integer is accepted too.
    pub(crate) fn real(&self, name: &str) -> Result<f64, Error> {
        let value = self.value(name)?;
        #[allow(
            clippy::cast_precision_loss,
            reason = "PHP casts integers to floats in the same way"
        )]
        let whole = value.long().map(|number| number as f64);
        value.double().or(whole).ok_or_else(|| self.error(name, "a float"))
    }

    /// One word of a closed set.
    pub(crate) fn word<T: Copy>(
        &self,
        name: &str,
        all: &[T],
        slug: fn(T) -> &'static str,
    ) -> Result<T, Error> {
        let given = self.bytes(name)?;
        let found = all.iter().copied().find(|word| slug(*word).as_bytes() == value::bytes(given));
        found.ok_or_else(|| self.error(name, "one of the known words"))
    }

    /// A span: two offsets, the second not before the first.
    pub(crate) fn span(&self, name: &str) -> Result<Span, Error> {
        self.span_in(name, self.value(name)?)
    }

    /// A list of spans.
    pub(crate) fn spans(&self, name: &str) -> Result<Vec<Span>, Error> {
        self.list(name)?.map(|value| self.span_in(name, value)).collect()
    }

    fn span_in(&self, name: &str, value: &Zval) -> Result<Span, Error> {
        let wanted = "an array of start and end, the end not before the start";
        let table = value.array().ok_or_else(|| self.error(name, wanted))?;
        let part = |part: &str| {
            table.get(part).and_then(|part| usize::try_from(part.dereference().long()?).ok())
        };
        match (part("start"), part("end")) {
            (Some(start), Some(end)) if start <= end => Ok(Span::new(start, end)),
            _ => Err(self.error(name, wanted)),
        }
    }

    /// The values of a list.
    pub(crate) fn list(&self, name: &str) -> Result<impl Iterator<Item = &'a Zval>, Error> {
        let table = self.value(name)?.array().ok_or_else(|| self.error(name, "a list"))?;
        Ok(zend::entries(table).map(|(_, value)| value.dereference()))
    }

    /// The fields of an array inside this one, with the same naming.
    pub(crate) fn within(&self, name: &str, value: &'a Zval) -> Result<Self, Error> {
        let table = value.array().ok_or_else(|| self.error(name, "an array"))?;
        Ok(Self { whole: value, table, ..*self })
    }

    /// An object: the given object, or one made from its fields.
    pub(crate) fn object<T: Record>(&self, name: &str, value: &Zval) -> Result<Zval, Error> {
        if held::<T>(value).is_some() {
            return Ok(value.shallow_clone());
        }
        let wanted = format!("{} or an array of its fields", T::CLASS_NAME);
        let fields =
            Fields::of::<T>(value, self.naming).ok_or_else(|| self.error(name, &wanted))?;
        let made = T::read(&fields)?;
        value::object(ext_php_rs::types::ZendClassObject::new(made))
            .map_err(|error| self.error(name, &error.to_string()))
    }

    /// A list of objects.
    pub(crate) fn objects<T: Record>(&self, name: &str) -> Result<Vec<Zval>, Error> {
        self.list(name)?.map(|value| self.object::<T>(name, value)).collect()
    }
}

/// The fields of each object of a list.
pub(crate) fn each<T: Record>(objects: &Zval) -> PhpResult<Zval> {
    let objects = objects.array().into_iter().flat_map(zend::entries);
    let written = objects.filter_map(|(_, object)| held::<T>(object)).map(Record::write);
    Ok(value::list(written.collect::<PhpResult<Vec<_>>>()?)?)
}

/// Adds the methods to a class.
pub(crate) fn add_methods<T: Record>(builder: ClassBuilder) -> ClassBuilder {
    let object = || DataType::object(T::CLASS_NAME);
    let array = |name: &str| Arg::new(name, DataType::Array);
    let shared = MethodFlags::Public | MethodFlags::Static;
    builder
        .method(
            FunctionBuilder::new("fromArray", from_array::<T>).arg(array("fields")).returns(
                object(),
                false,
                false,
            ),
            shared,
        )
        .method(
            FunctionBuilder::new("__set_state", set_state::<T>).arg(array("properties")).returns(
                object(),
                false,
                false,
            ),
            shared,
        )
        .method(
            FunctionBuilder::new("__serialize", serialize::<T>).returns(
                DataType::Array,
                false,
                false,
            ),
            MethodFlags::Public,
        )
        .method(
            FunctionBuilder::new("__unserialize", unserialize::<T>).arg(array("fields")).returns(
                DataType::Void,
                false,
                false,
            ),
            MethodFlags::Public,
        )
}

/// Reads the one argument; `None` if PHP's error was thrown for it.
fn read<T: Record>(argument: &mut Arg<'_>, naming: Naming) -> Option<T> {
    let given = argument.zval()?;
    let Some(fields) = Fields::of::<T>(given, naming) else {
        zend::refuse_argument(given, Scalar::Array);
        return None;
    };
    T::read(&fields).map_err(|error| exception::from_core(&error).throw()).ok()
}

fn make<T: Record>(call: &mut ExecuteData, result: &mut Zval, naming: Naming) {
    run_handler(AssertUnwindSafe(|| {
        let mut argument = Arg::new("fields", DataType::Array);
        if call.parser().arg(&mut argument).parse().is_err() {
            return;
        }
        if let Some(made) = read::<T>(&mut argument, naming)
            && let Ok(object) = value::object(ext_php_rs::types::ZendClassObject::new(made))
        {
            *result = object;
        }
    }));
}

zend_fastcall! {
    /// `fromArray(array $fields)`: makes an object from the result of `toArray()`.
    extern fn from_array<T: Record>(call: &mut ExecuteData, result: &mut Zval) {
        make::<T>(call, result, Naming::Fields);
    }
}

zend_fastcall! {
    /// `__set_state(array $properties)`: makes an object from the output of `var_export()`.
    extern fn set_state<T: Record>(call: &mut ExecuteData, result: &mut Zval) {
        make::<T>(call, result, Naming::Properties);
    }
}

zend_fastcall! {
    /// `__serialize()`: returns every field.
    extern fn serialize<T: Record>(call: &mut ExecuteData, result: &mut Zval) {
        run_handler(AssertUnwindSafe(|| {
            if call.parser().parse().is_err() {
                return;
            }
            let Some(object) = call.get_object::<T>() else {
                exception::not_constructed(T::CLASS_NAME).throw();
                return;
            };
            match object.write() {
                Ok(fields) => *result = fields,
                Err(error) => error.throw(),
            }
        }));
    }
}

zend_fastcall! {
    /// `__unserialize(array $fields)`: fills an object that holds nothing yet.
    extern fn unserialize<T: Record>(call: &mut ExecuteData, _result: &mut Zval) {
        run_handler(AssertUnwindSafe(|| {
            let mut argument = Arg::new("fields", DataType::Array);
            let (parser, this) = call.parser_object();
            if parser.arg(&mut argument).parse().is_err() {
                return;
            }
            if let Some(made) = read::<T>(&mut argument, Naming::Fields)
                && !this.is_some_and(|this| zend::fill(this, made))
            {
                exception::constructed_twice(T::CLASS_NAME).throw();
            }
        }));
    }
}
