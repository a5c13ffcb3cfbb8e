//! The runs of a store that have not ended, and all its runs, at once or in pages.

use std::cmp::Reverse;
use std::collections::BTreeMap;

use super::error::RunsError;
use super::record::{RunRecord, open_place};
use crate::lifecycle::Runs;
use crate::lifecycle::page::Page;
use crate::store::{Condition, StoreError, Visit, Write, each, from_json, prefix, to_json};

impl Runs {
    /// Returns at most `limit` of the runs that have not ended, the oldest first.
    ///
    /// # Errors
    ///
    /// Any error of the store.
    pub fn open(&self, limit: usize, now: i64) -> Result<Vec<RunRecord>, StoreError> {
        self.open_after(None, limit, now)
    }

    /// Returns a page of the runs that have not ended, the oldest first. A page may also begin
    /// after a run that has ended in the meantime, as long as the store has it.
    ///
    /// # Errors
    ///
    /// `unknown_run` when the store does not have the run after which the page begins; any error
    /// of the store.
    pub fn open_page(&self, page: Page<'_>, now: i64) -> Result<Vec<RunRecord>, RunsError> {
        let after = self.before_page(page, now)?.as_ref().map(open_place);
        Ok(self.open_after(after, page.limit.unwrap_or(usize::MAX), now)?)
    }

    fn open_after(
        &self,
        after: Option<String>,
        limit: usize,
        now: i64,
    ) -> Result<Vec<RunRecord>, StoreError> {
        let mut open = Vec::new();
        each(&*self.store, &prefix(&["run", "open"]), after, now, |place, entry| {
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

    /// Returns a page of all runs of the store, ended or not, the newest first. Each page reads
    /// every run of the store, but holds at most one page of them in memory.
    ///
    /// # Errors
    ///
    /// `unknown_run` when the store does not have the run after which the page begins; any error
    /// of the store.
    pub fn all_page(&self, page: Page<'_>, now: i64) -> Result<Vec<RunRecord>, RunsError> {
        let at = |run: &RunRecord| (Reverse(run.created_at), run.id.clone());
        let after = self.before_page(page, now)?.as_ref().map(at);
        let mut all = BTreeMap::new();
        each(&*self.store, &prefix(&["run", "id"]), None, now, |place, entry| {
            let run: RunRecord = from_json(place, entry)?;
            let place = at(&run);
            if after.as_ref().is_none_or(|after| place > *after) {
                all.insert(place, run);
            }
            if page.limit.is_some_and(|limit| all.len() > limit) {
                all.pop_last();
            }
            Ok(Visit::On)
        })?;
        Ok(all.into_values().collect())
    }

    /// Returns the run after which a page begins, or nothing for the first page.
    fn before_page(&self, page: Page<'_>, now: i64) -> Result<Option<RunRecord>, RunsError> {
        let Some(id) = page.after else { return Ok(None) };
        match self.get(id, now)? {
            Some(run) => Ok(Some(run)),
            None => Err(RunsError::Unknown { id: id.to_owned() }),
        }
    }

    /// Lists a run among those that have not ended.
    pub(in crate::lifecycle) fn list(
        &self,
        record: &RunRecord,
        expires_at: Option<i64>,
        now: i64,
    ) -> Result<(), StoreError> {
        let (place, value) = (open_place(record), to_json(&record.id)?);
        let write = Write { value: &value, expect: Condition::Any, expires_at };
        self.store.put(&place, write, now)?;
        Ok(())
    }

    /// Removes a run from the list.
    pub(in crate::lifecycle) fn unlist(
        &self,
        record: &RunRecord,
        now: i64,
    ) -> Result<(), StoreError> {
        self.store.delete(&open_place(record), Condition::Any, now)?;
        Ok(())
    }
}
