//! Cases of runs: a host that acts as a case says.

use std::sync::Arc;

use serde::Deserialize;
use serde_json::{Map, Value, json};
use toolwire::compat::stageflow;
use toolwire::json::{infinite_in, parse_json};
use toolwire::lifecycle::{
    Answer, ApprovalDetail, Approvals, Decision, Execution, Moment, NewApproval, OutputFacts,
    RateLimiter, Run, RunEvent, RunFailure, Settings, Step, UndoAnswer, UndoStep, Undoing,
    undo_message,
};
use toolwire::redact::Redaction;
use toolwire::registry::ToolSpec;
use toolwire::store::{MemoryStore, Store};

use crate::tool_input::{Tool, summed};
use crate::tools::said;

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub struct RunInput {
    #[serde(rename = "function")]
    _function: String,
    tool: Tool,
    handler: Handler,
    payload: Value,
    #[serde(default)]
    context: Context,
    /// Whether the caller has permission, or why not.
    permission: Option<Value>,
    /// The number of runs; only the last one is compared.
    runs: Option<usize>,
    approval: Option<Approval>,
    #[serde(default)]
    settings: Wanted,
    redact: Option<Vec<String>>,
    /// Whether the run is undone, or the error that the undo handler raises.
    undo: Option<Value>,
    /// What a run would change, at the time of the request for approval and when the run continues.
    changes: Option<[Value; 2]>,
    /// Whether the outcome lists the arguments that each step was given, as JSON text.
    #[serde(default)]
    look: bool,
}

#[derive(Deserialize)]
#[serde(rename_all = "snake_case", deny_unknown_fields)]
enum Handler {
    Ok {
        data: Option<Value>,
        artifacts: Option<Vec<Value>>,
        undo_metadata: Option<Map<String, Value>>,
    },
    Fail(String),
    Raise(String),
}

#[derive(Default, Deserialize)]
#[serde(deny_unknown_fields)]
struct Context {
    mode: Option<String>,
    parent_id: Option<String>,
    request_id: Option<String>,
}

#[derive(Deserialize)]
#[serde(untagged, deny_unknown_fields)]
enum Approval {
    Decided { granted: bool, reason: Option<String> },
    Ended(String),
}

#[derive(Deserialize)]
#[serde(default, deny_unknown_fields)]
struct Wanted {
    emit_events: bool,
    ask_approval: bool,
    store_undo: bool,
}

impl Default for Wanted {
    fn default() -> Self {
        Self { emit_events: true, ask_approval: true, store_undo: true }
    }
}

/// A host that acts as a case says.
struct Host<'i> {
    input: &'i RunInput,
    spec: Arc<ToolSpec>,
    approvals: Approvals,
    limiter: Option<RateLimiter>,
    told: Vec<Value>,
    /// The arguments that the host holds, and the arguments that each step was given.
    payload: Value,
    looked: Map<String, Value>,
    now: i64,
}

pub fn run(input: &RunInput) -> Value {
    let store: Arc<dyn Store> = Arc::new(MemoryStore::default());
    let spec = Arc::new(input.tool.clone().spec());
    let limiter = spec.limits.rate.map(|limit| RateLimiter::new(Arc::clone(&store), limit));
    let mut host = Host {
        input,
        spec,
        approvals: Approvals::new(store),
        limiter,
        told: Vec::new(),
        payload: input.payload.clone(),
        looked: Map::new(),
        now: 0,
    };
    let mut ended = (String::new(), None);
    for _ in 0..input.runs.unwrap_or(1) {
        host.told.clear();
        ended = host.run();
    }
    let (state, failure) = ended;
    let error = failure.map(|failure: RunFailure| {
        let name = &host.spec.name;
        let message = said(&failure.message(name), &stageflow::failure_message(&failure, name));
        json!({"kind": failure.code().slug(), "message": message})
    });
    let undone = input.undo.as_ref().map(|undo| host.undo(&state, undo));
    let mut made = json!({"state": state, "error": error, "events": host.told});
    if let Some(undone) = undone {
        made["undone"] = undone;
    }
    if input.look {
        host.looked.sort_keys();
        made["looked"] = Value::Object(host.looked);
    }
    made
}

impl Host<'_> {
    fn about(&self) -> Run {
        let Context { mode, parent_id, request_id } = &self.input.context;
        Run {
            mode: mode.clone(),
            parent_id: parent_id.clone(),
            request_id: request_id.clone(),
            ..Run::new("a1")
        }
    }

    fn moment(&mut self) -> Moment {
        self.now += 1;
        Moment { wall_us: self.now, ticks_ns: 0 }
    }

    /// Runs the tool until it ends or waits for a decision that never comes; returns the state, and
    /// the failure if there is no output.
    fn run(&mut self) -> (String, Option<RunFailure>) {
        let settings = Settings {
            emit_events: self.input.settings.emit_events,
            ask_approval: self.input.settings.ask_approval,
            store_undo: self.input.settings.store_undo,
            approval_timeout_ms: 60_000,
            ask_permission: self.input.permission.is_some(),
        };
        let mut execution = Execution::new(Arc::clone(&self.spec), self.about(), settings);
        let payload = summed(&self.input.payload, self.input.redact.as_deref());
        let mut answer = match infinite_in(&self.input.payload) {
            Some(path) => Answer::BadNumber { path },
            None => Answer::Done,
        };
        loop {
            let moment = self.moment();
            answer = match execution.advance(answer, moment).unwrap() {
                Step::Emit(event) => {
                    self.told.push(told(&event, &payload));
                    Answer::Done
                }
                Step::CheckPermission { .. } => {
                    self.look("permission");
                    match &self.input.permission {
                        Some(Value::String(reason)) => Answer::Refused { reason: reason.clone() },
                        _ => Answer::Granted,
                    }
                }
                Step::CheckInput => Answer::Arguments(Arc::new(self.input.payload.clone())),
                Step::ReplaceArguments { arguments } => {
                    self.payload = parse_json(arguments.as_bytes()).unwrap();
                    Answer::Done
                }
                Step::CheckLimit => self.count(),
                Step::RequestApproval { message } => {
                    let detail = self.detail(0);
                    let new = NewApproval {
                        id: Some("q".to_owned()),
                        approval_message: message,
                        detail: Some(detail.clone()),
                        ..NewApproval::default()
                    };
                    let request = self.approvals.request(new, self.now).unwrap();
                    let arguments = self.approvals.arguments("q", self.now).unwrap().unwrap();
                    assert_eq!((request.id.as_str(), request.size), ("q", Some(detail.size)));
                    assert_eq!(request.fingerprint.as_ref(), Some(&detail.fingerprint));
                    if let Some(changes) = self.approvals.changes("q", self.now).unwrap() {
                        self.looked.insert("changes".to_owned(), json!(changes));
                    }
                    self.looked.insert("approver".to_owned(), json!(arguments.get()));
                    self.looked.insert("size".to_owned(), json!(detail.size));
                    self.looked.insert("fingerprint".to_owned(), json!(detail.fingerprint));
                    let fingerprint = Some(detail.fingerprint);
                    Answer::Requested { request_id: "q".to_owned(), fingerprint }
                }
                Step::VerifyApproval => Answer::Fingerprint(self.detail(1).fingerprint),
                Step::AwaitApproval { request_id, .. } => match self.decide(&request_id) {
                    Some(answer) => answer,
                    None => break,
                },
                Step::Run => {
                    self.look("handler");
                    self.handle()
                }
                Step::StoreUndo => Answer::Done,
                Step::Finished(failure) => {
                    return (execution.state().slug().to_owned(), failure);
                }
                other @ Step::CancelApproval { .. } => panic!("{other:?}"),
            };
        }
        (execution.state().slug().to_owned(), None)
    }

    /// Notes the arguments of a step.
    fn look(&mut self, step: &str) {
        self.looked.insert(step.to_owned(), json!(self.payload.to_string()));
    }

    /// The detail that a person approves, with the changes at that time.
    fn detail(&self, then: usize) -> ApprovalDetail {
        let redaction = self.input.redact.as_ref().map_or_else(Redaction::default, Redaction::new);
        let changes = self.input.changes.as_ref().map(|changes| &changes[then]);
        ApprovalDetail::new(&self.spec.name, &self.payload, changes, &redaction)
    }

    fn count(&self) -> Answer {
        self.limiter.as_ref().unwrap().check("t", "", self.now).unwrap().into()
    }

    fn decide(&self, request_id: &str) -> Option<Answer> {
        match self.input.approval.as_ref()? {
            Approval::Decided { granted, reason } => {
                let decision =
                    Decision { granted: *granted, reason: reason.clone(), ..Decision::default() };
                self.approvals.decide(request_id, &decision, self.now).unwrap();
                Some(Answer::Decided {
                    granted: *granted,
                    reason: reason.clone(),
                    fingerprint: None,
                })
            }
            Approval::Ended(how) if how == "cancelled" => {
                assert!(self.approvals.cancel(request_id, self.now).unwrap());
                Some(Answer::Decided {
                    granted: false,
                    reason: Some("cancelled".to_owned()),
                    fingerprint: None,
                })
            }
            Approval::Ended(how) => {
                assert_eq!(how, "expired");
                Some(Answer::TimedOut)
            }
        }
    }

    fn handle(&self) -> Answer {
        match &self.input.handler {
            Handler::Raise(message) => {
                Answer::Raised { class: "E".to_owned(), message: message.clone() }
            }
            Handler::Fail(error) => Answer::Output(OutputFacts {
                has_error: !error.is_empty(),
                ..OutputFacts::default()
            }),
            Handler::Ok { data, artifacts, undo_metadata } => Answer::Output(OutputFacts {
                success: true,
                has_data: data.is_some(),
                has_error: false,
                artifacts: artifacts.as_ref().map_or(0, Vec::len),
                has_undo_metadata: undo_metadata
                    .as_ref()
                    .is_some_and(|metadata| !metadata.is_empty()),
            }),
        }
    }

    /// Undoes the run, if it kept undo data and the tool can be undone.
    fn undo(&mut self, state: &str, undo: &Value) -> Value {
        let kept = matches!(&self.input.handler, Handler::Ok { undo_metadata: Some(data), .. } if !data.is_empty());
        if !(kept && self.spec.undoable && self.input.settings.store_undo && state == "completed") {
            return json!(false);
        }
        let mut undoing = Undoing::new(Arc::clone(&self.spec), self.about(), "then", true);
        let mut answer = UndoAnswer::Done;
        loop {
            let moment = self.moment();
            let step = undoing.advance(answer, moment).unwrap();
            answer = UndoAnswer::Done;
            match step {
                UndoStep::Run => {
                    if let Value::String(message) = undo {
                        answer =
                            UndoAnswer::Raised { class: "E".to_owned(), message: message.clone() };
                    }
                }
                UndoStep::Emit(event) => self.told.push(told(&event, &Value::Null)),
                UndoStep::Forget | UndoStep::Release => {}
                UndoStep::Finished(None) => return json!(true),
                UndoStep::Finished(Some(reason)) => {
                    let name = &self.spec.name;
                    let theirs = stageflow::undo_message(name, "a1", &reason);
                    return said(&undo_message(name, "a1", &reason), &theirs);
                }
            }
        }
    }
}

/// An event, with words in place of the values that differ in each run.
fn told(event: &RunEvent, payload: &Value) -> Value {
    let name = event.kind.slug();
    let mut data = event.to_json(payload);
    for (key, value) in data.as_object_mut().unwrap() {
        let word = match key.as_str() {
            "timestamp" | "ran_at" => "<time>",
            "duration_ms" => "<ms>",
            "error_code" => "<class>",
            "reason" if name == "tool.undo_failed" => "<class>",
            "request_id" if name.starts_with("approval.") => "<request>",
            _ => continue,
        };
        *value = json!(word);
    }
    json!({"type": name, "data": data})
}
