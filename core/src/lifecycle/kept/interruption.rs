//! Why the handler of a run was cut off.

use serde::{Deserialize, Serialize};

use crate::lifecycle::time::Time;
use crate::slug::slugs;
use crate::visible::made_visible;

slugs! {
    /// The code of why a handler was cut off.
    #[derive(Serialize, Deserialize)]
    #[serde(rename_all = "snake_case")]
    #[non_exhaustive]
    pub enum InterruptionCode {
        /// The lease ended: the process was killed, lost its store, or hangs.
        LeaseOver => "lease_over",
        /// The handler ended the process or the request, by `exit` for example.
        Exit => "exit",
        /// An error that nothing catches ended the process or the request.
        Fatal => "fatal",
        /// The handler's time was over, and nobody can stop it.
        TimedOut => "timed_out",
    }
}

/// Why the handler of a run was cut off.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Interruption {
    /// The code.
    pub code: InterruptionCode,
    /// What the host knows of it, without secrets; an error's message for example.
    pub detail: Option<String>,
    /// When it was seen.
    pub seen_at: Time,
    /// Which attempt was cut off, from 1.
    pub attempt: u32,
}

impl Interruption {
    /// The longest detail that is kept, in characters.
    pub const LONGEST_DETAIL: usize = 1000;
}

/// What a host knows of why it cuts a handler off.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct HandlerEnd {
    /// The code.
    pub code: InterruptionCode,
    /// More, without secrets.
    pub detail: Option<String>,
}

impl From<InterruptionCode> for HandlerEnd {
    fn from(code: InterruptionCode) -> Self {
        Self { code, detail: None }
    }
}

impl HandlerEnd {
    pub(in crate::lifecycle) fn at(&self, attempt: u32, now: i64) -> Interruption {
        let shortened = |detail: &String| {
            made_visible(detail.chars().take(Interruption::LONGEST_DETAIL).collect())
        };
        Interruption {
            code: self.code,
            detail: self.detail.as_ref().map(shortened),
            seen_at: Time::from_micros(now),
            attempt,
        }
    }
}
