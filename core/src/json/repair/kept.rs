//! Repairers that reached a limit, kept for the objects inside those that failed.
//!
//! A text may open object after object, each with something to repair: `{a:{a:{a:`. A repairer of
//! the first one reads up to the limit on repairs, and a new repairer of the next one would read
//! nearly all of this again. So the repairer of the first one is kept, and goes on for the next.

use crate::json::repair::Repairer;
use crate::json::scanner::ScanFault;
use crate::ruled_out::RuledOut;

/// The most repairers that are kept: a bracket in a string of one object may open another object.
const MOST_KEPT: usize = 4;

/// A repairer that reached a limit.
#[derive(Clone, Debug)]
pub(crate) struct KeptRepair {
    pub(crate) repairer: Box<Repairer>,
    /// The first fault of the JSON that was to be repaired.
    pub(crate) fault: ScanFault,
}

/// The repairers that reached a limit.
#[derive(Clone, Debug, Default)]
pub(crate) struct KeptRepairs(Vec<KeptRepair>);

impl KeptRepairs {
    /// Keeps a repairer that a limit has stopped. Where another one has failed, each bracket that
    /// it had open fails too, and is ruled out.
    pub(crate) fn note_failed(&mut self, failed: KeptRepair, ruled_out: &mut RuledOut) {
        if !failed.repairer.at_limit() {
            ruled_out.mark(&failed.repairer.open_brackets().collect::<Vec<_>>());
            return;
        }
        if self.0.len() >= MOST_KEPT {
            self.0.remove(0);
        }
        self.0.push(failed);
    }

    /// Whether the bracket at `at` is known to be open in JSON that has a fault behind it.
    pub(crate) fn has_fault_behind(&self, at: usize) -> bool {
        let behind = |kept: &KeptRepair| kept.fault.at() > at;
        self.0.iter().any(|kept| behind(kept) && kept.repairer.place_of(at).is_some())
    }

    /// Takes out the repairer that has the object at `at` open; it goes on from there.
    pub(crate) fn take(&mut self, at: usize) -> Option<KeptRepair> {
        let place = self.0.iter().rposition(|kept| kept.repairer.place_of(at).is_some())?;
        let mut kept = self.0.remove(place);
        kept.repairer.begin_at(at);
        Some(kept)
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;
    use crate::call::RejectionCode;
    use crate::json::outcome::{ReadArguments, Repair, Tolerance};

    /// What came of a repairer: what it made, or where and why it failed.
    type Outcome = Result<(ReadArguments, bool, bool), (RejectionCode, usize)>;

    fn outcome(repairer: &mut Repairer, text: &[u8]) -> Outcome {
        match repairer.step(text) {
            Ok(Ok(read)) => Ok((read, repairer.has_entries(), repairer.requoted_a_value())),
            Ok(Err(bad)) => Err((bad.code, bad.at)),
            Err(_) => Err((RejectionCode::Incomplete, text.len())),
        }
    }

    /// Texts that need many repairs, nest, and break off.
    fn nearly_json() -> impl Strategy<Value = String> {
        let parts = [
            "{a:", "{'a':", "{\"a\":", "{", "[", "]", "}", ",", "'x'", "\"y\"", "1", "True", ":",
            "/**/", "//\n", "\"{a:", "b:", "['\n',", "[1,],", "\"c\":{}", " ", "!",
        ];
        let unit = prop::collection::vec(prop::sample::select(Vec::from(parts)), 1..5);
        let repeated = (unit, 1..50_usize).prop_map(|(unit, times)| unit.concat().repeat(times));
        prop::collection::vec(repeated, 1..6).prop_map(|repeated| repeated.concat())
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(2000))]

        /// Each object gets what a repairer of its own makes of it.
        #[test]
        fn a_kept_repairer_does_what_a_new_one_does(
            text in nearly_json(),
            depth in prop_oneof![Just(4_usize), Just(64)],
            bytes in prop_oneof![Just(40_usize), Just(9999)],
        ) {
            let text = text.as_bytes();
            let tolerance = Tolerance { depth, bytes, repair: Repair::Safe };
            let new = |at| Box::new(Repairer::new(at, tolerance, b""));
            let (mut kept, mut ruled_out) = (KeptRepairs::default(), RuledOut::default());
            for at in memchr::memchr_iter(b'{', text) {
                let alone = outcome(&mut new(at), text);
                if ruled_out.contains(at) {
                    prop_assert!(alone.is_err(), "{at}: {alone:?}");
                    continue;
                }
                let fault = ScanFault::Syntax(at, "a fault");
                let mut repair =
                    kept.take(at).unwrap_or_else(|| KeptRepair { repairer: new(at), fault });
                let found = outcome(&mut repair.repairer, text);
                prop_assert_eq!(&found, &alone, "at {}", at);
                if found.is_err() {
                    kept.note_failed(repair, &mut ruled_out);
                }
            }
        }
    }

    #[test]
    fn each_byte_of_nested_objects_is_read_once() {
        let text = b"{a:".repeat(1000);
        let tolerance = Tolerance { depth: 64, bytes: 9999, repair: Repair::Safe };
        let (mut kept, mut ruled_out) = (KeptRepairs::default(), RuledOut::default());
        let mut new = 0;
        for at in memchr::memchr_iter(b'{', &text) {
            if ruled_out.contains(at) {
                continue;
            }
            let mut repair = kept.take(at).unwrap_or_else(|| {
                new += 1;
                let repairer = Box::new(Repairer::new(at, tolerance, b""));
                KeptRepair { repairer, fault: ScanFault::Syntax(at, "a fault") }
            });
            assert!(outcome(&mut repair.repairer, &text).is_err());
            kept.note_failed(repair, &mut ruled_out);
        }
        assert_eq!(new, 1);
    }
}
