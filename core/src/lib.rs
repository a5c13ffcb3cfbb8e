//! One native core for the whole life of an AI tool call.
//!
//! ```text
//! model text ──detect──▶ calls                        (detect)
//! data packets ──find──▶ the result of one handler    (packet)
//! results ──aggregate──▶ summary, report              (result)
//! provider objects ◀──────▶ calls and results         (provider)
//! action ──approve, limit──▶ run ──▶ undo             (lifecycle, over a store)
//! old and new ──compare──▶ what changed               (diff)
//! agent log  ──correlate──▶ calls joined with results  (transcript)
//! a user's text ──ask, run, wait──▶ an answer         (agent)
//! ```
//!
//! Find the calls in what a model wrote. Its name says how it writes; a default [`Detector`] reads
//! every form that tells itself apart:
//!
//! ```
//! use toolwire::Detector;
//!
//! let call = r#"<tool_call>{"name": "add", "arguments": {"a": 1}}</tool_call>"#;
//! let reply = format!("<think>Two.</think>I look. {call}");
//! let detector = Detector::for_model("Qwen/Qwen3-8B")?;
//! let detection = detector.detect(&reply);
//! assert_eq!(detection.calls[0].name, "add");
//! assert_eq!(detection.text_lossy(), "I look. ");
//! assert_eq!(detection.reasoning_lossy().as_deref(), Some("Two."));
//! let shown = detection.replace(|call| format!("[{} ran]", call.name));
//! assert_eq!(shown, b"I look. [add ran]");
//! # Ok::<(), toolwire::Error>(())
//! ```
//!
//! Find one handler's result among a pipeline's data packets:
//!
//! ```
//! use serde_json::json;
//! use toolwire::packet::{FindOptions, find};
//!
//! let packets = json!([{"type": "tool_result", "metadata": {"handler_tool": "twitter"}}]);
//! let packet = find(packets.as_array().into_iter().flatten(), b"twitter", FindOptions::default());
//! assert_eq!(packet, Ok(packets.get(0)));
//! ```
//!
//! Sum results up for a prompt:
//!
//! ```
//! use serde_json::json;
//! use toolwire::result::summarize_tool_data;
//! use toolwire::tree::Constants;
//!
//! let mut summary = Vec::new();
//! let data = json!({"count": 3, "found": [1, 2]});
//! summarize_tool_data(&&data, Constants::default(), &mut summary)?;
//! assert_eq!(summary, b"- count: 3\n- found: 2 items");
//! # Ok::<(), toolwire::tree::Failure<std::convert::Infallible>>(())
//! ```
//!
//! Show what an action would change:
//!
//! ```
//! use toolwire::diff::{TextDiff, diff_text};
//!
//! let diff = diff_text(b"Hello\nWorld\n", b"Hello\nPython\nWorld\n", &TextDiff::default());
//! assert_eq!(diff.change_summary(), "+1");
//! ```
//!
//! Read the JSON that a model was asked for:
//!
//! ```
//! use toolwire::reply::{ReplyOptions, extract_json};
//!
//! let reply = b"Here it is:\n```json\n{\"severity\": \"low\"}\n```";
//! let found = extract_json(reply, &ReplyOptions::default());
//! let json = found.map(|found| found.json.into_owned());
//! assert_eq!(json.as_deref(), Some(r#"{"severity": "low"}"#));
//! ```
//!
//! The crate reads a host's values in place ([`Tree`]). It never panics on what a model, a log or a
//! stranger wrote. It has one [`Error`] for mistakes of the programmer.

//! # Features
//!
//! All are on by default. Data packets, results, replies and host's values are always there.
//!
//! | feature | what it brings |
//! |---|---|
//! | `detect` | [`detect`]: calls in what a model wrote |
//! | `schema` | [`input_schema`] checks arguments; without it a tool that has a schema is refused |
//! | `provider` | [`provider`]: the objects of providers |
//! | `transcript` | [`transcript`]: logs of agents |
//! | `diff` | [`diff`]: what changed |
//! | `redact` | [`redact`]: values and texts without secrets |
//! | `comment` | [`comment`]: comments that are fit to be posted |
//! | `store` | [`store`]: state that outlives a process |
//! | `sqlite` | a store in `SQLite` |
//! | `runs` | [`registry`], [`lifecycle`], [`executor`], [`agent`]: tools, runs, conversations |
//! | `compat` | [`compat`]: what other programs name and write |

//!
// What a feature brings is no item without it, so a link to it leads to the whole crate's page.
#![cfg_attr(
    not(feature = "detect"),
    doc = "[`Detector`]: https://docs.rs/toolwire/latest/toolwire/struct.Detector.html"
)]
#![cfg_attr(
    not(feature = "detect"),
    doc = "[`detect`]: https://docs.rs/toolwire/latest/toolwire/detect/"
)]
#![cfg_attr(
    not(feature = "provider"),
    doc = "[`provider`]: https://docs.rs/toolwire/latest/toolwire/provider/"
)]
#![cfg_attr(
    not(feature = "transcript"),
    doc = "[`transcript`]: https://docs.rs/toolwire/latest/toolwire/transcript/"
)]
#![cfg_attr(
    not(feature = "diff"),
    doc = "[`diff`]: https://docs.rs/toolwire/latest/toolwire/diff/"
)]
#![cfg_attr(
    not(feature = "redact"),
    doc = "[`redact`]: https://docs.rs/toolwire/latest/toolwire/redact/"
)]
#![cfg_attr(
    not(feature = "comment"),
    doc = "[`comment`]: https://docs.rs/toolwire/latest/toolwire/comment/"
)]
#![cfg_attr(
    not(feature = "store"),
    doc = "[`store`]: https://docs.rs/toolwire/latest/toolwire/store/"
)]
#![cfg_attr(
    not(feature = "runs"),
    doc = "[`registry`]: https://docs.rs/toolwire/latest/toolwire/registry/"
)]
#![cfg_attr(
    not(feature = "runs"),
    doc = "[`lifecycle`]: https://docs.rs/toolwire/latest/toolwire/lifecycle/"
)]
#![cfg_attr(
    not(feature = "runs"),
    doc = "[`executor`]: https://docs.rs/toolwire/latest/toolwire/executor/"
)]
#![cfg_attr(
    not(feature = "runs"),
    doc = "[`agent`]: https://docs.rs/toolwire/latest/toolwire/agent/"
)]
#![cfg_attr(
    not(feature = "compat"),
    doc = "[`compat`]: https://docs.rs/toolwire/latest/toolwire/compat/"
)]
#![forbid(unsafe_code)]
// What the modules share is there whole, however few of them are built.
#![cfg_attr(not(feature = "full"), allow(dead_code, unused_imports))]
#![cfg_attr(docsrs, feature(doc_cfg))]
#![cfg_attr(test, allow(clippy::disallowed_methods, reason = "tests read their own JSON"))]

#[cfg(doctest)]
mod pages {
    #[doc = include_str!("../../README.md")]
    struct Readme;
    #[doc = include_str!("../README.md")]
    struct CrateReadme;
    #[doc = include_str!("../../docs/agents.md")]
    struct Agents;
    #[doc = include_str!("../../docs/packet.md")]
    struct Packet;
    #[doc = include_str!("../../docs/provider.md")]
    struct Provider;
}

#[cfg(feature = "runs")]
pub mod agent;
pub mod call;
mod call_id;
#[cfg(feature = "comment")]
pub mod comment;
#[cfg(feature = "compat")]
pub mod compat;
#[cfg(feature = "detect")]
pub mod detect;
#[cfg(feature = "diff")]
pub mod diff;
pub mod error;
#[cfg(feature = "runs")]
pub mod executor;
#[cfg(any(feature = "detect", feature = "transcript"))]
mod html;
pub mod input_schema;
pub mod json;
#[cfg(feature = "detect")]
pub mod kept;
#[cfg(feature = "runs")]
pub mod lifecycle;
mod literal;
mod nearest;
mod option;
pub mod packet;
mod progress;
#[cfg(feature = "provider")]
pub mod provider;
#[cfg(feature = "detect")]
mod recent;
#[cfg(feature = "redact")]
pub mod redact;
#[cfg(feature = "runs")]
pub mod registry;
pub mod reply;
pub mod result;
mod ruled_out;
mod slug;
#[cfg(feature = "store")]
pub mod store;
mod text;
pub mod token;
#[cfg(feature = "transcript")]
pub mod transcript;
pub mod tree;
pub mod visible;

pub use call::{Rejection, Span, ToolCall};
#[cfg(feature = "detect")]
pub use detect::{Detection, Detector, Event, Options, Stream};
pub use error::{Error, ErrorKind};
pub use result::ToolResult;
pub use tree::Tree;
