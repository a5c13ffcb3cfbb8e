//! The JSON of a model's reply.

use pyo3::prelude::*;
use pyo3::types::{PyDict, PyNone};
use toolwire::reply::ReplyOptions;

use crate::host::json;
use crate::host::option;
use crate::host::text::{DETACH, read, to_bytes};

/// Returns the one JSON value of a model's reply, or None.
///
/// These candidates are tried in order: the whole reply, of any type; an object with one of the
/// expected keys; the content of a code block, if it is an object or an array; an object, or an
/// array of objects, in the text; a repaired candidate; an empty object or array; any other value
/// in a code block. A part of a broken object is returned only for its expected keys. ``NaN``, raw
/// control characters in strings and lone surrogates are not JSON.
///
/// Parameters
/// ----------
/// text: what the model wrote; bytes are decoded as UTF-8 with ``surrogateescape``.
/// keys: keys that the object should have; an object with any of them is preferred to all others.
/// repair: ``off`` mends commas before closing brackets and keys in single quotes; ``safe`` makes
///     every repair that is made for a call.
/// `max_depth`: the most brackets that may be open at once; 128 by default.
///
/// ```pycon
/// >>> toolwire.extract_json('Here it is:\n```json\n{"severity": "low"}\n```')
/// {'severity': 'low'}
/// >>> toolwire.extract_json('See {"id": 7} and {"severity": "low"}.', keys=["severity"])
/// {'severity': 'low'}
/// >>> toolwire.extract_json("{severity: 'low'}") is None
/// True
/// >>> toolwire.extract_json("{severity: 'low'}", repair="safe")
/// {'severity': 'low'}
///
/// ```
#[pyfunction]
#[pyo3(signature = (text, **options), text_signature = "(text, *, keys=None, repair=None, max_depth=None)")]
pub fn extract_json<'py>(
    text: &Bound<'py, PyAny>,
    options: Option<&Bound<'py, PyDict>>,
) -> PyResult<Bound<'py, PyAny>> {
    let py = text.py();
    let given = options;
    let mut options = ReplyOptions::default();
    option::set_all(given, ReplyOptions::NAMES, |name, value| options.set(name, value))?;
    let input = read("text", text)?;
    let bytes = to_bytes(&input)?;
    let bytes: &[u8] = &bytes;
    let found = if bytes.len() < DETACH {
        toolwire::reply::extract_json(bytes, &options)
    } else {
        py.detach(|| toolwire::reply::extract_json(bytes, &options))
    };
    match found {
        Some(found) => json::value(py, found.json.as_bytes()),
        None => Ok(PyNone::get(py).to_owned().into_any()),
    }
}
