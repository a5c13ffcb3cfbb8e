//! Cline, Roo and Kilo: `ui_messages.json`, what they show to the person.
//!
//! A call stands in a record without an id, and its result in what comes next: the output of a
//! command, the answer of a server, or the text of the next request, which tells whether the person
//! refused the call.

use std::borrow::Cow;
use std::collections::VecDeque;

use crate::json::value::Json;
use crate::transcript::about::{About, TokenUsage};
use crate::transcript::dialect::draft::MessageDraft;
use crate::transcript::dialect::field::{at, first, first_text, has, text_at, written_at};
use crate::transcript::dialect::nested::nested;
use crate::transcript::dialect::outcome::CallEnding;
use crate::transcript::dialect::say::say;
use crate::transcript::dialect::shown_call::{ShownCall, ShownRequest, called};
use crate::transcript::dialect::{Dialect, Give};
use crate::transcript::event::{LogEvent, Role};

/// How many calls wait for the next request at most.
const MOST: usize = 256;
/// How many bytes of what they gave are held.
const MOST_BYTES: usize = 8 << 20;
/// How much of a record's time tells it from others.
const LONGEST_STAMP: usize = 40;

/// The reader of the messages.
#[derive(Debug, Default)]
pub(super) struct ClineUi {
    draft: MessageDraft,
    /// Whether the person's task was read: the first words are the task.
    has_task: bool,
    /// How many calls there were.
    number: u64,
    /// The calls since the last request, in order.
    waiting: VecDeque<ShownCall>,
    /// What the last request took, until an entry of its answer carries it.
    spent: Spent,
}

/// What a request took.
#[derive(Debug, Default)]
struct Spent {
    tokens: Option<TokenUsage>,
    cost: Option<Box<str>>,
}

impl Dialect for ClineUi {
    fn weigh(record: Json<'_>) -> u32 {
        let is_shown = word(record).is_some() && has(record, &["ts"]);
        if is_shown { 10 } else { 0 }
    }

    fn read<'a>(&mut self, record: Json<'a>, give: Give<'_, 'a>) -> bool {
        let (Some(word), true) = (word(record), has(record, &["ts"])) else { return false };
        let stamp = record.get("ts").map(Json::raw).unwrap_or_default();
        let stamp = stamp.get(..stamp.floor_char_boundary(LONGEST_STAMP)).unwrap_or_default();
        let text = record.text_of("text").unwrap_or_default();
        let is_words = matches!(&*word, "text" | "task" | "reasoning" | "completion_result");
        if !is_words {
            self.draft.end(give);
            if record.get("partial").and_then(Json::as_bool) == Some(true) {
                give(LogEvent::Skipped("partial".into()));
                return true;
            }
        }
        let at = written_at(record);
        match &*word {
            "api_req_started" => self.request(stamp, &text, give),
            "text" | "task" | "reasoning" | "completion_result" => {
                self.about(record, at, &word, give);
                self.words(&word, stamp, &text, give);
            }
            "tool"
            | "command"
            | "use_mcp_server"
            | "browser_action"
            | "browser_action_launch"
            | "use_subagents" => {
                if self.waiting.iter().any(|call| &*call.stamp == stamp) {
                    give(LogEvent::Repeated);
                    return true;
                }
                self.about(record, at, &word, give);
                let made = ShownCall::new(self.number + 1, stamp);
                match called(&word, &text, &made.id, at) {
                    Some(call) => self.add(call, made, give),
                    None => give(LogEvent::Skipped(word)),
                }
            }
            _ if self.answer(&word, &text, at) => {}
            _ => {
                self.about(record, at, &word, give);
                note(&word, record, text, give);
            }
        }
        true
    }

    fn finish(&mut self, give: Give<'_, 'static>) {
        self.draft.end(give);
        for call in std::mem::take(&mut self.waiting) {
            // Without a request behind it, only what was shown says that the call has ended.
            if let Some(result) = call.shown() {
                give(result);
            }
        }
        *self = Self::default();
    }
}

/// What a record shows or asks.
fn word(record: Json<'_>) -> Option<Cow<'_, str>> {
    match record.text_of("type").as_deref() {
        Some("say") => record.text_of("say"),
        Some("ask") => record.text_of("ask"),
        _ => None,
    }
}

impl ClineUi {
    /// Gives the facts of a record; the model's first entry carries what the request took.
    fn about<'a>(&mut self, record: Json<'a>, at: Option<i64>, word: &str, give: Give<'_, 'a>) {
        let is_answer = self.has_task
            && (matches!(word, "text" | "reasoning" | "tool" | "command" | "completion_result")
                || word.starts_with("use_"));
        let Spent { tokens, cost } =
            if is_answer { std::mem::take(&mut self.spent) } else { Spent::default() };
        let model = text_at(record, &["modelInfo", "modelId"]).map(|model| Box::from(&*model));
        give(LogEvent::About(About { at, model, tokens, cost, ..About::default() }));
    }

    /// Words of the model, or the task. A record with the time of the one before is a newer state.
    fn words(&mut self, word: &str, stamp: &str, text: &str, give: Give<'_, '_>) {
        let is_task = !self.has_task && matches!(word, "text" | "task");
        self.has_task |= is_task;
        let role = match word {
            _ if is_task => Role::User,
            "reasoning" => Role::Thinking,
            _ => Role::Assistant,
        };
        if is_task {
            return say(role, text.to_owned(), give);
        }
        self.draft.replace(role, stamp, text, give);
    }

    fn add<'a>(&mut self, call: LogEvent<'a>, made: ShownCall, give: Give<'_, 'a>) {
        self.number += 1;
        let bytes = |calls: &VecDeque<ShownCall>| calls.iter().map(ShownCall::size).sum::<usize>();
        while self.waiting.len() >= MOST || bytes(&self.waiting) > MOST_BYTES {
            if let Some(result) = self.waiting.pop_front().and_then(ShownCall::shown) {
                give(result);
            }
        }
        self.waiting.push_back(made);
        give(call);
    }

    /// Takes a record that says what the last call gave; false if it says nothing of one.
    fn answer(&mut self, word: &str, text: &str, at: Option<i64>) -> bool {
        let Some(call) = self.waiting.back_mut() else { return false };
        let ending = match word {
            "command_output"
            | "mcp_server_response"
            | "browser_action_result"
            | "codebase_search_result"
            | "subagent" => CallEnding::Success,
            "error" | "diff_error" | "clineignore_error" | "rooignore_error"
                if !call.has_output() =>
            {
                CallEnding::Failed
            }
            "command_permission_denied" => CallEnding::Denied,
            "resume_task" | "resume_completed_task" if !call.has_output() => {
                for call in &mut self.waiting {
                    call.end(CallEnding::Cancelled, "", at);
                }
                return true;
            }
            _ => return false,
        };
        call.end(ending, text, at);
        true
    }

    /// A request to the model: it ends the calls before it, and tells what the answer took.
    fn request(&mut self, stamp: &str, text: &str, give: Give<'_, '_>) {
        let read = nested(text, give, &mut |request, give| {
            let count = |key: &str| request.get(key).and_then(Json::as_u64).unwrap_or_default();
            let cached = count("cacheReads");
            // What came from the cache, or went into it, is counted beside the rest.
            let beside = cached.saturating_add(count("cacheWrites"));
            let input = count("tokensIn").saturating_add(beside);
            let tokens = TokenUsage { input, output: count("tokensOut"), cached };
            let tokens = Some(tokens).filter(|tokens| *tokens != TokenUsage::default());
            if let Some(tokens) = tokens {
                give(LogEvent::Usage(Some(stamp.to_owned().into()), tokens));
            }
            self.spent = Spent { tokens, cost: request.get("cost").map(|cost| cost.raw().into()) };
            let sent = request.text_of("request").unwrap_or_default();
            self.settle(&ShownRequest::new(&sent), give);
            if let Some(text) = first_text(request, &["streamingFailedMessage"]) {
                say(Role::Error, text, give);
            }
        });
        if !read {
            self.settle(&ShownRequest::default(), give);
        }
    }

    /// Ends the calls that wait, by what the request says of them.
    fn settle(&mut self, request: &ShownRequest<'_>, give: Give<'_, '_>) {
        let count = self.waiting.len();
        for (place, call) in std::mem::take(&mut self.waiting).into_iter().enumerate() {
            give(call.settled(request.answer(place, count)));
        }
    }
}

/// What is neither the model's words nor a call.
fn note<'a>(word: &str, record: Json<'a>, text: Cow<'a, str>, give: Give<'_, 'a>) {
    let role = match word {
        "user_feedback" => Role::User,
        "error"
        | "diff_error"
        | "clineignore_error"
        | "rooignore_error"
        | "api_req_failed"
        | "mistake_limit_reached"
        | "condense_context_error"
        | "command_permission_denied" => Role::Error,
        "followup" | "plan_mode_respond" | "act_mode_respond" | "plan_completion_result" => {
            let words =
                |inner: Json<'_>| first_text(inner, &["question", "response"]).map(Cow::into_owned);
            let mut said = None;
            nested(&text, give, &mut |inner, _| said = words(inner));
            return say(Role::Assistant, said.map_or(text, Cow::Owned), give);
        }
        "condense_context" => {
            let summary = at(record, &["contextCondense"]).and_then(|all| first(all, &["summary"]));
            let text = summary.and_then(Json::text).unwrap_or(text);
            return say(Role::System, text, give);
        }
        "info"
        | "subtask_result"
        | "user_feedback_diff"
        | "command_output"
        | "mcp_server_response"
        | "mcp_notification" => Role::System,
        _ => return give(LogEvent::Skipped(word.to_owned().into())),
    };
    say(role, text, give);
}
