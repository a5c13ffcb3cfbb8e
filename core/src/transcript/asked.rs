//! The messages of requests of which each repeats the conversation so far.
//!
//! A proxy logs what a model was asked with, and each request begins with all messages of the one
//! before. These are one conversation, and its messages count once.

use std::hash::{BuildHasher, Hash, Hasher};

use ahash::RandomState;

use crate::json::value::Json;
use crate::transcript::call_shape::each_call;

/// How many messages are remembered; a longer conversation is not known again.
const MOST: usize = 1 << 16;
/// The key of Anthropic's marks, which move from message to message.
const MARK: &str = "cache_control";

/// The messages that a model was asked with last, and what it answered.
#[derive(Debug, Default)]
pub(super) struct AskedMessages {
    state: RandomState,
    messages: Vec<u64>,
    /// What the parts of the answer to the messages say.
    answers: Vec<u64>,
}

impl AskedMessages {
    /// Goes on with the messages of a document, and gives how many of them stood before: none if
    /// they are another conversation.
    ///
    /// They are the same one if they begin with all messages of the last document and go on.
    pub(super) fn go_on(&mut self, messages: Json<'_>) -> usize {
        let hashes: Vec<_> =
            messages.items().take(MOST).map(|item| self.of_message(item)).collect();
        let known = self.messages.len();
        let is_same = known > 0
            && known < hashes.len()
            && hashes.len() < MOST
            && hashes.starts_with(&self.messages);
        let mut repeated = 0;
        if is_same {
            repeated = known;
            for item in messages.items().skip(known) {
                let words = self.of_words(item);
                let Some(place) = self.answers.iter().position(|known| Some(*known) == words)
                else {
                    break;
                };
                self.answers.swap_remove(place);
                repeated += 1;
            }
        }
        self.messages = hashes;
        self.answers.clear();
        repeated
    }

    /// Remembers a part of the answer, which the next request may repeat.
    pub(super) fn answer(&mut self, message: Json<'_>) {
        if self.answers.len() < MOST {
            self.answers.extend(self.of_words(message));
        }
    }

    fn of_message(&self, message: Json<'_>) -> u64 {
        let mut hasher = self.state.build_hasher();
        unmarked(message, &mut hasher);
        hasher.finish()
    }

    /// A message's calls, or its words if it has none: the same in an answer and in a request.
    fn of_words(&self, message: Json<'_>) -> Option<u64> {
        let (mut hasher, mut has_any) = (self.state.build_hasher(), false);
        each_call(message, &[], &mut |call| {
            call.id.or(call.name).hash(&mut hasher);
            has_any = true;
        });
        if !has_any {
            texts(message, &mut |text| {
                text.hash(&mut hasher);
                has_any = true;
            });
        }
        has_any.then(|| hasher.finish())
    }
}

/// Hashes a value without Anthropic's marks.
fn unmarked(value: Json<'_>, hasher: &mut impl Hasher) {
    if value.is_object() {
        for (key, inner) in value.members().filter(|(key, _)| key != MARK) {
            key.hash(hasher);
            unmarked(inner, hasher);
        }
    } else if value.is_array() {
        value.items().for_each(|inner| unmarked(inner, hasher));
    } else {
        value.raw().hash(hasher);
    }
}

/// Takes the texts of a message: its content, or those of its parts.
fn texts(message: Json<'_>, take: &mut dyn FnMut(&str)) {
    for content in ["content", "parts"].iter().filter_map(|key| message.get(key)) {
        content.text().iter().filter(|text| !text.is_empty()).for_each(|text| take(text));
        content.items().filter_map(|part| part.text_of("text")).for_each(|text| take(&text));
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::json::tape::Tape;

    fn go_on(conversation: &mut AskedMessages, messages: &str) -> usize {
        conversation.go_on(Tape::default().read(messages).unwrap())
    }

    #[test]
    fn a_conversation_that_goes_on_is_the_same() {
        let mut one = AskedMessages::default();
        assert_eq!(go_on(&mut one, r#"[{"role":"user","content":"a"}]"#), 0);
        let longer = r#"[{"role":"user","content":"a"},{"role":"assistant","content":"b"}]"#;
        assert_eq!(go_on(&mut one, longer), 1);
        assert_eq!(go_on(&mut one, longer), 0);
        assert_eq!(go_on(&mut one, r#"[{"role":"user","content":"c"},{},{}]"#), 0);
        assert_eq!(go_on(&mut one, "[]"), 0);
        assert_eq!(go_on(&mut one, longer), 0);
    }

    #[test]
    fn an_answer_stands_in_the_next_request() {
        let mut one = AskedMessages::default();
        let mut tape = Tape::default();
        go_on(&mut one, r#"[{"role":"user","content":[{"text":"a","cache_control":{}}]}]"#);
        let answer = r#"{"role":"assistant","content":"b","refusal":null}"#;
        one.answer(tape.read(answer).unwrap());
        one.answer(tape.read(r#"{"type":"function_call","call_id":"c","status":"x"}"#).unwrap());
        let next = r#"[{"role":"user","content":[{"text":"a"}]},
            {"type":"function_call","call_id":"c"},
            {"role":"assistant","content":[{"type":"text","text":"b"}]},
            {"role":"user","content":"d"}]"#;
        assert_eq!(go_on(&mut one, next), 3);
        go_on(&mut one, r#"[{"cache_control":1}]"#);
        one.answer(tape.read(answer).unwrap());
        assert_eq!(go_on(&mut one, r#"[{},{"role":"assistant","content":"b"},{}]"#), 2);
    }
}
