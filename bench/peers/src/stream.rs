//! The streams: ours and the peers', each told the same chunks, each giving the same deltas.
//!
//! The chunks are an iterator that may end early, which is how a stream is stopped that takes too
//! long.

use dynamo_parsers::jail::{Annotated, JailedStream};
use dynamo_protocols::types::{
    ChatChoiceStream, ChatCompletionMessageContent, ChatCompletionStreamResponseDelta,
    CreateChatCompletionStreamResponse, FinishReason, Role,
};
use futures::StreamExt;
use openai_protocol::common::{Function, Tool};
use serde_json::{Map, json};
use tool_parser::types::StreamingParseResult;
use tool_parser::{QwenParser, ToolParser};
use toolwire::call::Arguments;
use toolwire::{Detector, Event};

use crate::call::{Call, call};
use crate::parse::ready;

/// What a stream gives.
#[derive(Clone, Copy)]
pub enum Delta<'a> {
    /// Text that is no call.
    Text(&'a str),
    /// The name of the call with this number.
    Name(usize, &'a str),
    /// A bit of its arguments.
    Arguments(usize, &'a str),
}

impl Delta<'_> {
    /// The number of bytes: what is read of a delta while the stream is timed.
    pub fn len(self) -> usize {
        match self {
            Self::Text(text) | Self::Name(_, text) | Self::Arguments(_, text) => text.len(),
        }
    }
}

/// Calls put together from their deltas.
#[derive(Default)]
pub struct Calls(Vec<(String, String)>);

impl Calls {
    /// Takes a delta.
    pub fn add(&mut self, delta: Delta<'_>) {
        let (Delta::Name(number, bit) | Delta::Arguments(number, bit)) = delta else { return };
        if self.0.len() <= number {
            self.0.resize_with(number + 1, Default::default);
        }
        let call = &mut self.0[number];
        if matches!(delta, Delta::Name(..)) { call.0.push_str(bit) } else { call.1.push_str(bit) }
    }

    /// The calls.
    pub fn calls(&self) -> Vec<Call> {
        self.0.iter().map(|(name, arguments)| call(name, arguments)).collect()
    }
}

/// Our stream.
pub fn ours<'t>(
    detector: &Detector,
    chunks: impl Iterator<Item = &'t str>,
    mut on: impl FnMut(Delta<'_>),
) {
    let mut stream = detector.stream();
    let mut events = Vec::new();
    for chunk in chunks {
        stream.feed_into(chunk.as_bytes(), &mut events).expect("not finished");
        told(stream.input(), &events, &mut on);
        events.clear();
    }
    let events = stream.finish().expect("not finished");
    told(stream.input(), &events, &mut on);
}

fn told(input: &[u8], events: &[Event], on: &mut impl FnMut(Delta<'_>)) {
    let text = |bytes| std::str::from_utf8(bytes).expect("it is UTF-8");
    for event in events {
        match event {
            Event::Text(span) => on(Delta::Text(text(span.of(input)))),
            Event::CallStart { number, name, .. } => on(Delta::Name(*number, name)),
            Event::ArgumentsDelta { number, json: Arguments::Verbatim(span) } => {
                on(Delta::Arguments(*number, text(span.of(input))));
            }
            Event::ArgumentsDelta { number, json: Arguments::Made(json) } => {
                on(Delta::Arguments(*number, json))
            }
            _ => {}
        }
    }
}

/// The tools that `tool-parser` has to be told of: it takes the calls of others for text.
pub fn tools(names: &[&str]) -> Vec<Tool> {
    let tool = |name: &&str| Tool {
        tool_type: "function".to_owned(),
        function: Function {
            name: (*name).to_owned(),
            description: None,
            parameters: json!({"type": "object"}),
            strict: None,
            extra: Map::new(),
        },
    };
    names.iter().map(tool).collect()
}

/// `tool-parser`'s stream.
pub fn tool_parser<'t>(
    tools: &[Tool],
    chunks: impl Iterator<Item = &'t str>,
    mut on: impl FnMut(Delta<'_>),
) {
    let mut parser = QwenParser::new();
    for chunk in chunks {
        given(&ready(parser.parse_incremental(chunk, tools)).expect("it parses"), &mut on);
    }
    let calls = parser.get_unstreamed_tool_args().unwrap_or_default();
    let normal_text = parser.take_unstreamed_normal_text();
    given(&StreamingParseResult { normal_text, calls }, &mut on);
}

fn given(result: &StreamingParseResult, on: &mut impl FnMut(Delta<'_>)) {
    on(Delta::Text(&result.normal_text));
    for item in &result.calls {
        if let Some(name) = &item.name {
            on(Delta::Name(item.tool_index, name));
        }
        on(Delta::Arguments(item.tool_index, &item.parameters));
    }
}

/// `dynamo-parsers`' stream, which keeps a call until its end. Its chunks are made here, as small
/// as they can be.
pub fn dynamo(
    chunks: impl Iterator<Item = &'static str> + Send + 'static,
    mut on: impl FnMut(Delta<'_>),
) {
    let chunks =
        chunks.map(|chunk| response(Some(chunk))).chain(std::iter::once_with(|| response(None)));
    let jail = JailedStream::builder().tool_call_parser("hermes").build();
    let emitted = jail.apply(futures::stream::iter(chunks));
    ready(emitted.for_each(|response| {
        for choice in response.data.iter().flat_map(|data| &data.choices) {
            if let Some(ChatCompletionMessageContent::Text(text)) = &choice.delta.content {
                on(Delta::Text(text));
            }
            for call in choice.delta.tool_calls.iter().flatten() {
                let number = call.index as usize;
                let Some(function) = &call.function else { continue };
                on(Delta::Name(number, function.name.as_deref().unwrap_or_default()));
                on(Delta::Arguments(number, function.arguments.as_deref().unwrap_or_default()));
            }
        }
        std::future::ready(())
    }));
}

/// A chunk of a reply; none ends it.
fn response(chunk: Option<&str>) -> Annotated<CreateChatCompletionStreamResponse> {
    #[allow(deprecated, reason = "the type has no other way to be made")]
    let delta = ChatCompletionStreamResponseDelta {
        role: Some(Role::Assistant),
        content: chunk.map(|chunk| ChatCompletionMessageContent::Text(chunk.to_owned())),
        tool_calls: None,
        function_call: None,
        refusal: None,
        reasoning_content: None,
    };
    let finish_reason = chunk.is_none().then_some(FinishReason::Stop);
    let data = CreateChatCompletionStreamResponse {
        id: String::new(),
        choices: vec![ChatChoiceStream { index: 0, delta, finish_reason, logprobs: None }],
        created: 0,
        model: String::new(),
        system_fingerprint: None,
        object: String::new(),
        usage: None,
        service_tier: None,
    };
    Annotated { data: Some(data), id: None, event: None, comment: None, error: None }
}
