//! Work on all pieces of a column, in several threads.

use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex, PoisonError};
use std::thread;

use arrow_data::ArrayData;
use pyo3::prelude::*;
use toolwire::ErrorKind;

use crate::batch::strings::TooLong;
use crate::batch::texts::{Piece, Texts};
use crate::host::argument::whole;
use crate::host::error::raise_kind;

/// The number of threads that is meant: 0 is one for each core.
///
/// # Errors
/// The errors of [`whole`].
pub fn threads(value: Option<&Bound<'_, PyAny>>) -> PyResult<usize> {
    let Some(value) = value else { return Ok(1) };
    let count = whole("threads", value)?;
    let cores = || thread::available_parallelism().map_or(1, usize::from);
    Ok(if count == 0 { cores() } else { count })
}

/// A chunk for each piece of a column, made without the interpreter.
///
/// # Errors
/// `invalid_option` if a row does not lie in its buffer, or what is made of it is too long.
pub fn chunks(
    py: Python<'_>,
    (what, texts): (&str, &Texts),
    threads: usize,
    make: impl Fn(&Piece<'_>) -> Result<ArrayData, TooLong> + Sync,
) -> PyResult<Arc<[ArrayData]>> {
    let pieces = texts.pieces(py, what)?;
    let run = || in_threads(threads, pieces.len(), |at| pieces.get(at).map_or(Err(TooLong), &make));
    let chunks = py.detach(run);
    chunks.map(Into::into).map_err(|TooLong| too_long(py))
}

/// The error for rows that no column of their type can hold.
pub fn too_long(py: Python<'_>) -> PyErr {
    raise_kind(py, ErrorKind::InvalidOption, "a text is too long for a column of its type")
}

/// What `make` gives for each number below `count`, made by several threads, in order.
pub fn in_threads<T: Send, E: Send>(
    threads: usize,
    count: usize,
    make: impl Fn(usize) -> Result<T, E> + Sync,
) -> Result<Vec<T>, E> {
    if threads <= 1 || count <= 1 {
        return (0..count).map(make).collect();
    }
    let (next, results) = (AtomicUsize::new(0), Mutex::new(Vec::with_capacity(count)));
    let work = || loop {
        let at = next.fetch_add(1, Ordering::Relaxed);
        if at >= count {
            return;
        }
        let one = make(at);
        results.lock().unwrap_or_else(PoisonError::into_inner).push((at, one));
    };
    thread::scope(|scope| {
        for _ in 1..threads.min(count) {
            // Where the system gives no more threads, those that there are do the work.
            if thread::Builder::new().spawn_scoped(scope, work).is_err() {
                break;
            }
        }
        work();
    });
    let mut done = results.into_inner().unwrap_or_else(PoisonError::into_inner);
    done.sort_unstable_by_key(|(at, _)| *at);
    done.into_iter().map(|(_, one)| one).collect()
}
