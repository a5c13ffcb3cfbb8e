//! Short calls: the most frequent calls of a method, answered before the binding parses their
//! arguments.

use std::panic::catch_unwind;
use std::sync::OnceLock;

use ext_php_rs::class::RegisteredClass;
use ext_php_rs::ffi;
use ext_php_rs::types::{ZendHashTable, ZendStr, Zval};
use ext_php_rs::zend::ExecuteData;

use super::array::{table, text};
use super::declaration::method_of;

/// The method's full handler, which runs after the short one.
static FULL: OnceLock<unsafe extern "C" fn(*mut ExecuteData, *mut Zval)> = OnceLock::new();

/// The result of a short call.
pub(crate) enum Answer<'a> {
    /// This value is the result.
    Found(&'a Zval),
    /// The result is null.
    Nothing,
    /// The full handler must answer.
    Left,
}

/// Answers a method's most frequent calls: those with only an array and a string.
pub(crate) trait Short {
    /// The result of the call; no PHP code may run.
    fn answer<'a>(array: &'a ZendHashTable, text: &ZendStr) -> Answer<'a>;
}

/// Installs a short handler before the handler of a method; only one method can have one.
///
/// The binding's own handler parses arguments into a list and guards against a bailout of the
/// engine, which costs more than a search of ten packets. Call this at start-up.
pub(crate) fn shorten<T: RegisteredClass, S: Short>(method: &str) {
    if let Some(function) = method_of(T::get_metadata().ce(), method)
        && let Some(full) = function.handler
        && FULL.set(full).is_ok()
    {
        function.handler = Some(answer_shortly::<S>);
    }
}

/// The short handler; the full handler answers the calls that it leaves.
unsafe extern "C" fn answer_shortly<S: Short>(call: *mut ExecuteData, result: *mut Zval) {
    // SAFETY: the engine passes a frame with `num_args` arguments after it, and a place for a
    // result that owns nothing yet. A panic does not leave the function. No PHP code runs, so
    // nothing can bail out.
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
