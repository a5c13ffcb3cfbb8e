//! What a model says while its response comes.

use serde_json::Value;

use super::error::{AgentCode, AgentError};
use super::event::{AgentEvent, AgentEventKind};
use super::settings::AgentSettings;
use crate::call::Span;
use crate::detect::{Detector, Event, Stream};
use crate::provider::SaidText;

/// Tells what a model says while its response comes, piece by piece.
///
/// What was told this way counts as long as the whole response says the same; otherwise
/// [`finish`](Self::finish) takes it back.
#[derive(Debug)]
pub struct Hearing {
    message: usize,
    /// What reads the calls and the reasoning in the text, if anything does.
    stream: Option<Stream>,
    /// Where the last piece of reasoning in the text ended.
    reasoned_to: Option<usize>,
    told: SaidText,
    /// How many events have come.
    events: usize,
}

/// The most events of a response; a stream that does not end would fill the memory.
const MOST_EVENTS: usize = 1 << 18;

impl Hearing {
    /// Begins with a response, which will be the message of this number.
    #[must_use]
    pub fn new(settings: &AgentSettings, message: usize) -> Self {
        let stream = settings.text_detector().map(Detector::stream);
        Self { message, stream, reasoned_to: None, told: SaidText::default(), events: 0 }
    }

    /// Takes an event of the response, and gives what it says.
    ///
    /// # Errors
    /// `too_long` for a stream that does not end.
    pub fn hear(&mut self, event: &Value) -> Result<Vec<AgentEvent>, AgentError> {
        self.events += 1;
        if self.events > MOST_EVENTS {
            let message = format!("the model's answer has more than {MOST_EVENTS} events");
            return Err(AgentError::new(AgentCode::TooLong, message));
        }
        let said = SaidText::of_event(event);
        let mut events = Vec::new();
        self.tell(AgentEventKind::Reasoning, &said.reasoning, &mut events);
        match &mut self.stream {
            None => self.tell(AgentEventKind::Text, &said.text, &mut events),
            Some(stream) => {
                let found = stream.feed(&said.text).unwrap_or_default();
                self.tell_found(&found, &mut events);
            }
        }
        Ok(events)
    }

    /// Gives what the whole response says, as the conversation has it, without what was told
    /// before.
    pub fn finish(&mut self, mut whole: Vec<AgentEvent>) -> Vec<AgentEvent> {
        let mut events = Vec::new();
        let last = self.stream.as_mut().and_then(|stream| stream.finish().ok());
        self.tell_found(&last.unwrap_or_default(), &mut events);
        let said = |kind| {
            let of_kind = whole.iter().filter(move |event| event.kind == kind);
            of_kind.filter_map(|event| event.data.get("text")?.as_str()).collect::<String>()
        };
        let is_same = said(AgentEventKind::Text) == self.told.text
            && said(AgentEventKind::Reasoning) == self.told.reasoning;
        if is_same {
            let is_said = |kind| matches!(kind, AgentEventKind::Text | AgentEventKind::Reasoning);
            whole.retain(|event| !is_said(event.kind));
        } else {
            events = self.take_back();
        }
        events.extend(whole);
        events
    }

    /// Takes back what was told of a response that broke off.
    #[must_use]
    pub fn take_back(&self) -> Vec<AgentEvent> {
        if self.told == SaidText::default() {
            return Vec::new();
        }
        let data = Value::Null;
        vec![AgentEvent::new(AgentEventKind::Retracted, self.message, data)]
    }

    fn tell_found(&mut self, found: &[Event], events: &mut Vec<AgentEvent>) {
        for event in found {
            match event {
                Event::Text(span) => self.tell(AgentEventKind::Text, &self.text(*span), events),
                Event::Reasoning(span) => self.tell_reasoning(*span, events),
                Event::ReasoningEnd(span) => {
                    events.extend(self.take_back());
                    (self.told, self.reasoned_to) = (SaidText::default(), None);
                    self.tell_reasoning(*span, events);
                }
                _ => {}
            }
        }
    }

    /// An empty line divides several parts, as in a [detection](crate::Findings::reasoning_text).
    fn tell_reasoning(&mut self, span: Span, events: &mut Vec<AgentEvent>) {
        // A channel that holds nothing is no part.
        if span.is_empty() {
            return;
        }
        let goes_on = self.reasoned_to.replace(span.end).is_none_or(|end| end == span.start);
        let between = if goes_on { "" } else { "\n\n" };
        let text = format!("{between}{}", self.text(span));
        self.tell(AgentEventKind::Reasoning, &text, events);
    }

    fn text(&self, span: Span) -> String {
        let input = self.stream.as_ref().map(Stream::input).unwrap_or_default();
        String::from_utf8_lossy(span.of(input)).into_owned()
    }

    fn tell(&mut self, kind: AgentEventKind, text: &str, events: &mut Vec<AgentEvent>) {
        if text.is_empty() {
            return;
        }
        match kind {
            AgentEventKind::Reasoning => self.told.reasoning.push_str(text),
            _ => self.told.text.push_str(text),
        }
        events.push(AgentEvent::said(kind, self.message, text));
    }
}
