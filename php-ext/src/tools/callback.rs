//! Calls PHP code from a run, and catches what it throws.
//!
//! An exception from a handler, a listener or a PHP store belongs to the run. The exit of a script
//! cannot be caught and stays pending. Code that meets a pending exit returns to the engine and
//! calls no more PHP code.

use std::error::Error as StdError;
use std::fmt;

use ext_php_rs::convert::IntoZvalDyn;
use ext_php_rs::error::php_error;
use ext_php_rs::exception::PhpException;
use ext_php_rs::flags::ErrorType;
use ext_php_rs::types::{ZendCallable, Zval};
use ext_php_rs::zend::{ExecutorGlobals, ce};
use fragile::Fragile;
use toolwire::lifecycle::{Answer, UndoAnswer};
use toolwire::{Error, ErrorKind};

use crate::host::exception;
use crate::host::value;

/// Why PHP code did not return.
pub(crate) enum Stop {
    /// The code threw this object.
    Thrown(Zval),
    /// The script exits: the engine unwinds it when it gets control back.
    Exit,
}

impl From<Stop> for PhpException {
    fn from(stop: Stop) -> Self {
        match stop {
            Stop::Thrown(object) => exception::thrown(object),
            // This exception is never thrown, because the exit is pending.
            Stop::Exit => Self::from_message("the script exits".to_owned()),
        }
    }
}

impl From<Error> for Stop {
    fn from(error: Error) -> Self {
        Self::Thrown(exception::object_of(&error))
    }
}

impl From<ext_php_rs::error::Error> for Stop {
    fn from(error: ext_php_rs::error::Error) -> Self {
        match caught() {
            Err(stop) => stop,
            Ok(()) => Error::new(ErrorKind::WrongType, error.to_string()).into(),
        }
    }
}

/// Catches the pending exception, if there is one.
pub(crate) fn caught() -> Result<(), Stop> {
    let pending =
        ExecutorGlobals::get().exception().map(|pending| pending.instance_of(ce::throwable()));
    match pending {
        None => Ok(()),
        // The object that unwinds an exiting script is no Throwable, and it must stay pending.
        Some(false) => Err(Stop::Exit),
        Some(true) => match ExecutorGlobals::take_exception() {
            Some(mut object) => {
                let mut thrown = Zval::new();
                thrown.set_object(&mut object);
                Err(Stop::Thrown(thrown))
            }
            None => Ok(()),
        },
    }
}

/// Calls a callable.
pub(crate) fn call(callable: &Zval, arguments: Vec<&dyn IntoZvalDyn>) -> Result<Zval, Stop> {
    let given = ZendCallable::new(callable).and_then(|callable| callable.try_call(arguments));
    caught()?;
    Ok(given?)
}

/// Calls a method of an object, by its name in lower case.
pub(crate) fn call_method(
    object: &Zval,
    method: &str,
    arguments: Vec<&dyn IntoZvalDyn>,
) -> Result<Zval, Stop> {
    let given = object.try_call_method(method, arguments);
    caught()?;
    Ok(given?)
}

/// The known facts about a thrown object.
pub(crate) struct Raised {
    /// The name of the object's class.
    pub(crate) class: String,
    /// The object's message.
    pub(crate) message: String,
}

impl Raised {
    /// Reads the facts from the object.
    pub(crate) fn of(thrown: &Zval) -> Self {
        let message = call_method(thrown, "getmessage", Vec::new()).ok();
        let message =
            message.map(|message| String::from_utf8_lossy(value::bytes(&message)).into_owned());
        Self { class: value::type_name(thrown), message: message.unwrap_or_default() }
    }
}

impl From<Raised> for Answer {
    fn from(Raised { class, message }: Raised) -> Self {
        Self::Raised { class, message }
    }
}

impl From<Raised> for UndoAnswer {
    fn from(Raised { class, message }: Raised) -> Self {
        Self::Raised { class, message }
    }
}

/// Reports a thrown object, which no code can catch, as a PHP warning.
///
/// A program may turn warnings into exceptions. Such an exception is dropped here.
pub(crate) fn warn(what: &str, thrown: &Zval) -> Result<(), Stop> {
    let Raised { class, message } = Raised::of(thrown);
    let text = format!("{what} threw {class}: {message}").replace('\0', "\\0");
    php_error(&ErrorType::Warning, &text);
    match caught() {
        Err(Stop::Exit) => Err(Stop::Exit),
        Err(Stop::Thrown(_)) | Ok(()) => Ok(()),
    }
}

/// Checks that an argument can be called.
pub(crate) fn callable(name: &str, argument: &Zval) -> Result<Zval, Error> {
    if argument.is_callable() {
        return Ok(argument.dereference().shallow_clone());
    }
    let message = format!("{name} must be callable, got {}", value::type_name(argument));
    Err(Error::new(ErrorKind::WrongType, message))
}

/// An exception of a PHP store, on its way through the core.
pub(crate) struct Carried(Fragile<Zval>);

impl Carried {
    /// Wraps the thrown object.
    pub(crate) fn new(thrown: Zval) -> Self {
        Self(Fragile::new(thrown))
    }

    /// Returns the thrown object.
    pub(crate) fn object(&self) -> Zval {
        self.0.get().shallow_clone()
    }
}

impl fmt::Debug for Carried {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str("Carried")
    }
}

impl fmt::Display for Carried {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str("the host's store threw")
    }
}

impl StdError for Carried {}
