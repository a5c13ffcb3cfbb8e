//! Bounds how many runs go on inside each other, since each takes a part of the stack.

use std::cell::RefCell;
use std::collections::HashMap;

use crate::error::{Error, ErrorKind};

/// How many runs of a stack may go on inside each other: a handler that runs a tool is one level.
pub const MOST_NESTED: usize = 100;

thread_local! {
    /// The number of runs that go on, on each stack of the thread that has one.
    static RUNS: RefCell<HashMap<usize, usize>> = RefCell::default();
}

/// Forgets the runs of this thread, for a host that leaves them without unwinding the stack.
pub fn forget_nested_runs() {
    RUNS.take();
}

/// A run that goes on until this value is dropped.
pub(super) struct Nested {
    stack: usize,
}

impl Nested {
    /// Begins a run on a stack of this thread.
    ///
    /// # Errors
    ///
    /// `nested_too_deep` if the stack has [`MOST_NESTED`] runs.
    pub(super) fn begin(stack: usize) -> Result<Self, Error> {
        RUNS.with_borrow_mut(|runs| {
            let depth = runs.entry(stack).or_default();
            if *depth >= MOST_NESTED {
                let message = format!(
                    "{MOST_NESTED} runs go on inside each other; a handler, a policy or a listener \
                     starts its own run again"
                );
                return Err(Error::new(ErrorKind::NestedTooDeep, message));
            }
            *depth += 1;
            Ok(Self { stack })
        })
    }
}

impl Drop for Nested {
    fn drop(&mut self) {
        RUNS.with_borrow_mut(|runs| {
            if let Some(depth) = runs.get_mut(&self.stack) {
                *depth = depth.saturating_sub(1);
                if *depth == 0 {
                    runs.remove(&self.stack);
                }
            }
        });
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_stack_has_its_own_runs() {
        let many: Vec<_> = (0..MOST_NESTED).map(|_| Nested::begin(7).unwrap()).collect();
        assert_eq!(Nested::begin(7).err().unwrap().kind(), ErrorKind::NestedTooDeep);
        drop(Nested::begin(8).unwrap());
        drop(many);
        drop(Nested::begin(7).unwrap());
        assert_eq!(RUNS.with_borrow(HashMap::len), 0);
    }

    #[test]
    fn what_was_left_without_unwinding_can_be_forgotten() {
        std::mem::forget(Nested::begin(7).unwrap());
        forget_nested_runs();
        assert_eq!(RUNS.with_borrow(HashMap::len), 0);
    }
}
