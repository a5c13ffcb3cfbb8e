//! `Toolwire\Tools\RateLimiter`: a number of calls in a period, for each tool and caller.

use std::sync::Arc;

use ext_php_rs::prelude::*;
use toolwire::lifecycle::{self, Permit};
use toolwire::{Error, ErrorKind};

use super::any_store::AnyStore;
use super::{clock, definition, error};
use crate::host::class::php_class;
use crate::host::exception;
use crate::host::value::{self, AnArray, As, EMPTY, Real, Text, Whole};

/// Counts calls in a store.
pub(crate) struct RateLimiter(lifecycle::RateLimiter);

php_class!(RateLimiter, "Toolwire\\Tools\\RateLimiter", [], public, {});

#[php_impl]
impl RateLimiter {
    /// Allows `count` calls in `seconds` seconds, for each tool and caller.
    fn __construct(store: AnyStore, count: Whole, seconds: Real) -> PhpResult<Self> {
        let limit =
            definition::limit(count.0, seconds.0).map_err(|error| exception::from_core(&error))?;
        Ok(Self(lifecycle::RateLimiter::new(Arc::clone(&store.0), limit)))
    }

    /// Counts a call, if the call may be made.
    #[php(defaults(caller = EMPTY))]
    fn check(&self, tool: Text<'_>, caller: Text<'_>) -> PhpResult<As<AnArray>> {
        let (tool, caller) = (utf8("tool", &tool)?, utf8("caller", &caller)?);
        let permit = self.0.check(tool, caller, clock::now()).map_err(error::store)?;
        let (allowed, remaining, retry_after) = match permit {
            Permit::Allowed { remaining } => (true, remaining, 0.0),
            Permit::Limited { retry_after } => (false, 0, lifecycle::seconds(retry_after)),
        };
        Ok(As::new(value::record([
            ("allowed", value::flag(allowed)),
            ("remaining", value::whole(usize::try_from(remaining).unwrap_or(usize::MAX))),
            ("retry_after", value::real_or_null(Some(retry_after))),
        ])?))
    }
}

/// A name; bytes that are replaced would make one name of two.
fn utf8<'t>(what: &str, text: &'t Text<'_>) -> PhpResult<&'t str> {
    std::str::from_utf8(text.bytes()).map_err(|_| {
        let message = format!("{what} must be UTF-8");
        exception::from_core(&Error::new(ErrorKind::InvalidOption, message))
    })
}
