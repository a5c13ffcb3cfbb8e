//! Finds out whose log it is, from the weights of its first records.

use crate::json::tape::Tape;
use crate::json::value::Json;
use crate::transcript::dialect::{DialectName, answer_in_text, each_answer, logged_request};

/// The weight at which a dialect is sure, if no other comes near.
const SURE: u32 = 8;
/// How far the best dialect must be ahead of the next to be sure.
const AHEAD: u32 = 4;
/// The weight below which no dialect is named, even at the end of the log.
pub(super) const LEAST: u32 = 2;
/// How many items of a document are weighed, and how much they may weigh together.
const MOST_ITEMS: usize = 64;
const MOST_OF_ITEMS: u32 = 30;
/// The deepest document whose items are weighed.
const DEEPEST: usize = 3;

/// The keys under which documents hold their messages.
const LISTS: [&str; 12] = [
    "messages",
    "conversation",
    "conversations",
    "history",
    "contents",
    "input",
    "output",
    "traj",
    "items",
    "events",
    "prompt",
    "completion",
];

/// The weights of all dialects.
#[derive(Clone, Debug)]
pub(super) struct DialectWeights(Vec<u32>);

impl Default for DialectWeights {
    fn default() -> Self {
        Self(vec![0; DialectName::ALL.len()])
    }
}

impl DialectWeights {
    /// Adds the weights of a record.
    pub(super) fn add(&mut self, record: Json<'_>) {
        self.add_at(record, 0);
    }

    fn add_at(&mut self, record: Json<'_>, depth: usize) {
        let weigh = |(sum, name): (&mut u32, &DialectName)| {
            *sum = sum.saturating_add(name.weigh(record));
        };
        self.0.iter_mut().zip(DialectName::ALL).for_each(weigh);
        if depth >= DEEPEST {
            return;
        }
        each_answer(record, &mut |message| self.add_at(message, depth + 1));
        if let Some((_, request)) = answer_in_text(record) {
            let mut tape = Tape::default();
            let request = tape.read(&request);
            let mut weigh = |message: Json<'_>| self.add_at(message, depth + 1);
            if let Some(request) = request {
                each_answer(request, &mut weigh);
            }
        }
        if let Some(found) = logged_request(record) {
            let mut tape = Tape::default();
            if let Some(document) = tape.read(&found.text) {
                self.add_at(document, depth + 1);
            }
        }
        let lists = LISTS.iter().filter_map(|key| record.get(key)).filter(|list| list.is_array());
        for list in record.is_array().then_some(record).into_iter().chain(lists) {
            // Many items weigh no more than a few, but not less than the heaviest of them.
            let (mut all, mut heaviest) = (Self::default(), Self::default());
            for item in list.items().take(MOST_ITEMS) {
                let mut one = Self::default();
                one.add_at(item, depth + 1);
                for ((sum, most), weight) in all.0.iter_mut().zip(&mut heaviest.0).zip(one.0) {
                    *sum = sum.saturating_add(weight);
                    *most = weight.max(*most);
                }
            }
            for ((sum, weight), most) in self.0.iter_mut().zip(all.0).zip(heaviest.0) {
                *sum = sum.saturating_add(weight.min(MOST_OF_ITEMS.max(most)));
            }
        }
    }

    /// The weight of a record in the dialect that fits it best.
    pub(super) fn of(record: Json<'_>) -> u32 {
        let mut weights = Self::default();
        weights.add(record);
        weights.best().map_or(0, |(_, weight)| weight)
    }

    /// The dialect that is sure.
    pub(super) fn sure(&self) -> Option<DialectName> {
        let (best, weight) = self.best()?;
        let next = self.0.iter().enumerate().filter(|(place, _)| *place != best);
        let next = next.map(|(_, weight)| *weight).max().unwrap_or_default();
        let is_sure = weight >= SURE && weight >= next + AHEAD;
        DialectName::ALL.get(best).copied().filter(|_| is_sure)
    }

    /// The dialect that fits best, if any fits.
    pub(super) fn likely(&self) -> Option<DialectName> {
        let (best, weight) = self.best()?;
        DialectName::ALL.get(best).copied().filter(|_| weight >= LEAST)
    }

    /// The place and the weight of the dialect that fits best, the first of equals.
    fn best(&self) -> Option<(usize, u32)> {
        let weights = self.0.iter().copied().enumerate();
        weights.rev().max_by_key(|(_, weight)| *weight)
    }
}
