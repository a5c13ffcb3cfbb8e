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
//! `kind` says which providers there are, and `dialect` what is particular to each, in a file or a
//! folder of its own. The other rooms are jobs: `read` an object, join a `stream`, `write` a
//! message, give the model an `answer`, offer a `tool`, make a `request`, and what is `said` beside
//! calls. They are the same for all providers and ask the dialect for the rest. They match on no
//! provider; a new one is a new dialect.
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

mod answer;
mod dialect;
mod kind;
mod read;
mod request;
mod said;
mod stream;
mod tool;
mod write;

pub use answer::bounded::Shown;
pub use answer::refusal::{RefusedAt, RefusedCall, refusal};
pub use answer::tool_answer::{AnswerData, AnswerOptions, AnsweredCall, Ending, ToolAnswer};
pub use kind::Provider;
pub(crate) use read::arguments::{arguments_of, repaired_arguments};
pub use read::exchange::{Exchange, ProviderRejection, ProviderResult};
pub use read::item::{ItemKind, ProviderItem, dump_item};
pub(crate) use read::own;
pub use read::walk::{ParseOptions, parse, parse_with};
pub use request::ask::{ModelRequest, RequestPart};
pub use request::options::{option_values, options};
pub use said::account::{ModelStop, ResponseAccount};
pub use said::text::SaidText;
pub use stream::accumulator::Accumulator;
pub use tool::definition::{ToolDefinition, ToolHints};
pub use tool::dump::{ToolOptions, dump_tools, provider_of_tools};
pub(crate) use tool::tool_name;
pub use write::call_id::call_id;
pub use write::chunks::{Chunks, SentArguments};
pub use write::dump::{ProviderCall, dump_call, dump_result};
pub use write::head::{MessageHead, Usage};
pub use write::history::history;
pub use write::message::{MessageEnding, message, message_of};
pub use write::outline::{CallStart, MessageCall, MessagePart};
pub use write::response::{ResponseChoice, response};
pub use write::with_calls::with_calls;
