//! PHP's values, exceptions and classes for the rest of the extension, in safe Rust.
//!
//! [`value`] and [`object`] take arguments, [`value`] makes values, and [`copy`] makes copies of
//! values. With [`tree`] and [`packets`] the core reads values in place; [`json`] and [`option`]
//! convert values through JSON; [`parts`] builds the arguments of calls that were read already.
//! [`class`](mod@class) makes a PHP class from a Rust type, and
//! [`record`] makes one whose objects consist only of their fields. [`exception`] holds the
//! exceptions.

pub(crate) mod class;
pub(crate) mod copy;
pub(crate) mod exception;
pub(crate) mod json;
pub(crate) mod object;
pub(crate) mod option;
pub(crate) mod packets;
pub(crate) mod parts;
pub(crate) mod record;
pub(crate) mod tree;
pub(crate) mod value;
