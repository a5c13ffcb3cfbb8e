//! The only folder that calls the engine through raw pointers, behind safe functions.
//!
//! It holds the calls for which ext-php-rs has no safe function, and imports nothing from the other
//! folders. No function here keeps a pointer beyond the call, or writes to a value that PHP code
//! can see.
//!
//! [`argument`]: arguments, coerced and refused as PHP does. [`array`](mod@array): arrays, read in
//! place. [`cast`]: casts to boolean and string. [`class_place`]: places for classes, which all
//! threads share. [`coercion`]: the engine's functions that coerce arguments. [`cycle`]: the values
//! that objects hold, for the cycle collector. [`declaration`]: declarations of classes and
//! methods. [`exception`]: the engine's exception classes. [`fiber`]: the running fiber. [`json`]:
//! PHP's own JSON. [`list`]: lists that are filled in place. [`made`]: values that are made in
//! place. [`new_object`]: objects of this extension's classes. [`object`]: objects made and filled.
//! [`path`]: paths of files. [`quick`]: properties that are read often. [`short`]: short calls.
//! [`userland`]: methods that replace methods written in PHP.

mod answer;
mod argument;
mod array;
mod cast;
mod class_place;
mod coercion;
mod cycle;
mod declaration;
mod exception;
mod fiber;
mod json;
mod list;
mod made;
mod new_object;
mod object;
mod path;
mod quick;
mod short;
mod userland;

pub(crate) use answer::*;
pub(crate) use argument::*;
pub(crate) use array::*;
pub(crate) use cast::*;
pub(crate) use class_place::*;
pub(crate) use cycle::*;
pub(crate) use declaration::*;
pub(crate) use exception::*;
pub(crate) use fiber::*;
pub(crate) use json::*;
pub(crate) use list::*;
pub(crate) use made::*;
pub(crate) use new_object::*;
pub(crate) use object::*;
pub(crate) use path::*;
pub(crate) use quick::*;
pub(crate) use short::*;
pub(crate) use userland::*;
