//! The whole-text parsers of the peers, for the Hermes form.

use std::future::Future;
use std::pin::pin;
use std::task::{Context, Poll, Waker};

use dynamo_parsers::{ToolCallResponse, try_tool_call_parse_aggregate};
use tool_parser::{QwenParser, ToolCall, ToolParser};

/// The result of a future that waits for nothing, as the peers' are: no runtime is paid for.
pub fn ready<F: Future>(future: F) -> F::Output {
    match pin!(future).poll(&mut Context::from_waker(Waker::noop())) {
        Poll::Ready(output) => output,
        Poll::Pending => panic!("it waits"),
    }
}

/// What `dynamo-parsers` finds.
pub fn dynamo(text: &str) -> Vec<ToolCallResponse> {
    ready(try_tool_call_parse_aggregate(text, Some("hermes"), None)).expect("it parses").0
}

/// What `tool-parser` finds; its Qwen parser is the one for this form.
pub fn tool_parser(parser: &QwenParser, text: &str) -> Vec<ToolCall> {
    ready(parser.parse_complete(text)).expect("it parses").1
}
