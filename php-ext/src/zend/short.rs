//! Short calls: a method's most frequent calls, answered before the binding parses their arguments.

use std::panic::catch_unwind;
use std::sync::OnceLock;

use ext_php_rs::class::RegisteredClass;
use ext_php_rs::ffi;
use ext_php_rs::types::{ZendHashTable, ZendStr, Zval};
use ext_php_rs::zend::ExecuteData;

use super::array::{table, text};
use super::declaration::method_of;

/// The handler that a short one stands before.
static FULL: OnceLock<unsafe extern "C" fn(*mut ExecuteData, *mut Zval)> = OnceLock::new();

/// The answer to a short call.
pub(crate) enum Answer<'a> {
    /// This value.
    Found(&'a Zval),
    /// Null.
    Nothing,
    /// The method itself answers.
    Left,
}

/// What answers a method's most frequent calls: those with an array and a string, and no more.
pub(crate) trait Short {
    /// The answer. No PHP code may run.
    fn answer<'a>(array: &'a ZendHashTable, text: &ZendStr) -> Answer<'a>;
}

/// Puts a short handler before that of a method. Only one method can have one.
///
/// The binding's own handler parses arguments into a list, and guards against a bailout of the
/// engine, which costs more than to search ten packets. To be called at start-up.
pub(crate) fn shorten<T: RegisteredClass, S: Short>(method: &str) {
    if let Some(function) = method_of(T::get_metadata().ce(), method)
        && let Some(full) = function.handler
        && FULL.set(full).is_ok()
    {
        function.handler = Some(answer_shortly::<S>);
    }
}

/// The short handler; the full one answers what it leaves.
unsafe extern "C" fn answer_shortly<S: Short>(call: *mut ExecuteData, result: *mut Zval) {
    // SAFETY: the engine calls with a frame, as many arguments behind it as `num_args` says, and
    // room for a result that owns nothing yet. A panic does not leave the function. Nothing that
    // runs can bail out: no PHP code does.
    unsafe {
        let arguments =
            call.cast::<Zval>().add(size_of::<ExecuteData>().div_ceil(size_of::<Zval>()));
        if (*call).This.u2.num_args == 2
            && let (Some(array), Some(text)) = (table(&*arguments), text(&*arguments.add(1)))
            && let Ok(answer @ (Answer::Found(_) | Answer::Nothing)) =
                catch_unwind(|| S::answer(array, text))
        {
            if let Answer::Found(value) = answer {
                result.write(value.shallow_clone());
            } else {
                (*result).u1.type_info = ffi::IS_NULL;
            }
        } else if let Some(full) = FULL.get() {
            full(call, result);
        }
    }
}
