//! The one folder that speaks to the engine in raw pointers, behind safe functions.
//!
//! It holds what ext-php-rs has no safe call for, and imports nothing from the other folders.
//! Nothing here keeps a pointer beyond the call, and nothing here writes to a value that PHP code
//! can see.
//!
//! [`argument`]: arguments, coerced and refused as PHP does it. [`array`](mod@array): arrays, read
//! where they lie. [`cast`]: truth and text. [`cycle`]: what objects hold, for the collector.
//! [`declaration`]: what classes and methods declare. [`exception`]: the engine's classes.
//! [`object`]: objects made and filled. [`short`]: short calls. [`userland`]: methods that stand in
//! for ones written in PHP.

mod answer;
mod argument;
mod array;
mod cast;
mod cycle;
mod declaration;
mod exception;
mod object;
mod short;
mod userland;

pub(crate) use answer::*;
pub(crate) use argument::*;
pub(crate) use array::*;
pub(crate) use cast::*;
pub(crate) use cycle::*;
pub(crate) use declaration::*;
pub(crate) use exception::*;
pub(crate) use object::*;
pub(crate) use short::*;
pub(crate) use userland::*;
