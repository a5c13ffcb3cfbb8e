//! `Toolwire\Report`: results with their figures, as text for a prompt and as data.

#![allow(non_snake_case, reason = "the parameters are named arguments in PHP")]

use std::cell::RefCell;

use ext_php_rs::boxed::ZBox;
use ext_php_rs::prelude::*;
use ext_php_rs::types::{ArrayKey, ZendHashTable, ZendStr, Zval};
use toolwire::compat::stageflow::CONSTANTS;
use toolwire::json::pretty_json;
use toolwire::result::{
    Count, Tally, results_summary, results_summary_within, summarize_tool_data,
};

use crate::class::result::{ResultObject, ToolResult};
use crate::class::tokens::at_least_none;
use crate::host::class::{COUNTABLE, php_class};
use crate::host::tree::{Node, failed};
use crate::host::value::{self, AString, AnArray, Anything, As, Maybe, Whole};
use crate::zend;

/// Results, in the order they were added.
#[derive(Default)]
pub(crate) struct Report {
    results: RefCell<Vec<Zval>>,
    tally: RefCell<Tally>,
}

php_class!(Report, "Toolwire\\Report", [COUNTABLE], public, {});

/// The keys that the names of tools become.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Tools {
    /// The keys of an array, where PHP changes `"7"` into an integer.
    Array,
    /// The properties of an object, so that JSON has a map even if it is empty.
    Object,
}

impl Report {
    /// The results at this moment; the code that uses them may add others.
    fn snapshot(&self) -> Vec<Zval> {
        self.results.borrow().iter().map(Zval::shallow_clone).collect()
    }

    fn tools(&self, kind: Tools) -> PhpResult<Zval> {
        let mut tools = ZendHashTable::new();
        for (name, count) in self.tally.borrow().tools() {
            let name = ZendStr::new(name, false);
            let key = match (kind, name.as_str()) {
                (Tools::Array, Ok(text)) => ArrayKey::from(text),
                _ => ArrayKey::ZendString(&name),
            };
            tools.insert(key, figures(count)?)?;
        }
        Ok(match kind {
            Tools::Array => value::array(tools),
            Tools::Object => zend::plain_object(tools),
        })
    }

    fn fields(&self, kind: Tools) -> PhpResult<Zval> {
        let results = self.snapshot();
        let results = results.iter().filter_map(Zval::extract::<&ToolResult>);
        let results = value::list(results.map(ToolResult::fields).collect::<PhpResult<Vec<_>>>()?)?;
        let mut report = figure_table(self.tally.borrow().all())?;
        report.insert("by_tool", self.tools(kind)?)?;
        report.insert("results", results)?;
        Ok(value::array(report))
    }
}

#[php_impl]
impl Report {
    /// Makes an empty report.
    fn __construct() -> Self {
        Self::default()
    }

    /// Adds a result.
    fn add(&self, result: ResultObject) {
        if let Some(result) = result.0.extract::<&ToolResult>() {
            let confidence = Some(result.certainty());
            self.tally.borrow_mut().add(result.tool_name(), result.succeeded(), confidence);
        }
        self.results.borrow_mut().push(result.0);
    }

    /// The number of results.
    fn count(&self) -> usize {
        self.tally.borrow().all().total()
    }

    /// The number of results that succeeded.
    fn succeeded(&self) -> usize {
        self.tally.borrow().all().succeeded()
    }

    /// The number of results that failed.
    fn failed(&self) -> usize {
        self.tally.borrow().all().failed()
    }

    /// The share of results that succeeded, from 0 to 1; null if there are no results.
    fn success_rate(&self) -> Option<f64> {
        self.tally.borrow().all().success_rate()
    }

    /// The mean confidence of the results that succeeded; null if none succeeded.
    fn mean_confidence(&self) -> Option<f64> {
        self.tally.borrow().all().mean_confidence()
    }

    /// The figures of each tool, in the order of first appearance.
    fn by_tool(&self) -> PhpResult<As<AnArray>> {
        self.tools(Tools::Array).map(As::new)
    }

    /// The results, in the order they were added.
    fn results(&self) -> PhpResult<As<AnArray>> {
        Ok(As::new(value::list(self.snapshot())?))
    }

    /// The results as text for a prompt, limited to about the given number of tokens.
    fn summary(&self, maxTokens: Maybe<Whole>) -> PhpResult<As<AString>> {
        let results = self.snapshot();
        let views = results.iter().filter_map(Zval::extract::<&ToolResult>);
        let mut text = Vec::new();
        match maxTokens.0 {
            None => results_summary(views, CONSTANTS, &mut text).map_err(failed)?,
            Some(most) => {
                let most = at_least_none("maxTokens", most.0)?;
                text = results_summary_within(views, CONSTANTS, most).map_err(failed)?.text;
            }
        }
        Ok(As::new(value::text(text)))
    }

    /// The data of one tool as text for a prompt, with a line for each entry.
    fn summarize_data(data: As<Anything>) -> PhpResult<As<AString>> {
        let mut text = Vec::new();
        summarize_tool_data(&Node::new(&data.0), CONSTANTS, &mut text).map_err(failed)?;
        Ok(As::new(value::text(text)))
    }

    /// The whole report.
    fn to_array(&self) -> PhpResult<As<AnArray>> {
        self.fields(Tools::Array).map(As::new)
    }

    /// The whole report as JSON text.
    fn to_json(&self) -> PhpResult<As<AString>> {
        let fields = self.fields(Tools::Object)?;
        let mut json = Vec::new();
        pretty_json(&Node::new(&fields), &mut json).map_err(failed)?;
        Ok(As::new(value::text(json)))
    }
}

fn figure_table(count: &Count) -> PhpResult<ZBox<ZendHashTable>> {
    let mut figures = ZendHashTable::new();
    figures.insert("total", value::whole(count.total()))?;
    figures.insert("succeeded", value::whole(count.succeeded()))?;
    figures.insert("failed", value::whole(count.failed()))?;
    figures.insert("success_rate", value::real_or_null(count.success_rate()))?;
    figures.insert("mean_confidence", value::real_or_null(count.mean_confidence()))?;
    Ok(figures)
}

fn figures(count: &Count) -> PhpResult<Zval> {
    figure_table(count).map(value::array)
}
