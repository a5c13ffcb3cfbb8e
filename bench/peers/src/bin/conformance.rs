//! Prints what the peers find in each case of a list, as JSON lines, for `make conformance`.
//!
//! Usage: `conformance CASES.json`, a list of `{"id", "peer", "parsers", "begun", "chunks",
//! "streamed", "tools", "keeps_calls"}`. The reasoning parser of the peer reads the text, in the
//! recorded pieces if it was streamed. Its tool parser reads what that one leaves as text, in one
//! piece, unless calls are to stay in the text.
#![allow(clippy::print_stdout, reason = "it is what the program is for")]

use std::error::Error;
use std::fs;
use std::future::Future;

use dynamo_parsers::reasoning::{ReasoningParser as _, ReasoningParserType};
use dynamo_parsers::{ToolDefinition, try_tool_call_parse_aggregate_finalize};
use dynamo_parsers_v2::{
    Tool as UnifiedTool, UnifiedEvent, UnifiedParserInit, UnifiedParserOutput,
    UnifiedParserStartingState as StartingState, create_unified_parser_for_family,
};
use openai_protocol::common::{Function, Tool};
use serde_json::{Map, Value, json};

type Result<T> = std::result::Result<T, Box<dyn Error>>;

/// What a peer made of a text.
#[derive(Default)]
struct Parts {
    calls: Vec<Value>,
    text: String,
    reasoning: String,
}

fn main() -> Result<()> {
    let file = std::env::args().nth(1).ok_or("usage: conformance CASES.json")?;
    let cases: Vec<Value> = serde_json::from_str(&fs::read_to_string(file)?)?;
    for case in &cases {
        let found = match case["peer"].as_str() {
            Some("dynamo-parsers") => dynamo(case),
            Some("dynamo-parsers-v2") => unified(case),
            _ => smg(case),
        };
        // A parser that fails gives nothing.
        let Parts { calls, text, reasoning } = found.unwrap_or_default();
        println!(
            "{}",
            json!({
                "id": case["id"], "calls": calls, "text": text, "with_calls": text,
                "reasoning": [reasoning], "rejections": [],
            })
        );
    }
    Ok(())
}

fn chunks(case: &Value) -> Vec<&str> {
    case["chunks"].as_array().into_iter().flatten().filter_map(Value::as_str).collect()
}

fn is(case: &Value, member: &str) -> bool {
    case[member] == true
}

/// The name of the tool parser, unless calls are to stay in the text.
fn tool_parser<'c>(case: &'c Value) -> Option<&'c str> {
    case["parsers"]["calls"].as_str().filter(|_| !is(case, "keeps_calls"))
}

fn call(name: &str, arguments: &str) -> Value {
    let arguments = serde_json::from_str(arguments).unwrap_or_else(|_| json!(arguments));
    json!({"name": name, "arguments": arguments})
}

fn dynamo(case: &Value) -> Result<Parts> {
    let (chunks, mut parts) = (chunks(case), Parts::default());
    let whole = chunks.concat();
    match case["parsers"]["reasoning"].as_str() {
        None => parts.text = whole,
        Some(name) => {
            let mut parser = ReasoningParserType::get_reasoning_parser_from_name(name);
            if let Some(begun) = case["begun"].as_bool() {
                parser.set_in_reasoning(begun);
            }
            let found = if is(case, "streamed") {
                let mut found: Vec<_> = chunks
                    .iter()
                    .map(|chunk| parser.parse_reasoning_streaming_incremental(chunk, &[]))
                    .collect();
                found.push(parser.finish_reasoning_stream());
                found
            } else {
                vec![parser.detect_and_parse_reasoning(&whole, &[])]
            };
            for part in found {
                parts.reasoning += &part.reasoning_text;
                parts.text += &part.normal_text;
            }
        }
    }
    if let Some(parser) = tool_parser(case) {
        let tools: Vec<_> = tools(case)
            .map(|(name, parameters)| ToolDefinition {
                name: name.to_owned(),
                parameters: Some(parameters.clone()),
                strict: None,
            })
            .collect();
        let tools = (!tools.is_empty()).then_some(&tools[..]);
        let reading = try_tool_call_parse_aggregate_finalize(&parts.text, Some(parser), tools);
        let (calls, text) = ready(reading)?;
        let found = calls.iter().map(|one| call(&one.function.name, &one.function.arguments));
        parts.calls = found.collect();
        parts.text = text.unwrap_or_default();
    }
    Ok(parts)
}

/// One parser for reasoning, text and calls; it ends as at a token that ends the message.
fn unified(case: &Value) -> Result<Parts> {
    let family = case["parsers"]["unified"].as_str().ok_or("no such parser")?;
    let tools: Vec<_> = tools(case)
        .map(|(name, parameters)| UnifiedTool {
            name: name.to_owned(),
            description: None,
            parameters: parameters.clone(),
            strict: None,
        })
        .collect();
    let mut parser = create_unified_parser_for_family(family, &tools)?;
    let starting_state = match case["begun"].as_bool() {
        None => StartingState::None,
        Some(true) => StartingState::Reasoning,
        Some(false) => StartingState::Response,
    };
    parser.initialize_request(UnifiedParserInit { starting_state, ..Default::default() })?;
    let mut output = UnifiedParserOutput::default();
    for chunk in chunks(case) {
        parser.parse_into(chunk, &mut output)?;
    }
    output.append(&mut parser.finish_at_eos()?);
    let mut parts = Parts::default();
    for event in output.assembled() {
        match event {
            UnifiedEvent::Reasoning { text } => parts.reasoning += &text,
            UnifiedEvent::Text { text } => parts.text += &text,
            UnifiedEvent::ToolCall { name, arguments } => {
                parts.calls.push(json!({"name": name, "arguments": arguments}));
            }
            _ => {}
        }
    }
    Ok(parts)
}

fn smg(case: &Value) -> Result<Parts> {
    let (chunks, mut parts) = (chunks(case), Parts::default());
    let whole = chunks.concat();
    match case["parsers"]["reasoning"].as_str() {
        None => parts.text = whole,
        Some(name) => {
            let factory = reasoning_parser::ParserFactory::new();
            let mut parser = factory.registry().create_parser(name).ok_or("no such parser")?;
            if is(case, "begun") {
                parser.mark_reasoning_started();
                parser.mark_think_start_stripped();
            }
            let mut found = Vec::new();
            if is(case, "streamed") {
                for chunk in chunks {
                    found.push(parser.parse_reasoning_streaming_incremental(chunk)?);
                }
                found.push(parser.flush()?);
            } else {
                found.push(parser.detect_and_parse_reasoning(&whole)?);
            }
            for part in found {
                parts.reasoning += &part.reasoning_text;
                parts.text += &part.normal_text;
            }
        }
    }
    if let Some(name) = tool_parser(case) {
        let factory = tool_parser::ParserFactory::new();
        let parser = factory.registry().create_parser(name).ok_or("no such parser")?;
        let tools: Vec<_> = tools(case)
            .map(|(name, parameters)| Tool {
                tool_type: "function".to_owned(),
                function: Function {
                    name: name.to_owned(),
                    description: None,
                    parameters: parameters.clone(),
                    strict: None,
                    extra: Map::new(),
                },
            })
            .collect();
        let (text, calls) = ready(parser.parse_complete_with_tools(&parts.text, &tools))?;
        let found = calls.iter().map(|one| call(&one.function.name, &one.function.arguments));
        parts.calls = found.collect();
        parts.text = text;
    }
    Ok(parts)
}

/// The names and the schemas of the case's tools.
fn tools(case: &Value) -> impl Iterator<Item = (&str, &Value)> {
    let tools = case["tools"].as_array().into_iter().flatten();
    tools.filter_map(|tool| Some((tool["name"].as_str()?, &tool["parameters"])))
}

/// The result of a future; one of the parsers hands its work to a thread of the runtime.
fn ready<F: Future>(future: F) -> F::Output {
    let runtime = tokio::runtime::Builder::new_current_thread().build();
    runtime.expect("a runtime can be made").block_on(future)
}
