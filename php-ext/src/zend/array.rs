//! Reads arrays in place, through raw pointers behind safe functions.
//!
//! No function here keeps a pointer beyond the call or writes to an array.

use std::sync::atomic::{AtomicPtr, AtomicU64, AtomicUsize, Ordering};
use std::{ptr, slice};

use ext_php_rs::ffi;
use ext_php_rs::types::{ZendHashTable, ZendStr, Zval};
use toolwire::tree::Key as Known;

/// A macro that ext-php-rs does not bind: `HASH_FLAG_PACKED`.
const PACKED: u32 = 1 << 2;

/// A key of a PHP array.
#[derive(Clone, Copy)]
pub(crate) enum Key<'a> {
    /// An integer.
    Index(u64),
    /// A string, of any bytes.
    Name(&'a [u8]),
}

/// The entries of an array in order; references are followed and keys are not copied.
pub(crate) fn entries(table: &ZendHashTable) -> impl Iterator<Item = (Key<'_>, &Zval)> {
    let slots = Slots::of(table);
    (0..slots.used).filter_map(move |position| {
        let value = slots.value(position)?;
        Some((slots.key(position), value))
    })
}

/// The slots of an array's table, numbered from 0: plain values in a packed table, buckets in any
/// other.
#[derive(Clone, Copy)]
pub(crate) struct Slots<'a> {
    table: &'a ZendHashTable,
    /// The number of slots that are or were in use; some may be empty.
    pub(crate) used: usize,
    packed: bool,
}

impl<'a> Slots<'a> {
    /// The slots of a table.
    #[inline]
    pub(crate) fn of(table: &'a ZendHashTable) -> Self {
        // SAFETY: the flags are always set; both views of the union are plain integers.
        let packed = unsafe { table.u.flags } & PACKED != 0;
        Self { table, used: table.nNumUsed as usize, packed }
    }

    /// The value in a slot, with references followed; `None` for an empty slot or beyond the last.
    #[inline]
    pub(crate) fn value(self, position: usize) -> Option<&'a Zval> {
        follow(self.at(position)?, |far| far)
    }

    /// Does the same as `value`; `reach` maps a value that does not lie in the slot itself.
    #[inline]
    pub(crate) fn value_reached(
        self,
        position: usize,
        reach: impl FnOnce(&'a Zval) -> &'a Zval,
    ) -> Option<&'a Zval> {
        follow(self.at(position)?, reach)
    }

    /// The content of a slot; `None` beyond the last.
    #[inline]
    fn at(self, position: usize) -> Option<&'a Zval> {
        if position >= self.used {
            return None;
        }
        // SAFETY: the first `nNumUsed` slots are initialised, and have the size that the flag
        // indicates.
        Some(unsafe {
            if self.packed {
                &*self.table.__bindgen_anon_1.arPacked.add(position)
            } else {
                &(*self.table.__bindgen_anon_1.arData.add(position)).val
            }
        })
    }

    /// The array in a slot, if the slot holds an array directly.
    #[inline]
    pub(crate) fn table_at(self, position: usize) -> Option<&'a ZendHashTable> {
        table(self.at(position)?)
    }

    /// The bucket at a position; `None` beyond the last, and in a packed table.
    #[inline]
    fn bucket(self, position: usize) -> Option<&'a ffi::Bucket> {
        if self.packed || position >= self.used {
            return None;
        }
        // SAFETY: a table that is not packed has `nNumUsed` initialised buckets.
        Some(unsafe { &*self.table.__bindgen_anon_1.arData.add(position) })
    }

    /// Prefetches the key and the value of a bucket that the cache holds.
    #[inline]
    pub(crate) fn fetch_entry(self, position: usize) {
        if let Some(bucket) = self.bucket(position) {
            fetch_address(bucket.key);
            // SAFETY: the number or address in a value is only a hint; nothing is read through it.
            fetch_address(unsafe { bucket.val.value.str_ });
        }
    }

    /// The key of the slot at a position; the position itself in a packed table.
    fn key(self, position: usize) -> Key<'a> {
        let Some(bucket) = self.bucket(position) else { return Key::Index(position as u64) };
        // SAFETY: a bucket's key is null or a string that lives as long as the bucket.
        unsafe { bucket.key.as_ref() }
            .map_or(Key::Index(bucket.h), |name| Key::Name(name.as_bytes()))
    }
}

/// Prefetches a bucket of a table; this is a hint, so any number is allowed.
#[inline]
pub(crate) fn fetch_bucket(table: &ZendHashTable, slot: usize) {
    // SAFETY: only an address is computed; nothing is read through it.
    let buckets = unsafe { table.__bindgen_anon_1.arData }.cast_const();
    fetch_address(buckets.wrapping_add(slot));
}

/// Prefetches the fields that are read of a table; every fourth table lies in two cache lines.
#[inline]
pub(crate) fn fetch_table(table: &ZendHashTable) {
    fetch_address(&raw const table.u);
    fetch_address(&raw const table.nNumUsed);
}

/// Asks the processor to load an address into the cache; the hint does not affect results.
#[inline]
fn fetch_address<T>(address: *const T) {
    #[cfg(target_arch = "x86_64")]
    // SAFETY: a prefetch of any address is allowed.
    unsafe {
        core::arch::x86_64::_mm_prefetch::<{ core::arch::x86_64::_MM_HINT_T0 }>(address.cast());
    }
    #[cfg(not(target_arch = "x86_64"))]
    let _ = address;
}

/// Follows a slot that points elsewhere (in a symbol table) and a reference; `None` if it is empty.
#[inline]
fn follow<'a>(value: &'a Zval, reach: impl FnOnce(&'a Zval) -> &'a Zval) -> Option<&'a Zval> {
    // The types from null to resource have adjoining numbers and cover almost all values.
    if (ffi::IS_NULL..=ffi::IS_RESOURCE).contains(&kind(value)) {
        Some(value)
    } else {
        follow_far(value).map(reach)
    }
}

/// Follows a slot that does not itself hold a value.
#[cold]
fn follow_far(mut value: &Zval) -> Option<&Zval> {
    // SAFETY: the type byte says which member of the union is set, and the target lives as long as
    // the slot.
    unsafe {
        if kind(value) == ffi::IS_INDIRECT {
            value = value.value.zv.as_ref()?;
        }
        if kind(value) == ffi::IS_REFERENCE {
            value = &(*value.value.ref_).val;
        }
    }
    (kind(value) != ffi::IS_UNDEF).then_some(value)
}

/// The type byte of a value, in one load; ext-php-rs goes through an enum.
#[inline]
pub(super) fn kind(value: &Zval) -> u32 {
    // SAFETY: both views of the union are plain integers.
    u32::from(unsafe { value.u1.v.type_ })
}

/// The array in a value.
#[inline]
pub(crate) fn table(value: &Zval) -> Option<&ZendHashTable> {
    // SAFETY: a value of type array points to its table and is never null.
    if kind(value) == ffi::IS_ARRAY { Some(unsafe { &*value.value.arr }) } else { None }
}

/// Whether a value is an object.
#[inline]
pub(crate) fn is_object(value: &Zval) -> bool {
    kind(value) == ffi::IS_OBJECT
}

/// The engine's empty array.
pub(crate) fn empty<'a>() -> &'a ZendHashTable {
    // SAFETY: this is a constant of the engine.
    unsafe { &ffi::zend_empty_array }
}

/// The string in a value.
#[inline]
pub(crate) fn text(value: &Zval) -> Option<&ZendStr> {
    // SAFETY: a value of type string points to its string and is never null.
    if kind(value) == ffi::IS_STRING { Some(unsafe { &*value.value.str_ }) } else { None }
}

/// Cached data about a well-known key.
struct Place {
    /// The key as an interned string, and its hash.
    key: AtomicPtr<ZendStr>,
    hash: AtomicU64,
    /// The slot of the key in the last array. It is a guess, since threads may overwrite each
    /// other's slots.
    slot: AtomicUsize,
}

static PLACES: [Place; Known::ALL.len()] = [const {
    Place {
        key: AtomicPtr::new(ptr::null_mut()),
        hash: AtomicU64::new(0),
        slot: AtomicUsize::new(0),
    }
}; Known::ALL.len()];

impl Place {
    #[inline]
    fn of(known: Known) -> &'static Self {
        // The keys are numbered without a gap, so the place always exists and the branch folds
        // away.
        PLACES.get(known as usize).unwrap_or(&PLACES[0])
    }

    /// Whether a bucket's key is this well-known key.
    ///
    /// Keys of one script share a string, and keys from JSON are strings of their own. The hash
    /// lies in the bucket, so the characters of another key are hardly ever read.
    #[allow(clippy::inline_always, reason = "the spelling is a constant once the key is known")]
    #[inline(always)]
    fn is_in(&self, bucket: &ffi::Bucket, known: Known) -> bool {
        if ptr::eq(bucket.key, self.key.load(Ordering::Relaxed)) {
            return true;
        }
        // SAFETY: a bucket's key is null or a string that lives as long as the bucket.
        bucket.h == self.hash.load(Ordering::Relaxed)
            && !bucket.key.is_null()
            && unsafe { chars(bucket.key) } == known.slug().as_bytes()
    }
}

/// The characters of a string.
///
/// # Safety
///
/// The pointer must be to a string that is live and unchanged for the answer's lifetime.
#[inline]
unsafe fn chars<'a>(string: *const ZendStr) -> &'a [u8] {
    // SAFETY: the header of a live string is followed by as many bytes as it says.
    unsafe { slice::from_raw_parts((&raw const (*string).val).cast::<u8>(), (*string).len) }
}

/// Interns the well-known keys until the process ends; call it at start-up.
pub(crate) fn intern_keys() {
    for (place, key) in PLACES.iter().zip(Known::ALL) {
        let interned = ZendStr::new_interned(key.slug(), true).into_raw();
        // SAFETY: an interned string is live and has its hash.
        place.hash.store(unsafe { (*interned).h }, Ordering::Relaxed);
        place.key.store(interned, Ordering::Relaxed);
    }
}

/// The slot in which a key is searched first.
#[inline]
pub(crate) fn guess(known: Known) -> usize {
    Place::of(known).slot.load(Ordering::Relaxed)
}

/// The value under a well-known key, with references followed; the last slot of the key is tried
/// first.
#[allow(
    clippy::inline_always,
    reason = "the hit is a few loads; a call and its spills would double it"
)]
#[inline(always)]
pub(crate) fn lookup(table: &ZendHashTable, known: Known) -> Option<&Zval> {
    match Slots::of(table).bucket(guess(known)) {
        Some(bucket) if Place::of(known).is_in(bucket, known) => follow(&bucket.val, |far| far),
        _ => search(table, known),
    }
}

/// Looks a key up by its hash, and notes the slot.
#[inline(never)]
fn search(table: &ZendHashTable, known: Known) -> Option<&Zval> {
    let (slots, place) = (Slots::of(table), Place::of(known));
    if slots.packed {
        return None;
    }
    // SAFETY: start-up stored an interned string, which outlives the process's last request. The
    // engine's look-up returns null or the address of the value in one of the table's buckets, and
    // a bucket begins with its value.
    unsafe {
        let buckets = table.__bindgen_anon_1.arData;
        let key = place.key.load(Ordering::Relaxed);
        let found = ffi::zend_hash_find_known_hash(table, key.as_ref()?).as_ref()?;
        let slot = (ptr::from_ref(found) as usize - buckets as usize) / size_of::<ffi::Bucket>();
        place.slot.store(slot, Ordering::Relaxed);
        follow(found, |far| far)
    }
}

/// Keeps the table of an array, or of an object's properties, unchanged for as long as the answer
/// lives: any code that writes to the table meanwhile gets a copy.
///
/// The function takes the value and not the table, since a reference count must not be raised
/// through a shared reference to the counted table.
pub(crate) fn hold(value: &Zval) -> Zval {
    if !value.is_object() {
        return value.shallow_clone();
    }
    let mut held = Zval::new();
    // SAFETY: the value holds an object, which has handlers; the handler returns null or a table.
    // The table is immutable and not counted, or it is counted: then the answer owns the reference
    // that is added here, and releases the reference when it is dropped.
    unsafe {
        let object = value.value.obj;
        let Some(properties) = (*(*object).handlers).get_properties else { return held };
        let table = properties(object);
        if table.is_null() {
            return held;
        }
        held.value.arr = table;
        if (*table).gc.u.type_info & ffi::GC_IMMUTABLE == 0 {
            (*table).gc.refcount += 1;
            held.u1.type_info = ffi::IS_ARRAY_EX;
        } else {
            held.u1.type_info = ffi::IS_ARRAY;
        }
    }
    held
}
