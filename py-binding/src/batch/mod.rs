//! Columns of texts: what is found in each row, as columns of Arrow.
//!
//! [`texts`] reads a column, or an iterable, and cuts it into pieces. [`detect`] finds the calls of
//! the pieces, in as many threads as are wanted, and writes each piece with [`rows`], of which
//! [`strings`] are the parts. [`layout`] says which columns come out, and [`join`] makes one array
//! of several. [`members`] makes a column of texts from lines of JSON.
//!
//! No Python object is made of a row, and the interpreter is not needed after the column was read.

pub mod detect;
pub mod join;
pub mod layout;
pub mod members;
mod rows;
mod strings;
pub mod texts;
