//! Detectors, the set of seen calls, and `detect`.

use std::sync::OnceLock;

use pyo3::prelude::*;
use pyo3::types::{PyDict, PyTuple};
use serde_json::Value;
use toolwire::compat::PRESETS;
use toolwire::{ErrorKind, Options, kept};

use crate::batch::rows::Rows;
use crate::batch::texts::Texts;
use crate::batch::{layout, run};
use crate::class::column::Column;
use crate::class::detection::Detection;
use crate::class::profile::Profile;
use crate::class::stream::Stream;
use crate::host::argument::count;
use crate::host::error::{raise, raise_kind, wrong_type};
use crate::host::text::{DETACH, read, to_bytes};
use crate::host::{json, option};

/// The calls seen so far, shared by the detectors and streams that receive the set.
///
/// It holds at most `capacity` calls; beyond that, the oldest calls are forgotten.
///
/// ```pycon
/// >>> seen = toolwire.Seen(capacity=100)
/// >>> text = '<tool:echo>{}</tool>'
/// >>> [len(toolwire.detect(text, seen=seen)) for _ in range(2)]
/// [1, 0]
///
/// ```
#[pyclass(frozen, module = "toolwire")]
pub struct Seen {
    core: toolwire::detect::Seen,
}

#[pymethods]
impl Seen {
    #[new]
    #[pyo3(signature = (capacity=None))]
    fn new(capacity: Option<&Bound<'_, PyAny>>) -> PyResult<Self> {
        let capacity = capacity.map(|value| count("capacity", value)).transpose()?;
        Ok(Self {
            core: capacity
                .map_or_else(toolwire::detect::Seen::default, toolwire::detect::Seen::new),
        })
    }

    /// Forgets all calls.
    ///
    /// ```pycon
    /// >>> seen = toolwire.Seen()
    /// >>> seen.clear()
    /// >>> len(seen)
    /// 0
    ///
    /// ```
    fn clear(&self) {
        self.core.clear();
    }

    fn __len__(&self) -> usize {
        self.core.len()
    }

    /// Whether a call with this id was seen.
    fn __contains__(&self, id: &str) -> bool {
        self.core.contains_id(id)
    }

    fn __repr__(&self) -> String {
        format!("<Seen of {} calls>", self.core.len())
    }
}

impl Seen {
    /// The shared set.
    pub fn core(&self) -> &toolwire::detect::Seen {
        &self.core
    }
}

/// Finds tool calls with fixed options; any number of threads may use it at once.
///
/// It takes the options of :func:`detect`, and can be pickled unless it has a :class:`Seen` set.
///
/// ```pycon
/// >>> detector = toolwire.Detector(formats=["tag"], tools=["echo"])
/// >>> [call.name for call in detector.detect('<tool:echo>{}</tool> <tool:rm>{}</tool>')]
/// ['echo']
///
/// ```
#[pyclass(frozen, module = "toolwire")]
pub struct Detector {
    core: toolwire::Detector,
    settings: Settings,
}

impl Detector {
    pub(crate) fn core(&self) -> &toolwire::Detector {
        &self.core
    }
}

#[pymethods]
impl Detector {
    #[new]
    #[pyo3(signature = (**options), text_signature = "(*, formats=None, tools=None, aliases=None, \
        legacy=None, preset=None, fences=None, reasoning=None, repair=None, seen=None, validate=None, \
        coerce=None, max_input=None, max_calls=None, max_rejections=None, max_depth=None, max_arguments=None, \
        html_class=None, model=None, template=None, prompt=None, thinking=None, \
    calls=None)")]
    fn new(py: Python<'_>, options: Option<&Bound<'_, PyDict>>) -> PyResult<Self> {
        let (settings, seen) = Settings::read(py, options)?;
        let core = settings.detector(py, seen)?;
        Ok(Self { core, settings })
    }

    /// The profile that ``model``, ``template`` or ``prompt`` named, or None.
    ///
    /// ```pycon
    /// >>> toolwire.Detector(model="gpt-oss:20b").profile.slug
    /// 'gpt_oss'
    ///
    /// ```
    #[getter]
    fn profile(&self) -> Option<Profile> {
        self.core.profile().cloned().map(Profile::of)
    }

    /// Finds the calls in a whole text.
    ///
    /// ```pycon
    /// >>> toolwire.Detector().detect('<tool:echo>{}</tool>').calls[0].name
    /// 'echo'
    ///
    /// ```
    fn detect(&self, text: &Bound<'_, PyAny>) -> PyResult<Detection> {
        detect_with(&self.core, text)
    }

    /// Finds the calls in each text of a column.
    ///
    /// ``texts`` is a column of text or binary that offers Arrow's PyCapsule interface (of pyarrow,
    /// Polars, pandas and others; also with views, dictionaries, chunks), or an iterable of str and
    /// None. The result is a :class:`Column` of structs, row for row: ``calls`` (each with
    /// ``name``, ``arguments``, ``id``, ``format``, ``start``, ``end``, ``status``), ``text``,
    /// ``reasoning`` and ``rejections`` (each with ``code``, ``format``, ``start``, ``end``); or
    /// those of them that ``fields`` names. ``threads`` is how many threads work; 0 is one for each
    /// core.
    ///
    /// A null row stays null, and no row raises. ``start`` and ``end`` count code points in text,
    /// and bytes in binary. ``id`` is null if the text has none, so that a second run gives the
    /// same.
    ///
    /// ```pycon
    /// >>> column = toolwire.Detector().detect_batch(['Now: <tool:echo>{"a": 1}</tool>', None])
    /// >>> column
    /// <Column of 2 rows>
    ///
    /// ```
    #[pyo3(signature = (texts, *, threads=None, fields=None),
        text_signature = "($self, texts, *, threads=1, fields=None)")]
    fn detect_batch(
        &self,
        texts: &Bound<'_, PyAny>,
        threads: Option<&Bound<'_, PyAny>>,
        fields: Option<&Bound<'_, PyAny>>,
    ) -> PyResult<Column> {
        let py = texts.py();
        if self.settings.seen {
            let message = "a detector with a Seen set takes no column: rows are read in any order";
            return Err(raise_kind(py, ErrorKind::InvalidOption, message));
        }
        let (threads, parts) = (run::threads(threads)?, layout::parts(fields)?);
        let texts = Texts::read("texts", texts)?;
        let chunks = run::chunks(py, ("texts", &texts), threads, |piece| {
            Rows::detect(&self.core, &texts, piece, &parts)
        })?;
        Ok(Column::of(layout::detections(&parts, texts.kind), chunks))
    }

    /// Starts a stream for a text that comes in pieces.
    ///
    /// ```pycon
    /// >>> stream = toolwire.Detector().stream()
    /// >>> [event.type for event in stream.feed('<tool:echo>{}</tool> Bye') + stream.finish()]
    /// ['call_start', 'arguments_delta', 'call_end', 'text']
    ///
    /// ```
    fn stream(&self) -> Stream {
        Stream::of(self.core.stream())
    }

    fn __getnewargs_ex__<'py>(
        &self,
        py: Python<'py>,
    ) -> PyResult<(Bound<'py, PyTuple>, Bound<'py, PyDict>)> {
        if self.settings.seen {
            let message = "a detector with a Seen set cannot be pickled: the set is of one process";
            return Err(raise_kind(py, ErrorKind::InvalidOption, message.to_owned()));
        }
        let keywords = PyDict::new(py);
        for (name, value) in &self.settings.values {
            keywords.set_item(name, json::value(py, value.to_string().as_bytes())?)?;
        }
        Ok((PyTuple::empty(py), keywords))
    }
}

/// Finds the calls in a whole text; other threads run meanwhile if the text is long.
fn detect_with(core: &toolwire::Detector, text: &Bound<'_, PyAny>) -> PyResult<Detection> {
    let input = read("text", text)?;
    let bytes = to_bytes(&input)?;
    let findings = if bytes.len() < DETACH {
        core.detect(&bytes).into_findings()
    } else {
        text.py().detach(|| core.detect(&bytes).into_findings())
    };
    Detection::of(findings, bytes, &input)
}

/// Finds the tool calls in a text that a model wrote.
///
/// For any text, this returns calls, rejections and text; it raises only for misuse.
///
/// Parameters
/// ----------
/// text: what the model wrote; bytes are decoded as UTF-8 with ``surrogateescape``.
/// formats: the formats to find: the name of a built-in format (see :func:`formats`), ``auto`` for
///     all that can be told apart by how they are written, the definition of a format, or a list of
///     these; those of the model, or else ``auto``, by default. Named formats are exact.
/// tools: the known tools: names, or definitions with a schema.
/// aliases: old names and the names that replace them.
/// legacy: retired names and their successors; a call with a retired name is rejected.
/// preset: the formats, tools and legacy names of a known system (``memberpress``).
/// fences: the fenced blocks that count: ``json``, ``all``, ``none``.
/// reasoning: what becomes of reasoning: ``separate`` sets it apart from the text, ``keep`` leaves
///     it in the text, ``calls`` sets it apart and lets the calls in it count.
/// repair: ``off``, or ``safe`` for repairs that cannot change a value; each is noted on the call.
/// seen: a :class:`Seen` set; a call in the set is rejected as a duplicate.
/// validate: whether arguments are checked against the schemas: ``off``, ``report``, ``reject``.
/// coerce: whether values are converted to the type that the tool's schema names, if possible.
/// `max_input`, `max_calls`, `max_rejections`, `max_depth`, `max_arguments`: limits.
/// `html_class`: the class that marks an element as a call.
/// model: the model that wrote the text: its name (see :func:`profile_for`), its :class:`Profile`,
///     or the definition of a profile.
/// template: the text of the model's chat template, which says the same.
/// prompt: the prompt that the model went on from; its end says whether the message begins in
///     reasoning.
/// thinking: whether the model was asked to think: True or False, or the variables that the request
///     gave its chat template.
/// calls: ``read``, or ``refuse`` for a request in which no call counts (``tool_choice="none"``):
///     each is refused as ``no_tools``, and its markup is not shown. ``tools=[]`` says the same.
///
/// ```pycon
/// >>> text = '<tool_call>{"name": "search", "arguments": {"q": "red"}}</tool_call>'
/// >>> toolwire.detect(text, model="Qwen/Qwen3-8B").calls[0].arguments
/// {'q': 'red'}
/// >>> toolwire.detect(text).calls[0].format
/// 'hermes'
/// >>> toolwire.detect(text, formats=["tag"]).calls
/// ()
/// >>> arrow = {"slug": "arrow", "body": "named",
/// ...          "call": {"open": "=>", "name_end": ":", "close": ";"}}
/// >>> toolwire.detect('=>add:{"a": 1};', formats=["tag", arrow]).calls[0].name
/// 'add'
/// >>> toolwire.detect("...", formats=["tga"])
/// Traceback (most recent call last):
/// toolwire.InvalidArgumentError: unknown format "tga"; nearest: tag; known: tag, …
///
/// ```
#[pyfunction]
#[pyo3(signature = (text, **options), text_signature = "(text, *, formats=None, tools=None, \
    aliases=None, legacy=None, preset=None, fences=None, reasoning=None, repair=None, seen=None, \
    validate=None, coerce=None, max_input=None, max_calls=None, max_rejections=None, max_depth=None, \
    max_arguments=None, html_class=None, model=None, template=None, prompt=None, thinking=None, \
    calls=None)")]
pub fn detect(text: &Bound<'_, PyAny>, options: Option<&Bound<'_, PyDict>>) -> PyResult<Detection> {
    static DEFAULT: OnceLock<toolwire::Detector> = OnceLock::new();
    let Some(options) = options else {
        return detect_with(DEFAULT.get_or_init(toolwire::Detector::default), text);
    };
    let (settings, seen) = Settings::read(text.py(), Some(options))?;
    detect_with(&settings.detector(text.py(), seen)?, text)
}

/// The options that are set before the others.
const FIRST: [&str; 2] = ["preset", "model"];

/// The options of a detector, as they were given.
struct Settings {
    /// Those that were set, in the order in which they count.
    values: Vec<(String, Value)>,
    /// Whether a set of seen calls is one of them.
    seen: bool,
}

impl Settings {
    /// Reads the options from the keyword arguments; None means the default. The set of seen calls
    /// is returned beside them.
    ///
    /// The preset comes first, so that the other options override its values; then the model, which
    /// a template need not repeat.
    fn read(
        py: Python<'_>,
        keywords: Option<&Bound<'_, PyDict>>,
    ) -> PyResult<(Self, Option<toolwire::detect::Seen>)> {
        let (mut values, mut seen) = (Vec::new(), None);
        let Some(keywords) = keywords else {
            return Ok((Self { values, seen: false }, seen));
        };
        for name in FIRST {
            if let Some(value) = keywords.get_item(name)? {
                values.extend(match value.cast::<Profile>() {
                    Ok(profile) if name == "model" => {
                        Some((name.to_owned(), profile.get().core().definition()))
                    }
                    _ => option::read(name, &value, Options::NAMES)?,
                });
            }
        }
        for (key, value) in keywords.iter() {
            let key = key.extract::<String>()?;
            match key.as_str() {
                name if FIRST.contains(&name) => {}
                "seen" if value.is_none() => {}
                "seen" => match value.cast::<Seen>() {
                    Ok(set) => seen = Some(set.get().core().clone()),
                    Err(_) => return Err(wrong_type(py, "seen", "a Seen set", &value)),
                },
                name => values.extend(option::read(name, &value, Options::NAMES)?),
            }
        }
        Ok((Self { values, seen: seen.is_some() }, seen))
    }

    /// A detector with these options; without a set of seen calls, one that is kept for equal
    /// options.
    ///
    /// # Errors
    /// The errors of [`Options::set`], including the error for an unknown option.
    fn detector(
        &self,
        py: Python<'_>,
        seen: Option<toolwire::detect::Seen>,
    ) -> PyResult<toolwire::Detector> {
        let made = if seen.is_some() {
            let mut options = Options { presets: PRESETS, seen, ..Options::default() };
            let set = self.values.iter().try_for_each(|(name, value)| options.set(name, value));
            set.and_then(|()| toolwire::Detector::new(options))
        } else {
            kept::detector(&self.values, PRESETS)
        };
        made.map_err(|error| raise(py, &error))
    }
}
