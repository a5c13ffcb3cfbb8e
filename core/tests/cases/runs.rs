//! The topic `runs`: what a person and a program do with one run of a store, step by step, and how
//! it stands after each step.

use std::collections::VecDeque;
use std::sync::{Arc, Mutex};
use std::thread;
use std::time::Duration;

use serde::Deserialize;
use serde_json::{Value, json};
use toolwire::executor::{Action, Executor, Fault, Tool, ToolInput, ToolOutput, ToolRun, clock};
use toolwire::lifecycle::{ApprovalError, Decision, RunFailure, RunsError, Settings, UndoData};
use toolwire::registry::ToolSpec;
use toolwire::store::{Condition, MemoryStore, Store, Write};

use crate::case::Case;

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Input {
    /// Whether the tool asks a person.
    #[serde(default)]
    approval: bool,
    /// What the handler gives or raises each time; the last one again and again.
    handler: Vec<Handler>,
    /// Whether the caller may, or why not, at each check; the last one again and again.
    #[serde(default)]
    permission: Vec<Value>,
    /// The schema of the tool's arguments.
    schema: Option<Value>,
    /// How long a person has to decide.
    #[serde(default = "a_minute")]
    timeout_ms: u64,
    /// An entry of the store that another process has left, under its key. Its fields have the
    /// names of older versions.
    left: Option<Left>,
    steps: Vec<String>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Left {
    key: String,
    value: Value,
}

fn a_minute() -> u64 {
    60_000
}

#[derive(Clone, Deserialize)]
#[serde(rename_all = "snake_case", deny_unknown_fields)]
enum Handler {
    Ok(Value),
    Raise(String),
    /// The handler gives its arguments.
    Echo,
}

/// What a run does, and how often it did something.
struct World {
    executor: Executor,
    events: Arc<Mutex<Vec<&'static str>>>,
    ran: Arc<Mutex<usize>>,
    id: String,
}

/// Runs a case of `runs`.
pub fn runs(case: &Case) -> Result<(), String> {
    let input: Input = case.input()?;
    let mut world = World::new(&input);
    let stands: Result<Vec<_>, _> = input.steps.iter().map(|step| world.step(step)).collect();
    case.check(Ok(json!({"stands": stands?})))
}

/// Takes the next of some values, and the last one again and again.
fn next<T: Clone>(values: &Mutex<VecDeque<T>>) -> Option<T> {
    let mut values = values.lock().unwrap();
    if values.len() > 1 { values.pop_front() } else { values.front().cloned() }
}

impl World {
    fn new(input: &Input) -> Self {
        let approval_timeout_ms = input.timeout_ms;
        let settings = Settings { approval_timeout_ms, ..Settings::default() };
        let store = MemoryStore::default();
        let mut id = String::new();
        if let Some(Left { key, value }) = &input.left {
            let value_text = value.to_string();
            let write =
                Write { value: value_text.as_bytes(), expect: Condition::Absent, expires_at: None };
            store.put(key, write, 0).unwrap();
            value["id"].as_str().unwrap().clone_into(&mut id);
        }
        let mut executor = Executor::new(Arc::new(store), settings);
        let spec = ToolSpec {
            requires_approval: input.approval,
            undoable: true,
            ..ToolSpec::new("wipe").with_id("WIPE")
        };
        let spec = match &input.schema {
            Some(schema) => spec.with_schema(schema).unwrap(),
            None => spec,
        };
        let (ran, handler) = (Arc::new(Mutex::new(0)), Mutex::new(input.handler.clone().into()));
        let counted = Arc::clone(&ran);
        let wipe = Wipe { ran: counted, handler };
        executor.register(spec, wipe).unwrap();
        if !input.permission.is_empty() {
            let permission = Mutex::new(VecDeque::from(input.permission.clone()));
            executor.set_policy(move |_, _| match next(&permission) {
                Some(Value::String(reason)) => Err(reason),
                _ => Ok(()),
            });
        }
        let events = Arc::new(Mutex::new(Vec::new()));
        let told = Arc::clone(&events);
        executor.listen(move |event| told.lock().unwrap().push(event.kind.slug()));
        Self { executor, events, ran, id }
    }

    /// Takes a step, and tells how the run stands then.
    fn step(&mut self, step: &str) -> Result<Value, String> {
        self.events.lock().unwrap().clear();
        let with = |disk: Value| Action::new("call_1", "WIPE", json!({"disk": disk}));
        let call = |disk: i64| with(disk.into());
        let (executor, id) = (&self.executor, self.id.clone());
        let run = match step {
            "start" => Some(executor.start(&call(7))),
            "start other" => Some(executor.start(&call(8))),
            "start written otherwise" => Some(executor.start(&with(json!(7.0)))),
            "start again" => Some(executor.start_again(&call(7))),
            "resume" => executor.resume(&id).transpose(),
            "retry" => Some(executor.retry(&id).map_err(Fault::from)),
            "look" => self.look(),
            "approve" => self.decide(&Decision::approved()),
            "approve changed" => self.approve(&json!({"disk": 9})),
            "approve bad" => self.approve(&json!({"disk": "nine"})),
            "deny" => self.decide(&Decision { granted: false, ..Decision::approved() }),
            "wait" => {
                thread::sleep(Duration::from_millis(60));
                self.look()
            }
            "undo" => {
                executor.undo(&id).map_err(|error| error.to_string())?;
                self.look()
            }
            "forget" => {
                executor.forget(&id).map_err(|error| error.to_string())?;
                self.look()
            }
            other => return Err(format!("an unknown step {other:?}")),
        };
        let mut stands = match run {
            None => json!({"state": null}),
            Some(Ok(run)) => {
                let stands = told(&run);
                self.id = run.id;
                stands
            }
            Some(Err(fault)) => {
                let of_run = fault.downcast_ref().map(RunsError::slug);
                let refused = of_run.or_else(|| fault.downcast_ref().map(ApprovalError::slug));
                json!({"refused": refused.ok_or_else(|| fault.to_string())?})
            }
        };
        stands["ran"] = (*self.ran.lock().unwrap()).into();
        stands["events"] = json!(*self.events.lock().unwrap());
        Ok(stands)
    }

    fn look(&self) -> Option<Result<ToolRun, Fault>> {
        self.executor.get(&self.id).map_err(Fault::from).transpose()
    }

    /// Approves other arguments than the call's.
    fn approve(&self, arguments: &Value) -> Option<Result<ToolRun, Fault>> {
        let request = self.executor.get(&self.id).unwrap()?.approval_id.unwrap();
        let arguments = arguments.as_object().unwrap().clone();
        match self.executor.approve_changed(&request, arguments, &Decision::approved()) {
            Ok(_) => self.look(),
            Err(refused) => Some(Err(refused)),
        }
    }

    fn decide(&self, decision: &Decision) -> Option<Result<ToolRun, Fault>> {
        let run = self.executor.get(&self.id).unwrap().unwrap();
        let request = run.approval_id.unwrap();
        self.executor.approvals().decide(&request, decision, clock::now()).unwrap();
        self.look()
    }
}

fn told(run: &ToolRun) -> Value {
    let output = run.output.as_ref().and_then(|output| output.data.clone());
    json!({
        "state": run.state.slug(),
        "code": run.failure.as_ref().map(RunFailure::slug),
        "output": output,
    })
}

struct Wipe {
    ran: Arc<Mutex<usize>>,
    handler: Mutex<VecDeque<Handler>>,
}

impl Tool for Wipe {
    fn run(&self, input: &ToolInput) -> Result<ToolOutput, Fault> {
        *self.ran.lock().unwrap() += 1;
        match next(&self.handler) {
            Some(Handler::Raise(message)) => Err(message.into()),
            Some(Handler::Echo) => Ok(ToolOutput::ok((*input.arguments).clone())),
            Some(Handler::Ok(data)) => Ok(ToolOutput::ok(data).with_undo(1)),
            None => Err("the case has no handler".into()),
        }
    }

    fn undo(&self, _: &UndoData) -> Result<(), Fault> {
        Ok(())
    }
}
