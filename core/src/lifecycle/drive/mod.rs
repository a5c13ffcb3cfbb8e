//! One run of a call, driven to its end: the machine that decides what a host does next.
//!
//! [`Drive`] owns the decisions over a run of a store: whether the run begins, whether this process
//! may take it up, what follows when another process has it or when the store fails, and what is
//! written down. It does no I/O. It yields a [`Need`]: a step of the run for the host, an operation
//! on the store, which the host performs where and when it likes, or the end. A host is a loop over
//! that. One that waits for its store in threads and one that calls its store at once are the same
//! to the machine.
//!
//! ```
//! use std::sync::Arc;
//! use toolwire::lifecycle::{
//!     Answer, Approvals, Drive, DriveAnswer, Moment, Naming, Need, NewDrive, OutputFacts, Run,
//!     RunStart, RunState, Runs, Settings, Step,
//! };
//! use toolwire::registry::ToolSpec;
//! use toolwire::store::MemoryStore;
//!
//! let store = Arc::new(MemoryStore::default());
//! let (runs, approvals) = (Runs::new(Arc::clone(&store) as _), Approvals::new(store));
//! let mut drive = Drive::start(NewDrive {
//!     tool: Arc::new(ToolSpec::new("greet").with_id("GREET")),
//!     run: Run::new("run-1"),
//!     named: Naming::Own,
//!     caller: String::new(),
//!     start: RunStart::Once,
//!     settings: Settings::default(),
//! });
//! let (mut answer, mut emitted, now) = (Answer::Done.into(), Vec::new(), Moment::default());
//! loop {
//!     answer = match drive.advance(answer, now)? {
//!         Need::Step(Step::CheckInput) => Answer::Arguments(Arc::new("Ada".into())).into(),
//!         Need::Step(Step::Emit(event)) => {
//!             emitted.push(event.kind.slug());
//!             Answer::Done.into()
//!         }
//!         Need::Step(Step::Run) => {
//!             let facts = OutputFacts { success: true, ..OutputFacts::default() };
//!             DriveAnswer::Output { facts, json: None }
//!         }
//!         Need::Runs(step) => step.perform(&runs, Runs::LEASE, now)?.into(),
//!         Need::Approvals(step) => step.perform(&approvals, now)?.into(),
//!         Need::Ask(step) => step.perform(&runs, &approvals, now)?.into(),
//!         Need::End(_) => break,
//!         other => panic!("{other:?}"),
//!     };
//! }
//! assert_eq!(emitted, ["tool.invoked", "tool.started", "tool.completed"]);
//! assert_eq!(runs.get("run-1", 0)?.map(|run| run.state(0)), Some(RunState::Completed));
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```

mod ask_step;
mod asking;
mod asking_run;
mod call;
mod course;
mod entry;
mod last_need;
mod machine;
mod need;
mod store_step;

pub use ask_step::AskStep;
pub use asking_run::WaitStep;
pub use call::{NewDrive, RunStart};
pub use machine::{Drive, DrivenRun};
pub use need::{Blame, DriveAnswer, DriveEnd, Need, NotKept, ShownDetail};
pub use store_step::{ApprovalsStep, RunsStep, StoreAnswer};
