//! How agents write their logs.
//!
//! A [`Dialect`] is one file in this folder and one row of the list `dialects!`. It tells how well
//! a record fits it, and turns a record into [`LogEvent`]s. What several dialects share are the
//! mechanisms beside them: [`field`] finds an id, a name or a time under any of its keys, [`call`]
//! makes calls, [`outcome`] reads what tools gave.

mod a2a;
mod acp;
mod adk;
mod ag_ui;
mod ai_sdk;
mod aider;
mod amazon_q;
mod amp;
mod answer;
mod anthropic;
mod antigravity;
mod api_stream;
mod atif;
mod autogen;
mod bedrock;
mod begun_calls;
mod bfcl;
mod blocks;
mod call;
mod chatgpt;
mod claude_code;
mod cline;
mod cline_ui;
mod codex;
mod codex_app;
mod codex_rollout;
mod continue_dev;
mod copilot;
mod crewai;
mod crush;
mod cursor;
mod cursor_chat;
mod cursor_transcript;
mod data_machine;
mod draft;
mod droid;
mod droid_session;
mod dsh;
mod facts;
mod field;
mod gemini_chat;
mod gemini_contents;
mod gemini_stream;
mod gemini_telemetry;
mod glaive;
mod goose;
mod grok;
mod held_text;
mod inspect;
mod kimi_cli;
mod kimi_code;
mod langchain;
mod langfuse;
mod langsmith;
mod llm;
mod logged_request;
mod mcp;
mod mini_swe_agent;
mod nested;
mod openai;
mod opencode;
mod openhands;
mod openinference;
mod otel;
mod outcome;
mod parts;
mod path;
mod pi;
mod pydantic_ai;
mod qwen;
mod recall;
mod repeat;
mod repeated_calls;
mod responses;
mod say;
mod shape;
mod sharegpt;
mod shown_call;
mod smolagents;
mod specstory;
mod streamed_answer;
mod swe_agent;
mod tau_bench;
mod tools;
mod trace;
mod vscode_chat;
mod written_call;
mod xlam;
mod xml_call;
mod zed;

pub(super) use answer::{answer_in_text, each_answer, error_of_answer, facts_of_answer, is_asked};
pub(super) use field::at;
pub(super) use logged_request::{LoggedRequest, logged_request};
pub(super) use repeat::SeenIds;

use crate::error::{Error, ErrorKind};
use crate::json::value::Json;
use crate::slug::slugs;
use crate::transcript::event::LogEvent;

/// Takes the events that a record gives.
pub type Give<'g, 'a> = &'g mut dyn FnMut(LogEvent<'a>);

/// Reads the records of one agent's logs.
pub trait Dialect: Send {
    /// How well a record fits the dialect, from 0 for not at all. A record that this dialect shares
    /// with others weighs 1 to 4, one that only this dialect writes 5 to 10, a whole document that
    /// only this dialect writes [`WHOLE`]. The weights of a log's first records are added.
    fn weigh(record: Json<'_>) -> u32
    where
        Self: Sized;

    /// Whether a log of text begins with a line as only this dialect writes it.
    #[must_use]
    fn begins(line: &str) -> bool
    where
        Self: Sized,
    {
        let _ = line;
        false
    }

    /// Gives the events of a line of text; false if the dialect has no lines of text.
    fn line(&mut self, line: &str, give: Give<'_, '_>) -> bool {
        let _ = (line, give);
        false
    }

    /// The records in a document: the items of an array, or of a list in an object.
    fn items<'a>(&self, document: Json<'a>) -> Option<Json<'a>> {
        document.is_array().then_some(document)
    }

    /// Whether a document is a session of its own, so that its calls wait no longer behind it.
    fn is_session(&self, document: Json<'_>) -> bool {
        let _ = document;
        true
    }

    /// Gives what a document says beside its items.
    fn header<'a>(&mut self, document: Json<'a>, give: Give<'_, 'a>) {
        let _ = (document, give);
    }

    /// Takes the records in a document that follow its items: the answer to a request.
    fn answers<'a>(&self, document: Json<'a>, take: &mut dyn FnMut(Json<'a>)) {
        let _ = (document, take);
    }

    /// Whether a server takes and gives the messages of the dialect. Then requests and answers are
    /// looked for in records of any shape.
    fn is_of_server(&self) -> bool {
        false
    }

    /// Gives the events of a record, one after the other. Returns false, and gives no event, if the
    /// record is not of this dialect.
    fn read<'a>(&mut self, record: Json<'a>, give: Give<'_, 'a>) -> bool;

    /// Gives the events that the dialect holds back until the log goes on.
    fn finish(&mut self, give: Give<'_, 'static>) {
        let _ = give;
    }

    /// Whether a record that was read may be a piece of a call, which comes when it is whole.
    fn has_pieces_of_calls(&self) -> bool {
        false
    }

    /// What becomes of a record or a line that the dialect does not know.
    fn rest(&self) -> Rest {
        Rest::Skipped
    }
}

/// The weight of a document that only one dialect writes.
pub const WHOLE: u32 = 40;

/// What becomes of a record that a dialect does not know.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Rest {
    /// The record is bookkeeping, and is counted by its kind. A damaged line is mended.
    Skipped,
    /// The record becomes a message as it stands, and so does a damaged line.
    Told,
}

/// Declares the dialects with slug and implementation.
macro_rules! dialects {
    ($($(#[$doc:meta])* $name:ident, $slug:literal, $type:ty;)+) => {
        slugs! {
            /// The dialects.
            #[non_exhaustive]
            pub enum DialectName { $($(#[$doc])* $name => $slug,)+ }
        }

        impl DialectName {
            /// A reader of the dialect.
            #[must_use]
            pub fn reader(self) -> Box<dyn Dialect> {
                match self { $(Self::$name => Box::<$type>::default(),)+ }
            }

            /// How well a record fits the dialect.
            #[must_use]
            pub fn weigh(self, record: Json<'_>) -> u32 {
                match self { $(Self::$name => <$type as Dialect>::weigh(record),)+ }
            }

            /// Whether a log of text begins with a line of the dialect.
            #[must_use]
            pub fn begins(self, line: &str) -> bool {
                match self { $(Self::$name => <$type as Dialect>::begins(line),)+ }
            }
        }
    };
}

dialects! {
    /// Factory's Droid, `droid exec --output-format stream-json`.
    Droid, "droid", droid::Droid;
    /// Claude Code, `claude -p --output-format stream-json`, and its stored sessions.
    ClaudeCode, "claude_code", claude_code::ClaudeCode;
    /// Codex, `codex exec --json`.
    Codex, "codex", codex::Codex;
    /// Messages in the form of OpenAI's chat completions.
    OpenAi, "openai", openai::OpenAi;
    /// Messages in the form of Anthropic's API.
    Anthropic, "anthropic", anthropic::Anthropic;
    /// Codex, the sessions that it stores.
    CodexRollout, "codex_rollout", codex_rollout::CodexRollout;
    /// Items of OpenAI's Responses API.
    Responses, "responses", responses::Responses;
    /// Gemini CLI, the chats that it stores.
    GeminiChat, "gemini_chat", gemini_chat::GeminiChat;
    /// Gemini CLI, `gemini --output-format stream-json`.
    GeminiStream, "gemini_stream", gemini_stream::GeminiStream;
    /// Gemini CLI, its telemetry.
    GeminiTelemetry, "gemini_telemetry", gemini_telemetry::GeminiTelemetry;
    /// Messages of the Gemini API, and of WordPress' client for models.
    GeminiContents, "gemini_contents", gemini_contents::GeminiContents;
    /// Qwen Code, the chats that it stores.
    Qwen, "qwen", qwen::Qwen;
    /// `OpenCode`: runs, exports, events and stored parts.
    OpenCode, "opencode", opencode::OpenCode;
    /// GitHub's Copilot CLI, the events of its sessions.
    Copilot, "copilot", copilot::Copilot;
    /// Cursor, `cursor-agent --output-format stream-json`.
    Cursor, "cursor", cursor::CursorStream;
    /// Cursor, the transcripts that it stores.
    CursorTranscript, "cursor_transcript", cursor_transcript::CursorTranscript;
    /// Cursor, the chats that its editor stores.
    CursorChat, "cursor_chat", cursor_chat::CursorChat;
    /// Factory's Droid, the sessions that it stores.
    DroidSession, "droid_session", droid_session::DroidSession;
    /// pi, `OpenClaw` and their family.
    Pi, "pi", pi::Pi;
    /// `DeepSeek`'s harness, the sessions that it stores.
    Dsh, "dsh", dsh::Dsh;
    /// Grok Build, the history of its chats.
    Grok, "grok", grok::Grok;
    /// Antigravity's command line, the steps of its transcripts.
    Antigravity, "antigravity", antigravity::Antigravity;
    /// Kimi Code, the wire of its sessions.
    KimiCode, "kimi_code", kimi_code::KimiCode;
    /// Kimi's older command line, the wire of its sessions.
    KimiCli, "kimi_cli", kimi_cli::KimiCli;
    /// Codex's app server.
    CodexApp, "codex_app", codex_app::CodexApp;
    /// VS Code's Copilot Chat, the sessions that it stores.
    VsCodeChat, "vscode_chat", vscode_chat::VsCodeChat;
    /// Cline, Roo and Kilo, the conversations that they store.
    Cline, "cline", cline::Cline;
    /// Cline, Roo and Kilo, what they show to the person: `ui_messages.json`.
    ClineUi, "cline_ui", cline_ui::ClineUi;
    /// Goose, the sessions that it stores.
    Goose, "goose", goose::Goose;
    /// Amp, its threads.
    Amp, "amp", amp::Amp;
    /// Crush, the messages of its database.
    Crush, "crush", crush::Crush;
    /// Zed, the threads of its agent.
    Zed, "zed", zed::Zed;
    /// Continue, its sessions.
    ContinueDev, "continue", continue_dev::ContinueDev;
    /// aider, the history of its chats.
    Aider, "aider", aider::Aider;
    /// Amazon Q and Kiro, their conversations.
    AmazonQ, "amazon_q", amazon_q::AmazonQ;
    /// llm, the rows of its database.
    Llm, "llm", llm::Llm;
    /// `SpecStory`, the history of sessions as Markdown.
    SpecStory, "specstory", specstory::SpecStory;
    /// The Agent Client Protocol.
    Acp, "acp", acp::Acp;
    /// The Model Context Protocol.
    Mcp, "mcp", mcp::Mcp;
    /// The `Agent2Agent` protocol.
    AgentToAgent, "a2a", a2a::AgentToAgent;
    /// AG-UI, the events of a run.
    AgUi, "ag_ui", ag_ui::AgUi;
    /// Vercel's AI SDK, its messages and its stream.
    AiSdk, "ai_sdk", ai_sdk::AiSdk;
    /// Streams of answers, as the servers of models send them.
    ApiStream, "api_stream", api_stream::ApiStream;
    /// Messages of Bedrock's Converse API, and Strands' sessions.
    Bedrock, "bedrock", bedrock::Bedrock;
    /// `LangChain`'s messages.
    LangChain, "langchain", langchain::LangChain;
    /// Pydantic AI's messages.
    PydanticAi, "pydantic_ai", pydantic_ai::PydanticAi;
    /// `AutoGen`'s messages.
    AutoGen, "autogen", autogen::AutoGen;
    /// `CrewAI`, the events of its bus and the log of its tasks.
    CrewAi, "crewai", crewai::CrewAi;
    /// Google's Agent Development Kit, its sessions.
    Adk, "adk", adk::Adk;
    /// smolagents, the steps of its agents.
    Smolagents, "smolagents", smolagents::Smolagents;
    /// Data Machine's chats.
    DataMachine, "data_machine", data_machine::DataMachine;
    /// `OpenHands`, its events.
    OpenHands, "openhands", openhands::OpenHands;
    /// SWE-agent, its trajectories.
    SweAgent, "swe_agent", swe_agent::SweAgent;
    /// mini-swe-agent, its trajectories.
    MiniSweAgent, "mini_swe_agent", mini_swe_agent::MiniSweAgent;
    /// The Agent Trajectory Interchange Format.
    Atif, "atif", atif::Atif;
    /// Inspect's evaluations.
    Inspect, "inspect", inspect::Inspect;
    /// tau-bench and tau2-bench.
    TauBench, "tau_bench", tau_bench::TauBench;
    /// Data sets in the form of `ShareGPT`.
    ShareGpt, "sharegpt", sharegpt::ShareGpt;
    /// Data sets of questions and calls, as xlam.
    Xlam, "xlam", xlam::Xlam;
    /// Glaive's data set of function calls.
    Glaive, "glaive", glaive::Glaive;
    /// BFCL, its results.
    Bfcl, "bfcl", bfcl::Bfcl;
    /// `ChatGPT`'s export.
    ChatGpt, "chatgpt", chatgpt::ChatGpt;
    /// `LangSmith`'s runs.
    LangSmith, "langsmith", langsmith::LangSmith;
    /// Langfuse's traces.
    Langfuse, "langfuse", langfuse::Langfuse;
    /// `OpenTelemetry`'s and `OpenInference`'s spans.
    OpenTelemetry, "otel", otel::OpenTelemetry;
}

impl DialectName {
    /// The dialect with a slug; none for `auto`.
    ///
    /// # Errors
    ///
    /// [`ErrorKind::InvalidOption`] for any other word.
    pub fn named(slug: &str) -> Result<Option<Self>, Error> {
        if slug == "auto" {
            return Ok(None);
        }
        Self::from_slug(slug).map(Some).ok_or_else(|| {
            let known = [&["auto"], Self::SLUGS].concat();
            Error::unknown(ErrorKind::InvalidOption, "dialect", slug, &known)
        })
    }
}
