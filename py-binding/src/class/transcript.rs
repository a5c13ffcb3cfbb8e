//! Logs of agents: whole logs, and logs that grow.

use std::borrow::Cow;
use std::path::PathBuf;
use std::sync::{Mutex, MutexGuard, PoisonError};

use pyo3::prelude::*;
use pyo3::sync::{MutexExt, PyOnceLock};
use pyo3::types::{PyBytes, PyList, PyTuple};
use toolwire::compat::vibe_kanban;
use toolwire::transcript::{self, CallStatus, DialectName, Form, PageLink, ReaderOptions, ToolUse};

use crate::batch::logs::{self, LogOptions};
use crate::batch::run;
use crate::batch::texts::Texts;
use crate::class::column::Column;
use crate::class::entry::{Entry, Patch, pickled, read_record};
use crate::host::error::raise;
use crate::host::json;
use crate::host::text::{DETACH, read, to_bytes};

/// Reads the options that all functions share.
fn options(
    py: Python<'_>,
    worktree: Option<PathBuf>,
    dialect: &str,
    faithful: bool,
) -> PyResult<ReaderOptions> {
    let dialect = DialectName::named(dialect).map_err(|error| raise(py, &error))?;
    let form = if faithful { vibe_kanban::FORM } else { Form::default() };
    Ok(ReaderOptions { worktree, dialect, form })
}

/// Passes a text's bytes to a function, without a copy if the bytes exist already.
fn with_bytes<T>(text: &Bound<'_, PyAny>, what: &str, run: impl FnOnce(&[u8]) -> T) -> PyResult<T> {
    if let Ok(bytes) = text.cast::<PyBytes>() {
        return Ok(run(bytes.as_bytes()));
    }
    let string = read(what, text)?;
    Ok(run(&to_bytes(&string)?))
}

/// Reads a whole log from a text.
#[pyfunction]
#[pyo3(signature = (text, worktree=None, stderr=None, dialect="auto", faithful=false))]
pub fn read_transcript(
    text: &Bound<'_, PyAny>,
    worktree: Option<PathBuf>,
    stderr: Option<&Bound<'_, PyAny>>,
    dialect: &str,
    faithful: bool,
) -> PyResult<Transcript> {
    let py = text.py();
    let options = options(py, worktree, dialect, faithful)?;
    let stderr: Cow<'_, [u8]> = match stderr {
        Some(stderr) => Cow::Owned(with_bytes(stderr, "stderr", <[u8]>::to_vec)?),
        None => Cow::Borrowed(b""),
    };
    let whole = with_bytes(text, "text", |text| {
        py.detach(|| transcript::Transcript::read(text, &stderr, options))
    })?;
    Ok(Transcript::of(whole))
}

/// Reads each log of a column, as :func:`normalize` reads one.
///
/// ``logs`` is a column of text or binary that offers Arrow's PyCapsule interface, or an iterable
/// of str and None; a row holds a whole log. The result is a :class:`toolwire.Column` of structs,
/// row for row: ``session_id``, ``dialect`` and ``entries``, each with ``type``, ``content`` and,
/// for a call, ``tool`` (its ``tool_name``), ``name``, ``id``, ``status``, ``arguments`` and
/// ``output`` (JSON text), ``error`` (the message), ``started`` and ``duration`` (milliseconds).
/// ``calls_only`` leaves the other entries out. ``threads`` is how many threads work; 0 is one for
/// each core.
///
/// A null row stays null, and no row raises. A log of more than 256 MiB has one entry, whose error
/// is ``too_large``: :func:`stream` reads it.
///
/// ```pycon
/// >>> toolwire.transcript.normalize_batch(["one\ntwo", None])
/// <Column of 2 rows>
///
/// ```
#[pyfunction]
#[pyo3(
    signature = (logs, *, threads=None, calls_only=false, dialect="auto", worktree=None,
        faithful=false),
    text_signature = "(logs, *, threads=1, calls_only=False, dialect='auto', worktree=None, \
        faithful=False)"
)]
pub fn normalize_batch(
    logs: &Bound<'_, PyAny>,
    threads: Option<&Bound<'_, PyAny>>,
    calls_only: bool,
    dialect: &str,
    worktree: Option<PathBuf>,
    faithful: bool,
) -> PyResult<Column> {
    let py = logs.py();
    let options = LogOptions { reader: options(py, worktree, dialect, faithful)?, calls_only };
    let threads = run::threads(threads)?;
    let texts = Texts::read("logs", logs)?;
    let chunks =
        run::chunks(py, ("logs", &texts), threads, |piece| logs::read(&options, &texts, piece))?;
    Ok(Column::of(logs::logs(), chunks))
}

/// The entries of a whole log.
///
/// ```pycon
/// >>> transcript = toolwire.transcript.normalize("one\ntwo")
/// >>> [entry.content for entry in transcript.entries], len(transcript)
/// (['one', 'two'], 2)
///
/// ```
#[pyclass(frozen, module = "toolwire.transcript")]
pub struct Transcript {
    whole: transcript::Transcript,
    /// The entries as objects, once they were asked for: an object is larger than a short entry.
    entries: PyOnceLock<Py<PyTuple>>,
}

#[pymethods]
impl Transcript {
    /// The entries at the end of the log.
    #[getter]
    fn entries<'py>(&self, py: Python<'py>) -> PyResult<&Bound<'py, PyTuple>> {
        let make = || {
            let entries = self.whole.entries.iter().cloned().map(Entry::of);
            PyTuple::new(py, entries).map(Bound::unbind)
        };
        Ok(self.entries.get_or_try_init(py, make)?.bind(py))
    }

    /// The changes that led to the entries.
    #[getter]
    fn patches<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyTuple>> {
        let patches: Vec<_> = self.whole.patches().map(Patch::of).collect();
        PyTuple::new(py, patches)
    }

    /// The entries that are calls.
    #[getter]
    fn calls<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyTuple>> {
        self.chosen(py, |_| true)
    }

    /// The calls without a result.
    #[getter]
    fn pending<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyTuple>> {
        self.chosen(py, |call| call.status == CallStatus::Created)
    }

    /// The session's id, if the log gives it.
    #[getter]
    fn session_id(&self) -> Option<&str> {
        self.whole.session_id.as_deref()
    }

    /// The dialect of the log; None if it is not known.
    #[getter]
    fn dialect(&self) -> Option<&'static str> {
        self.whole.dialect.map(DialectName::slug)
    }

    /// What was in the log: how many records were understood, skipped, repaired and damaged, and
    /// how many calls have their result.
    ///
    /// ```pycon
    /// >>> account = toolwire.transcript.normalize("plain text").account
    /// >>> account["verdict"], account["records"], account["understood"], account["skipped"]
    /// ('unknown', 1, 0, {'text': 1})
    ///
    /// ```
    #[getter]
    fn account<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyAny>> {
        account(py, &self.whole.account)
    }

    /// What the log looks like, if no dialect is known for it; else None.
    #[getter]
    fn look(&self) -> Option<&str> {
        self.whole.look.as_deref()
    }

    /// The results of all calls that have one, for :class:`toolwire.Report`.
    ///
    /// ```pycon
    /// >>> made = {"id": "c", "function": {"name": "add", "arguments": "{}"}}
    /// >>> call = {"role": "assistant", "tool_calls": [made]}
    /// >>> result = {"role": "tool", "tool_call_id": "c", "content": "5"}
    /// >>> log = json.dumps(call) + "\n" + json.dumps(result)
    /// >>> toolwire.Report(toolwire.transcript.normalize(log).to_results()).succeeded
    /// 1
    ///
    /// ```
    fn to_results<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyList>> {
        let results = PyList::empty(py);
        for call in self.calls(py)? {
            let result = call.getattr("result")?;
            if !result.is_none() {
                results.append(result)?;
            }
        }
        Ok(results)
    }

    /// The session as one HTML page that loads nothing; no text of the log becomes markup in it.
    ///
    /// ```pycon
    /// >>> "&lt;b&gt;" in toolwire.transcript.normalize("<b>").to_html()
    /// True
    ///
    /// ```
    fn to_html(&self, py: Python<'_>) -> String {
        py.detach(|| self.whole.to_html())
    }

    fn __len__(&self) -> usize {
        self.whole.entries.len()
    }

    fn __reduce__<'py>(
        &self,
        py: Python<'py>,
    ) -> PyResult<(Bound<'py, PyAny>, Bound<'py, PyTuple>)> {
        pickled(py, "load_transcript", &self.whole.to_record())
    }

    fn __repr__(&self) -> String {
        format!("<Transcript of {} entries>", self.__len__())
    }
}

/// The dialects of logs that are known.
#[pyfunction]
pub fn transcript_dialects(py: Python<'_>) -> PyResult<Bound<'_, PyTuple>> {
    PyTuple::new(py, DialectName::SLUGS)
}

/// The index of many sessions as one HTML page, from the path and the session of each page.
#[pyfunction]
pub fn index_html(pages: &Bound<'_, PyAny>) -> PyResult<String> {
    // A session can be freed as soon as its line is made.
    let links = pages.try_iter()?.map(|page| {
        let (path, session): (String, PyRef<'_, Transcript>) = page?.extract()?;
        Ok(PageLink::new(&path, &session.whole))
    });
    Ok(transcript::index_html(&links.collect::<PyResult<Vec<_>>>()?))
}

/// The account of a log as a dict.
fn account<'py>(py: Python<'py>, account: &transcript::LogAccount) -> PyResult<Bound<'py, PyAny>> {
    json::value(py, account.to_value().to_string().as_bytes())
}

/// The transcript that was pickled.
#[pyfunction]
pub fn load_transcript(py: Python<'_>, record: &str) -> PyResult<Transcript> {
    Ok(Transcript::of(read_record(py, record, transcript::Transcript::from_record)?))
}

impl Transcript {
    fn of(whole: transcript::Transcript) -> Self {
        Self { whole, entries: PyOnceLock::new() }
    }

    /// The calls that match the given condition.
    fn chosen<'py>(
        &self,
        py: Python<'py>,
        fits: impl Fn(&ToolUse) -> bool,
    ) -> PyResult<Bound<'py, PyTuple>> {
        let entries = self.entries(py)?;
        let calls = self.whole.calls().filter(|(_, call)| fits(call));
        let chosen = calls.map(|(index, _)| entries.get_item(index));
        PyTuple::new(py, chosen.collect::<PyResult<Vec<_>>>()?)
    }
}

/// Joins calls with their results while a log grows, and returns the changes to the list of
/// entries.
///
/// It holds only the calls that wait for a result, so it reads logs of any size. Threads may share
/// it; their lines are joined in the order of the calls to :meth:`feed`.
///
/// ```pycon
/// >>> reader = toolwire.transcript.Reader(dialect="codex")
/// >>> item = {"id": "i1", "type": "command_execution", "command": "ls", "status": "in_progress"}
/// >>> patch, = reader.feed(json.dumps({"type": "item.started", "item": item}))
/// >>> patch.op, patch.path, patch.entry.tool_name, patch.entry.status
/// ('add', '/entries/0', 'bash', 'created')
/// >>> [call.id for call in reader.pending]
/// ['i1']
///
/// ```
#[pyclass(frozen, module = "toolwire.transcript")]
pub struct Reader {
    state: Mutex<transcript::Reader>,
    form: Form,
}

#[pymethods]
impl Reader {
    #[new]
    #[pyo3(signature = (*, worktree=None, dialect="auto", faithful=false))]
    fn new(
        py: Python<'_>,
        worktree: Option<PathBuf>,
        dialect: &str,
        faithful: bool,
    ) -> PyResult<Self> {
        let options = options(py, worktree, dialect, faithful)?;
        Ok(Self { form: options.form, state: Mutex::new(transcript::Reader::new(options)) })
    }

    /// Takes one or more lines, with or without a line end, and returns the changes.
    ///
    /// ```pycon
    /// >>> [patch.op for patch in toolwire.transcript.Reader().feed("one\ntwo")]
    /// ['add', 'add']
    ///
    /// ```
    fn feed<'py>(&self, line: &Bound<'py, PyAny>) -> PyResult<Bound<'py, PyList>> {
        self.advance(line, |reader, bytes, patches| {
            reader.feed(bytes, patches);
            reader.end_line(patches);
        })
    }

    /// Takes a piece of the log, which may end anywhere, and returns the changes of the lines that
    /// it completes.
    ///
    /// ```pycon
    /// >>> reader = toolwire.transcript.Reader()
    /// >>> patches = [reader.feed_piece(piece) for piece in ("on", "e\ntw", "o")]
    /// >>> [patch.entry.content for made in patches for patch in made]
    /// ['one']
    /// >>> [patch.entry.content for patch in reader.finish()]
    /// ['two']
    ///
    /// ```
    fn feed_piece<'py>(&self, piece: &Bound<'py, PyAny>) -> PyResult<Bound<'py, PyList>> {
        self.advance(piece, transcript::Reader::feed)
    }

    /// Ends the log: the text after the last line end counts as a line.
    fn finish<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyList>> {
        let mut patches = Vec::new();
        self.lock(py).finish(&mut patches);
        PyList::new(py, patches.into_iter().map(Patch::of))
    }

    /// The session's id, after the log has given it.
    #[getter]
    fn session_id(&self, py: Python<'_>) -> Option<String> {
        self.lock(py).session_id().map(str::to_owned)
    }

    /// The dialect of the log; None until it is known.
    #[getter]
    fn dialect(&self, py: Python<'_>) -> Option<&'static str> {
        self.lock(py).dialect().map(DialectName::slug)
    }

    /// The calls that wait for a result, the oldest first.
    #[getter]
    fn pending<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyTuple>> {
        let calls: Vec<_> =
            self.lock(py).pending().map(|pending| pending.entry(self.form)).collect();
        PyTuple::new(py, calls.into_iter().map(Entry::of))
    }

    /// What was in the log so far; see :attr:`Transcript.account`.
    #[getter]
    fn account<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyAny>> {
        let found = self.lock(py).account();
        account(py, &found)
    }

    /// What the log looks like, if no dialect is known for it; else None.
    #[getter]
    fn look(&self, py: Python<'_>) -> Option<String> {
        self.lock(py).look().map(str::to_owned)
    }

    /// The number of calls that no longer wait, because more than 16 MiB of calls were waiting;
    /// they keep the status ``created``.
    #[getter]
    fn given_up(&self, py: Python<'_>) -> usize {
        self.lock(py).given_up()
    }
}

impl Reader {
    fn lock(&self, py: Python<'_>) -> MutexGuard<'_, transcript::Reader> {
        self.state.lock_py_attached(py).unwrap_or_else(PoisonError::into_inner)
    }

    fn advance<'py>(
        &self,
        text: &Bound<'py, PyAny>,
        step: impl Fn(&mut transcript::Reader, &[u8], &mut Vec<transcript::Patch>) + Sync,
    ) -> PyResult<Bound<'py, PyList>> {
        let py = text.py();
        let patches = with_bytes(text, "line", |bytes| {
            let mut patches = Vec::new();
            if bytes.len() < DETACH {
                step(&mut self.lock(py), bytes, &mut patches);
            } else {
                py.detach(|| {
                    let mut reader = self.state.lock().unwrap_or_else(PoisonError::into_inner);
                    step(&mut reader, bytes, &mut patches);
                });
            }
            patches
        })?;
        PyList::new(py, patches.into_iter().map(Patch::of))
    }
}
