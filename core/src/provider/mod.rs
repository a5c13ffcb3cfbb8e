//! Calls and results as providers write them, read and written.
//!
//! Providers hand out calls as objects, and take results back as other objects. [`parse`] finds the
//! calls and results in an object of any [`Provider`]: a part of a response, a conversation or a
//! log. [`dump_call`] and [`dump_result`] write them. An [`Accumulator`] joins the pieces of a
//! streamed response. [`message`] writes all that was found in a model's text as a provider's
//! message, and [`Chunks`] what a stream reports as the chunks of a provider's stream.
//! [`dump_tools`] writes the tools of a request, [`ToolAnswer`] what a run of a tool gave, and
//! [`RefusedCall`] what the model is told of a call that was refused.
//!
//! [`parse`] takes any JSON and never panics. What looks like a call and cannot be read is a
//! [`ProviderRejection`] with its place. Arguments that the provider wrote as JSON text stay that
//! text. Text that is not JSON is refused, never replaced.
//!
//! ```
//! use serde_json::json;
//! use toolwire::provider;
//!
//! let call = |id: &str, arguments: &str| {
//!     let function = json!({"name": "weather", "arguments": arguments});
//!     json!({"id": id, "type": "function", "function": function})
//! };
//! let calls = [call("call_1", "{\"city\":\"Oslo\"}"), call("call_2", "{\"city\":")];
//! let message = json!({"role": "assistant", "tool_calls": calls});
//! let response = json!({"choices": [{"message": message}]});
//! let exchange = provider::parse(&response, None);
//! assert_eq!((exchange.calls[0].name.as_str(), exchange.calls[0].format), ("weather", "openai"));
//! let rejection = &exchange.rejections[0];
//! assert_eq!(rejection.code.slug(), "bad_json");
//! assert_eq!(rejection.path, "/choices/0/message/tool_calls/1/function/arguments");
//! ```

mod ability;
mod account;
mod accumulator;
mod answer;
mod arguments;
mod ask;
mod beside;
mod bounded;
mod call_id;
mod chunks;
mod content;
mod dump;
mod exchange;
mod free_text;
mod head;
mod history;
mod item;
mod kind;
mod message;
mod outcome;
mod outline;
pub(crate) mod own;
mod own_slot;
mod packet_outcome;
mod partial;
mod piece;
mod place;
mod portable_schema;
mod refusal;
mod request;
mod response;
mod said;
mod said_event;
mod shape;
mod slot;
mod stream_event;
mod stream_own;
mod stream_part;
mod strict;
mod tool;
pub(crate) mod tool_name;
mod tool_schema;
mod walk;
mod with_calls;

pub use account::{ModelStop, ResponseAccount};
pub use accumulator::Accumulator;
pub use answer::{AnswerData, AnswerOptions, AnsweredCall, Ending, ToolAnswer};
pub(crate) use arguments::{arguments_of, repaired_arguments};
pub use ask::{ModelRequest, RequestPart};
pub use bounded::Shown;
pub use call_id::call_id;
pub use chunks::{Chunks, SentArguments};
pub use dump::{ProviderCall, dump_call, dump_result};
pub use exchange::{Exchange, ProviderRejection, ProviderResult};
pub use head::{MessageHead, Usage};
pub use history::history;
pub use item::{ItemKind, ProviderItem, dump_item};
pub use kind::Provider;
pub use message::{MessageEnding, message, message_of};
pub use outline::{CallStart, MessageCall, MessagePart};
pub use refusal::{RefusedAt, RefusedCall, refusal};
pub use request::{option_values, options};
pub use response::{ResponseChoice, response};
pub use said::SaidText;
pub use tool::{ToolDefinition, ToolHints, ToolOptions, dump_tools, provider_of_tools};
pub use walk::{ParseOptions, parse, parse_with};
pub use with_calls::with_calls;
