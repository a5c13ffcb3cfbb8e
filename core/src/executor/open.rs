//! The runs that a thread has claimed, for a host that may leave them without unwinding the stack:
//! by the exit of a script, by a fatal error, at a time limit.

use std::cell::RefCell;
use std::sync::Arc;

use super::clock;
use super::host::Teller;
use crate::lifecycle::{HandlerEnd, RunClaim, Runs};

thread_local! {
    static OPEN: RefCell<Vec<OpenRun>> = const { RefCell::new(Vec::new()) };
}

/// A run of this thread that has not ended.
struct OpenRun {
    runs: Arc<Runs>,
    claim: RunClaim,
    /// What emits its event, if somebody is to be told.
    teller: Option<Teller>,
    /// A copy of the process has the claim too, but the run is not its own.
    process: u32,
}

/// Notes a run that this thread has claimed.
pub(super) fn open(runs: &Arc<Runs>, claim: &RunClaim, teller: Option<Teller>) {
    let (runs, claim, process) = (Arc::clone(runs), claim.clone(), std::process::id());
    let run = OpenRun { runs, claim, teller, process };
    OPEN.with_borrow_mut(|open| open.push(run));
}

/// Forgets a run that has ended or was given back.
pub(super) fn close(runs: &Arc<Runs>, id: &str) {
    let is_this = |run: &OpenRun| run.claim.record.id == id && Arc::ptr_eq(&run.runs, runs);
    OPEN.with_borrow_mut(|open| {
        if let Some(place) = open.iter().rposition(is_this) {
            open.swap_remove(place);
        }
    });
}

/// Ends the runs that this thread has left without unwinding the stack, and returns how many there
/// were. A run whose handler was started is `interrupted` from now on, for this reason, and any
/// other one can be taken up again; without this, both only are when the lease ends. The listeners
/// are told when the store has all of it.
///
/// A store that fails is left alone: the lease ends there too.
#[must_use = "it is the number of runs that were left"]
pub fn interrupt_open_runs(why: &HandlerEnd) -> usize {
    let left = OPEN.take();
    let own = left.iter().filter(|run| run.process == std::process::id());
    let ended = own.filter_map(|run| {
        let found = run.runs.interrupt(&run.claim, why, clock::now()).ok().flatten()?;
        Some((run, found))
    });
    let ended: Vec<_> = ended.collect();
    for (run, found) in &ended {
        if let (Some(event), Some(tell)) = (found.event(clock::moment()), &run.teller)
            && tell(&event).is_break()
        {
            break;
        }
    }
    ended.len()
}

/// Forgets the runs of this thread without a word to the store.
pub fn forget_open_runs() {
    drop(OPEN.take());
}

#[cfg(test)]
mod tests {
    use std::ops::ControlFlow;
    use std::rc::Rc;

    use serde_json::Value;

    use super::*;
    use crate::executor::clock::moment;
    use crate::lifecycle::{Begun, InterruptionCode, Naming, NewRun, Run, RunState, RunTool};
    use crate::store::MemoryStore;

    fn begun(runs: &Runs, id: &str) -> RunClaim {
        let tool = RunTool { name: "edit".to_owned(), id: "EDIT".to_owned() };
        let new = NewRun {
            run: Run::new(id),
            named: Naming::Own,
            caller: String::new(),
            tool,
            call: "fingerprint".to_owned(),
            payload: crate::store::raw_json(&serde_json::json!({})).unwrap(),
        };
        match runs.begin(new, Runs::LEASE, crate::executor::clock::now()).unwrap() {
            Begun::Mine(claim) => claim,
            other => panic!("{other:?}"),
        }
    }

    #[test]
    fn a_run_that_was_left_is_interrupted_and_one_that_has_ended_is_not() {
        let runs = Arc::new(Runs::new(Arc::new(MemoryStore::default())));
        let now = crate::executor::clock::now();
        let told = Rc::new(RefCell::new(Vec::new()));
        let [started, checking, ended] = ["a", "b", "c"].map(|id| begun(&runs, id));
        for claim in [&started, &checking, &ended] {
            let told = Rc::clone(&told);
            let teller: Teller = Box::new(move |event| {
                told.borrow_mut().push(event.to_json(&Value::Null));
                ControlFlow::Break(())
            });
            open(&runs, claim, Some(teller));
        }
        assert!(runs.start(&started, Runs::LEASE, moment()).unwrap());
        close(&Arc::new(Runs::new(Arc::new(MemoryStore::default()))), "a");
        close(&runs, "c");
        let why =
            HandlerEnd { code: InterruptionCode::Fatal, detail: Some("no memory".to_owned()) };
        assert_eq!((interrupt_open_runs(&why), interrupt_open_runs(&why)), (2, 0));
        let [event] = &told.borrow()[..] else { panic!("{told:?}") };
        assert_eq!((&event["tool_name"], &event["run_id"]), (&"edit".into(), &"a".into()));
        assert_eq!((&event["reason"], &event["detail"]), (&"fatal".into(), &"no memory".into()));
        let state = |id: &str| runs.get(id, now).unwrap().unwrap().state(now);
        assert_eq!(state("a"), RunState::Interrupted);
        assert_eq!(state("c"), RunState::Running);
        assert!(runs.get("b", now).unwrap().unwrap().is_abandoned(now));
        assert_eq!(runs.retry("a", now).unwrap().state(now), RunState::Approved);
        open(&runs, &ended, None);
        forget_open_runs();
        assert_eq!(interrupt_open_runs(&why), 0);
    }
}
