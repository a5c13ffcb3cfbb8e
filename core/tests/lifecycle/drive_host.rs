//! A host of driven runs that notes each need, and what it tries before it answers.

use std::sync::Arc;

use serde_json::json;
use serde_json::value::{RawValue, to_raw_value};
use toolwire::lifecycle::{
    Answer, ApprovalDetail, Approvals, ApprovalsStep, Blame, Drive, DriveAnswer, DriveEnd,
    Execution, Moment, Naming, Need, NewDrive, OutputFacts, Run, RunStart, RunState, Runs,
    RunsStep, Settings, ShownDetail, Step,
};
use toolwire::redact::Redaction;
use toolwire::registry::{RateLimit, ToolSpec};
use toolwire::store::MemoryStore;

pub(crate) const ID: &str = "run-1";

/// How the store fails at an operation.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Loss {
    /// Nothing is written.
    Nothing,
    /// It is written, and the answer is lost.
    Answer,
}

/// A store, a tool and the host's answers.
pub(crate) struct World {
    pub(crate) runs: Runs,
    pub(crate) approvals: Approvals,
    pub(crate) tool: Arc<ToolSpec>,
    pub(crate) now: i64,
    /// What the handler gives.
    pub(crate) handler: DriveAnswer,
    /// What a check of the permission gives.
    pub(crate) permission: DriveAnswer,
    /// The operation of the store that fails, counted from 0.
    pub(crate) fails: Option<(usize, Loss)>,
    pub(crate) operations: usize,
    /// How often the handler ran.
    pub(crate) ran: usize,
    /// The needs of the last drive, one word each.
    pub(crate) needs: Vec<String>,
}

pub(crate) fn raw(json: &str) -> Box<RawValue> {
    RawValue::from_string(json.to_owned()).unwrap()
}

pub(crate) fn given() -> DriveAnswer {
    let facts = OutputFacts { success: true, has_undo_metadata: true, ..OutputFacts::default() };
    DriveAnswer::Output { facts, json: Some(raw("7")) }
}

pub(crate) fn raised() -> Answer {
    Answer::Raised { class: "E".to_owned(), message: "no".to_owned() }
}

impl World {
    /// A tool that asks nothing, in an empty store.
    pub(crate) fn plain() -> Self {
        Self::of(ToolSpec::new("wipe").with_id("WIPE"))
    }

    /// A tool with every check that there is.
    pub(crate) fn checked() -> Self {
        let mut tool = ToolSpec {
            requires_approval: true,
            capability: Some("wipe".to_owned()),
            undoable: true,
            ..ToolSpec::new("wipe").with_id("WIPE")
        };
        tool.limits.rate = RateLimit::new(1, 1_000_000).ok();
        Self::of(tool)
    }

    fn of(tool: ToolSpec) -> Self {
        let store = Arc::new(MemoryStore::default());
        Self {
            runs: Runs::new(Arc::clone(&store) as _),
            approvals: Approvals::new(store),
            tool: Arc::new(tool),
            now: 0,
            handler: given(),
            permission: Answer::Granted.into(),
            fails: None,
            operations: 0,
            ran: 0,
            needs: Vec::new(),
        }
    }

    pub(crate) fn start(&mut self) -> Option<DriveEnd> {
        let drive = self.starting(RunStart::Once);
        self.drive(drive)
    }

    pub(crate) fn starting(&self, start: RunStart) -> Drive {
        Drive::start(NewDrive {
            tool: Arc::clone(&self.tool),
            run: Run::new(ID),
            named: Naming::Own,
            caller: "ann".to_owned(),
            start,
            settings: Settings::default(),
        })
    }

    pub(crate) fn resume(&mut self) -> Option<DriveEnd> {
        self.drive(Drive::resume(ID, Settings::default()))
    }

    pub(crate) fn execution(&self) -> Execution {
        Execution::new(Arc::clone(&self.tool), Run::new(ID), Settings::default())
    }

    pub(crate) fn drive(&mut self, drive: Drive) -> Option<DriveEnd> {
        self.drive_trying(drive, |_, _| {})
    }

    /// Drives to the end, and gives it; nothing if the host was asked for a tool that it has not.
    pub(crate) fn drive_trying(
        &mut self,
        mut drive: Drive,
        mut tries: impl FnMut(&mut Drive, &Need),
    ) -> Option<DriveEnd> {
        self.needs.clear();
        let mut answer = DriveAnswer::from(Answer::Done);
        loop {
            let need = drive.advance(answer, self.at()).unwrap();
            self.needs.push(name(&need));
            tries(&mut drive, &need);
            answer = match need {
                Need::End(end) => return Some(end),
                need => self.answer(need),
            };
        }
    }

    pub(crate) fn at(&self) -> Moment {
        Moment { wall_us: self.now, ticks_ns: self.now.unsigned_abs() * 1000 }
    }

    pub(crate) fn answer(&mut self, need: Need) -> DriveAnswer {
        match need {
            Need::Step(step) => self.step(&step),
            Need::Runs(step) => {
                let (runs, at) = (&self.runs, self.at());
                let answer = || step.perform(runs, Runs::LEASE, at).map_err(|error| error.blame());
                Self::failing(self.fails, &mut self.operations, answer)
            }
            Need::Approvals(step) => {
                let (approvals, at) = (&self.approvals, self.at());
                let answer = || step.perform(approvals, at).map_err(|_| Blame::Store);
                Self::failing(self.fails, &mut self.operations, answer)
            }
            Need::Ask(step) => {
                let (runs, approvals, at) = (&self.runs, &self.approvals, self.at());
                let answer = || step.perform(runs, approvals, at).map_err(|error| error.blame());
                Self::failing(self.fails, &mut self.operations, answer)
            }
            Need::Tool(_) => DriveAnswer::Tool(Arc::clone(&self.tool)),
            Need::Raise => raised().into(),
            Need::End(end) => panic!("{end:?}"),
        }
    }

    fn failing<A: Into<DriveAnswer>>(
        fails: Option<(usize, Loss)>,
        operations: &mut usize,
        answer: impl FnOnce() -> Result<A, Blame>,
    ) -> DriveAnswer {
        let number = *operations;
        *operations += 1;
        match fails {
            Some((at, Loss::Nothing)) if at == number => DriveAnswer::Failed(Blame::Store),
            Some((at, Loss::Answer)) if at == number => {
                drop(answer());
                DriveAnswer::Failed(Blame::Store)
            }
            _ => answer().map_or_else(DriveAnswer::Failed, Into::into),
        }
    }

    fn step(&mut self, step: &Step) -> DriveAnswer {
        match step {
            Step::CheckInput => Answer::Arguments(Arc::new(json!({"disk": 7}))).into(),
            Step::CheckPermission { .. } => self.permission.clone(),
            Step::CheckLimit => Answer::Granted.into(),
            Step::RequestApproval { .. } => DriveAnswer::Shown(Box::new(shown())),
            Step::AwaitApproval { .. } => {
                Answer::Decided { granted: true, reason: None, fingerprint: None }.into()
            }
            Step::VerifyApproval => Answer::Fingerprint(shown().detail.fingerprint).into(),
            Step::Run => {
                self.ran += 1;
                self.handler.clone()
            }
            Step::Emit(_) | Step::StoreUndo | Step::ReplaceArguments { .. } => Answer::Done.into(),
            other => panic!("{other:?}"),
        }
    }

    pub(crate) fn state(&self) -> Option<RunState> {
        self.runs.get(ID, self.now).unwrap().map(|run| run.state(self.now))
    }

    /// The needs of the last drive, without the events.
    pub(crate) fn needs(&self) -> Vec<&str> {
        let needs = self.needs.iter().map(String::as_str);
        needs.filter(|need| !need.contains('.')).collect()
    }

    /// The events of the last drive.
    pub(crate) fn events(&self) -> Vec<&str> {
        let needs = self.needs.iter().map(String::as_str);
        needs.filter(|need| need.contains('.')).collect()
    }
}

pub(crate) fn shown() -> ShownDetail {
    let arguments = json!({"disk": 7});
    ShownDetail {
        summary: Some(raw("{}")),
        detail: ApprovalDetail::new("wipe", &arguments, None, &Redaction::default()),
        payload: Some(to_raw_value(&arguments).unwrap()),
    }
}

/// A need in one word; the name of the event for one that is emitted.
pub(crate) fn name(need: &Need) -> String {
    let word = match need {
        Need::Step(Step::Emit(event)) => event.kind.slug(),
        Need::Step(Step::CheckInput) => "input",
        Need::Step(Step::CheckPermission { .. }) => "permission",
        Need::Step(Step::CheckLimit) => "limit",
        Need::Step(Step::RequestApproval { .. }) => "show",
        Need::Step(Step::AwaitApproval { .. }) => "await",
        Need::Step(Step::VerifyApproval) => "verify",
        Need::Step(Step::Run) => "run",
        Need::Step(Step::StoreUndo) => "undo",
        Need::Step(other) => panic!("{other:?}"),
        Need::Runs(RunsStep::Begin { .. }) => "begin",
        Need::Runs(RunsStep::Get { .. }) => "get",
        Need::Runs(RunsStep::Claim { .. }) => "claim",
        Need::Runs(RunsStep::Propose { .. }) => "propose",
        Need::Runs(RunsStep::Wait(_)) => "wait",
        Need::Runs(RunsStep::Start { .. }) => "start",
        Need::Runs(RunsStep::GiveBack { .. }) => "give_back",
        Need::Runs(RunsStep::Interrupt { .. }) => "interrupt",
        Need::Runs(RunsStep::Note { .. }) => "note",
        Need::Runs(RunsStep::Retry { .. }) => "retry",
        Need::Runs(RunsStep::Settle { .. }) => "settle",
        Need::Ask(_) => "ask",
        Need::Approvals(ApprovalsStep::Hear { .. }) => "hear",
        Need::Approvals(ApprovalsStep::Find { .. }) => "find",
        Need::Approvals(ApprovalsStep::Request { .. }) => "request",
        Need::Approvals(ApprovalsStep::Cancel { .. }) => "cancel",
        Need::Tool(_) => "tool",
        Need::Raise => "raise",
        Need::End(end) => return format!("{} {}", "end", end_name(end)),
    };
    word.to_owned()
}

fn end_name(end: &DriveEnd) -> &'static str {
    match end {
        DriveEnd::Ended { not_kept: None } => "ended",
        DriveEnd::Ended { not_kept: Some(_) } => "not kept",
        DriveEnd::Waiting => "waiting",
        DriveEnd::Standing(_) => "standing",
        DriveEnd::Reused(_) => "reused",
        DriveEnd::Unknown => "unknown",
        DriveEnd::Forgotten { .. } => "forgotten",
        DriveEnd::Proposed { .. } => "proposed",
        DriveEnd::Failed => "failed",
    }
}
