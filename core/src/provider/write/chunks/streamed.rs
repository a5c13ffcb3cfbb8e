//! The order in which a message is sent whose arguments come in pieces.

use std::collections::VecDeque;

use super::open_calls::{CallStep, OpenCalls};
use super::writer::{ChunkForm, ChunkKind};
use crate::provider::write::id_form::IdForm;
use crate::provider::write::outline::{MessagePart, MessageStep, Outline};

/// A step of a message in which calls stand where the model wrote them.
#[derive(Debug)]
pub(super) enum StreamedStep {
    Message(MessageStep),
    Call(CallStep),
}

/// What waits for its turn.
#[derive(Debug)]
enum Queued {
    Step(MessageStep),
    /// The call at this place.
    Call(usize),
}

/// Puts the parts of a message in the order in which a protocol can send them.
#[derive(Debug)]
pub(super) struct StreamedCalls {
    calls: OpenCalls,
    queue: VecDeque<Queued>,
    /// Whether one part must end before the next one begins.
    in_a_row: bool,
}

impl StreamedCalls {
    pub(super) fn new(form: &ChunkForm, ids: IdForm) -> Self {
        let in_a_row = form.kind == ChunkKind::Events;
        Self { calls: OpenCalls::new(form.cut_off_is_read, ids), queue: VecDeque::new(), in_a_row }
    }

    /// Takes a part, and gives the steps that can be sent.
    pub(super) fn take(
        &mut self,
        part: MessagePart<'_>,
        outline: &mut Outline,
    ) -> Vec<StreamedStep> {
        let mut steps = Vec::new();
        let begun = self.calls.take(part);
        if begun.is_some() && self.in_a_row {
            outline.close_block(&mut steps);
        }
        if !matches!(part, MessagePart::Call(..) | MessagePart::CallRetracted(_)) {
            outline.take(part, &mut steps);
        }
        self.queue.extend(steps.into_iter().map(Queued::Step));
        self.queue.extend(begun.map(Queued::Call));
        self.send(outline.calls_are_sure())
    }

    /// Ends the message, and gives what was not sent yet. A call that is still open was cut off.
    pub(super) fn finish(&mut self, outline: &mut Outline) -> Vec<StreamedStep> {
        self.calls.refuse_open();
        let mut steps = Vec::new();
        outline.finish(&mut steps);
        self.queue.extend(steps.into_iter().map(Queued::Step));
        self.send(true)
    }

    fn send(&mut self, sure: bool) -> Vec<StreamedStep> {
        let (mut sent, mut waiting) = (Vec::new(), VecDeque::new());
        while let Some(next) = self.queue.pop_front() {
            let place = match next {
                Queued::Step(step) => {
                    sent.push(StreamedStep::Message(step));
                    continue;
                }
                Queued::Call(place) => place,
            };
            let mut steps = Vec::new();
            let done = self.calls.send(place, sure, &mut steps);
            sent.extend(steps.into_iter().map(StreamedStep::Call));
            if !done {
                waiting.push_back(next);
                if self.in_a_row {
                    waiting.append(&mut self.queue);
                }
            }
        }
        self.queue = waiting;
        sent
    }
}
