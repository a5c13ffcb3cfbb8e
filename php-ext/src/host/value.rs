//! PHP values as arguments and results.
//!
//! Arguments are coerced as for PHP's own functions: by the caller's `strict_types`, with PHP's own
//! errors. Text is bytes and is never copied: a [`Text`] holds the caller's string.

use std::borrow::Cow;
use std::cell::OnceCell;
use std::marker::PhantomData;

use ext_php_rs::boxed::ZBox;
use ext_php_rs::class::RegisteredClass;
use ext_php_rs::convert::{FromZval, IntoZval, StubLiteral};
use ext_php_rs::error::Result;
use ext_php_rs::exception::PhpResult;
use ext_php_rs::flags::DataType;
use ext_php_rs::types::{ArrayKey, ZendClassObject, ZendHashTable, ZendStr, Zval};

use crate::zend::{self, Scalar};

/// The default of a text argument: the empty text.
pub(crate) const EMPTY: &str = "";

/// A string argument, as bytes.
pub(crate) struct Text<'a>(Source<'a>);

enum Source<'a> {
    Given(&'a Zval),
    Coerced(Zval),
    Default(&'static str),
}

impl Text<'_> {
    /// The bytes.
    #[inline]
    pub(crate) fn bytes(&self) -> &[u8] {
        match &self.0 {
            Source::Given(value) => bytes(value),
            Source::Coerced(value) => bytes(value),
            Source::Default(text) => text.as_bytes(),
        }
    }

    /// The text, with U+FFFD for bytes that are not UTF-8.
    pub(crate) fn lossy(&self) -> Cow<'_, str> {
        String::from_utf8_lossy(self.bytes())
    }

    /// The PHP string itself, with its reference count raised.
    pub(crate) fn into_value(self) -> Zval {
        match self.0 {
            Source::Given(value) => value.shallow_clone(),
            Source::Coerced(value) => value,
            Source::Default(default) => text(default),
        }
    }
}

impl<'a> FromZval<'a> for Text<'a> {
    const TYPE: DataType = DataType::String;

    #[inline]
    fn from_zval(value: &'a Zval) -> Option<Self> {
        if zend::text(value).is_some() {
            return Some(Self(Source::Given(value)));
        }
        zend::coerce(value, Scalar::Text).map(|value| Self(Source::Coerced(value)))
    }
}

impl From<&'static str> for Text<'_> {
    fn from(text: &'static str) -> Self {
        Self(Source::Default(text))
    }
}

impl StubLiteral for Text<'_> {
    fn stub_literal(&self) -> String {
        format!("'{}'", self.lossy())
    }
}

/// An argument that may be null or left out.
///
/// It is not an `Option`, since the binding would try to coerce null first.
pub(crate) struct Maybe<T>(pub(crate) Option<T>);

impl<'a, T: FromZval<'a>> FromZval<'a> for Maybe<T> {
    const TYPE: DataType = T::TYPE;
    const NULLABLE: bool = true;

    #[inline]
    fn from_zval(value: &'a Zval) -> Option<Self> {
        if value.is_null() {
            Some(Self(None))
        } else {
            T::from_zval(value).map(|value| Self(Some(value)))
        }
    }

    fn from_missing() -> Option<Self> {
        Some(Self(None))
    }
}

impl From<&'static str> for Maybe<Text<'_>> {
    fn from(text: &'static str) -> Self {
        Self(Some(text.into()))
    }
}

impl<T: StubLiteral> StubLiteral for Maybe<T> {
    fn stub_literal(&self) -> String {
        self.0.as_ref().map_or_else(|| "null".to_owned(), StubLiteral::stub_literal)
    }
}

/// Declares an argument type over a scalar.
macro_rules! scalar {
    ($(#[$doc:meta])* $name:ident($inner:ty), $kind:expr, $scalar:expr, $get:ident) => {
        $(#[$doc])*
        #[derive(Clone, Copy)]
        pub(crate) struct $name(pub(crate) $inner);

        impl FromZval<'_> for $name {
            const TYPE: DataType = $kind;

            fn from_zval(value: &Zval) -> Option<Self> {
                value.$get().or_else(|| zend::coerce(value, $scalar)?.$get()).map(Self)
            }
        }

        impl From<$inner> for $name {
            fn from(value: $inner) -> Self {
                Self(value)
            }
        }

        impl StubLiteral for $name {
            fn stub_literal(&self) -> String {
                self.0.stub_literal()
            }
        }
    };
}

scalar!(
    /// A boolean argument.
    Flag(bool), DataType::Bool, Scalar::Flag, bool
);
scalar!(
    /// An integer argument.
    Whole(i64), DataType::Long, Scalar::Whole, long
);
scalar!(
    /// A float argument.
    Real(f64), DataType::Double, Scalar::Real, double
);

/// An array argument, read in place: a value that is known to be an array.
pub(crate) struct Table<'a>(pub(crate) &'a Zval);

impl<'a> FromZval<'a> for Table<'a> {
    const TYPE: DataType = DataType::Array;

    fn from_zval(value: &'a Zval) -> Option<Self> {
        if zend::table(value).is_none() {
            zend::refuse_argument(value, Scalar::Array);
            return None;
        }
        Some(Self(value))
    }
}

/// The declared PHP type of a value.
pub(crate) trait Kind {
    /// The type.
    const TYPE: DataType;
}

/// Declares the types in the list.
macro_rules! kinds {
    ($($(#[$doc:meta])* $name:ident = $kind:expr;)+) => {
        $($(#[$doc])* pub(crate) struct $name; impl Kind for $name { const TYPE: DataType = $kind; })+
    };
}

kinds! {
    /// `array`.
    AnArray = DataType::Array;
    /// `string`.
    AString = DataType::String;
    /// `bool`.
    ABool = DataType::Bool;
    /// `int`.
    AnInt = DataType::Long;
    /// `callable`.
    ACallable = DataType::Callable;
    /// `mixed`.
    Anything = DataType::Mixed;
    /// `Iterator`.
    AnIterator = DataType::object("Iterator");
    /// `stdClass`.
    AnObject = DataType::object("stdClass");
    /// `Toolwire\Seen`.
    ASeen = DataType::object("Toolwire\\Seen");
    /// `Toolwire\Detection`.
    ADetection = DataType::object("Toolwire\\Detection");
    ADetector = DataType::object("Toolwire\\Detector");
    /// `Toolwire\Profile`.
    AProfile = DataType::object("Toolwire\\Profile");
    /// `Toolwire\Tools\ToolDefinition`.
    ATool = DataType::object("Toolwire\\Tools\\ToolDefinition");
}

/// A value that is declared to be of a type.
///
/// As an argument it may hold any value. The function that takes it checks it, so that the error
/// can say what is allowed.
pub(crate) struct As<K>(pub(crate) Zval, PhantomData<K>);

impl<K> As<K> {
    /// Declares a value.
    pub(crate) fn new(value: Zval) -> Self {
        Self(value, PhantomData)
    }
}

impl<K: Kind> FromZval<'_> for As<K> {
    const TYPE: DataType = K::TYPE;

    fn from_zval(value: &Zval) -> Option<Self> {
        Some(Self::new(value.shallow_clone()))
    }
}

impl<K: Kind> IntoZval for As<K> {
    const TYPE: DataType = K::TYPE;
    const NULLABLE: bool = false;

    fn set_zval(self, target: &mut Zval, _persistent: bool) -> Result<()> {
        *target = self.0;
        Ok(())
    }
}

/// The Rust half of an object of one of this extension's classes; `None` for other values.
pub(crate) fn held<T: RegisteredClass>(value: &Zval) -> Option<&T> {
    ZendClassObject::<T>::from_zend_obj(value.dereference().object()?).map(|object| &**object)
}

/// The bytes of a PHP string; `None` for another value.
#[inline]
pub(crate) fn bytes(value: &Zval) -> &[u8] {
    zend::text(value).map(ZendStr::as_bytes).unwrap_or_default()
}

/// A new PHP string.
pub(crate) fn text(bytes: impl AsRef<[u8]>) -> Zval {
    let mut value = Zval::new();
    value.set_zend_string(ZendStr::new(bytes, false));
    value
}

/// A PHP string, or null.
pub(crate) fn text_or_null(bytes: Option<impl AsRef<[u8]>>) -> Zval {
    bytes.map_or_else(Zval::null, text)
}

/// A PHP string with the displayed text of a value.
pub(crate) fn shown(what: impl std::fmt::Display) -> Zval {
    text(what.to_string())
}

/// A PHP integer.
pub(crate) fn whole(number: usize) -> Zval {
    let mut value = Zval::new();
    value.set_long(i64::try_from(number).unwrap_or(i64::MAX));
    value
}

/// A PHP array.
pub(crate) fn array(table: ZBox<ZendHashTable>) -> Zval {
    let mut array = Zval::new();
    array.set_hashtable(table);
    array
}

/// A PHP boolean.
pub(crate) fn flag(flag: bool) -> Zval {
    let mut value = Zval::new();
    value.set_bool(flag);
    value
}

/// A PHP float, or null.
pub(crate) fn real_or_null(number: Option<f64>) -> Zval {
    let mut value = Zval::null();
    if let Some(number) = number {
        value.set_double(number);
    }
    value
}

/// A PHP list.
pub(crate) fn list(values: impl IntoIterator<Item = Zval>) -> Result<Zval> {
    let mut table = ZendHashTable::new();
    for value in values {
        table.push(value)?;
    }
    Ok(array(table))
}

/// A PHP list that is built once and then returned again.
pub(crate) fn list_once(
    cell: &OnceCell<Zval>,
    build: impl FnOnce() -> PhpResult<Zval>,
) -> PhpResult<Zval> {
    if let Some(list) = cell.get() {
        return Ok(list.shallow_clone());
    }
    let list = build()?;
    Ok(cell.get_or_init(|| list).shallow_clone())
}

/// A PHP list of as many values as the iterator says, which is filled in place.
pub(crate) fn sized_list(
    values: impl ExactSizeIterator<Item = PhpResult<Zval>>,
) -> PhpResult<Zval> {
    if values.len() == 0 {
        return Ok(zend::empty_array());
    }
    let mut list = zend::List::with_capacity(values.len());
    for value in values {
        list.push(value?);
    }
    Ok(list.into_value())
}

/// A PHP array with names as keys.
pub(crate) fn record<const N: usize>(fields: [(&str, Zval); N]) -> Result<Zval> {
    let mut table = ZendHashTable::with_capacity(u32::try_from(N).unwrap_or_default());
    for (name, value) in fields {
        table.insert(ArrayKey::Str(name), value)?;
    }
    let mut record = Zval::new();
    record.set_hashtable(table);
    Ok(record)
}

/// A PHP object of one of this extension's classes.
pub(crate) fn object(object: impl IntoZval) -> Result<Zval> {
    object.into_zval(false)
}

/// PHP's name for the type of a value, for a message. Of a class without a name, only what stands
/// before the file is given, as `get_debug_type()` gives it.
pub(crate) fn type_name(value: &Zval) -> String {
    match value.dereference().get_type() {
        DataType::True | DataType::False | DataType::Bool => "bool".into(),
        DataType::Long => "int".into(),
        DataType::Double => "float".into(),
        DataType::String => "string".into(),
        DataType::Array => "array".into(),
        DataType::Object(_) => {
            value.object().and_then(|object| object.get_class_name().ok()).map_or_else(
                || "object".into(),
                |name| name.split('\0').next().unwrap_or_default().to_owned(),
            )
        }
        DataType::Resource => "resource".into(),
        _ => "null".into(),
    }
}
