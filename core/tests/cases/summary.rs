//! The topics `summary` and `report`.

use serde::Deserialize;
use serde_json::{Value, json};
use toolwire::compat::stageflow::CONSTANTS;
use toolwire::result::{Report, results_summary, results_summary_within, summarize_tool_data};
use toolwire::{Error, ErrorKind, ToolResult};

use crate::case::Case;

/// A tool result as a case describes it.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct ResultInput {
    tool: String,
    success: bool,
    data: Value,
    error_message: Option<String>,
    #[serde(default)]
    confidence: f64,
}

impl From<ResultInput> for ToolResult<Value> {
    fn from(input: ResultInput) -> Self {
        let ResultInput { tool, success, data, error_message, confidence } = input;
        Self { tool, success, data, confidence, error_message }
    }
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct DataInput {
    #[serde(rename = "function")]
    _function: String,
    data: Value,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct ResultsInput {
    #[serde(rename = "function")]
    _function: String,
    results: Vec<ResultInput>,
    max_tokens: Option<i64>,
}

/// Runs a case of the summaries.
pub fn summary(case: &Case) -> Result<(), String> {
    let mut out = Vec::new();
    let outcome = match case.function()? {
        "tool_data" => summarize_tool_data(&&case.input::<DataInput>()?.data, CONSTANTS, &mut out),
        "results" => {
            let input: ResultsInput = case.input()?;
            let results: Vec<ToolResult<Value>> =
                input.results.into_iter().map(Into::into).collect();
            match input.max_tokens.map(usize::try_from) {
                None => results_summary(&results, CONSTANTS, &mut out),
                Some(Ok(most)) => results_summary_within(&results, CONSTANTS, most)
                    .map(|summary| out = summary.text),
                Some(Err(error)) => {
                    Err(Error::new(ErrorKind::InvalidOption, error.to_string()).into())
                }
            }
        }
        other => return Err(format!("input: an unknown function {other:?}")),
    };
    let text = String::from_utf8(out).map_err(|error| error.to_string())?;
    case.check(outcome.map(|()| json!({ "text": text })).map_err(Error::from))
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct ReportInput {
    results: Vec<ResultInput>,
}

/// Runs a case of the reports; the JSON text must be equal to the value.
pub fn report(case: &Case) -> Result<(), String> {
    let mut report = Report::default();
    report.extend(case.input::<ReportInput>()?.results.into_iter().map(Into::into));
    let json = report.to_json().map_err(|error| error.to_string())?;
    let written: Value = serde_json::from_str(&json).map_err(|error| error.to_string())?;
    if !crate::case::identical(&written, &report.to_value()) {
        return Err(format!("the JSON text differs from the value: {json}"));
    }
    case.check(Ok(json!({ "report": report.to_value() })))
}
