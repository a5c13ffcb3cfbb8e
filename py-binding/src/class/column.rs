//! A column of what was found in many texts.

use std::sync::Arc;

use arrow_data::ArrayData;
use arrow_schema::DataType;
use pyo3::prelude::*;
use pyo3::types::PyCapsule;
use toolwire::ErrorKind;

use crate::batch::join::join;
use crate::host::error::raise_kind;
use crate::raw::arrow::{array_capsule, schema_capsule, stream_capsule};

/// A column that another package takes by Arrow's PyCapsule interface.
///
/// ``pyarrow.array(column)`` takes it as one array, ``pyarrow.chunked_array(column)`` the chunks as
/// they are; Polars, nanoarrow and others take it too. It may be taken any number of times.
///
/// ```pycon
/// >>> column = toolwire.Detector().detect_batch(['<tool:echo>{}</tool>', None])
/// >>> len(column)
/// 2
///
/// ```
#[pyclass(frozen, module = "toolwire")]
pub struct Column {
    data_type: DataType,
    chunks: Arc<[ArrayData]>,
}

impl Column {
    /// A column of chunks of this type.
    pub fn of(data_type: DataType, chunks: Arc<[ArrayData]>) -> Self {
        Self { data_type, chunks }
    }
}

#[pymethods]
impl Column {
    fn __len__(&self) -> usize {
        self.chunks.iter().map(ArrayData::len).sum()
    }

    fn __repr__(&self) -> String {
        format!("<Column of {} rows>", self.__len__())
    }

    /// The type, as a capsule.
    fn __arrow_c_schema__<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyCapsule>> {
        schema_capsule(py, &self.data_type)
    }

    /// The type and all rows as one array, in capsules; several chunks are copied into one.
    #[pyo3(signature = (requested_schema=None))]
    fn __arrow_c_array__<'py>(
        &self,
        py: Python<'py>,
        requested_schema: Option<&Bound<'py, PyAny>>,
    ) -> PyResult<(Bound<'py, PyCapsule>, Bound<'py, PyCapsule>)> {
        // Whoever wants another type casts what it gets, as the interface says.
        let _ = requested_schema;
        let joined = py.detach(|| join(&self.data_type, &self.chunks.iter().collect::<Vec<_>>()));
        let joined = joined.map_err(|_| {
            let message = "the column is too long for one array: take its chunks";
            raise_kind(py, ErrorKind::InvalidOption, message)
        })?;
        Ok((schema_capsule(py, &self.data_type)?, array_capsule(py, &joined)?))
    }

    /// The type and the chunks, as a capsule.
    #[pyo3(signature = (requested_schema=None))]
    fn __arrow_c_stream__<'py>(
        &self,
        py: Python<'py>,
        requested_schema: Option<&Bound<'py, PyAny>>,
    ) -> PyResult<Bound<'py, PyCapsule>> {
        let _ = requested_schema;
        stream_capsule(py, self.data_type.clone(), Arc::clone(&self.chunks))
    }
}
