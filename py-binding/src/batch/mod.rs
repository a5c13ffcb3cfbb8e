//! Columns: what is found in each row, as columns of Arrow.
//!
//! [`texts`] reads a column of texts, whose [`values`] are used in place, or an iterable, and cuts
//! it into pieces; [`run`] works on the pieces in as many threads as are wanted. Of each piece,
//! [`rows`] makes what a detector finds in its texts, [`logs`] the entries of its logs,
//! [`exchanges`] what is in its providers' objects. [`results`] reads a column of results, of which
//! [`summaries`] makes texts. [`strings`] and [`table`] are the parts of the columns that come out,
//! [`layout`] says which parts are wanted, and [`join`] makes one array of several. [`members`]
//! makes a column of texts from lines of JSON.
//!
//! No Python object is made of a row, and the interpreter is not needed after the column was read.

pub mod exchanges;
pub mod join;
pub mod layout;
pub mod logs;
pub mod members;
pub mod results;
pub mod rows;
pub mod run;
mod strings;
pub mod summaries;
mod table;
pub mod texts;
mod values;
