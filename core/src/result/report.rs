//! Counts tool results and reports them.
//!
//! [`Tally`] keeps the figures without the data, so that a host can keep the results in its own
//! list. [`Report`] keeps both, for Rust.
//!
//! ```
//! use serde_json::json;
//! use toolwire::result::Report;
//! use toolwire::ToolResult;
//!
//! let mut report = Report::default();
//! report.add(ToolResult::success("code_search", json!({"hits": 3}), 0.5));
//! report.add(ToolResult::failure("rag_search", json!({}), "time-out"));
//! assert_eq!(report.tally().all().success_rate(), Some(0.5));
//! assert_eq!(report.tally().all().mean_confidence(), Some(0.5));
//! assert!(report.to_json()?.starts_with("{\n  \"total\": 2,\n  \"succeeded\": 1,\n"));
//! # Ok::<(), toolwire::Error>(())
//! ```

use std::collections::HashMap;

use serde_json::{Map, Value, json};

use super::{ToolResult, results_summary};
use crate::error::Error;
use crate::json::writer::pretty_json;
use crate::tree::Constants;

/// The figures of some results.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Count {
    total: usize,
    succeeded: usize,
    confidences: usize,
    confidence_sum: f64,
}

impl Count {
    /// How many results there are.
    #[must_use]
    pub fn total(&self) -> usize {
        self.total
    }

    /// How many succeeded.
    #[must_use]
    pub fn succeeded(&self) -> usize {
        self.succeeded
    }

    /// How many failed.
    #[must_use]
    pub fn failed(&self) -> usize {
        self.total - self.succeeded
    }

    /// The share that succeeded, from 0 to 1; none if there are no results.
    #[must_use]
    pub fn success_rate(&self) -> Option<f64> {
        mean(as_float(self.succeeded), self.total)
    }

    /// The mean confidence of the successful results that have one; none if there is no such
    /// result.
    #[must_use]
    pub fn mean_confidence(&self) -> Option<f64> {
        mean(self.confidence_sum, self.confidences)
    }

    /// Counts a result.
    fn add(&mut self, success: bool, confidence: Option<f64>) {
        self.total += 1;
        if success {
            self.succeeded += 1;
            self.confidences += usize::from(confidence.is_some());
            self.confidence_sum += confidence.unwrap_or_default();
        }
    }

    /// The figures as a JSON map.
    fn to_map(self) -> Map<String, Value> {
        let mut map = Map::new();
        map.insert("total".into(), self.total.into());
        map.insert("succeeded".into(), self.succeeded.into());
        map.insert("failed".into(), self.failed().into());
        map.insert("success_rate".into(), self.success_rate().into());
        map.insert("mean_confidence".into(), self.mean_confidence().into());
        map
    }
}

/// The mean of `count` numbers whose sum is `sum`; none if there are no numbers.
fn mean(sum: f64, count: usize) -> Option<f64> {
    (count > 0).then(|| sum / as_float(count))
}

/// A count as a double.
#[expect(clippy::cast_precision_loss, reason = "no memory holds 2^53 results")]
fn as_float(count: usize) -> f64 {
    count as f64
}

/// The figures of all results and of each tool's.
#[derive(Clone, Debug, Default)]
pub struct Tally {
    all: Count,
    tools: Vec<(Box<[u8]>, Count)>,
    places: HashMap<Box<[u8]>, usize>,
}

impl Tally {
    /// Counts a result.
    ///
    /// A `confidence` that is missing or not a number is `None`, and enters no mean. A tool's name
    /// is bytes, since a PHP text may hold any bytes.
    pub fn add(&mut self, tool: &[u8], success: bool, confidence: Option<f64>) {
        self.all.add(success, confidence);
        let place = self.places.get(tool).copied().unwrap_or_else(|| {
            self.places.insert(tool.into(), self.tools.len());
            self.tools.push((tool.into(), Count::default()));
            self.tools.len() - 1
        });
        if let Some((_, count)) = self.tools.get_mut(place) {
            count.add(success, confidence);
        }
    }

    /// The figures of all results.
    #[must_use]
    pub fn all(&self) -> &Count {
        &self.all
    }

    /// The figures of each tool, in the order of first appearance.
    #[must_use]
    pub fn tools(&self) -> impl ExactSizeIterator<Item = (&[u8], &Count)> {
        self.tools.iter().map(|(tool, count)| (&**tool, count))
    }
}

/// Results with their figures.
#[derive(Clone, Debug)]
pub struct Report<D> {
    results: Vec<ToolResult<D>>,
    tally: Tally,
}

impl<D> Default for Report<D> {
    fn default() -> Self {
        Self { results: Vec::new(), tally: Tally::default() }
    }
}

impl<D> Report<D> {
    /// Adds a result.
    pub fn add(&mut self, result: ToolResult<D>) {
        self.tally.add(result.tool.as_bytes(), result.success, Some(result.confidence));
        self.results.push(result);
    }

    /// The results, in the order they were added.
    #[must_use]
    pub fn results(&self) -> &[ToolResult<D>] {
        &self.results
    }

    /// The figures.
    #[must_use]
    pub fn tally(&self) -> &Tally {
        &self.tally
    }
}

impl<D> Extend<ToolResult<D>> for Report<D> {
    fn extend<I: IntoIterator<Item = ToolResult<D>>>(&mut self, results: I) {
        results.into_iter().for_each(|result| self.add(result));
    }
}

impl Report<Value> {
    /// The results as text for a prompt, with these texts for null, true and false.
    ///
    /// # Errors
    ///
    /// [`ErrorKind::WrongType`](crate::ErrorKind::WrongType) if a successful result's data is
    /// neither a map nor empty.
    pub fn summary(&self, constants: Constants<'_>) -> Result<String, Error> {
        let mut out = Vec::new();
        results_summary(&self.results, constants, &mut out)?;
        Ok(String::from_utf8_lossy(&out).into_owned())
    }

    /// The whole report: the figures of all results, the figures of each tool, and the results.
    #[must_use]
    pub fn to_value(&self) -> Value {
        let tool = |(tool, count): (&[u8], &Count)| {
            (String::from_utf8_lossy(tool).into_owned(), Value::Object(count.to_map()))
        };
        let result = |result: &ToolResult<Value>| {
            json!({
                "tool": result.tool,
                "success": result.success,
                "data": result.data,
                "confidence": result.confidence,
                "error_message": result.error_message,
            })
        };
        let mut map = self.tally.all.to_map();
        map.insert("by_tool".into(), self.tally.tools().map(tool).collect());
        map.insert("results".into(), self.results.iter().map(result).collect());
        Value::Object(map)
    }

    /// The whole report as JSON text.
    ///
    /// # Errors
    ///
    /// [`ErrorKind::WrongType`](crate::ErrorKind::WrongType) if a result's data nests too deep to
    /// be written.
    pub fn to_json(&self) -> Result<String, Error> {
        let mut out = Vec::new();
        pretty_json(&&self.to_value(), &mut out)?;
        Ok(String::from_utf8_lossy(&out).into_owned())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn no_results_have_no_rates() {
        let tally = Tally::default();
        assert_eq!((tally.all().success_rate(), tally.all().mean_confidence()), (None, None));
        assert_eq!(tally.tools().len(), 0);
    }

    #[test]
    fn a_missing_confidence_enters_no_mean() {
        let mut tally = Tally::default();
        tally.add(b"a", true, Some(0.5));
        tally.add(b"a", true, None);
        tally.add(b"a", false, Some(1.0));
        assert_eq!(tally.all().mean_confidence(), Some(0.5));
        assert_eq!(tally.all().success_rate(), Some(2.0 / 3.0));
        assert_eq!(tally.all().failed(), 1);
    }

    #[test]
    fn tools_come_in_the_order_of_first_appearance() {
        let mut tally = Tally::default();
        for tool in ["b", "a", "b", "c", "a"] {
            tally.add(tool.as_bytes(), true, None);
        }
        let order: Vec<_> = tally.tools().map(|(tool, count)| (tool, count.total())).collect();
        assert_eq!(order, [(&b"b"[..], 2), (b"a", 2), (b"c", 1)]);
    }

    #[test]
    fn an_odd_confidence_leaves_the_report_valid_json() {
        let mut report = Report::default();
        report.add(ToolResult::success("t", json!({"k": 1}), f64::NAN));
        assert_eq!(
            report.summary(Constants::default()).unwrap(),
            "\n**t** (Success, Confidence: nan%):\n- k: 1\n"
        );
        let read: Value = serde_json::from_str(&report.to_json().unwrap()).unwrap();
        assert_eq!(read["mean_confidence"], Value::Null);
        assert_eq!(read["results"][0]["confidence"], Value::Null);
    }
}
