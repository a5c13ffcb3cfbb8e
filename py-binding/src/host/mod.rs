//! Python's values, exceptions and text for the rest of the wheel.
//!
//! [`argument`] and [`option`] take arguments. [`text`] and [`value`] convert values. With
//! [`node`], core reads values in place. [`json`] builds values from JSON, and [`keys`] their keys.
//! [`error`] holds the exceptions, and [`shown`] says how objects are shown.

pub mod argument;
pub mod error;
pub mod json;
pub mod keys;
pub mod node;
pub mod option;
pub mod shown;
pub mod text;
pub mod value;
