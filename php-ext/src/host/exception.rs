//! The exceptions: one class for each class of core errors.
//!
//! All implement `Toolwire\Exception\ToolwireThrowable`; the code of an exception is the number of
//! its kind, and `getKind()` its slug. They are plain PHP exceptions without a Rust half, so that
//! file, line and trace are where PHP code threw.

use std::panic::AssertUnwindSafe;
use std::sync::{Mutex, PoisonError};

use ext_php_rs::args::ArgInfoTables;
use ext_php_rs::builders::{ClassBuilder, FunctionBuilder};
use ext_php_rs::error::Result;
use ext_php_rs::exception::PhpException;
use ext_php_rs::flags::{ClassFlags, DataType, MethodFlags};
use ext_php_rs::prelude::*;
use ext_php_rs::types::Zval;
use ext_php_rs::zend::{ClassEntry, ExecuteData, ce, run_handler};
use toolwire::error::ErrorClass;
use toolwire::visible::visible;
use toolwire::{Error, ErrorKind};

use crate::host::value;
use crate::zend::ClassPlace;

/// The interface that every exception of this extension implements.
pub(crate) const INTERFACE: &str = "Toolwire\\Exception\\ToolwireThrowable";

/// Every class of errors.
const CLASSES: [ErrorClass; 3] = [ErrorClass::Argument, ErrorClass::Type, ErrorClass::State];

/// The interface, once start-up has registered it.
static THROWABLE: ClassPlace = ClassPlace::new();

/// The addresses of the tables that [`park`] received.
static PARKED: Mutex<Vec<usize>> = Mutex::new(Vec::new());

/// Keeps the tables of a class's methods until the process ends, since the engine borrows them for
/// that time.
pub(crate) fn park(tables: ArgInfoTables) {
    let address = Box::into_raw(Box::new(tables)).expose_provenance();
    PARKED.lock().unwrap_or_else(PoisonError::into_inner).push(address);
}

/// The name of the exception class for a class of errors.
pub(crate) fn class_name(class: ErrorClass) -> &'static str {
    match class {
        ErrorClass::Argument => "Toolwire\\Exception\\InvalidArgument",
        ErrorClass::Type => "Toolwire\\Exception\\WrongType",
        ErrorClass::State => "Toolwire\\Exception\\InvalidState",
    }
}

/// Registers the interface and the classes.
pub(crate) fn register() -> Result<()> {
    ClassBuilder::new(INTERFACE)
        .flags(ClassFlags::Interface)
        .implements((ce::throwable, "Throwable"))
        .method(
            FunctionBuilder::new_abstract("getKind").returns(DataType::String, false, false),
            MethodFlags::Public | MethodFlags::Abstract,
        )
        .registration(|entry, arg_info| {
            park(arg_info);
            THROWABLE.set(entry);
        })
        .register()?;
    CLASSES.into_iter().try_for_each(register_class)
}

/// The interface, once it is registered.
pub(crate) fn interface() -> &'static ClassEntry {
    THROWABLE.get().unwrap_or_else(ce::throwable)
}

fn register_class(class: ErrorClass) -> Result<()> {
    let parent: (fn() -> &'static ClassEntry, &'static str) = match class {
        ErrorClass::Argument => {
            (crate::zend::invalid_argument_exception, "InvalidArgumentException")
        }
        ErrorClass::Type => (ce::type_error, "TypeError"),
        ErrorClass::State => (crate::zend::logic_exception, "LogicException"),
    };
    ClassBuilder::new(class_name(class))
        .flags(ClassFlags::Final)
        .extends(parent)
        .implements((interface, INTERFACE))
        .method(
            FunctionBuilder::new("getKind", get_kind).returns(DataType::String, false, false),
            MethodFlags::Public,
        )
        .registration(|_, arg_info| park(arg_info))
        .register()
}

zend_fastcall! {
    /// `getKind(): string`: the slug of the kind whose number is the exception's code.
    extern fn get_kind(call: &mut ExecuteData, result: &mut Zval) {
        run_handler(AssertUnwindSafe(|| {
            if call.parser().parse().is_err() {
                return;
            }
            let number = call.get_self().and_then(|this| this.get_property::<i64>("code").ok());
            let kind = ErrorKind::ALL.iter().find(|kind| Some(i64::from(kind.number())) == number);
            *result = value::text(kind.map_or("", |kind| kind.slug()));
        }));
    }
}

/// The exception for a core error.
pub(crate) fn from_core(error: &Error) -> PhpException {
    let kind = error.kind();
    // The classes exist as soon as the extension has started; `\Error` only satisfies the compiler.
    let entry = ClassEntry::try_find(class_name(kind.class())).unwrap_or_else(ce::error);
    PhpException::new(error.to_string(), i32::from(kind.number()), entry)
}

/// A new exception object, not thrown.
pub(crate) fn object(class: &str, message: &str, fields: &[(&str, Zval)]) -> Zval {
    // The classes exist as soon as the extension has started; `\Error` only satisfies the compiler.
    let entry = ClassEntry::try_find(class).unwrap_or_else(ce::error);
    let base = if entry.instance_of(ce::exception()) { ce::exception() } else { ce::error() };
    let mut object = entry.new();
    // It may quote a name that a model chose.
    let message = value::text(visible(message).as_bytes());
    crate::zend::write_hidden(&mut object, base, "message", &message);
    for (name, value) in fields {
        let scope = if *name == "previous" { base } else { entry };
        crate::zend::write_hidden(&mut object, scope, name, value);
    }
    let mut made = Zval::new();
    made.set_object(&mut object);
    made
}

/// The exception for a core error, as an object that is not thrown.
pub(crate) fn object_of(error: &Error) -> Zval {
    let kind = error.kind();
    let code = value::whole(usize::from(kind.number()));
    object(class_name(kind.class()), &error.to_string(), &[("code", code)])
}

/// Throws an exception object.
pub(crate) fn thrown(object: Zval) -> PhpException {
    PhpException::new(String::new(), 0, ce::error()).with_object(object)
}

/// The exception for an argument of the wrong type.
pub(crate) fn wrong_type(message: impl Into<String>) -> PhpException {
    from_core(&Error::new(ErrorKind::WrongType, message))
}

/// PHP's error for writing to a read-only property.
pub(crate) fn readonly(class: &str, property: &str) -> PhpException {
    PhpException::new(
        format!("Cannot modify readonly property {class}::${property}"),
        0,
        ce::error(),
    )
}

/// The error for using an object that was neither constructed nor read back.
pub(crate) fn not_constructed(class: &str) -> PhpException {
    PhpException::new(format!("The object of class {class} was not constructed"), 0, ce::error())
}

/// The error for constructing an object again.
pub(crate) fn constructed_twice(class: &str) -> PhpException {
    PhpException::new(format!("Cannot construct an object of class {class} twice"), 0, ce::error())
}

/// PHP's error for constructing an object that only the extension may make.
pub(crate) fn not_constructible(class: &str) -> PhpException {
    PhpException::new(format!("Cannot directly construct {class}"), 0, ce::error())
}
