//! The undo data of an action's runs, one above the other, and the lease on one of them.

use serde::{Deserialize, Serialize};
use serde_json::value::RawValue;

use super::time::Time;
use crate::store::{StoreError, StoreErrorKind};

/// The runs of one action whose undo data are kept.
pub(super) const MOST_RUNS: usize = 32;

/// Undo data that is still to be stored.
#[derive(Clone, Debug)]
pub struct NewUndo {
    /// The action that ran.
    pub action_id: String,
    /// The tool that it ran.
    pub tool_name: String,
    /// What the tool's undo handler is given, as JSON.
    pub undo_data: Box<RawValue>,
}

/// What it takes to undo an action.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct UndoData {
    /// The action that ran.
    pub action_id: String,
    /// The tool that it ran.
    pub tool_name: String,
    /// What the tool's undo handler is given, as JSON, to the byte as it was given.
    pub undo_data: Box<RawValue>,
    /// When it was stored.
    pub created_at: Time,
    /// The last microsecond at which the action may be undone, if that may not be done forever.
    pub expires_at: Option<Time>,
    /// Until when nobody but who claimed it may undo the action.
    pub claimed_until: Option<Time>,
    /// Its place among the undo data of the store.
    pub(super) order: i64,
    /// How often it was claimed.
    #[serde(default)]
    pub(super) claims: u64,
    /// The undo data of the action's earlier runs, the oldest first.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub(super) earlier: Vec<UndoData>,
}

impl UndoData {
    pub(super) fn expired(&self, now: i64) -> bool {
        self.expires_at.is_some_and(|at| now > at.micros())
    }

    pub(super) fn claimed(&self, now: i64) -> Option<Time> {
        self.claimed_until.filter(|until| now <= until.micros())
    }

    /// How long the entry stays: no lease is cut short, and no earlier run.
    pub(super) fn kept_until(&self) -> Option<i64> {
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

    /// Puts these data above those that the action had, of which the expired ones go.
    pub(super) fn above(mut self, mut below: Self, now: i64) -> Result<Self, StoreError> {
        let mut earlier = std::mem::take(&mut below.earlier);
        earlier.push(below);
        earlier.retain(|data| !data.expired(now) || data.claimed(now).is_some());
        if earlier.len() >= MOST_RUNS {
            let message =
                format!("the action has undo data of {MOST_RUNS} runs; undo or delete some first");
            return Err(StoreError::new(StoreErrorKind::Host, message));
        }
        self.earlier = earlier;
        Ok(self)
    }

    /// What is left when the newest data are gone.
    fn below(mut self) -> Option<Self> {
        let mut earlier = std::mem::take(&mut self.earlier);
        let newest = earlier.pop()?;
        Some(Self { earlier, ..newest })
    }

    /// The newest data that have not expired, above what is below them.
    pub(super) fn current(self, now: i64) -> Option<Self> {
        let mut data = self;
        while data.expired(now) {
            data = data.below()?;
        }
        Some(data)
    }

    /// The data alone.
    pub(super) fn alone(self) -> Self {
        Self { earlier: Vec::new(), ..self }
    }

    /// The data that a lease is for, if they are there and nobody claimed them since.
    pub(super) fn leased(&mut self, lease: &Lease) -> Option<&mut Self> {
        if lease.is_for(self) {
            return Some(self);
        }
        self.earlier.iter_mut().find(|data| lease.is_for(data))
    }

    /// What is left without the data that a lease is for.
    pub(super) fn without(mut self, lease: &Lease) -> Option<Self> {
        if lease.is_for(&self) {
            return self.below();
        }
        self.earlier.retain(|data| !lease.is_for(data));
        Some(self)
    }
}

/// That one process, and no other, may undo an action for a while.
///
/// It can be written down and taken up in a later request.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Lease {
    pub(super) action_id: String,
    pub(super) order: i64,
    pub(super) claims: u64,
}

impl Lease {
    fn is_for(&self, data: &UndoData) -> bool {
        data.claimed_until.is_some() && (data.order, data.claims) == (self.order, self.claims)
    }
}
