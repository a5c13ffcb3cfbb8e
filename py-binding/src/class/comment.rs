//! Comments: read from a reply, cleaned, and made fit to be posted; the issue agent exports them.

use std::borrow::Cow;

use pyo3::prelude::*;
use pyo3::types::{PyDict, PyString};
use toolwire::comment::PublishOptions;

use crate::host::option;
use crate::host::text::{DETACH, read, to_bytes};

/// A text in core's form; lone surrogates become U+FFFD.
pub fn lossy<'a>(string: &'a Bound<'_, PyString>) -> PyResult<Cow<'a, str>> {
    Ok(match to_bytes(string)? {
        Cow::Borrowed(bytes) => String::from_utf8_lossy(bytes),
        Cow::Owned(bytes) => Cow::Owned(String::from_utf8_lossy(&bytes).into_owned()),
    })
}

/// Calls `run` with a text; other threads run meanwhile if the text is long.
pub fn with_text<T: Send>(
    value: &Bound<'_, PyAny>,
    run: impl FnOnce(&str) -> T + Send,
) -> PyResult<T> {
    let input = read("text", value)?;
    let text = lossy(&input)?;
    let text: &str = &text;
    Ok(if text.len() < DETACH { run(text) } else { value.py().detach(|| run(text)) })
}

/// Returns the text of a `user_comment`.
#[pyfunction]
pub fn clean_comment(text: &Bound<'_, PyAny>) -> PyResult<String> {
    with_text(text, |text| toolwire::compat::issue_agent::clean_comment(text).into_owned())
}

/// Returns a comment from a reply that is not JSON.
#[pyfunction]
pub fn comment_from_reply(text: &Bound<'_, PyAny>) -> PyResult<String> {
    with_text(text, |text| toolwire::compat::issue_agent::comment_from_reply(text).into_owned())
}

/// Makes a comment fit to be posted; returns it, and the number of its changes by code.
#[pyfunction]
#[pyo3(
    signature = (text, **options),
    text_signature = "(text, *, secrets=None, mentions=None, commands=None, max_length=None)"
)]
pub fn publishable<'py>(
    text: &Bound<'py, PyAny>,
    options: Option<&Bound<'py, PyDict>>,
) -> PyResult<(String, Bound<'py, PyDict>)> {
    let given = options;
    let mut options = PublishOptions::default();
    option::set_all(given, PublishOptions::NAMES, |name, value| options.set(name, value))?;
    let published = with_text(text, |text| toolwire::comment::publishable(text, &options))?;
    let changes = PyDict::new(text.py());
    for change in published.changes {
        changes.set_item(change.code.slug(), change.count)?;
    }
    Ok((published.text, changes))
}

/// Strikes secrets out of texts: the given secrets, and parts that look like a token.
///
/// A secret of fewer than 8 bytes is not searched for. A secret is also found with invisible
/// characters in it and in the escapes of JSON, URLs and HTML; a given secret is also found in
/// base64. These tokens are found: those of GitHub, GitLab, Anthropic, OpenAI, Stripe, Slack, AWS,
/// Google, Azure, npm, PyPI, Hugging Face, Docker, DigitalOcean, Twilio and SendGrid; JSON Web
/// Tokens; private keys; ``Bearer …`` and ``Authorization: Basic …``; cookies in headers;
/// application passwords of WordPress with that label; and passwords in URLs.
///
/// ```pycon
/// >>> from toolwire.issue_agent import Redactor
/// >>> Redactor(["hunter2hunter2"]).redact("Use hunter2hunter2 at https://me:pass@example.org.")
/// 'Use [redacted] at https://me:[redacted]@example.org.'
///
/// ```
#[pyclass(frozen, module = "toolwire._native")]
pub struct Redactor {
    core: toolwire::redact::Redactor,
}

#[pymethods]
impl Redactor {
    #[new]
    #[pyo3(signature = (secrets=None))]
    fn new(secrets: Option<Vec<String>>) -> Self {
        Self { core: toolwire::redact::Redactor::new(secrets.unwrap_or_default()) }
    }

    /// Returns the text without its secrets.
    fn redact(&self, text: &Bound<'_, PyAny>) -> PyResult<String> {
        with_text(text, |text| self.core.redact(text).text.into_owned())
    }

    #[expect(clippy::unused_self, reason = "nothing of the secrets is shown")]
    fn __repr__(&self) -> &'static str {
        "Redactor(...)"
    }
}
