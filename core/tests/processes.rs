//! Several processes use one store file, and some are killed.
//!
//! The processes run this program again, controlled by environment variables. Each writes a line to
//! standard output for a step, after the store has acknowledged the step.

#![allow(clippy::unwrap_used, clippy::indexing_slicing, reason = "these are tests")]

use std::collections::{BTreeMap, HashMap, HashSet};
use std::io::{self, BufRead, BufReader, Read, Write as _};
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::sync::Arc;
use std::thread;
use std::time::{Duration, Instant, SystemTime};

use serde_json::value::RawValue;
use toolwire::lifecycle::{
    ApprovalError, ApprovalStatus, Approvals, Claim, Decision, NewApproval, NewUndo, UndoStore,
};
use toolwire::store::{SqliteOptions, SqliteStore, Store};
use uuid::Uuid;

const WORK: &str = "TOOLWIRE_TEST_WORK";
const FILE: &str = "TOOLWIRE_TEST_FILE";
const LEASE: i64 = 1_000_000;

fn now() -> i64 {
    let since = SystemTime::now().duration_since(SystemTime::UNIX_EPOCH).unwrap();
    i64::try_from(since.as_micros()).unwrap()
}

fn open(path: &Path) -> Arc<dyn Store> {
    // On a busy machine, a lock is kept for as long as its owner gets no processor.
    let options =
        SqliteOptions { busy_timeout: Duration::from_mins(1), ..SqliteOptions::default() };
    Arc::new(SqliteStore::open(path, options).unwrap())
}

/// Writes a line past the test harness, which captures the output of a test.
fn say(line: &str) {
    io::stdout().write_all(format!("{line}\n").as_bytes()).unwrap();
}

fn start(work: &str, path: &Path) -> Child {
    Command::new(std::env::current_exe().unwrap())
        .args(["--exact", "work", "--ignored", "--nocapture"])
        .env(WORK, work)
        .env(FILE, path)
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .spawn()
        .unwrap()
}

/// The steps that a process reported: lines of three words, without a line that was cut off.
fn acknowledged(output: &str) -> Vec<(String, String)> {
    let whole = output.rsplit_once('\n').map_or("", |(whole, _)| whole);
    let words = whole.lines().filter_map(|line| line.strip_prefix("done ")?.split_once(' '));
    words.map(|(what, id)| (what.to_owned(), id.to_owned())).collect()
}

#[test]
#[ignore = "what the processes do that the other tests start"]
fn work() {
    let store = open(&PathBuf::from(std::env::var_os(FILE).unwrap()));
    match std::env::var(WORK).unwrap().as_str() {
        "live" => live(&store),
        name => decide_all(&store, name),
    }
}

/// Requests, decides, stores, claims and undoes until the process is killed.
fn live(store: &Arc<dyn Store>) {
    let (approvals, undo) = (Approvals::new(Arc::clone(store)), UndoStore::new(Arc::clone(store)));
    for round in 0_u64.. {
        let run_id = Uuid::new_v4().to_string();
        let new = NewApproval { run_id: run_id.clone(), ..NewApproval::default() };
        let id = approvals.request(new, now()).unwrap().id;
        say(&format!("done pending {id}"));
        let granted = round.is_multiple_of(2);
        approvals.decide(&id, &Decision { granted, ..Decision::default() }, now()).unwrap();
        say(&format!("done {} {id}", if granted { "approved" } else { "denied" }));
        let undo_data = RawValue::from_string(format!("\"{run_id}\"")).unwrap();
        let new = NewUndo { run_id: run_id.clone(), tool_name: String::new(), undo_data };
        undo.store(new, None, now()).unwrap();
        say(&format!("done stored {run_id}"));
        let Claim::Claimed { lease, .. } = undo.claim(&run_id, LEASE, now()).unwrap() else {
            panic!("nobody else knows the action");
        };
        say(&format!("done claimed {run_id}"));
        if granted {
            say(&format!("done finishing {run_id}"));
            assert!(undo.finish(&lease, now()).unwrap());
            say(&format!("done finished {run_id}"));
        }
    }
}

#[test]
fn what_was_acknowledged_survives_a_kill() {
    const KILLS: u64 = 200;
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("state.db");
    let mut last: BTreeMap<String, String> = BTreeMap::new();
    let mut changes = 0;
    for _ in 0..KILLS {
        let mut child = start("live", &path);
        let (first, _) = Uuid::new_v4().as_u64_pair();
        thread::sleep(Duration::from_micros(first % 60_000));
        child.kill().unwrap();
        let mut output = String::new();
        child.stdout.take().unwrap().read_to_string(&mut output).unwrap();
        child.wait().unwrap();
        let acknowledged = acknowledged(&output);
        changes += acknowledged.iter().filter(|(what, _)| what != "finishing").count();
        for (what, id) in &acknowledged {
            last.insert(id.clone(), what.clone());
        }
        let of_this_process = acknowledged.into_iter().map(|(_, id)| id).collect();
        check(&open(&path), &last, &of_this_process);
    }
    check(&open(&path), &last, &last.keys().cloned().collect());
    let abandoned = last.iter().filter(|(_, what)| *what == "claimed").map(|(id, _)| id);
    let undo = UndoStore::new(open(&path));
    for id in abandoned {
        let claim = undo.claim(id, LEASE, now() + LEASE).unwrap();
        assert!(
            matches!(claim, Claim::Claimed { .. }),
            "{id} can be undone when the lease has run out"
        );
    }
    assert!(changes > usize::try_from(KILLS).unwrap());
    say(&format!("kill: {KILLS} processes killed, {changes} changes acknowledged, none lost"));
}

/// Checks that the store holds the last reported state of each request and action.
fn check(store: &Arc<dyn Store>, last: &BTreeMap<String, String>, ids: &HashSet<String>) {
    let (approvals, undo) = (Approvals::new(Arc::clone(store)), UndoStore::new(Arc::clone(store)));
    for id in ids {
        let what = last[id].as_str();
        let status = approvals.look(id, now()).unwrap();
        let data = undo.get(id, now()).unwrap().map(|data| data.claimed_until.is_some());
        match what {
            // The process may have done its next step without reporting it.
            "pending" => assert!(status.is_some(), "{id}"),
            "approved" => assert_eq!(status, Some(ApprovalStatus::Approved), "{id}"),
            "denied" => assert_eq!(status, Some(ApprovalStatus::Denied), "{id}"),
            "stored" => assert!(data.is_some(), "{id}"),
            "claimed" => assert_eq!(data, Some(true), "{id}"),
            "finishing" => assert_ne!(data, Some(false), "{id}"),
            _ => assert_eq!((what, data), ("finished", None), "{id}"),
        }
    }
}

/// Decides each given request, from a random start, and reports which decisions were accepted.
fn decide_all(store: &Arc<dyn Store>, name: &str) {
    let approvals = Approvals::new(Arc::clone(store));
    let mut ids: Vec<String> =
        approvals.pending(None, now()).unwrap().into_iter().map(|request| request.id).collect();
    let (first, _) = Uuid::new_v4().as_u64_pair();
    let begin = usize::try_from(first % 1_000).unwrap() % ids.len();
    ids.rotate_left(begin);
    say("ready");
    io::stdin().read_line(&mut String::new()).unwrap();
    for id in ids {
        let granted = name.len().is_multiple_of(2);
        let decision =
            Decision { granted, decided_by: Some(name.to_owned()), ..Decision::default() };
        match approvals.decide(&id, &decision, now()) {
            Ok(_) => say(&format!("done decided {id}")),
            Err(ApprovalError::AlreadyDecided { .. }) => say(&format!("done refused {id}")),
            Err(error) => panic!("{error}"),
        }
    }
}

#[test]
fn of_sixteen_processes_one_takes_each_decision() {
    const PROCESSES: usize = 16;
    const REQUESTS: usize = 1_000;
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("state.db");
    let approvals = Approvals::new(open(&path));
    for _ in 0..REQUESTS {
        approvals.request(NewApproval::default(), now()).unwrap();
    }
    // The names have different lengths, so that some processes approve and some deny.
    let names: Vec<_> = (0..PROCESSES).map(|index| format!("p{index}")).collect();
    let mut children: Vec<_> = names.iter().map(|name| start(name, &path)).collect();
    let mut outputs: Vec<_> =
        children.iter_mut().map(|child| BufReader::new(child.stdout.take().unwrap())).collect();
    for output in &mut outputs {
        let ready = output.lines().map(Result::unwrap).any(|line| line == "ready");
        assert!(ready, "a process ended before it was ready");
    }
    let begun = Instant::now();
    for child in &mut children {
        child.stdin.take().unwrap().write_all(b"go\n").unwrap();
    }
    let readers: Vec<_> = outputs
        .into_iter()
        .map(|mut output| {
            thread::spawn(move || {
                let mut text = String::new();
                output.read_to_string(&mut text).unwrap();
                acknowledged(&text)
            })
        })
        .collect();
    let said: Vec<_> = readers.into_iter().map(|reader| reader.join().unwrap()).collect();
    let took = begun.elapsed();
    for child in &mut children {
        assert!(child.wait().unwrap().success());
    }
    let mut taken: HashMap<&str, &str> = HashMap::new();
    let mut refused = 0;
    for (name, lines) in names.iter().zip(&said) {
        assert_eq!(lines.len(), REQUESTS);
        for (what, id) in lines {
            match what.as_str() {
                "decided" => assert_eq!(taken.insert(id, name), None, "{id} was decided twice"),
                _ => refused += 1,
            }
        }
    }
    assert_eq!((taken.len(), refused), (REQUESTS, REQUESTS * (PROCESSES - 1)));
    for (id, name) in &taken {
        let request = approvals.get(id, now()).unwrap().unwrap();
        assert_eq!(request.decision.decided_by.as_deref(), Some(*name));
        let status = if name.len().is_multiple_of(2) {
            ApprovalStatus::Approved
        } else {
            ApprovalStatus::Denied
        };
        assert_eq!(request.status, status);
    }
    assert!(approvals.pending(None, now()).unwrap().is_empty());
    let deciders = taken.values().collect::<HashSet<_>>().len();
    say(&format!(
        "sixteen: {PROCESSES} processes, {REQUESTS} requests, {} decisions taken by {deciders} of them, {refused} refused, {took:.1?}",
        taken.len(),
    ));
}
