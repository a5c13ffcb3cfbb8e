//! Stores: in memory, in an SQLite file, and any Python object with a store's methods.

use std::path::PathBuf;
use std::sync::Arc;

use pyo3::exceptions::{PyRuntimeError, PyTypeError, PyValueError};
use pyo3::intern;
use pyo3::prelude::*;
use pyo3::types::{PyBytes, PyInt, PyList, PyString, PyTuple};
use toolwire::lifecycle::microseconds;
use toolwire::store::{
    self, Changed, Condition, Durability, Put, SqliteOptions, Store, StoreChange, StoreEntry,
    StoreError, Write,
};

use super::store_error::{of_host, raise};
use crate::host::error::wrong_type;

/// An entry for Python: value, version, and the last microsecond at which a read returns it.
type Kept<'py> = (Bound<'py, PyBytes>, u64, Option<i64>);

/// Declares a class over a core store, with the methods of Python's protocol.
macro_rules! store_class {
    ($(#[$doc:meta])* $name:ident, $core:ty { $($extra:tt)* }) => {
        $(#[$doc])*
        #[pyclass(frozen, module = "toolwire.runs.store")]
        pub struct $name {
            core: Arc<$core>,
        }

        #[pymethods]
        impl $name {
            $($extra)*

            /// Returns the entry under a key as ``(value, version, expires_at)``, or None.
            fn get<'py>(&self, py: Python<'py>, key: &str, now: i64) -> PyResult<Option<Kept<'py>>> {
                get(py, &*self.core, key, now)
            }

            /// Puts an entry if the present one is as expected, and returns its version, or None.
            #[pyo3(signature = (key, value, expect, expires_at, now))]
            fn put(
                &self,
                py: Python<'_>,
                key: &str,
                value: &[u8],
                expect: &Bound<'_, PyAny>,
                expires_at: Option<i64>,
                now: i64,
            ) -> PyResult<Option<u64>> {
                put(py, &*self.core, key, Write { value, expect: expected(expect)?, expires_at }, now)
            }

            /// Deletes an entry if it is as expected, and says whether there was one.
            fn delete(&self, py: Python<'_>, key: &str, expect: &Bound<'_, PyAny>, now: i64) -> PyResult<bool> {
                let expect = expected(expect)?;
                py.detach(|| self.core.delete(key, expect, now)).map_err(|error| raise(py, error))
            }

            /// Returns at most ``limit`` entries whose keys begin with a prefix and come after a
            /// key, as ``(key, value, version, expires_at)``.
            #[pyo3(signature = (prefix, after, limit, now))]
            fn scan<'py>(
                &self,
                py: Python<'py>,
                prefix: &str,
                after: Option<&str>,
                limit: usize,
                now: i64,
            ) -> PyResult<Bound<'py, PyList>> {
                scan(py, &*self.core, prefix, after, limit, now)
            }

            /// Removes the expired entries whose keys begin with a prefix, and returns their
            /// number.
            fn purge(&self, py: Python<'_>, prefix: &str, now: i64) -> PyResult<u64> {
                py.detach(|| self.core.purge(prefix, now)).map_err(|error| raise(py, error))
            }

            /// Whether other processes may write to the store.
            fn shared(&self) -> bool {
                self.core.shared()
            }
        }
    };
}

store_class! {
    /// Keeps entries in memory, for the threads of this process.
    ///
    /// ```pycon
    /// >>> from toolwire.runs.store import MemoryStore
    /// >>> store = MemoryStore()
    /// >>> store.put("seen/a", b"1", "absent", None, 0)
    /// 1
    /// >>> store.get("seen/a", 0)
    /// (b'1', 1, None)
    ///
    /// ```
    MemoryStore, store::MemoryStore {
        #[new]
        fn new() -> Self {
            Self { core: Arc::default() }
        }

    }
}

store_class! {
    /// Keeps entries in an SQLite file, for any number of threads and processes.
    ///
    /// ``durability`` says what an acknowledged change survives. With ``power``, the change is on
    /// disk and survives a power failure. With ``process``, which is faster, it survives only the
    /// end of the process. The file must not be on a network file system. Only the owner may read
    /// the file and the files beside it, for any umask; wider modes are removed.
    ///
    /// ```pycon
    /// >>> import os, tempfile
    /// >>> from toolwire.runs.store import SqliteStore
    /// >>> with tempfile.TemporaryDirectory() as folder:
    /// ...     with SqliteStore(os.path.join(folder, "tools.db")) as store:
    /// ...         store.put("seen/a", b"1", "absent", None, 0)
    /// 1
    ///
    /// ```
    SqliteStore, store::SqliteStore {
        #[new]
        #[pyo3(signature = (path, *, busy_timeout_seconds=10.0, durability="power"))]
        fn new(py: Python<'_>, path: PathBuf, busy_timeout_seconds: f64, durability: &str) -> PyResult<Self> {
            let busy = u64::try_from(microseconds(busy_timeout_seconds)).unwrap_or(0);
            let options = SqliteOptions {
                busy_timeout: std::time::Duration::from_micros(busy),
                durability: match durability {
                    "process" => Durability::Process,
                    "power" => Durability::Power,
                    _ => return Err(PyValueError::new_err("durability must be process or power")),
                },
            };
            let opened = py.detach(|| store::SqliteStore::open(path, options));
            Ok(Self { core: Arc::new(opened.map_err(|error| raise(py, error))?) })
        }

        /// The path of the file.
        #[getter]
        fn path(&self) -> PathBuf {
            self.core.path().to_owned()
        }

        /// Closes the file. Every later call raises.
        fn close(&self, py: Python<'_>) {
            py.detach(|| self.core.close());
        }

        fn __enter__(slf: PyRef<'_, Self>) -> PyRef<'_, Self> {
            slf
        }

        fn __exit__(&self, py: Python<'_>, _class: Py<PyAny>, _error: Py<PyAny>, _trace: Py<PyAny>) {
            self.close(py);
        }

        fn __repr__(&self) -> String {
            format!("SqliteStore({})", self.core.path().display())
        }
    }
}

/// Returns the store of an argument. A core store is used directly, and any other object through
/// the protocol's methods.
pub fn core(store: &Bound<'_, PyAny>) -> PyResult<Arc<dyn Store>> {
    if let Ok(memory) = store.cast::<MemoryStore>() {
        return Ok(Arc::clone(&memory.get().core) as _);
    }
    if let Ok(sqlite) = store.cast::<SqliteStore>() {
        return Ok(Arc::clone(&sqlite.get().core) as _);
    }
    for method in ["get", "put", "delete", "scan", "purge", "shared"] {
        if !store.getattr_opt(method)?.is_some_and(|method| method.is_callable()) {
            let expected = format!("a store; it has no {method}()");
            return Err(wrong_type(store.py(), "store", &expected, store));
        }
    }
    let has_batch = store.getattr_opt("batch")?.is_some_and(|method| method.is_callable());
    let is_whole =
        store.getattr_opt("has_whole_batches")?.is_some_and(|is| is.extract().unwrap_or(false));
    let (store, has_whole_batches) = (store.clone().unbind(), has_batch && is_whole);
    Ok(Arc::new(HostStore { store, has_batch, has_whole_batches }))
}

fn get<'py>(
    py: Python<'py>,
    store: &dyn Store,
    key: &str,
    now: i64,
) -> PyResult<Option<Kept<'py>>> {
    let entry = py.detach(|| store.get(key, now)).map_err(|error| raise(py, error))?;
    Ok(entry.map(|entry| (PyBytes::new(py, &entry.value), entry.version, entry.expires_at)))
}

fn put(
    py: Python<'_>,
    store: &dyn Store,
    key: &str,
    write: Write<'_>,
    now: i64,
) -> PyResult<Option<u64>> {
    match py.detach(|| store.put(key, write, now)).map_err(|error| raise(py, error))? {
        Put::Stored(version) => Ok(Some(version)),
        Put::Conflict => Ok(None),
    }
}

fn scan<'py>(
    py: Python<'py>,
    store: &dyn Store,
    prefix: &str,
    after: Option<&str>,
    limit: usize,
    now: i64,
) -> PyResult<Bound<'py, PyList>> {
    let entries =
        py.detach(|| store.scan(prefix, after, limit, now)).map_err(|error| raise(py, error))?;
    let entries = entries
        .iter()
        .map(|(key, entry)| (key, PyBytes::new(py, &entry.value), entry.version, entry.expires_at));
    PyList::new(py, entries.collect::<Vec<_>>())
}

/// Reads ``"any"``, ``"absent"`` or a version.
fn expected(expect: &Bound<'_, PyAny>) -> PyResult<Condition> {
    if expect.is_instance_of::<PyInt>() {
        return Ok(Condition::Version(expect.extract()?));
    }
    match expect.cast::<PyString>().ok().map(PyStringMethods::to_cow).transpose()?.as_deref() {
        Some("any") => Ok(Condition::Any),
        Some("absent") => Ok(Condition::Absent),
        _ => Err(PyTypeError::new_err("expect must be \"any\", \"absent\" or a version")),
    }
}

/// A Python object with a store's methods.
struct HostStore {
    store: Py<PyAny>,
    /// Whether it has the optional method for several changes at once.
    has_batch: bool,
    /// Whether that method makes all changes or none.
    has_whole_batches: bool,
}

impl HostStore {
    fn call<'py>(
        &self,
        py: Python<'py>,
        name: &str,
        arguments: Bound<'py, PyTuple>,
    ) -> PyResult<Bound<'py, PyAny>> {
        self.store.bind(py).call_method1(name, arguments)
    }
}

/// Returns the condition of a change in its Python form.
fn told(py: Python<'_>, expect: Condition) -> PyResult<Bound<'_, PyAny>> {
    Ok(match expect {
        Condition::Any => intern!(py, "any").clone().into_any(),
        Condition::Absent => intern!(py, "absent").clone().into_any(),
        Condition::Version(version) => version.into_pyobject(py)?.into_any(),
    })
}

/// Returns a change in its Python form: a tuple that begins with the name of what is done.
fn change<'py>(py: Python<'py>, change: &StoreChange<'_>) -> PyResult<Bound<'py, PyTuple>> {
    match *change {
        StoreChange::Put { key, write } => {
            let value = PyBytes::new(py, write.value);
            ("put", key, value, told(py, write.expect)?, write.expires_at).into_pyobject(py)
        }
        StoreChange::Delete { key, expect } => ("delete", key, told(py, expect)?).into_pyobject(py),
        StoreChange::PurgeSome { prefix, limit } => ("purge_some", prefix, limit).into_pyobject(py),
    }
}

/// Reads the answer to a change.
fn changed(change: &StoreChange<'_>, answer: &Bound<'_, PyAny>) -> Option<Changed> {
    Some(match change {
        StoreChange::Put { .. } => {
            let version = answer.extract::<Option<u64>>().ok()?;
            Changed::Put(version.map_or(Put::Conflict, Put::Stored))
        }
        StoreChange::Delete { .. } => Changed::Deleted(answer.extract().ok()?),
        StoreChange::PurgeSome { .. } => Changed::Purged(answer.extract().ok()?),
    })
}

fn entry((value, version, expires_at): (Vec<u8>, u64, Option<i64>)) -> StoreEntry {
    StoreEntry { value, version, expires_at }
}

impl Store for HostStore {
    fn get(&self, key: &str, now: i64) -> Result<Option<StoreEntry>, StoreError> {
        let got = attached(|py| {
            let got = self.call(py, "get", (key, now).into_pyobject(py)?)?;
            got.extract::<Option<(Vec<u8>, u64, Option<i64>)>>()
        });
        Ok(got.map_err(of_host)?.map(entry))
    }

    fn put(&self, key: &str, write: Write<'_>, now: i64) -> Result<Put, StoreError> {
        let put = attached(|py| {
            let value = PyBytes::new(py, write.value);
            let arguments =
                (key, value, told(py, write.expect)?, write.expires_at, now).into_pyobject(py)?;
            self.call(py, "put", arguments)?.extract::<Option<u64>>()
        });
        Ok(put.map_err(of_host)?.map_or(Put::Conflict, Put::Stored))
    }

    fn delete(&self, key: &str, expect: Condition, now: i64) -> Result<bool, StoreError> {
        let deleted = attached(|py| {
            self.call(py, "delete", (key, told(py, expect)?, now).into_pyobject(py)?)?.is_truthy()
        });
        deleted.map_err(of_host)
    }

    fn scan(
        &self,
        prefix: &str,
        after: Option<&str>,
        limit: usize,
        now: i64,
    ) -> Result<Vec<(String, StoreEntry)>, StoreError> {
        let found = attached(|py| {
            let found = self.call(py, "scan", (prefix, after, limit, now).into_pyobject(py)?)?;
            let entries = found.try_iter()?.map(|item| {
                let (key, value, version, expires_at) =
                    item?.extract::<(String, Vec<u8>, u64, Option<i64>)>()?;
                Ok((key, StoreEntry { value, version, expires_at }))
            });
            entries.collect::<PyResult<Vec<_>>>()
        });
        found.map_err(of_host)
    }

    fn purge(&self, prefix: &str, now: i64) -> Result<u64, StoreError> {
        let purged = attached(|py| {
            self.call(py, "purge", (prefix, now).into_pyobject(py)?)?.extract::<u64>()
        });
        purged.map_err(of_host)
    }

    fn batch(&self, changes: &[StoreChange<'_>], now: i64) -> Result<Vec<Changed>, StoreError> {
        if !self.has_batch {
            return store::one_by_one(self, changes, now);
        }
        let made = attached(|py| {
            let given = changes.iter().map(|one| change(py, one)).collect::<PyResult<Vec<_>>>()?;
            let arguments = (PyList::new(py, given)?, now).into_pyobject(py)?;
            let answers = self.call(py, "batch", arguments)?.try_iter()?;
            let answers = answers.collect::<PyResult<Vec<_>>>()?;
            Ok(store::read_answers(changes, &answers, |change, answer| changed(change, answer)))
        });
        made.map_err(of_host)?
    }

    fn has_whole_batches(&self) -> bool {
        self.has_whole_batches
    }

    fn shared(&self) -> bool {
        // A wrong true costs a few reads; a wrong false would miss every change. So the default is
        // true.
        attached(|py| self.store.bind(py).call_method0("shared")?.is_truthy()).unwrap_or(true)
    }
}

/// Calls Python, unless the interpreter is ending: a thread that renews leases may outlast it.
fn attached<T>(work: impl FnOnce(Python<'_>) -> PyResult<T>) -> PyResult<T> {
    Python::try_attach(work)
        .unwrap_or_else(|| Err(PyRuntimeError::new_err("the interpreter is ending")))
}
