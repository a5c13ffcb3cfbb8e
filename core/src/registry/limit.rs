//! How often a tool may run.

use crate::error::{Error, ErrorKind};

/// The number of calls that are allowed in a period.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct RateLimit {
    /// The number of calls.
    pub(crate) count: u32,
    /// The period in microseconds.
    pub(crate) period: i64,
}

impl RateLimit {
    /// Allows `count` calls at once, and on average `count` calls in each `period` of microseconds.
    ///
    /// # Errors
    /// `invalid_option` when `count` or `period` is not positive.
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
