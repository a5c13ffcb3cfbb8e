//! Other programs' habits: what they name, write and get wrong, for code that has to behave as they do.
//!
//! Nothing else in this crate imports from here.
//!
//! - [`data_machine`]: finding a handler's results by the rules of Data Machine's own class.

pub mod data_machine;
