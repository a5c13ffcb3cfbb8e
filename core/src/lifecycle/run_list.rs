//! The runs of a store that have not ended, and all its runs.

use super::run_record::RunRecord;
use super::runs::Runs;
use crate::store::{Condition, StoreError, Visit, Write, each, from_json, key, prefix, to_json};

impl Runs {
    /// Returns at most `limit` of the runs that have not ended, the oldest first.
    ///
    /// # Errors
    ///
    /// Any error of the store.
    pub fn open(&self, limit: usize, now: i64) -> Result<Vec<RunRecord>, StoreError> {
        let mut open = Vec::new();
        each(&*self.store, &prefix(&["run", "open"]), None, now, |place, entry| {
            let id: String = from_json(place, entry)?;
            match self.get(&id, now)? {
                Some(record) if !record.is_ended() => open.push(record),
                _ => drop(self.store.delete(place, Condition::Any, now)?),
            }
            Ok(if open.len() < limit { Visit::On } else { Visit::Enough })
        })?;
        open.truncate(limit);
        Ok(open)
    }

    /// Returns every run of the store, ended or not, the one that changed last first.
    ///
    /// # Errors
    ///
    /// Any error of the store.
    pub fn all(&self, now: i64) -> Result<Vec<RunRecord>, StoreError> {
        let mut all: Vec<RunRecord> = Vec::new();
        each(&*self.store, &prefix(&["run", "id"]), None, now, |place, entry| {
            all.push(from_json(place, entry)?);
            Ok(Visit::On)
        })?;
        all.sort_by_key(|run| std::cmp::Reverse(run.changed_at));
        Ok(all)
    }

    /// Lists a run among those that have not ended.
    pub(super) fn list(
        &self,
        record: &RunRecord,
        expires_at: Option<i64>,
        now: i64,
    ) -> Result<(), StoreError> {
        let value = to_json(&record.id)?;
        let write = Write { value: &value, expect: Condition::Any, expires_at };
        self.store.put(&open_place(record), write, now)?;
        Ok(())
    }

    /// Removes a run from the list.
    pub(super) fn unlist(&self, record: &RunRecord, now: i64) -> Result<(), StoreError> {
        self.store.delete(&open_place(record), Condition::Any, now)?;
        Ok(())
    }
}

/// The key of a run in the list of those that have not ended, in the order of their beginnings.
fn open_place(record: &RunRecord) -> String {
    let age = format!("{:016x}", record.created_at.micros().max(0));
    key(&["run", "open", &age, &record.id])
}
