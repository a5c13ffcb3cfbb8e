//! Python's values, exceptions and text for the rest of the wheel.
//!
//! [`argument`] and [`option`] take arguments, [`text`] and [`value`] carry values over, with
//! [`node`] the core reads them in place, [`json`] makes values of JSON. [`error`] holds the
//! exceptions.

pub mod argument;
pub mod error;
pub mod json;
pub mod node;
pub mod option;
pub mod text;
pub mod value;
