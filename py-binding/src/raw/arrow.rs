//! Arrow's C structures in capsules, both ways, and arrays that are made of their buffers.
//!
//! Arrow's PyCapsule interface says what the capsules are called and who releases what is in them:
//! <https://arrow.apache.org/docs/format/CDataInterface/PyCapsuleInterface.html>.

use std::ffi::{CStr, c_char, c_int, c_void};
use std::ptr::{self, NonNull};
use std::sync::Arc;

use arrow_array::ffi::from_ffi_and_data_type;
use arrow_array::ffi_stream::FFI_ArrowArrayStream;
use arrow_buffer::{Buffer, NullBuffer};
use arrow_data::ffi::FFI_ArrowArray;
use arrow_data::{ArrayData, ArrayDataBuilder};
use arrow_schema::ffi::FFI_ArrowSchema;
use arrow_schema::{DataType, Field};
use pyo3::exceptions::PyRuntimeError;
use pyo3::prelude::*;
use pyo3::types::{PyCapsule, PyTuple};

const SCHEMA: &CStr = c"arrow_schema";
const ARRAY: &CStr = c"arrow_array";
const STREAM: &CStr = c"arrow_array_stream";

/// The errors of the C interface that a stream may give.
const EINVAL: c_int = 22;

/// A column that another package gave.
pub struct Imported {
    pub data_type: DataType,
    pub chunks: Vec<ArrayData>,
}

/// Why a column was not taken.
pub enum NotTaken {
    /// It is of a type that the caller does not accept.
    Type(DataType),
    /// The package that gave it failed, or did not keep to the interface.
    Producer(String),
    /// A method of the value raised.
    Raised(PyErr),
}

impl From<PyErr> for NotTaken {
    fn from(error: PyErr) -> Self {
        Self::Raised(error)
    }
}

/// Takes a column out of a value that has one of the interface's methods; `None` if it has none.
///
/// What is taken is used in place: the package's memory is released with the last chunk. A type is
/// asked about before any chunk is taken.
pub fn import(
    value: &Bound<'_, PyAny>,
    accepts: impl Fn(&DataType) -> bool + Sync,
) -> Result<Option<Imported>, NotTaken> {
    let py = value.py();
    let accepts = |data_type: DataType| {
        if accepts(&data_type) { Ok(data_type) } else { Err(NotTaken::Type(data_type)) }
    };
    if let Some(method) = value.getattr_opt(pyo3::intern!(py, "__arrow_c_stream__"))? {
        let capsule = method.call0()?;
        let pointer = pointer::<FFI_ArrowArrayStream>(&capsule, STREAM)?;
        // SAFETY: the interface says that a capsule of this name holds the structure, which may be
        // moved out of it; a null callback is left, so that the capsule releases nothing.
        let stream = unsafe { FFI_ArrowArrayStream::from_raw(pointer.as_ptr()) };
        return py.detach(|| read_stream(stream, accepts)).map(Some);
    }
    let Some(method) = value.getattr_opt(pyo3::intern!(py, "__arrow_c_array__"))? else {
        return Ok(None);
    };
    let pair = method.call0()?;
    let pair = pair.cast::<PyTuple>().map_err(PyErr::from)?;
    let (schema, array) = (pair.get_item(0)?, pair.get_item(1)?);
    let pointer_to_schema = pointer::<FFI_ArrowSchema>(&schema, SCHEMA)?;
    // SAFETY: as above; the schema is only read, and the capsule lives until the end of this
    // function.
    let data_type = DataType::try_from(unsafe { pointer_to_schema.as_ref() });
    let data_type = accepts(data_type.map_err(|error| NotTaken::Producer(error.to_string()))?)?;
    let pointer = pointer::<FFI_ArrowArray>(&array, ARRAY)?;
    // SAFETY: as for the stream.
    let array = unsafe { FFI_ArrowArray::from_raw(pointer.as_ptr()) };
    let chunks = vec![read_array(array, &data_type)?];
    Ok(Some(Imported { data_type, chunks }))
}

/// The structure in a capsule of this name.
fn pointer<T>(capsule: &Bound<'_, PyAny>, name: &CStr) -> Result<NonNull<T>, NotTaken> {
    let capsule = capsule.cast::<PyCapsule>().map_err(PyErr::from)?;
    let pointer = capsule.pointer_checked(Some(name))?.cast::<T>();
    if pointer.is_aligned() {
        Ok(pointer)
    } else {
        Err(NotTaken::Producer("a capsule's structure is not aligned".to_owned()))
    }
}

/// All chunks of a stream.
fn read_stream(
    mut stream: FFI_ArrowArrayStream,
    accepts: impl Fn(DataType) -> Result<DataType, NotTaken>,
) -> Result<Imported, NotTaken> {
    let (Some(get_schema), Some(get_next)) = (stream.get_schema(), stream.get_next()) else {
        return Err(NotTaken::Producer("the stream was read before".to_owned()));
    };
    let mut schema = FFI_ArrowSchema::empty();
    // SAFETY: the callback is the stream's own, and fills the schema when it returns 0.
    let status = unsafe { get_schema(&raw mut stream, &raw mut schema) };
    check(&mut stream, status)?;
    let data_type = DataType::try_from(&schema);
    let data_type = accepts(data_type.map_err(|error| NotTaken::Producer(error.to_string()))?)?;
    let mut chunks = Vec::new();
    loop {
        let mut array = FFI_ArrowArray::empty();
        // SAFETY: as above; an array that stays released means the end.
        let status = unsafe { get_next(&raw mut stream, &raw mut array) };
        check(&mut stream, status)?;
        if array.is_released() {
            return Ok(Imported { data_type, chunks });
        }
        chunks.push(read_array(array, &data_type)?);
    }
}

/// The error that a stream's callback has returned, if it has returned one.
fn check(stream: &mut FFI_ArrowArrayStream, status: c_int) -> Result<(), NotTaken> {
    if status == 0 {
        return Ok(());
    }
    let message = stream.get_last_error().and_then(|get| {
        // SAFETY: the callback is the stream's own. Its text ends in NUL, and lives until the next
        // call; it is copied at once.
        unsafe {
            let text = get(&raw mut *stream);
            (!text.is_null()).then(|| CStr::from_ptr(text).to_string_lossy().into_owned())
        }
    });
    Err(NotTaken::Producer(message.unwrap_or_else(|| format!("the stream gave error {status}"))))
}

fn read_array(array: FFI_ArrowArray, data_type: &DataType) -> Result<ArrayData, NotTaken> {
    if array.is_released() {
        return Err(NotTaken::Producer("the array was taken before".to_owned()));
    }
    // SAFETY: the package vouches for the sizes of its buffers, as each one that uses the interface
    // must. What the buffers hold is not believed: offsets are checked when a row is read, and text
    // is read as bytes.
    unsafe { from_ffi_and_data_type(array, data_type.clone()) }
        .map_err(|error| NotTaken::Producer(error.to_string()))
}

/// What an array is made of.
pub struct Parts {
    pub data_type: DataType,
    pub length: usize,
    pub nulls: Option<NullBuffer>,
    pub buffers: Vec<Buffer>,
    pub children: Vec<ArrayData>,
}

impl Parts {
    /// The array.
    ///
    /// A full check of texts and offsets would read all of them a second time.
    pub fn into_array(self) -> ArrayData {
        let builder = ArrayDataBuilder::new(self.data_type).len(self.length).nulls(self.nulls);
        let builder = builder.buffers(self.buffers).child_data(self.children);
        // SAFETY: `batch` makes the buffers. It appends to them row by row: so offsets ascend, each
        // buffer and each child has as many rows as the array, and a column of strings holds what
        // was checked to be UTF-8, or parts of a text between markers, which are whole characters
        // where the text is. The shape is compared below in debug builds.
        let array = unsafe { builder.build_unchecked() };
        debug_assert!(array.validate().is_ok(), "buffers of another shape");
        array
    }
}

/// The field of a column, which may hold nulls.
fn field(data_type: &DataType) -> Field {
    Field::new("", data_type.clone(), true)
}

/// A capsule with a type.
pub fn schema_capsule<'py>(
    py: Python<'py>,
    data_type: &DataType,
) -> PyResult<Bound<'py, PyCapsule>> {
    let schema = FFI_ArrowSchema::try_from(&field(data_type));
    let schema = schema.map_err(|error| PyRuntimeError::new_err(error.to_string()))?;
    // A capsule that nobody takes from drops the schema, which releases it.
    PyCapsule::new_with_value(py, schema, SCHEMA)
}

/// A capsule with an array.
pub fn array_capsule<'py>(py: Python<'py>, array: &ArrayData) -> PyResult<Bound<'py, PyCapsule>> {
    PyCapsule::new_with_value(py, FFI_ArrowArray::new(array), ARRAY)
}

/// A capsule with a stream of chunks.
pub fn stream_capsule(
    py: Python<'_>,
    data_type: DataType,
    chunks: Arc<[ArrayData]>,
) -> PyResult<Bound<'_, PyCapsule>> {
    let source = Box::into_raw(Box::new(Source { data_type, chunks, next: 0 }));
    // SAFETY: the callbacks below do what the interface asks for, and `release` frees the source
    // once.
    let stream = unsafe {
        FFI_ArrowArrayStream::new_unchecked(
            Some(get_schema),
            Some(get_next),
            Some(get_last_error),
            Some(release),
            source.cast::<c_void>(),
        )
    };
    PyCapsule::new_with_value(py, stream, STREAM)
}

/// What a stream gives, and how far it was read.
struct Source {
    data_type: DataType,
    chunks: Arc<[ArrayData]>,
    next: usize,
}

impl Source {
    /// The source of a stream.
    ///
    /// # Safety
    /// The stream must be one of [`stream_capsule`] that was not released, as the interface asks of
    /// each caller of its callbacks.
    unsafe fn of<'a>(stream: *mut FFI_ArrowArrayStream) -> &'a mut Self {
        // SAFETY: the private data of these streams is a source, which only `release` frees.
        unsafe { &mut *(*stream).private_data().cast::<Self>() }
    }
}

unsafe extern "C" fn get_schema(
    stream: *mut FFI_ArrowArrayStream,
    out: *mut FFI_ArrowSchema,
) -> c_int {
    // SAFETY: the caller gives a stream that was not released, and a place for the schema.
    unsafe {
        match FFI_ArrowSchema::try_from(&field(&Source::of(stream).data_type)) {
            Ok(schema) => {
                ptr::write(out, schema);
                0
            }
            Err(_) => EINVAL,
        }
    }
}

unsafe extern "C" fn get_next(
    stream: *mut FFI_ArrowArrayStream,
    out: *mut FFI_ArrowArray,
) -> c_int {
    // SAFETY: as for the schema; behind the last chunk stands a released array.
    unsafe {
        let source = Source::of(stream);
        let chunk = source.chunks.get(source.next);
        ptr::write(out, chunk.map_or_else(FFI_ArrowArray::empty, FFI_ArrowArray::new));
        source.next += 1;
    }
    0
}

unsafe extern "C" fn get_last_error(_: *mut FFI_ArrowArrayStream) -> *const c_char {
    ptr::null()
}

unsafe extern "C" fn release(stream: *mut FFI_ArrowArrayStream) {
    // SAFETY: the caller gives a stream that was not released; without the callback it is.
    unsafe {
        drop(Box::from_raw((*stream).private_data().cast::<Source>()));
        (*stream).set_private_data(ptr::null_mut());
        (*stream).set_release(None);
    }
}
