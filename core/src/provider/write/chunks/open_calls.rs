//! Calls whose arguments are sent while the model writes them.
//!
//! A call can be refused, or turn out to be a thought, until its message has ended. No protocol can
//! take back what was sent, so the last character of a call's arguments waits until the call is
//! sure: until then they are no JSON, and no client can run the call.

use std::mem::take;

use crate::provider::write::id_form::{CallIds, IdForm};
use crate::provider::write::outline::{CallStart, MessageCall, MessagePart, WrittenCall};

/// A step of writing a call whose arguments come in pieces.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(in crate::provider) enum CallStep {
    /// A call begins: its place among the calls of the message, its id and its name.
    Begin(usize, CallHead),
    /// The next piece of the arguments of the call at this place.
    Arguments(usize, String),
    /// The arguments of the call are whole.
    End,
    /// The call was refused; its arguments stay cut off.
    Refused,
}

/// What is known of a call when it begins.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(in crate::provider) struct CallHead {
    pub(in crate::provider) id: String,
    pub(in crate::provider) name: String,
}

impl CallHead {
    /// The call without arguments.
    pub(in crate::provider) fn call(&self) -> WrittenCall {
        let Self { id, name } = self.clone();
        WrittenCall { id, name, arguments: "{}".to_owned() }
    }
}

/// How far a call is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum CallProgress {
    Open,
    Ended,
    Retracted,
}

/// A call that is not sent whole yet.
#[derive(Debug)]
struct SentCall {
    number: usize,
    place: usize,
    /// Taken when the call's beginning is sent.
    head: Option<CallHead>,
    /// The length of what is sent of the arguments.
    sent: usize,
    /// The arguments behind that.
    held: String,
    progress: CallProgress,
    /// Whether a marker behind the call may still show that it was only a thought.
    certain: bool,
}

impl SentCall {
    /// Takes what can be sent of the arguments: all of them, or all but the last character.
    fn next_piece(&mut self, whole: bool) -> Option<String> {
        // An empty list stands for no arguments, which clients expect as an object.
        if self.sent == 0 && self.held.starts_with('[') {
            self.held = if whole { "{}".to_owned() } else { return None };
        }
        let last = if whole { None } else { self.held.pop() };
        let piece = take(&mut self.held);
        self.held.extend(last);
        self.sent += piece.len();
        (!piece.is_empty()).then_some(piece)
    }
}

/// The calls of a message that are not sent whole yet.
#[derive(Debug)]
pub(in crate::provider) struct OpenCalls {
    /// Whether clients read arguments that are cut off.
    cut_off_is_read: bool,
    calls: Vec<SentCall>,
    ids: CallIds,
    begun: usize,
}

impl OpenCalls {
    pub(in crate::provider) fn new(cut_off_is_read: bool, ids: IdForm) -> Self {
        Self { cut_off_is_read, calls: Vec::new(), ids: CallIds::new(ids), begun: 0 }
    }

    /// Takes what a part tells of a call; gives the place of a call that begins.
    pub(in crate::provider) fn take(&mut self, part: MessagePart<'_>) -> Option<usize> {
        match part {
            MessagePart::CallStart(call) => return Some(self.begin(call)),
            MessagePart::ArgumentsDelta(number, json) => {
                if let Some(call) = self.numbered(number) {
                    call.held.push_str(&String::from_utf8_lossy(json));
                }
            }
            MessagePart::Call(number, whole) => return self.end(number, whole),
            MessagePart::CallRetracted(number) => {
                if let Some(call) = self.numbered(number) {
                    call.progress = CallProgress::Retracted;
                }
            }
            // The calls so far were thoughts.
            MessagePart::ReasoningEnd(..) => self.refuse(|_| true),
            _ => {}
        }
        None
    }

    /// Adds what can be sent of the call at a place, and says whether the call is done with.
    pub(in crate::provider) fn send(
        &mut self,
        place: usize,
        sure: bool,
        steps: &mut Vec<CallStep>,
    ) -> bool {
        let Some(at) = self.calls.iter().position(|call| call.place == place) else { return true };
        let Some(call) = self.calls.get_mut(at) else { return true };
        if call.progress == CallProgress::Retracted && call.head.is_some() {
            self.calls.remove(at);
            return true;
        }
        let sure = sure || call.certain;
        if self.cut_off_is_read && !sure && call.progress != CallProgress::Retracted {
            return false;
        }
        if let Some(head) = call.head.take() {
            steps.push(CallStep::Begin(place, head));
        }
        let done = match call.progress {
            CallProgress::Retracted => true,
            CallProgress::Ended => sure,
            CallProgress::Open => false,
        };
        if call.progress != CallProgress::Retracted
            && let Some(piece) = call.next_piece(done)
        {
            steps.push(CallStep::Arguments(place, piece));
        }
        if done {
            let refused = call.progress == CallProgress::Retracted;
            steps.push(if refused { CallStep::Refused } else { CallStep::End });
            self.calls.remove(at);
        }
        done
    }

    /// Takes the calls that have not ended for refused.
    pub(in crate::provider) fn refuse_open(&mut self) {
        self.refuse(|call| call.progress == CallProgress::Open);
    }

    fn refuse(&mut self, which: impl Fn(&SentCall) -> bool) {
        for call in self.calls.iter_mut().filter(|call| which(call)) {
            call.progress = CallProgress::Retracted;
        }
    }

    fn numbered(&mut self, number: usize) -> Option<&mut SentCall> {
        self.calls.iter_mut().find(|call| call.number == number)
    }

    fn begin(&mut self, call: CallStart<'_>) -> usize {
        let place = self.begun;
        self.begun += 1;
        let head = CallHead { id: self.ids.next(call.id), name: call.name.to_owned() };
        self.calls.push(SentCall {
            number: call.number,
            place,
            head: Some(head),
            sent: 0,
            held: String::new(),
            progress: CallProgress::Open,
            certain: call.certain,
        });
        place
    }

    /// Ends a call; one whose beginning nobody told begins now.
    fn end(&mut self, number: usize, whole: MessageCall<'_>) -> Option<usize> {
        let known = self.numbered(number).is_some();
        let MessageCall { id, name, .. } = whole;
        let place = (!known).then(|| self.begin(CallStart { number, id, name, certain: false }));
        if let Some(call) = self.numbered(number) {
            let arguments = String::from_utf8_lossy(whole.arguments);
            // A listener that left out pieces gets them here.
            let rest = arguments.get(call.sent + call.held.len()..).unwrap_or_default();
            call.held.push_str(rest);
            call.progress = CallProgress::Ended;
        }
        place
    }
}
