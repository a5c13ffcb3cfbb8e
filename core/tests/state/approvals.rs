//! Compares requests for approval with a model of them, on every store.

use std::sync::Arc;

use proptest::prelude::*;
use tempfile::TempDir;
use toolwire::lifecycle::{ApprovalError, ApprovalStatus, Approvals, Decision, NewApproval};

use crate::stores;

#[derive(Clone, Debug)]
enum Step {
    Request { action: u8, run: u8, ttl: Option<i64> },
    Decide { request: usize, granted: bool },
    DecideAction { action: u8, granted: bool },
    Cancel { request: usize },
    Expire { request: usize },
    Forget { request: usize },
    Look { request: usize },
    LookAction { action: u8 },
    Pending { run: Option<u8> },
    Wait { micros: i64 },
}

/// A request as the model sees it.
#[derive(Clone, Debug)]
struct Asked {
    id: String,
    action: u8,
    run: u8,
    status: ApprovalStatus,
    expires_at: Option<i64>,
    forgotten: bool,
}

#[derive(Default)]
struct Model {
    asked: Vec<Asked>,
    now: i64,
}

impl Model {
    /// Lets time pass: an undecided request expires at its time.
    fn pass(&mut self, micros: i64) {
        self.now += micros;
        for asked in &mut self.asked {
            let late = asked.expires_at.is_some_and(|at| self.now > at);
            if late && asked.status == ApprovalStatus::Pending {
                asked.status = ApprovalStatus::Expired;
            }
        }
    }

    fn id(&self, request: usize) -> String {
        let index = request % self.asked.len().max(1);
        self.asked.get(index).map_or_else(|| "none".to_owned(), |asked| asked.id.clone())
    }

    fn by_id(&mut self, id: &str) -> Option<&mut Asked> {
        self.asked.iter_mut().find(|asked| asked.id == id && !asked.forgotten)
    }

    /// The request of an action that a decision or a status refers to: the newest pending request,
    /// else the newest.
    fn meant(&mut self, action: u8) -> Option<&mut Asked> {
        let is_pending = |asked: &Asked| asked.status == ApprovalStatus::Pending;
        let of_action = || self.asked.iter().enumerate().rev();
        let of_action =
            || of_action().filter(|(_, asked)| asked.action == action && !asked.forgotten);
        let newest = of_action().next();
        let index = of_action().find(|(_, asked)| is_pending(asked)).or(newest)?.0;
        self.asked.get_mut(index)
    }

    /// Settles a request if it is pending; returns whether it was pending.
    fn close(asked: Option<&mut Asked>, status: ApprovalStatus) -> bool {
        match asked {
            Some(asked) if asked.status == ApprovalStatus::Pending => {
                asked.status = status;
                true
            }
            _ => false,
        }
    }

    fn check(&mut self, approvals: &Approvals, step: &Step) {
        let now = self.now;
        match *step {
            Step::Request { action, run, ttl } => {
                let new = NewApproval {
                    run_id: name(action),
                    parent_id: Some(name(run)),
                    expires_at: ttl.map(|ttl| now + ttl),
                    ..NewApproval::default()
                };
                let id = approvals.request(new, now).unwrap().id;
                let expires_at = ttl.map(|ttl| now + ttl);
                let status = ApprovalStatus::Pending;
                self.asked.push(Asked { id, action, run, status, expires_at, forgotten: false });
            }
            Step::Decide { request, granted } => {
                let id = self.id(request);
                let answer = answer(approvals.decide(&id, &decision(granted), now));
                let asked = self.by_id(&id);
                let before = asked.as_ref().map(|asked| asked.status);
                let taken = Self::close(asked, decided(granted));
                assert_eq!(answer, expected(before, taken.then_some((id, decided(granted)))));
            }
            Step::DecideAction { action, granted } => {
                let answer = answer(approvals.decide(&name(action), &decision(granted), now));
                let asked = self.meant(action);
                let before = asked.as_ref().map(|asked| (asked.status, asked.id.clone()));
                let taken = Self::close(asked, decided(granted));
                let (before, id) = before.unzip();
                assert_eq!(
                    answer,
                    expected(before, id.filter(|_| taken).map(|id| (id, decided(granted))))
                );
            }
            Step::Cancel { request } => {
                let id = self.id(request);
                let cancelled = approvals.cancel(&id, now).unwrap();
                assert_eq!(cancelled, Self::close(self.by_id(&id), ApprovalStatus::Cancelled));
            }
            Step::Expire { request } => {
                let id = self.id(request);
                let expired = approvals.expire(&id, now).unwrap();
                assert_eq!(expired, Self::close(self.by_id(&id), ApprovalStatus::Expired));
            }
            Step::Forget { request } => {
                let id = self.id(request);
                approvals.cleanup(&id, now).unwrap();
                if let Some(asked) = self.by_id(&id) {
                    asked.forgotten = true;
                }
            }
            Step::Look { request } => {
                let id = self.id(request);
                let status = self.by_id(&id).map(|asked| asked.status);
                assert_eq!(approvals.look(&id, now).unwrap(), status);
                assert_eq!(approvals.get(&id, now).unwrap().map(|request| request.status), status);
            }
            Step::LookAction { action } => {
                let status = self.meant(action).map(|asked| asked.status);
                assert_eq!(approvals.status(&name(action), now).unwrap(), status);
            }
            Step::Pending { run } => {
                let pending = approvals.pending(run.map(name).as_deref(), now).unwrap();
                let expected = self.asked.iter().filter(|asked| {
                    asked.status == ApprovalStatus::Pending
                        && !asked.forgotten
                        && run.is_none_or(|run| run == asked.run)
                });
                assert_eq!(
                    pending.iter().map(|request| &request.id).collect::<Vec<_>>(),
                    expected.map(|asked| &asked.id).collect::<Vec<_>>()
                );
            }
            Step::Wait { micros } => self.pass(micros),
        }
    }
}

fn name(number: u8) -> String {
    format!("of/{number}")
}

fn decision(granted: bool) -> Decision {
    if granted { Decision::approved() } else { Decision::denied() }
}

fn decided(granted: bool) -> ApprovalStatus {
    if granted { ApprovalStatus::Approved } else { ApprovalStatus::Denied }
}

type Answer = Result<(String, ApprovalStatus), &'static str>;

fn answer(decided: Result<toolwire::lifecycle::ApprovalRequest, ApprovalError>) -> Answer {
    decided.map(|request| (request.id, request.status)).map_err(|error| error.slug())
}

fn expected(before: Option<ApprovalStatus>, taken: Option<(String, ApprovalStatus)>) -> Answer {
    taken.ok_or(match before {
        None => "unknown_approval",
        Some(ApprovalStatus::Expired) => "approval_expired",
        Some(ApprovalStatus::Cancelled) => "approval_cancelled",
        Some(_) => "already_decided",
    })
}

fn step() -> impl Strategy<Value = Step> {
    let request = any::<usize>;
    let action = || 0_u8..3;
    prop_oneof![
        4 => (action(), action(), proptest::option::of(0_i64..12))
            .prop_map(|(action, run, ttl)| Step::Request { action, run, ttl }),
        2 => (request(), any::<bool>()).prop_map(|(request, granted)| Step::Decide { request, granted }),
        2 => (action(), any::<bool>()).prop_map(|(action, granted)| Step::DecideAction { action, granted }),
        1 => request().prop_map(|request| Step::Cancel { request }),
        1 => request().prop_map(|request| Step::Expire { request }),
        1 => request().prop_map(|request| Step::Forget { request }),
        1 => request().prop_map(|request| Step::Look { request }),
        1 => action().prop_map(|action| Step::LookAction { action }),
        1 => proptest::option::of(action()).prop_map(|run| Step::Pending { run }),
        1 => (0_i64..5).prop_map(|micros| Step::Wait { micros }),
    ]
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 48, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn requests_are_what_was_made_of_them(steps in proptest::collection::vec(step(), 1..60)) {
        let folder: TempDir = tempfile::tempdir().unwrap();
        for (_, store) in stores(&folder) {
            let approvals = Approvals::new(Arc::clone(&store));
            let mut model = Model::default();
            for step in &steps {
                model.check(&approvals, step);
            }
        }
    }
}
