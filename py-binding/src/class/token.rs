//! Measures and cuts texts by tokens; the issue agent exports these functions.

use pyo3::prelude::*;
use pyo3::types::PyDict;
use toolwire::token::ChunkOptions;

use crate::class::comment::{lossy, with_text};
use crate::host::argument::whole;
use crate::host::option;
use crate::host::text::{CodePoints, read};

/// Counts the tokens of a text approximately.
#[pyfunction]
pub fn count_tokens(text: &Bound<'_, PyAny>) -> PyResult<usize> {
    with_text(text, toolwire::token::count_tokens)
}

/// Keeps as many of the first words of a text as fit into a number of tokens.
#[pyfunction]
pub fn truncate_to_tokens(text: &Bound<'_, PyAny>, tokens: &Bound<'_, PyAny>) -> PyResult<String> {
    let tokens = whole("tokens", tokens)?;
    with_text(text, |text| toolwire::token::truncate_to_tokens(text, tokens).into_owned())
}

fn options(given: Option<&Bound<'_, PyDict>>) -> PyResult<ChunkOptions> {
    let mut options = ChunkOptions::default();
    option::set_all(given, ChunkOptions::NAMES, |name, value| options.set(name, value))?;
    Ok(options)
}

/// The chunk size with which a number of tokens needs the fewest chunks.
#[pyfunction]
#[pyo3(
    signature = (tokens, **options),
    text_signature = "(tokens, *, max_tokens=None, min_tokens=None, overlap_tokens=None)"
)]
pub fn optimal_chunk_size(
    tokens: &Bound<'_, PyAny>,
    options: Option<&Bound<'_, PyDict>>,
) -> PyResult<usize> {
    let tokens = whole("tokens", tokens)?;
    Ok(toolwire::token::optimal_chunk_size(tokens, &self::options(options)?))
}

/// A chunk of a text: its start and end in code points, and its tokens.
#[pyclass(frozen, get_all, module = "toolwire._native")]
pub struct TextChunk {
    pub text: String,
    pub start_pos: usize,
    pub end_pos: usize,
    pub token_count: usize,
}

/// Cuts a text into chunks, which together hold all of it.
#[pyfunction]
#[pyo3(
    signature = (text, **options),
    text_signature = "(text, *, max_tokens=None, min_tokens=None, overlap_tokens=None)"
)]
pub fn chunk_text(
    text: &Bound<'_, PyAny>,
    options: Option<&Bound<'_, PyDict>>,
) -> PyResult<Vec<TextChunk>> {
    let options = self::options(options)?;
    let input = read("text", text)?;
    let text = lossy(&input)?;
    let points = CodePoints::of(text.as_bytes(), text.chars().count());
    let chunks = toolwire::token::chunk_text(&text, &options).into_iter().map(|chunk| {
        let (start_pos, end_pos) = points.span(text.as_bytes(), chunk.span);
        TextChunk {
            text: chunk.text.to_owned(),
            start_pos,
            end_pos,
            token_count: chunk.token_count,
        }
    });
    Ok(chunks.collect())
}
