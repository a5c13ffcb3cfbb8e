//! The one file that speaks to the engine in raw pointers, behind safe functions.
//!
//! What ext-php-rs has no safe call for: the coercion of arguments, the types of properties, objects
//! over a table, and packets read where they lie. Nothing here keeps a pointer beyond the call, and
//! nothing here writes to a value that PHP code can see.

use std::ffi::{CStr, c_char, c_void};
use std::ptr;

use ext_php_rs::class::RegisteredClass;
use ext_php_rs::ffi;
use ext_php_rs::flags::DataType;
use ext_php_rs::types::{ZendHashTable, ZendObject, ZendStr, Zval};
use ext_php_rs::zend::{ClassEntry, ExecutorGlobals, ZendType, ce};
use std::sync::atomic::{AtomicPtr, Ordering};
use toolwire::{Hint, Key as Known};

/// Macros that ext-php-rs does not bind: `HASH_FLAG_PACKED`, `IS_STR_PERMANENT`, `ZEND_ACC_READONLY`,
/// `IS_PROP_UNINIT`.
const PACKED: u32 = 1 << 2;
const PERMANENT: u32 = 1 << 8;
const READONLY: u32 = 1 << 7;
const UNINITIALIZED: u32 = 1;
const STRING_OR_ARRAY: u32 = (1 << ffi::IS_STRING) | (1 << ffi::IS_ARRAY);
const ANY_TYPE: u32 = (1 << 25) - 1;

unsafe extern "C" {
    static spl_ce_InvalidArgumentException: *mut ClassEntry;
    static spl_ce_LogicException: *mut ClassEntry;

    fn zend_parse_arg_str_slow(argument: *mut Zval, target: *mut *mut ZendStr, number: u32) -> bool;
    fn zend_parse_arg_bool_slow(argument: *const Zval, target: *mut bool, number: u32) -> bool;
    fn zend_parse_arg_long_slow(argument: *const Zval, target: *mut i64, number: u32) -> bool;
    fn zend_parse_arg_double_slow(argument: *const Zval, target: *mut f64, number: u32) -> bool;
    fn zend_wrong_parameter_type_error(number: u32, expected: ffi::_zend_expected_type, argument: *mut Zval);
    fn zval_try_get_string_func(value: *mut Zval) -> *mut ZendStr;
    fn zend_wrong_parameter_class_error(number: u32, name: *const c_char, argument: *mut Zval);
    fn object_and_properties_init(
        target: *mut Zval,
        class: *mut ClassEntry,
        table: *mut ZendHashTable,
    ) -> i32;
}

/// The class `\InvalidArgumentException`.
pub(crate) fn invalid_argument_exception() -> &'static ClassEntry {
    // SAFETY: SPL, which cannot be left out of PHP, sets it before any extension starts, and for good.
    unsafe { spl_ce_InvalidArgumentException.as_ref() }.unwrap_or_else(ce::exception)
}

/// The class `\LogicException`.
pub(crate) fn logic_exception() -> &'static ClassEntry {
    // SAFETY: as above.
    unsafe { spl_ce_LogicException.as_ref() }.unwrap_or_else(ce::exception)
}

/// A type that arguments are coerced to.
#[derive(Clone, Copy)]
pub(crate) enum Scalar {
    /// `string`.
    Text,
    /// `bool`.
    Flag,
    /// `int`.
    Whole,
    /// `float`.
    Real,
    /// `array`, which nothing is coerced to.
    Array,
}

/// Coerces an argument of the running function as PHP coerces those of its own functions.
///
/// Where it does not go, PHP's error is thrown and nothing given back.
pub(crate) fn coerce(argument: &Zval, scalar: Scalar) -> Option<Zval> {
    let number = argument_number(argument);
    let mut copy = argument.shallow_clone();
    let mut result = Zval::new();
    // SAFETY: each function reads the value given and writes one value of its type; `copy` is ours, so the
    // conversion in place that the string one makes is seen by nobody, and the string it hands out is the
    // one `copy` now holds.
    let coerced = unsafe {
        match scalar {
            Scalar::Text => {
                let mut text = ptr::null_mut();
                let coerced = zend_parse_arg_str_slow(&raw mut copy, &raw mut text, number);
                if coerced && copy.is_string() {
                    result = copy.shallow_clone();
                } else if let Some(text) = text.as_ref().filter(|_| coerced) {
                    result.set_zend_string(ZendStr::new(text.as_bytes(), false));
                }
                coerced
            }
            Scalar::Flag => {
                let mut flag = false;
                let coerced = zend_parse_arg_bool_slow(&raw const copy, &raw mut flag, number);
                result.set_bool(flag);
                coerced
            }
            Scalar::Whole => {
                let mut whole = 0;
                let coerced = zend_parse_arg_long_slow(&raw const copy, &raw mut whole, number);
                result.set_long(whole);
                coerced
            }
            Scalar::Real => {
                let mut real = 0.0;
                let coerced = zend_parse_arg_double_slow(&raw const copy, &raw mut real, number);
                result.set_double(real);
                coerced
            }
            Scalar::Array => false,
        }
    };
    if !coerced {
        refuse_argument(argument, scalar);
        return None;
    }
    (!ExecutorGlobals::has_exception()).then_some(result)
}

/// Throws PHP's error for an argument of the wrong type, unless something was thrown already.
pub(crate) fn refuse_argument(argument: &Zval, scalar: Scalar) {
    if ExecutorGlobals::has_exception() {
        return;
    }
    let expected = match scalar {
        Scalar::Text => ffi::_zend_expected_type_Z_EXPECTED_STRING,
        Scalar::Flag => ffi::_zend_expected_type_Z_EXPECTED_BOOL,
        Scalar::Whole => ffi::_zend_expected_type_Z_EXPECTED_LONG,
        Scalar::Real => ffi::_zend_expected_type_Z_EXPECTED_DOUBLE,
        Scalar::Array => ffi::_zend_expected_type_Z_EXPECTED_ARRAY,
    };
    // SAFETY: the value is only read, for the name of its type; the running function is one of this
    // extension's, as the error's text needs.
    unsafe {
        zend_wrong_parameter_type_error(
            argument_number(argument),
            expected,
            ptr::from_ref(argument).cast_mut(),
        );
    }
}

/// Throws PHP's error for an argument that is not an object of the class.
pub(crate) fn refuse_object(argument: &Zval, class: &CStr) {
    // SAFETY: as above; the name is only read.
    unsafe {
        zend_wrong_parameter_class_error(
            argument_number(argument),
            class.as_ptr(),
            ptr::from_ref(argument).cast_mut(),
        );
    }
}

/// Which argument of the running function lies at this address, from 1.
fn argument_number(argument: &Zval) -> u32 {
    let call = ExecutorGlobals::get().current_execute_data.cast_const();
    // SAFETY: arguments lie behind the frame's header; the address is computed for the first one, which a
    // call with an argument has.
    let first = unsafe { call.as_ref().and_then(|call| call.zend_call_arg(0)) }.map(ptr::from_mut);
    let first = first.map_or(0, |first| first as usize);
    let distance = (ptr::from_ref(argument) as usize).saturating_sub(first) / size_of::<Zval>();
    u32::try_from(distance + 1).unwrap_or(1)
}

/// Gives a declared property of the class its type and makes it read-only.
///
/// ext-php-rs declares properties without either; reflection and PHP's optimizer read both. To be
/// called at start-up, when nothing else looks at the class.
pub(crate) fn declare_readonly<T: RegisteredClass>(name: &str, kind: DataType, nullable: bool) {
    let class = ptr::from_ref(T::get_metadata().ce()).cast_mut();
    // SAFETY: start-up is single-threaded and the class is this extension's own. Entries of the table of
    // properties are property infos, and a property's offset tells its slot in the table of defaults.
    unsafe {
        let Some(info) = (*class).properties_info.get(name) else { return };
        let Some(info) = info.value.ptr.cast::<ffi::zend_property_info>().as_mut() else { return };
        info.flags |= READONLY;
        info.type_ = property_type(kind, nullable);
        let slot = (info.offset as usize - (size_of::<ZendObject>() - size_of::<Zval>())) / size_of::<Zval>();
        if let Some(default) = (*class).default_properties_table.add(slot).as_mut() {
            default.u1.type_info = ffi::IS_UNDEF;
            default.u2.property_guard = UNINITIALIZED;
        }
    }
}

fn property_type(kind: DataType, nullable: bool) -> ZendType {
    let Some(class) = kind.class_name() else {
        return ZendType::empty_from_type(kind, false, false, nullable)
            .unwrap_or_else(|| ZendType::empty(false, false));
    };
    let null = if nullable { ffi::_ZEND_TYPE_NULLABLE_BIT } else { 0 };
    let name = ZendStr::new_interned(class, true).into_raw();
    ZendType { ptr: name.cast::<c_void>(), type_mask: ffi::_ZEND_TYPE_NAME_BIT | null }
}

/// Declares an argument of a method to be `string|array`, a type that ext-php-rs cannot say.
///
/// To be called at start-up.
pub(crate) fn widen_to_string_or_array<T: RegisteredClass>(method: &str, argument: usize) {
    let class = ptr::from_ref(T::get_metadata().ce()).cast_mut();
    // SAFETY: start-up is single-threaded and the class is this extension's own. Entries of the table of
    // functions are functions, this one is internal, and its table of arguments, which the class's metadata
    // owns, holds as many as `num_args` says.
    unsafe {
        let Some(function) = (*class).function_table.get(method) else { return };
        let Some(function) = function.value.ptr.cast::<ffi::zend_function>().as_mut() else { return };
        let function = &mut function.internal_function;
        if argument < function.num_args as usize {
            let info = function.arg_info.cast::<ffi::zend_internal_arg_info>().add(argument);
            (*info).type_.type_mask = ((*info).type_.type_mask & !ANY_TYPE) | STRING_OR_ARRAY;
        }
    }
}

/// Makes an object of class `stdClass` whose properties are the table's entries.
///
/// A table whose keys are all strings, as an object's must be.
pub(crate) fn plain_object(table: ext_php_rs::boxed::ZBox<ZendHashTable>) -> Zval {
    let mut object = Zval::new();
    // SAFETY: the table has one owner, which becomes the object; `stdClass` declares no property that
    // would have to be told apart.
    unsafe {
        object_and_properties_init(
            &raw mut object,
            ptr::from_ref(ce::stdclass()).cast_mut(),
            table.into_raw(),
        );
    }
    object
}

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

/// The slots of an array's table, numbered from 0: they are values alone in a packed one, buckets else.
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
        if position >= self.used {
            return None;
        }
        // SAFETY: the first `nNumUsed` slots are initialised, and of the size that the flag tells.
        let value = unsafe {
            if self.packed {
                &*self.table.__bindgen_anon_1.arPacked.add(position)
            } else {
                &(*self.table.__bindgen_anon_1.arData.add(position)).val
            }
        };
        follow(value)
    }

    /// The array in a slot, if one lies there directly.
    #[inline]
    pub(crate) fn table_at(self, position: usize) -> Option<&'a ZendHashTable> {
        table(self.value(position)?)
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
pub(crate) fn fetch_bucket(table: &ZendHashTable, slot: u32) {
    // SAFETY: an address is computed, nothing read through it.
    let buckets = unsafe { table.__bindgen_anon_1.arData }.cast_const();
    fetch_address(buckets.wrapping_add(slot as usize));
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
fn follow(mut value: &Zval) -> Option<&Zval> {
    // SAFETY: the type byte says which member of the union is set, and what it points to lives as long.
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
fn kind(value: &Zval) -> u32 {
    // SAFETY: both views of the union are plain integers.
    u32::from(unsafe { value.u1.v.type_ })
}

/// The array that a value is.
#[inline]
pub(crate) fn table(value: &Zval) -> Option<&ZendHashTable> {
    // SAFETY: an array's value points to its table.
    if kind(value) == ffi::IS_ARRAY { unsafe { value.value.arr.as_ref() } } else { None }
}

/// The engine's empty array.
pub(crate) fn empty<'a>() -> &'a ZendHashTable {
    // SAFETY: a constant of the engine.
    unsafe { &ffi::zend_empty_array }
}

/// The string that a value is.
#[inline]
pub(crate) fn text(value: &Zval) -> Option<&ZendStr> {
    // SAFETY: a string's value points to it.
    if kind(value) == ffi::IS_STRING { unsafe { value.value.str_.as_ref() } } else { None }
}

/// A value as PHP casts it to a boolean.
#[inline]
pub(crate) fn truthy(value: &Zval) -> bool {
    // SAFETY: the value is only read.
    unsafe { ffi::zend_is_true(ptr::from_ref(value).cast_mut()) != 0 }
}

/// A value as PHP casts it to a string; none if that threw.
pub(crate) fn cast_to_text(value: &Zval) -> Option<Zval> {
    // SAFETY: the value is only read; the string that comes back is owned by the caller, or null.
    let text = unsafe { zval_try_get_string_func(ptr::from_ref(value).cast_mut()).as_mut() }?;
    let mut cast = Zval::new();
    // SAFETY: the reference that was handed out moves into the box.
    cast.set_zend_string(unsafe { ext_php_rs::boxed::ZBox::from_raw(text) });
    Some(cast)
}

/// Keeps a table as it is for as long as the value lives: whoever writes to it meanwhile gets a copy.
pub(crate) fn hold(table: &ZendHashTable) -> Zval {
    let mut held = Zval::new();
    let table = ptr::from_ref(table).cast_mut();
    // SAFETY: a table is either immutable and not counted, or counted: the value then owns the reference
    // that is added here, and gives it back when it is dropped.
    unsafe {
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

/// The well-known keys as interned strings, whose hash is known and whose address mostly decides.
static KEYS: [AtomicPtr<ZendStr>; Known::ALL.len()] =
    [const { AtomicPtr::new(ptr::null_mut()) }; Known::ALL.len()];

/// The strings that opcache keeps in shared memory for the same keys, as far as they were met in this
/// request: scripts that it compiled have those. Until then the keys themselves, never null.
static TWINS: [AtomicPtr<ZendStr>; Known::ALL.len()] =
    [const { AtomicPtr::new(ptr::null_mut()) }; Known::ALL.len()];

/// Forgets opcache's strings, which it may drop between requests; to be called at the end of each.
pub(crate) fn forget_twins() {
    for (twin, key) in TWINS.iter().zip(&KEYS) {
        twin.store(key.load(Ordering::Relaxed), Ordering::Relaxed);
    }
}

/// Notes a string that is equal to a well-known key, if it is one that outlives every request under way.
#[inline]
fn learn(known: Known, string: *mut ZendStr) {
    // SAFETY: a key that was found equal is a live string.
    let permanent = unsafe { (*string).gc.u.type_info } & PERMANENT != 0;
    if let Some(twin) = TWINS.get(known as usize).filter(|_| permanent) {
        twin.store(string, Ordering::Relaxed);
    }
}

/// Interns the well-known keys, for good; to be called at start-up.
pub(crate) fn intern_keys() {
    for (place, key) in KEYS.iter().zip(Known::ALL) {
        place.store(ZendStr::new_interned(key.as_str(), true).into_raw(), Ordering::Relaxed);
    }
    forget_twins();
}

/// The value under a well-known key, references followed, trying first the slot where it last was.
#[allow(clippy::inline_always, reason = "the hit is a few loads; a call and its spills would double it")]
#[inline(always)]
pub(crate) fn lookup<'a>(table: &'a ZendHashTable, known: Known, hint: &mut Hint) -> Option<&'a Zval> {
    let slots = Slots::of(table);
    let key = KEYS.get(known as usize)?.load(Ordering::Relaxed);
    let twin = TWINS.get(known as usize)?.load(Ordering::Relaxed);
    let guess = hint.slot as usize;
    if !slots.packed && guess < slots.used {
        // SAFETY: a table that is not packed has `nNumUsed` initialised buckets.
        let bucket = unsafe { &*table.__bindgen_anon_1.arData.add(guess) };
        if ptr::eq(bucket.key, key) || ptr::eq(bucket.key, twin) {
            return follow(&bucket.val);
        }
    }
    search(slots, known, hint)
}

/// Whether two keys that are not one string are equal: opcache interns a script's strings apart, and keys
/// that came from JSON are strings of their own.
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
fn search<'a>(slots: Slots<'a>, known: Known, hint: &mut Hint) -> Option<&'a Zval> {
    if slots.packed {
        return None;
    }
    let key = KEYS.get(known as usize)?.load(Ordering::Relaxed);
    let guess = hint.slot as usize;
    if guess < slots.used {
        // SAFETY: a table that is not packed has `nNumUsed` initialised buckets.
        let bucket = unsafe { &*slots.table.__bindgen_anon_1.arData.add(guess) };
        if same(bucket.key, key) {
            learn(known, bucket.key);
            return follow(&bucket.val);
        }
    }
    // SAFETY: start-up stored an interned string, which outlives the process's last request. The engine's
    // look-up gives null or the address of the value of one of the table's buckets, which begin with it.
    unsafe {
        let buckets = slots.table.__bindgen_anon_1.arData;
        let found = ffi::zend_hash_find_known_hash(slots.table, key.as_ref()?).as_ref()?;
        let slot = (ptr::from_ref(found) as usize - buckets as usize) / size_of::<ffi::Bucket>();
        hint.slot = u32::try_from(slot).unwrap_or_default();
        follow(found)
    }
}
