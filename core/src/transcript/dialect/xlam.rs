//! Data sets of questions and the calls that answer them, without results: xlam and its like.

use crate::json::value::Json;
use crate::transcript::dialect::Dialect;
use crate::transcript::dialect::Give;
use crate::transcript::dialect::field::has;
use crate::transcript::dialect::nested::either;
use crate::transcript::dialect::say::say;
use crate::transcript::dialect::sharegpt::called;
use crate::transcript::event::Role;

/// The reader of the questions.
#[derive(Debug, Default)]
pub(super) struct Xlam;

impl Dialect for Xlam {
    fn weigh(record: Json<'_>) -> u32 {
        if has(record, &["query", "answers", "tools"]) { 30 } else { 0 }
    }

    fn read<'a>(&mut self, record: Json<'a>, give: Give<'_, 'a>) -> bool {
        let (Some(query), Some(answers)) = (record.text_of("query"), record.get("answers")) else {
            return false;
        };
        say(Role::User, query, give);
        either(answers, give, &mut |list, give| {
            for call in list.items() {
                give(called(call));
            }
        })
    }
}
