//! Listing requests for approval, all at once or in pages.

use std::collections::BTreeMap;

use super::error::ApprovalError;
use super::index::{Lead, by_age, follow};
use super::request::{ApprovalRequest, ApprovalStatus};
use crate::lifecycle::Approvals;
use crate::lifecycle::page::Page;
use crate::store::{StoreError, Visit, each, from_json, prefix};

impl Approvals {
    /// Returns the pending requests, of one run or of all, in the order in which they were made.
    ///
    /// # Errors
    /// Any error of the store.
    pub fn pending(&self, run: Option<&str>, now: i64) -> Result<Vec<ApprovalRequest>, StoreError> {
        self.pending_after(run, None, None, now)
    }

    /// Returns a page of the pending requests. A page may also begin after a request that has been
    /// closed in the meantime.
    ///
    /// ```
    /// use std::sync::Arc;
    /// use toolwire::lifecycle::{Approvals, NewApproval, Page};
    /// use toolwire::store::MemoryStore;
    ///
    /// let approvals = Approvals::new(Arc::new(MemoryStore::default()));
    /// for run_id in ["a", "b", "c"] {
    ///     let new = NewApproval { run_id: run_id.into(), ..NewApproval::default() };
    ///     approvals.request(new, 1)?;
    /// }
    /// let first = approvals.pending_page(None, Page { limit: Some(2), after: None }, 2)?;
    /// let after = first.last().map(|request| request.id.as_str());
    /// let next = approvals.pending_page(None, Page { limit: Some(2), after }, 2)?;
    /// assert_eq!((first.len(), next.len()), (2, 1));
    /// # Ok::<(), toolwire::lifecycle::ApprovalError>(())
    /// ```
    ///
    /// # Errors
    /// `unknown_approval` when no request has the id after which the page begins; any error of the
    /// store.
    pub fn pending_page(
        &self,
        run: Option<&str>,
        page: Page<'_>,
        now: i64,
    ) -> Result<Vec<ApprovalRequest>, ApprovalError> {
        let after = self.before_page(page, now)?.as_ref().map(by_age);
        Ok(self.pending_after(run, after, page.limit, now)?)
    }

    fn pending_after(
        &self,
        run: Option<&str>,
        after: Option<String>,
        limit: Option<usize>,
        now: i64,
    ) -> Result<Vec<ApprovalRequest>, StoreError> {
        self.sweep(now)?;
        let is_full = |pending: &Vec<_>| limit.is_some_and(|limit| pending.len() >= limit);
        let mut pending = Vec::new();
        if is_full(&pending) {
            return Ok(pending);
        }
        follow(&*self.store, &prefix(&["approval", "open"]), after, now, |id| {
            match self.get(id, now)? {
                Some(request) if request.status == ApprovalStatus::Pending => {
                    if run.is_none() || run == request.parent_id.as_deref() {
                        pending.push(request);
                    }
                    return Ok(if is_full(&pending) { Lead::Enough } else { Lead::On });
                }
                Some(request) => self.expire(&request.id, now)?,
                None => false,
            };
            Ok(Lead::Nowhere)
        })?;
        Ok(pending)
    }

    /// Returns every request with its status, in the order in which they were made.
    ///
    /// # Errors
    /// Any error of the store.
    pub fn all(&self, now: i64) -> Result<Vec<ApprovalRequest>, StoreError> {
        self.all_after(None, None, now)
    }

    /// Returns a page of all requests. Each page reads every request of the store, but holds at
    /// most one page of them in memory.
    ///
    /// # Errors
    /// `unknown_approval` when no request has the id after which the page begins; any error of the
    /// store.
    pub fn all_page(
        &self,
        page: Page<'_>,
        now: i64,
    ) -> Result<Vec<ApprovalRequest>, ApprovalError> {
        let after = self.before_page(page, now)?.map(|request| (request.order, request.id));
        Ok(self.all_after(after.as_ref(), page.limit, now)?)
    }

    fn all_after(
        &self,
        after: Option<&(i64, String)>,
        limit: Option<usize>,
        now: i64,
    ) -> Result<Vec<ApprovalRequest>, StoreError> {
        let mut all = BTreeMap::new();
        each(&*self.store, &prefix(&["approval", "request"]), None, now, |place, entry| {
            let mut request: ApprovalRequest = from_json(place, entry)?;
            request.status = request.status(now);
            let at = (request.order, request.id.clone());
            if after.is_none_or(|after| at > *after) {
                all.insert(at, request);
            }
            if limit.is_some_and(|limit| all.len() > limit) {
                all.pop_last();
            }
            Ok(Visit::On)
        })?;
        Ok(all.into_values().collect())
    }

    /// Returns the request after which a page begins, or nothing for the first page.
    fn before_page(
        &self,
        page: Page<'_>,
        now: i64,
    ) -> Result<Option<ApprovalRequest>, ApprovalError> {
        let Some(id) = page.after else { return Ok(None) };
        match self.get(id, now)? {
            Some(request) => Ok(Some(request)),
            None => Err(ApprovalError::Unknown { id: id.to_owned() }),
        }
    }
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use super::super::request::{Decision, NewApproval};
    use super::super::testing::{approvals, new};
    use super::*;
    use crate::store::MemoryStore;

    #[test]
    fn pending_requests_are_in_the_order_of_their_making() {
        let approvals = approvals();
        let run = |run: &str| NewApproval { parent_id: Some(run.to_owned()), ..new("a") };
        let ids: Vec<_> = ["x", "y", "x", "x"]
            .iter()
            .map(|name| approvals.request(run(name), 3).unwrap().id)
            .collect();
        approvals.decide(&ids[2], &Decision::denied(), 3).unwrap();
        let pending = |run| {
            let requests = approvals.pending(run, 4).unwrap();
            requests.into_iter().map(|request| request.id).collect::<Vec<_>>()
        };
        assert_eq!(pending(None), [&*ids[0], &*ids[1], &*ids[3]]);
        assert_eq!(pending(Some("x")), [&*ids[0], &*ids[3]]);
        assert_eq!(pending(Some("z")), [""; 0]);
    }

    #[test]
    fn all_requests_say_where_they_stand() {
        let approvals = Approvals::new(Arc::new(MemoryStore::default()));
        let late =
            approvals.request(NewApproval { expires_at: Some(5), ..new("a") }, 1).unwrap().id;
        let open = approvals.request(new("b"), 1).unwrap().id;
        let all: Vec<_> = approvals
            .all(6)
            .unwrap()
            .into_iter()
            .map(|request| (request.id, request.status))
            .collect();
        assert_eq!(all, [(late, ApprovalStatus::Expired), (open, ApprovalStatus::Pending)]);
    }

    #[test]
    fn pages_together_are_the_whole_list() {
        let approvals = approvals();
        let ids: Vec<_> = (0..7).map(|_| approvals.request(new("a"), 1).unwrap().id).collect();
        let read = |every: bool| {
            let (mut found, mut after): (Vec<String>, Option<String>) = (Vec::new(), None);
            loop {
                let page = Page { after: after.as_deref(), limit: Some(3) };
                let part = if every {
                    approvals.all_page(page, 2).unwrap()
                } else {
                    approvals.pending_page(None, page, 2).unwrap()
                };
                assert!(part.len() <= 3);
                found.extend(part.into_iter().map(|request| request.id));
                if found.len() % 3 != 0 || found.last() == after.as_ref() {
                    return found;
                }
                after = found.last().cloned();
                // A decision between two pages makes no request disappear from the list.
                approvals.decide(after.as_deref().unwrap(), &Decision::denied(), 2).unwrap();
            }
        };
        assert_eq!(read(false), ids);
        assert_eq!(approvals.pending(None, 2).unwrap().len(), 5);
        assert_eq!(approvals.all_page(Page { limit: Some(0), after: None }, 2).unwrap().len(), 0);
        assert_eq!(
            approvals.pending_page(None, Page { limit: Some(0), after: None }, 2).unwrap().len(),
            0
        );
        let all = approvals.all_page(Page { limit: Some(2), after: Some(&ids[4]) }, 2).unwrap();
        assert_eq!(all.iter().map(|request| &request.id).collect::<Vec<_>>(), [&ids[5], &ids[6]]);
        let unknown = Page { after: Some("none"), limit: None };
        assert_eq!(approvals.all_page(unknown, 2).unwrap_err().slug(), "unknown_approval");
        assert_eq!(
            approvals.pending_page(None, unknown, 2).unwrap_err().slug(),
            "unknown_approval"
        );
    }
}
