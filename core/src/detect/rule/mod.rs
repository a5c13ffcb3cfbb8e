//! The rules by which a call that was found is accepted or refused.
//!
//! [`accept`] holds a detector's rules and applies them: the [`name`], the known [`tools`], the
//! [`schema`] of their arguments, which [`typed`] and [`coerce`] make values fit, and the calls
//! [`seen`] before.

pub(crate) mod accept;
pub(crate) mod coerce;
pub(crate) mod name;
pub(crate) mod schema;
pub(crate) mod seen;
pub(crate) mod tools;
pub(crate) mod typed;
