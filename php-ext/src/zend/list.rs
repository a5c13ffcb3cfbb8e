//! Lists that are filled in place.

use std::ptr;

use ext_php_rs::boxed::ZBox;
use ext_php_rs::ffi;
use ext_php_rs::types::{ZendHashTable, Zval};

use super::array::empty;
use super::made;

unsafe extern "C" {
    fn zend_hash_real_init_packed(table: *mut ZendHashTable);
}

/// A list that has room for all of its values from the start.
///
/// A push by the engine's function checks on each call what is known here.
pub(crate) struct List {
    table: ZBox<ZendHashTable>,
}

impl List {
    /// A list with room for a number of values.
    pub(crate) fn with_capacity(count: usize) -> Self {
        let mut table = ZendHashTable::with_capacity(u32::try_from(count).unwrap_or_default());
        // SAFETY: the table is new and empty, so it has no storage yet.
        unsafe { zend_hash_real_init_packed(&raw mut *table) };
        Self { table }
    }

    /// Appends a value. A value beyond the room is dropped.
    #[inline]
    pub(crate) fn push(&mut self, value: Zval) {
        let table = &mut *self.table;
        if table.nNumUsed < table.nTableSize {
            // SAFETY: the storage of a packed table has `nTableSize` slots, and the one behind the
            // used ones holds nothing. The table counts the slot only once it is filled.
            unsafe {
                ptr::write(table.__bindgen_anon_1.arPacked.add(table.nNumUsed as usize), value);
            };
            table.nNumUsed += 1;
            table.nNumOfElements += 1;
            // The field starts at another value in some versions.
            table.nNextFreeElement = table.nNumUsed.into();
        }
    }

    /// The list as a value.
    pub(crate) fn into_value(self) -> Zval {
        made::array(self.table)
    }
}

/// The engine's empty array as a value, which takes no memory.
pub(crate) fn empty_array() -> Zval {
    let mut value = Zval::new();
    // The engine never writes to an array that is not counted.
    value.value.arr = ptr::from_ref(empty()).cast_mut();
    value.u1.type_info = ffi::IS_ARRAY;
    value
}
