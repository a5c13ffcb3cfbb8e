//! Counts each message's tokens once, though several records may give them, by model and day.

use serde::{Deserialize, Serialize};
use serde_json::{Value, json};

use crate::transcript::about::{About, TokenUsage};

/// The most models and days that are told apart.
const MOST_KINDS: usize = 1024;
const MILLISECONDS_PER_DAY: i64 = 24 * 60 * 60 * 1000;

/// The tokens that one model took on one day.
#[derive(Clone, Debug, Default, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct UsedTokens {
    /// The model, if the log names it.
    pub model: Option<Box<str>>,
    /// The day in universal time, in days since 1970, if the log has times.
    pub day: Option<i64>,
    /// What the messages of this model and day took.
    pub tokens: TokenUsage,
}

impl UsedTokens {
    /// The tokens as a JSON value, the day as `YYYY-MM-DD`.
    pub(super) fn to_value(&self) -> Value {
        let TokenUsage { input, output, cached } = self.tokens;
        let day = self.day.and_then(|day| {
            let start = day.checked_mul(MILLISECONDS_PER_DAY)?;
            let start = jiff::Timestamp::from_millisecond(start).ok()?;
            Some(start.strftime("%Y-%m-%d").to_string())
        });
        json!({"model": self.model, "day": day, "input": input, "output": output, "cached": cached})
    }
}

/// The tokens of a log, by model and day.
#[derive(Clone, Debug, Default, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub struct UsageTable(Vec<UsedTokens>);

impl UsageTable {
    /// The tokens by model and day, in the order in which they first stood in the log. Beyond 1,024
    /// models and days, the rest has neither.
    #[must_use]
    pub fn rows(&self) -> &[UsedTokens] {
        &self.0
    }

    /// The tokens of all messages.
    #[must_use]
    pub fn total(&self) -> TokenUsage {
        self.0.iter().fold(TokenUsage::default(), |total, row| total.plus(row.tokens))
    }

    fn row(&mut self, model: Option<&str>, day: Option<i64>) -> Option<&mut TokenUsage> {
        // What comes next is mostly of the model and the day of what came last.
        let place = self.0.iter().rposition(|row| row.model.as_deref() == model && row.day == day);
        let place = match place {
            Some(place) => place,
            None if self.0.len() < MOST_KINDS || (model, day) == (None, None) => {
                let model = model.map(Into::into);
                self.0.push(UsedTokens { model, day, tokens: TokenUsage::default() });
                self.0.len() - 1
            }
            None => return self.row(None, None),
        };
        self.0.get_mut(place).map(|row| &mut row.tokens)
    }
}

/// The tokens of a message, of which the log has yet to say the model and the time.
#[derive(Clone, Debug)]
struct GivenTokens {
    message: Option<Box<str>>,
    tokens: TokenUsage,
}

/// The tokens of the message that was counted last.
#[derive(Clone, Debug, Default)]
pub(super) struct UsageCount {
    waiting: Option<GivenTokens>,
    message: Option<Box<str>>,
    counted: TokenUsage,
    model: Option<Box<str>>,
    day: Option<i64>,
}

impl UsageCount {
    /// Takes the tokens of a message. They count when the record that gives them has ended.
    pub(super) fn take(&mut self, message: Option<&str>, tokens: TokenUsage) {
        self.waiting = Some(GivenTokens { message: message.map(Into::into), tokens });
    }

    /// Counts what waits. A new count of the same message takes the place of the earlier one: where
    /// it is greater, as that of a whole session, what came to it counts where it came to it.
    pub(super) fn settle(
        &mut self,
        about: Option<&About>,
        model: Option<&str>,
        table: &mut UsageTable,
    ) {
        let Some(GivenTokens { message, tokens }) = self.waiting.take() else { return };
        let is_same = message.is_some() && message == self.message;
        let mut counted = if is_same { self.counted } else { TokenUsage::default() };
        let grew = |now: u64, before: u64| now >= before;
        let is_greater = grew(tokens.input, counted.input)
            && grew(tokens.output, counted.output)
            && grew(tokens.cached, counted.cached);
        if is_same && !is_greater {
            if let Some(row) = table.row(self.model.as_deref(), self.day) {
                *row = row.minus(counted);
            }
            counted = TokenUsage::default();
        }
        let model = about.and_then(|about| about.model.as_deref()).or(model);
        let day = about.and_then(|about| about.at).map(|at| at.div_euclid(MILLISECONDS_PER_DAY));
        if let Some(row) = table.row(model, day) {
            *row = row.plus(tokens.minus(counted));
        }
        (self.message, self.counted) = (message, tokens);
        (self.model, self.day) = (model.map(Into::into), day);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn tokens(input: u64, output: u64) -> TokenUsage {
        TokenUsage { input, output, cached: 0 }
    }

    #[test]
    fn a_message_counts_once_and_a_total_counts_where_it_grew() {
        let (mut table, mut usage) = (UsageTable::default(), UsageCount::default());
        let mut count = |message, given, day: i64, model: &str| {
            let at = Some(day * MILLISECONDS_PER_DAY + 5);
            let about = About { at, model: Some(model.into()), ..About::default() };
            usage.take(message, given);
            usage.settle(Some(&about), None, &mut table);
            table.rows().iter().map(|row| row.tokens.input).collect::<Vec<_>>()
        };
        assert_eq!(count(Some("m"), tokens(10, 1), 0, "a"), [10]);
        assert_eq!(count(Some("m"), tokens(10, 4), 0, "a"), [10]);
        assert_eq!(count(Some("m"), tokens(7, 4), 0, "b"), [0, 7]);
        assert_eq!(count(None, tokens(1, 1), 0, "b"), [0, 8]);
        assert_eq!(count(Some("total"), tokens(5, 1), 1, "b"), [0, 8, 5]);
        assert_eq!(count(Some("total"), tokens(9, 1), 2, "b"), [0, 8, 5, 4]);
        assert_eq!(table.total(), tokens(17, 6));
        assert_eq!(table.rows()[3].to_value()["day"], "1970-01-03");
    }

    #[test]
    fn ever_new_models_take_bounded_memory() {
        let (mut table, mut usage) = (UsageTable::default(), UsageCount::default());
        for number in 0..3000 {
            usage.take(None, tokens(1, 0));
            usage.settle(None, Some(&format!("model {number}")), &mut table);
        }
        assert_eq!(table.rows().len(), MOST_KINDS + 1);
        assert_eq!(table.total(), tokens(3000, 0));
    }
}
