//! `Toolwire\Seen`: a set of the calls that were detected before.

use ext_php_rs::prelude::*;

use crate::host::class::{COUNTABLE, php_class};
use crate::host::exception;
use crate::host::value::{Maybe, Text, Whole};

/// A set of calls, which the detectors that receive it share.
pub(crate) struct Seen {
    set: toolwire::detect::Seen,
}

impl Seen {
    /// The same set, in the form that a detector takes.
    pub(crate) fn shared(&self) -> toolwire::detect::Seen {
        self.set.clone()
    }
}

php_class!(Seen, "Toolwire\\Seen", [COUNTABLE], public, {});

#[php_impl]
impl Seen {
    /// Makes an empty set; a full set forgets its oldest calls.
    fn __construct(capacity: Maybe<Whole>) -> PhpResult<Self> {
        let Some(Whole(capacity)) = capacity.0 else {
            return Ok(Self { set: toolwire::detect::Seen::default() });
        };
        match usize::try_from(capacity) {
            Ok(capacity @ 1..) => Ok(Self { set: toolwire::detect::Seen::new(capacity) }),
            _ => Err(exception::from_core(&toolwire::Error::new(
                toolwire::ErrorKind::InvalidOption,
                format!("capacity must be at least 1, got {capacity}"),
            ))),
        }
    }

    /// The number of calls in the set.
    fn count(&self) -> usize {
        self.set.len()
    }

    /// Whether a call with this id is in the set.
    fn contains_id(&self, id: Text<'_>) -> bool {
        self.set.contains_id(&id.lossy())
    }

    /// Forgets every call.
    fn clear(&self) {
        self.set.clear();
    }
}
