//! Results of plain values, which are summed up without a reference to each value.

use pyo3::Borrowed;
use pyo3::prelude::*;
use pyo3::types::{PyBool, PyDict, PyFloat};
use toolwire::result::{ResultView, results_summary};
use toolwire::tree::Constants;

use super::ResultNames;
use super::glance::{Glance, Unsure, attribute};

/// Appends the summary of a result whose attributes lie in this dict and returns true, if no Python
/// code is needed to read it; returns false and appends nothing otherwise.
pub fn write_plain_result<'py>(
    attributes: &Bound<'py, PyDict>,
    names: ResultNames<'_, 'py>,
    constants: Constants<'_>,
    out: &mut Vec<u8>,
) -> bool {
    let start = out.len();
    let result = PlainResult { attributes: attributes.as_any().as_borrowed(), names };
    let written = results_summary([result], constants, out).is_ok();
    if !written {
        out.truncate(start);
    }
    written
}

/// A result whose attributes lie in a dict.
struct PlainResult<'a, 'py> {
    attributes: Borrowed<'a, 'py, PyAny>,
    names: ResultNames<'a, 'py>,
}

impl<'a, 'py> PlainResult<'a, 'py> {
    /// The attribute at its usual place.
    #[inline]
    fn attribute(&self, place: u8) -> Result<Borrowed<'a, 'py, PyAny>, Unsure> {
        let (key, value) = attribute(self.attributes, place).ok_or(Unsure)?;
        let name = self.names.attributes.get(usize::from(place));
        if name.is_some_and(|name| key.is(*name)) { Ok(value) } else { Err(Unsure) }
    }
}

impl<'a, 'py> ResultView for PlainResult<'a, 'py> {
    type Data = Glance<'a, 'py>;

    #[inline]
    fn write_tool(&self, out: &mut Vec<u8>) -> Result<(), Unsure> {
        let tool = self.attribute(0)?;
        let name = match self.names.tools.iter().find(|(known, _)| known.is(tool)) {
            Some((_, name)) => name.as_borrowed(),
            None => tool,
        };
        out.extend_from_slice(Glance(name).utf8()?);
        Ok(())
    }

    #[inline]
    fn success(&self) -> Result<bool, Unsure> {
        let success = self.attribute(1)?;
        success.cast_exact::<PyBool>().map(|truth| truth.is_true()).map_err(|_| Unsure)
    }

    #[inline]
    fn data(&self) -> Result<Glance<'a, 'py>, Unsure> {
        self.attribute(2).map(Glance)
    }

    #[inline]
    fn confidence(&self) -> Result<f64, Unsure> {
        let confidence = self.attribute(4)?;
        confidence.cast_exact::<PyFloat>().map(|number| number.value()).map_err(|_| Unsure)
    }

    #[inline]
    fn write_error(&self, out: &mut Vec<u8>) -> Result<(), Unsure> {
        out.extend_from_slice(Glance(self.attribute(3)?).utf8()?);
        Ok(())
    }
}
