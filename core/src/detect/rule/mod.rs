//! The rules by which a call that was found is accepted or refused.
//!
//! [`accept`] holds the rules of a detector and applies them. They check the [`name`], the known
//! [`tools`], the [`schema`] of the arguments, and the calls [`seen`] before. [`typed`] and
//! [`coerce`] convert values to the types of the schema. [`id`] gives a call its id.

pub(crate) mod accept;
pub(crate) mod coerce;
pub(crate) mod id;
pub(crate) mod name;
pub(crate) mod schema;
pub(crate) mod seen;
pub(crate) mod tools;
pub(crate) mod typed;
