//! How often a tool may run.

use crate::error::{Error, ErrorKind};

/// How many calls are allowed a period.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct RateLimit {
    /// How many.
    pub(crate) count: u32,
    /// Microseconds.
    pub(crate) period: i64,
}

impl RateLimit {
    /// Allows `count` calls at once, and in the long run `count` a `period` of microseconds.
    ///
    /// # Errors
    /// `invalid_option` when one of them is not positive.
    pub fn new(count: u32, period: i64) -> Result<Self, Error> {
        if count == 0 || period <= 0 {
            let message = format!(
                "a rate limit needs a count and a period above 0, not {count} and {period}"
            );
            return Err(Error::new(ErrorKind::InvalidOption, message));
        }
        Ok(Self { count, period })
    }
}
