//! Reads and writes providers' objects: `toolwire.provider`.

use std::sync::{Mutex, MutexGuard, PoisonError};

use pyo3::prelude::*;
use pyo3::sync::MutexExt;
use toolwire::provider::{self, ParseOptions, Provider, dump_call, dump_item, dump_result};

use crate::batch::texts::Texts;
use crate::batch::{exchanges, layout, run};
use crate::class::call::ToolCall;
use crate::class::column::Column;
use crate::class::exchange::{Exchange, ProviderItem, ProviderResult};
use crate::host::argument::text;
use crate::host::error::{raise, wrong_type};
use crate::host::json;
use crate::host::value::sent_json;

/// Reads a provider's slug.
pub fn provider(slug: &Bound<'_, PyAny>) -> PyResult<Provider> {
    let slug_text = text("provider", slug)?;
    Provider::named(&String::from_utf8_lossy(&slug_text)).map_err(|error| raise(slug.py(), &error))
}

/// Reads a provider's slug, or None.
fn known(slug: Option<&Bound<'_, PyAny>>) -> PyResult<Option<Provider>> {
    slug.filter(|slug| !slug.is_none()).map(provider).transpose()
}

/// Finds the calls and results in an object that any provider sent.
///
/// The object is a result of ``json.loads``: a response, a message, a part, a conversation, a log.
/// If several providers share a shape, ``provider`` names the provider. With ``repair="safe"``,
/// arguments that are almost JSON are repaired, and each repair is noted on the call.
///
/// ```pycon
/// >>> block = {"type": "tool_use", "id": "toolu_1", "name": "weather", "input": {"city": "Oslo"}}
/// >>> call = toolwire.provider.parse({"role": "assistant", "content": [block]}).calls[0]
/// >>> call.id, call.name, call.arguments, call.format
/// ('toolu_1', 'weather', {'city': 'Oslo'}, 'anthropic')
///
/// ```
#[pyfunction]
#[pyo3(signature = (object, provider=None, *, repair="off"))]
pub fn parse(
    object: &Bound<'_, PyAny>,
    provider: Option<&Bound<'_, PyAny>>,
    repair: &str,
) -> PyResult<Exchange> {
    let options = reading(object.py(), provider, repair)?;
    let sent = sent_json("object", object)?;
    Exchange::of(object.py(), provider::parse_with(&sent, options))
}

/// Reads the options of reading.
fn reading(
    py: Python<'_>,
    provider: Option<&Bound<'_, PyAny>>,
    repair: &str,
) -> PyResult<ParseOptions> {
    let options = ParseOptions { provider: known(provider)?, ..ParseOptions::default() };
    options.repairing(repair).map_err(|error| raise(py, &error))
}

/// Finds the calls and results in each message of a column, as :func:`parse` does.
///
/// ``messages`` is a column of JSON text or binary that offers Arrow's PyCapsule interface, or an
/// iterable of str and None; a row holds an object that a provider sent, or a list of them. The
/// result is a :class:`toolwire.Column` of structs, row for row: ``calls`` (each with ``name``,
/// ``arguments``, ``id``, ``format``, ``status``, ``provider_data``), ``results`` (``tool``,
/// ``success``, ``data``, ``error_message``, ``call_id``, ``format``), ``rejections`` (``code``,
/// ``message``, ``path``, ``format``) and ``items`` (``kind``, ``word``, ``id``, ``raw``, ``path``,
/// ``format``); or those of them that ``fields`` names. ``arguments``, ``data`` and ``raw`` are
/// JSON text. ``threads`` is how many threads work; 0 is one for each core.
///
/// A null row stays null, and no row raises: one that is no JSON has a rejection ``bad_json`` with
/// an empty path. ``id`` is null if the message has none.
///
/// ```pycon
/// >>> message = '{"type": "tool_use", "id": "t1", "name": "now", "input": {}}'
/// >>> toolwire.provider.parse_batch([message, None, '{'])
/// <Column of 3 rows>
///
/// ```
#[pyfunction]
#[pyo3(signature = (messages, provider=None, *, repair="off", threads=None, fields=None),
    text_signature = "(messages, provider=None, *, repair='off', threads=1, fields=None)")]
pub fn parse_batch(
    messages: &Bound<'_, PyAny>,
    provider: Option<&Bound<'_, PyAny>>,
    repair: &str,
    threads: Option<&Bound<'_, PyAny>>,
    fields: Option<&Bound<'_, PyAny>>,
) -> PyResult<Column> {
    let py = messages.py();
    let options = reading(py, provider, repair)?;
    let (threads, parts) = (run::threads(threads)?, layout::parts(fields)?);
    let texts = Texts::read("messages", messages)?;
    let chunks = run::chunks(py, ("messages", &texts), threads, |piece| {
        exchanges::read(options, &texts, piece, &parts)
    })?;
    Ok(Column::of(exchanges::exchanges(&parts), chunks))
}

/// Writes a call or a result in the provider's form, or gives an item back to its provider.
///
/// ```pycon
/// >>> call = toolwire.detect('<tool:weather>{"city": "Oslo"}</tool>').calls[0]
/// >>> toolwire.provider.dump(call, "gemini")["functionCall"]["args"]
/// {'city': 'Oslo'}
/// >>> result = toolwire.provider.ProviderResult("weather", True, "sunny", call_id="call_1")
/// >>> toolwire.provider.dump(result, "openai")
/// {'role': 'tool', 'tool_call_id': 'call_1', 'content': 'sunny'}
///
/// ```
#[pyfunction]
pub fn dump<'py>(
    item: &Bound<'py, PyAny>,
    provider: &Bound<'py, PyAny>,
) -> PyResult<Bound<'py, PyAny>> {
    let py = item.py();
    let provider = self::provider(provider)?;
    let written = if let Ok(call) = item.cast::<ToolCall>() {
        dump_call(call.get().as_provider_call(py), provider).map_err(|error| raise(py, &error))?
    } else if let Ok(result) = item.cast::<ProviderResult>() {
        dump_result(&result.get().core(py)?, provider)
    } else if let Ok(kept) = item.cast::<ProviderItem>() {
        dump_item(&kept.get().core(py)?, provider).map_err(|error| raise(py, &error))?
    } else {
        return Err(wrong_type(py, "item", "a ToolCall, a ProviderResult or a ProviderItem", item));
    };
    json::value(py, written.to_string().as_bytes())
}

/// Joins the events of a streamed response into calls.
///
/// ```pycon
/// >>> stream = toolwire.provider.Accumulator()
/// >>> head = {"type": "tool_use", "id": "toolu_1", "name": "weather", "input": {}}
/// >>> stream.feed({"type": "content_block_start", "index": 0, "content_block": head})
/// >>> for piece in ('{"city":', '"Oslo"}'):
/// ...     delta = {"type": "input_json_delta", "partial_json": piece}
/// ...     stream.feed({"type": "content_block_delta", "index": 0, "delta": delta})
/// >>> stream.feed({"type": "content_block_stop", "index": 0})
/// >>> stream.finish().calls[0].arguments
/// {'city': 'Oslo'}
///
/// ```
#[pyclass(frozen, module = "toolwire.provider")]
pub struct Accumulator {
    state: Mutex<provider::Accumulator>,
}

#[pymethods]
impl Accumulator {
    #[new]
    #[pyo3(signature = (provider=None, *, repair="off"))]
    fn new(py: Python<'_>, provider: Option<&Bound<'_, PyAny>>, repair: &str) -> PyResult<Self> {
        let options = reading(py, provider, repair)?;
        Ok(Self { state: Mutex::new(provider::Accumulator::with(options)) })
    }

    /// Takes the next decoded event, or a list of events.
    ///
    /// ```pycon
    /// >>> toolwire.provider.Accumulator().feed({"type": "ping"})
    ///
    /// ```
    fn feed(&self, event: &Bound<'_, PyAny>) -> PyResult<()> {
        let read = sent_json("event", event)?;
        self.lock(event.py()).feed(&read).map_err(|error| raise(event.py(), &error))
    }

    /// Ends the stream and returns its content; a call that is cut off is rejected as
    /// ``incomplete``.
    ///
    /// ```pycon
    /// >>> toolwire.provider.Accumulator().finish()
    /// Exchange(calls=(), results=(), rejections=(), items=())
    ///
    /// ```
    fn finish(&self, py: Python<'_>) -> PyResult<Exchange> {
        let exchange = self.lock(py).finish();
        Exchange::of(py, exchange.map_err(|error| raise(py, &error))?)
    }
}

impl Accumulator {
    fn lock(&self, py: Python<'_>) -> MutexGuard<'_, provider::Accumulator> {
        // A panic in core leaves no half-written state, so a poisoned lock is still usable.
        self.state.lock_py_attached(py).unwrap_or_else(PoisonError::into_inner)
    }
}
