//! The built-in formats, for programs that list them.
//!
//! Immutable, comparable, hashable and picklable.

use std::borrow::Cow;

use pyo3::prelude::*;

use crate::class::call::fields;

/// A built-in format: how a call is written in text.
///
/// ```pycon
/// >>> tag = toolwire.formats()[0]
/// >>> tag.slug, tag.body, tag.example
/// ('tag', 'named', '<tool:wp_api>{"action":"list"}</tool>')
/// >>> toolwire.detect(tag.example, formats=tag.slug).calls[0].name
/// 'wp_api'
///
/// ```
#[pyclass(frozen, eq, hash, get_all, module = "toolwire")]
#[derive(PartialEq, Eq, Hash)]
pub struct Format {
    /// The name of the format, which calls also carry.
    slug: Cow<'static, str>,
    /// The models that write the format.
    models: Cow<'static, str>,
    /// How the arguments are written: ``bare``, ``element``, ``json``, ``named``, ``tagged``,
    /// ``literal``.
    body: Cow<'static, str>,
    /// An example of a call.
    example: Cow<'static, str>,
}

#[pymethods]
impl Format {
    #[new]
    fn new(slug: String, models: String, body: String, example: String) -> Self {
        Self {
            slug: slug.into(),
            models: models.into(),
            body: body.into(),
            example: example.into(),
        }
    }

    fn __getnewargs__(&self) -> (&str, &str, &str, &str) {
        (&self.slug, &self.models, &self.body, &self.example)
    }

    fn __repr__(&self, py: Python<'_>) -> PyResult<String> {
        fields(py, "Format", &["slug", "models", "body", "example"], self.__getnewargs__())
    }
}

/// Lists the built-in formats, in order.
///
/// ```pycon
/// >>> [format.slug for format in toolwire.formats()][:4]
/// ['tag', 'json', 'html', 'hermes']
///
/// ```
#[pyfunction]
pub fn formats() -> Vec<Format> {
    let all = toolwire::detect::Format::all().iter();
    all.map(|format| Format {
        slug: format.slug().into(),
        models: format.models().into(),
        body: format.body().into(),
        example: format.example().into(),
    })
    .collect()
}
