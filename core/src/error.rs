//! The one error type: it reports misuse by the programmer, never something that a model wrote.
//!
//! Every [`ErrorKind`] has a slug and a number that are never reused. It belongs to one
//! [`ErrorClass`], and each host maps a class onto one exception class.
//!
//! ```
//! use toolwire::detect::Format;
//! use toolwire::ErrorKind;
//!
//! let error = Format::named("tga").unwrap_err();
//! assert_eq!(error.kind(), ErrorKind::UnknownFormat);
//! assert!(error.to_string().starts_with("unknown format \"tga\"; nearest: tag; known: tag, "));
//! ```

use std::error::Error as StdError;
use std::fmt;

use crate::nearest::suggestion;
use crate::slug::slugs;
use crate::visible::made_visible;

/// The classes of errors; each host has one exception for each class.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum ErrorClass {
    /// An option or argument has a value that is not allowed.
    Argument,
    /// An option or argument is of the wrong type.
    Type,
    /// A call came at the wrong time.
    State,
}

/// Declares the kinds with slug, number and class.
macro_rules! kinds {
    ($($(#[$doc:meta])* $kind:ident = $number:literal, $slug:literal, $class:ident;)+) => {
        slugs! {
            /// What went wrong.
            #[non_exhaustive]
            pub enum ErrorKind { $($(#[$doc])* $kind => $slug,)+ }
        }

        impl ErrorKind {
            /// The stable number.
            #[must_use]
            pub fn number(self) -> u16 {
                match self { $(Self::$kind => $number,)+ }
            }

            /// The class that the kind belongs to.
            #[must_use]
            pub fn class(self) -> ErrorClass {
                match self { $(Self::$kind => ErrorClass::$class,)+ }
            }
        }
    };
}

kinds! {
    /// An option that does not exist.
    UnknownOption = 1, "unknown_option", Argument;
    /// A format that does not exist.
    UnknownFormat = 2, "unknown_format", Argument;
    /// A preset that does not exist.
    UnknownPreset = 3, "unknown_preset", Argument;
    /// An option with a value outside its range or list.
    InvalidOption = 4, "invalid_option", Argument;
    /// A tool definition that is not of a known shape.
    InvalidTool = 5, "invalid_tool", Argument;
    /// A tool's schema that is not a usable JSON Schema.
    InvalidSchema = 6, "invalid_schema", Argument;
    /// A value of the wrong type.
    WrongType = 7, "wrong_type", Type;
    /// A stream that is fed after its end.
    StreamFinished = 8, "stream_finished", State;
    /// A stream that is asked for its outcome before its end.
    StreamOpen = 9, "stream_open", State;
    /// A type of data packet that does not exist.
    UnknownPacketType = 10, "unknown_packet_type", Argument;
    /// A provider that does not exist.
    UnknownProvider = 11, "unknown_provider", Argument;
    /// A call whose arguments are not a JSON object.
    InvalidArguments = 12, "invalid_arguments", Argument;
    /// A format's definition that is not usable.
    InvalidFormat = 13, "invalid_format", Argument;
    /// An answer that does not match the step that the run waits for.
    UnexpectedAnswer = 14, "unexpected_answer", State;
    /// A saved run that cannot be resumed.
    InvalidExecution = 15, "invalid_execution", Argument;
    /// A saved call, result or rejection that cannot be read back.
    InvalidRecord = 16, "invalid_record", Argument;
    /// A call that a format cannot hold.
    CannotRender = 17, "cannot_render", Argument;
    /// A model that no profile is known for.
    UnknownModel = 18, "unknown_model", Argument;
    /// A profile's definition that is not usable.
    InvalidProfile = 19, "invalid_profile", Argument;
    /// Code of the program that calls itself through runs or a filter, deeper than it may.
    NestedTooDeep = 21, "nested_too_deep", State;
    /// A file that the host does not let the program open.
    PathNotAllowed = 22, "path_not_allowed", Argument;
    /// A tool's schema, or arguments for it, that would need too many steps or too much memory.
    SchemaLimit = 23, "schema_limit", Argument;
    /// A run whose handler outlived its lease, so that its end was not kept.
    RunLost = 24, "run_lost", State;
    /// A format, a tool's name or a keyword of a schema that a grammar cannot hold.
    CannotConstrain = 25, "cannot_constrain", Argument;
    /// A tool that is not among those of the request.
    UnknownTool = 26, "unknown_tool", Argument;
}

/// A programmer's mistake, with a stable kind and a message that says what to do.
#[derive(Debug)]
pub struct Error {
    inner: Box<Inner>,
}

#[derive(Debug)]
struct Inner {
    kind: ErrorKind,
    message: String,
    offset: Option<usize>,
    source: Option<Box<dyn StdError + Send + Sync>>,
}

impl Error {
    /// Makes an error of a kind. A message may quote what a model wrote, so characters that nobody
    /// sees become marks.
    pub fn new(kind: ErrorKind, message: impl Into<String>) -> Self {
        let message = made_visible(message.into());
        Self { inner: Box::new(Inner { kind, message, offset: None, source: None }) }
    }

    /// Makes the error for a slug that does not exist; the message lists the known slugs.
    pub(crate) fn unknown(kind: ErrorKind, what: &str, slug: &str, known: &[&str]) -> Self {
        Self::new(kind, format!("unknown {what} {slug:?}{}", suggestion(slug, known)))
    }

    /// Adds the offset of the wrong byte.
    #[must_use]
    pub fn at(mut self, offset: usize) -> Self {
        self.inner.offset = Some(offset);
        self
    }

    /// Adds the error that caused this one.
    #[must_use]
    pub fn caused_by(mut self, source: impl Into<Box<dyn StdError + Send + Sync>>) -> Self {
        self.inner.source = Some(source.into());
        self
    }

    /// What went wrong.
    #[must_use]
    pub fn kind(&self) -> ErrorKind {
        self.inner.kind
    }

    /// The offset of the wrong byte, if the error has one.
    #[must_use]
    pub fn offset(&self) -> Option<usize> {
        self.inner.offset
    }
}

impl fmt::Display for Error {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str(&self.inner.message)
    }
}

impl StdError for Error {
    fn source(&self) -> Option<&(dyn StdError + 'static)> {
        self.inner.source.as_deref().map(|source| source as _)
    }
}
