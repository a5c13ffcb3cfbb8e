//! Paths of files, as PHP reads and restricts them.

use std::ffi::{CStr, CString, c_char, c_int};
use std::ptr;

use ext_php_rs::alloc::efree;

/// Dots are taken out of a path, and links stay.
const CWD_EXPAND: c_int = 0;

unsafe extern "C" {
    fn expand_filepath_with_mode(
        path: *const c_char,
        into: *mut c_char,
        from: *const c_char,
        from_length: usize,
        mode: c_int,
    ) -> *mut c_char;
    fn php_check_open_basedir_ex(path: *const c_char, warn: c_int) -> c_int;
}

/// PHP's working directory, which need not be that of the process; `None` if there is none.
pub(crate) fn working_directory() -> Option<Vec<u8>> {
    // SAFETY: both paths end with a NUL, or are null with a length of 0, and are only read. Without
    // a place for it, the engine returns null, or a text that ends with a NUL and that the caller
    // frees.
    unsafe {
        let made =
            expand_filepath_with_mode(c".".as_ptr(), ptr::null_mut(), ptr::null(), 0, CWD_EXPAND);
        if made.is_null() {
            return None;
        }
        let directory = CStr::from_ptr(made).to_bytes().to_vec();
        efree(made.cast());
        Some(directory)
    }
}

/// Whether `open_basedir` lets the program open a path, with its links followed.
pub(crate) fn may_open(path: &[u8]) -> bool {
    let Ok(path) = CString::new(path) else { return false };
    // SAFETY: the path ends with a NUL and is only read; without warnings, no PHP code runs.
    unsafe { php_check_open_basedir_ex(path.as_ptr(), 0) == 0 }
}
