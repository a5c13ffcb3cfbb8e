//! Arrays read where they lie, in raw pointers, behind safe functions.
//!
//! Nothing here keeps a pointer beyond the call, and nothing writes to an array.

use std::ptr;
use std::sync::atomic::{AtomicPtr, AtomicUsize, Ordering};

use ext_php_rs::ffi;
use ext_php_rs::types::{ZendHashTable, ZendStr, Zval};
use toolwire::tree::Key as Known;

/// Macros that ext-php-rs does not bind: `HASH_FLAG_PACKED`, `IS_STR_PERMANENT`.
const PACKED: u32 = 1 << 2;
const PERMANENT: u32 = 1 << 8;

/// A key of a PHP array.
#[derive(Clone, Copy)]
pub(crate) enum Key<'a> {
    /// An integer.
    Index(u64),
    /// A string, of any bytes.
    Name(&'a [u8]),
}

/// The entries of an array in order, references followed, without copying a key.
pub(crate) fn entries(table: &ZendHashTable) -> impl Iterator<Item = (Key<'_>, &Zval)> {
    let slots = Slots::of(table);
    (0..slots.used).filter_map(move |position| {
        let value = slots.value(position)?;
        Some((slots.key(position), value))
    })
}

/// The slots of an array's table, numbered from 0: they are values alone in a packed one, buckets
/// else.
#[derive(Clone, Copy)]
pub(crate) struct Slots<'a> {
    table: &'a ZendHashTable,
    /// How many are in use or were; some may be empty.
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

    /// The value in a slot, references followed; none in an empty slot or behind the last.
    #[inline]
    pub(crate) fn value(self, position: usize) -> Option<&'a Zval> {
        follow(self.at(position)?, |far| far)
    }

    /// As `value`; one that does not lie in the slot itself is what `reach` makes of it.
    #[inline]
    pub(crate) fn value_reached(
        self,
        position: usize,
        reach: impl FnOnce(&'a Zval) -> &'a Zval,
    ) -> Option<&'a Zval> {
        follow(self.at(position)?, reach)
    }

    /// What lies in a slot; none behind the last.
    #[inline]
    fn at(self, position: usize) -> Option<&'a Zval> {
        if position >= self.used {
            return None;
        }
        // SAFETY: the first `nNumUsed` slots are initialised, and of the size that the flag tells.
        Some(unsafe {
            if self.packed {
                &*self.table.__bindgen_anon_1.arPacked.add(position)
            } else {
                &(*self.table.__bindgen_anon_1.arData.add(position)).val
            }
        })
    }

    /// The array in a slot, if one lies there directly.
    #[inline]
    pub(crate) fn table_at(self, position: usize) -> Option<&'a ZendHashTable> {
        table(self.at(position)?)
    }

    /// The string in a slot, if one lies there directly.
    #[inline]
    pub(crate) fn text_at(self, position: usize) -> Option<&'a ZendStr> {
        text(self.at(position)?)
    }

    /// The key of a slot before the last.
    fn key(self, position: usize) -> Key<'a> {
        if self.packed || position >= self.used {
            return Key::Index(position as u64);
        }
        // SAFETY: as above; a bucket's key is null or a string that lives as long as the bucket.
        unsafe {
            let bucket = &*self.table.__bindgen_anon_1.arData.add(position);
            bucket.key.as_ref().map_or(Key::Index(bucket.h), |name| Key::Name(name.as_bytes()))
        }
    }
}

/// Asks for a bucket of a table; a hint, so any number will do.
#[inline]
pub(crate) fn fetch_bucket(table: &ZendHashTable, slot: usize) {
    // SAFETY: an address is computed, nothing read through it.
    let buckets = unsafe { table.__bindgen_anon_1.arData }.cast_const();
    fetch_address(buckets.wrapping_add(slot));
}

/// Asks for what is read of a table, which every fourth time lies in two lines of the cache.
#[inline]
pub(crate) fn fetch_table(table: &ZendHashTable) {
    fetch_address(&raw const table.u);
    fetch_address(&raw const table.nNumUsed);
}

/// Asks for a value that will be read soon.
#[inline]
pub(crate) fn fetch<T>(value: &T) {
    fetch_address(value);
}

/// Asks the processor to load what an address points to; a hint without effect on what is computed.
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

/// Follows a slot that points elsewhere (of a symbol table) and a reference; none if it is empty.
#[inline]
fn follow<'a>(value: &'a Zval, reach: impl FnOnce(&'a Zval) -> &'a Zval) -> Option<&'a Zval> {
    // The types from null to resources have adjoining numbers, and are all but a few values.
    if (ffi::IS_NULL..=ffi::IS_RESOURCE).contains(&kind(value)) {
        Some(value)
    } else {
        follow_far(value).map(reach)
    }
}

/// Follows a slot that holds no value itself.
#[cold]
fn follow_far(mut value: &Zval) -> Option<&Zval> {
    // SAFETY: the type byte says which member of the union is set, and what it points to lives as
    // long.
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

/// The type byte of a value, one load where ext-php-rs goes through an enum.
#[inline]
pub(super) fn kind(value: &Zval) -> u32 {
    // SAFETY: both views of the union are plain integers.
    u32::from(unsafe { value.u1.v.type_ })
}

/// The array that a value is.
#[inline]
pub(crate) fn table(value: &Zval) -> Option<&ZendHashTable> {
    // SAFETY: an array's value points to its table, never to nothing.
    if kind(value) == ffi::IS_ARRAY { Some(unsafe { &*value.value.arr }) } else { None }
}

/// Whether a value is an object.
#[inline]
pub(crate) fn is_object(value: &Zval) -> bool {
    kind(value) == ffi::IS_OBJECT
}

/// The engine's empty array.
pub(crate) fn empty<'a>() -> &'a ZendHashTable {
    // SAFETY: a constant of the engine.
    unsafe { &ffi::zend_empty_array }
}

/// The string that a value is.
#[inline]
pub(crate) fn text(value: &Zval) -> Option<&ZendStr> {
    // SAFETY: a string's value points to it, never to nothing.
    if kind(value) == ffi::IS_STRING { Some(unsafe { &*value.value.str_ }) } else { None }
}

/// What is known of a well-known key.
struct Place {
    /// The key as an interned string, whose hash is known and whose address mostly decides.
    key: AtomicPtr<ZendStr>,
    /// The string that opcache keeps in shared memory for the same key, if it was met in this
    /// request: scripts that it compiled have that. Until then the key itself, never null.
    twin: AtomicPtr<ZendStr>,
    /// The slot in which the last array had the key. Threads may overwrite each other's: it is a
    /// guess.
    slot: AtomicUsize,
}

static PLACES: [Place; Known::ALL.len()] = [const {
    Place {
        key: AtomicPtr::new(ptr::null_mut()),
        twin: AtomicPtr::new(ptr::null_mut()),
        slot: AtomicUsize::new(0),
    }
}; Known::ALL.len()];

impl Place {
    #[inline]
    fn of(known: Known) -> &'static Self {
        // The keys are numbered without a gap, so there always is a place and the branch folds
        // away.
        PLACES.get(known as usize).unwrap_or(&PLACES[0])
    }

    /// Notes a string that is equal to the key, if it is one that outlives every request under way.
    #[inline]
    fn learn(&self, string: *mut ZendStr) {
        // SAFETY: a key that was found equal is a live string.
        if unsafe { (*string).gc.u.type_info } & PERMANENT != 0 {
            self.twin.store(string, Ordering::Relaxed);
        }
    }
}

/// Forgets opcache's strings, which it may drop between requests; to be called at the end of each.
pub(crate) fn forget_twins() {
    for place in &PLACES {
        place.twin.store(place.key.load(Ordering::Relaxed), Ordering::Relaxed);
    }
}

/// Interns the well-known keys, for good; to be called at start-up.
pub(crate) fn intern_keys() {
    for (place, key) in PLACES.iter().zip(Known::ALL) {
        place.key.store(ZendStr::new_interned(key.as_str(), true).into_raw(), Ordering::Relaxed);
    }
    forget_twins();
}

/// The slot in which a key is looked for first.
#[inline]
pub(crate) fn guess(known: Known) -> usize {
    Place::of(known).slot.load(Ordering::Relaxed)
}

/// The value under a well-known key, references followed, trying first the slot where it last was.
#[allow(
    clippy::inline_always,
    reason = "the hit is a few loads; a call and its spills would double it"
)]
#[inline(always)]
pub(crate) fn lookup(table: &ZendHashTable, known: Known) -> Option<&Zval> {
    let (slots, place, guess) = (Slots::of(table), Place::of(known), guess(known));
    if !slots.packed && guess < slots.used {
        // SAFETY: a table that is not packed has `nNumUsed` initialised buckets.
        let bucket = unsafe { &*table.__bindgen_anon_1.arData.add(guess) };
        if ptr::eq(bucket.key, place.key.load(Ordering::Relaxed))
            || ptr::eq(bucket.key, place.twin.load(Ordering::Relaxed))
        {
            return follow(&bucket.val, |far| far);
        }
    }
    search(table, known)
}

/// Whether two keys that are not one string are equal: opcache interns a script's strings apart,
/// and keys that came from JSON are strings of their own.
#[inline]
fn same(one: *const ZendStr, other: *const ZendStr) -> bool {
    // SAFETY: a key is null or a live string, whose hash is known once it is a key.
    match unsafe { (one.as_ref(), other.as_ref()) } {
        (Some(one), Some(other)) => one.h == other.h && one.as_bytes() == other.as_bytes(),
        _ => false,
    }
}

/// Compares the key in the slot where it last was, then looks it up by its hash and notes the slot.
#[inline(never)]
fn search(table: &ZendHashTable, known: Known) -> Option<&Zval> {
    let (slots, place, guess) = (Slots::of(table), Place::of(known), guess(known));
    if slots.packed {
        return None;
    }
    let key = place.key.load(Ordering::Relaxed);
    if guess < slots.used {
        // SAFETY: a table that is not packed has `nNumUsed` initialised buckets.
        let bucket = unsafe { &*table.__bindgen_anon_1.arData.add(guess) };
        if same(bucket.key, key) {
            place.learn(bucket.key);
            return follow(&bucket.val, |far| far);
        }
    }
    // SAFETY: start-up stored an interned string, which outlives the process's last request. The
    // engine's look-up gives null or the address of the value of one of the table's buckets, which
    // begin with it.
    unsafe {
        let buckets = table.__bindgen_anon_1.arData;
        let found = ffi::zend_hash_find_known_hash(table, key.as_ref()?).as_ref()?;
        let slot = (ptr::from_ref(found) as usize - buckets as usize) / size_of::<ffi::Bucket>();
        place.slot.store(slot, Ordering::Relaxed);
        follow(found, |far| far)
    }
}

/// Keeps the table of an array, or of an object's properties, as it is for as long as the answer
/// lives: whoever writes to it meanwhile gets a copy.
///
/// It takes the value and not the table, as a count must not be raised through a shared reference
/// to what is counted.
pub(crate) fn hold(value: &Zval) -> Zval {
    if !value.is_object() {
        return value.shallow_clone();
    }
    let mut held = Zval::new();
    // SAFETY: the value holds an object, which has handlers; the handler gives null or a table,
    // immutable and not counted, or counted: the answer then owns the reference that is added here,
    // and gives it back when it is dropped.
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
