//! The stack of undo data of the runs with one id, and the lease on one of them.

use serde::{Deserialize, Serialize};
use serde_json::value::RawValue;

use crate::lifecycle::time::Time;
use crate::store::{Record, StoreError, StoreErrorKind, key};

/// The most runs with one id whose undo data are kept.
pub(in crate::lifecycle) const MOST_RUNS: usize = 32;

/// Undo data before they are stored.
#[derive(Clone, Debug)]
pub struct NewUndo {
    /// The id of the run that the data undo.
    pub run_id: String,
    /// The tool that ran.
    pub tool_name: String,
    /// The JSON value that the tool's undo handler gets.
    pub undo_data: Box<RawValue>,
}

/// The data that undoes a run.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct UndoData {
    /// The id of the run that the data undo.
    #[serde(alias = "action_id")]
    pub run_id: String,
    /// The tool that ran.
    pub tool_name: String,
    /// The JSON value that the tool's undo handler gets, byte for byte as it was given.
    pub undo_data: Box<RawValue>,
    /// When the undo data were stored.
    pub created_at: Time,
    /// The last microsecond at which the run may be undone, if there is a limit.
    pub expires_at: Option<Time>,
    /// The last microsecond at which only the claimant may undo the run.
    pub claimed_until: Option<Time>,
    /// The position of the undo data among those of the store.
    pub(in crate::lifecycle) order: i64,
    /// How often the undo data were claimed.
    #[serde(default)]
    pub(in crate::lifecycle) claims: u64,
    /// The undo data of the earlier runs with this id, the oldest first.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub(in crate::lifecycle) earlier: Vec<UndoData>,
}

/// Returns the key of a run's undo data.
pub(in crate::lifecycle) fn place(run_id: &str) -> String {
    key(&["undo", run_id])
}

impl Record for UndoData {
    fn is_at(&self, at: &str) -> bool {
        place(&self.run_id) == at
            && self.earlier.iter().all(|data| data.run_id == self.run_id && data.earlier.is_empty())
    }
}

impl UndoData {
    pub(in crate::lifecycle) fn expired(&self, now: i64) -> bool {
        self.expires_at.is_some_and(|at| now > at.micros())
    }

    pub(in crate::lifecycle) fn claimed(&self, now: i64) -> Option<Time> {
        self.claimed_until.filter(|until| now <= until.micros())
    }

    /// Returns until when the entry is kept: until its last lease and its last run have expired.
    pub(in crate::lifecycle) fn kept_until(&self) -> Option<i64> {
        let own = |data: &Self| {
            let expires_at = data.expires_at?;
            Some(expires_at.max(data.claimed_until.unwrap_or(expires_at)).micros())
        };
        self.earlier
            .iter()
            .chain([self])
            .map(own)
            .try_fold(i64::MIN, |most, until| Some(most.max(until?)))
    }

    /// Puts these data on top of the id's earlier data, and drops the expired ones among those.
    pub(in crate::lifecycle) fn above(
        mut self,
        mut below: Self,
        now: i64,
    ) -> Result<Self, StoreError> {
        let mut earlier = std::mem::take(&mut below.earlier);
        earlier.push(below);
        earlier.retain(|data| !data.expired(now) || data.claimed(now).is_some());
        if earlier.len() >= MOST_RUNS {
            let message =
                format!("the id has undo data of {MOST_RUNS} runs; undo or delete some first");
            return Err(StoreError::new(StoreErrorKind::Host, message));
        }
        self.earlier = earlier;
        Ok(self)
    }

    /// Returns the data without the newest ones, if any are left.
    fn below(mut self) -> Option<Self> {
        let mut earlier = std::mem::take(&mut self.earlier);
        let newest = earlier.pop()?;
        Some(Self { earlier, ..newest })
    }

    /// Returns the newest data that have not expired, with the earlier data under them.
    pub(in crate::lifecycle) fn current(self, now: i64) -> Option<Self> {
        let mut data = self;
        while data.expired(now) {
            data = data.below()?;
        }
        Some(data)
    }

    /// Returns the data without the earlier ones.
    pub(in crate::lifecycle) fn alone(self) -> Self {
        Self { earlier: Vec::new(), ..self }
    }

    /// Returns the data that a lease is for, unless they are gone or were claimed again.
    pub(in crate::lifecycle) fn leased(&mut self, lease: &Lease) -> Option<&mut Self> {
        if lease.is_for(self) {
            return Some(self);
        }
        self.earlier.iter_mut().find(|data| lease.is_for(data))
    }

    /// Returns the data without those that a lease is for, if any are left.
    pub(in crate::lifecycle) fn without(mut self, lease: &Lease) -> Option<Self> {
        if lease.is_for(&self) {
            return self.below();
        }
        self.earlier.retain(|data| !lease.is_for(data));
        Some(self)
    }
}

/// The right of one process to undo a run, for a limited time.
///
/// A lease can be serialized and used in a later request.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Lease {
    #[serde(alias = "action_id")]
    pub(in crate::lifecycle) run_id: String,
    pub(in crate::lifecycle) order: i64,
    pub(in crate::lifecycle) claims: u64,
    /// The version of the entry since the claim, if it holds these data alone.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(in crate::lifecycle) alone_at: Option<u64>,
}

impl Lease {
    fn is_for(&self, data: &UndoData) -> bool {
        data.claimed_until.is_some() && (data.order, data.claims) == (self.order, self.claims)
    }
}
