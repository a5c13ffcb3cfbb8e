//! Driven runs: which need follows which answer, what an answer that does not fit changes, and what
//! a store that fails leaves behind.

use std::sync::Arc;

use toolwire::lifecycle::{
    Answer, ApprovalOutcome, ApprovalsStep, Begun, Blame, Decision, Drive, DriveAnswer, DriveEnd,
    Need, OutputFacts, Resumption, RunStart, RunState, Runs, RunsStep, Settings, Step, StoreAnswer,
};
use toolwire::registry::ToolSpec;

use crate::drive_host::{ID, Loss, World, given, raised, shown};
use crate::drive_left::left;

const CHECKS: [&str; 4] = ["input", "begin", "permission", "limit"];

/// A run that a person has approved.
fn approved() -> World {
    let mut world = World::checked();
    world.start();
    decide(&mut world, &Decision::approved());
    world
}

fn decide(world: &mut World, decision: &Decision) {
    world.now += 10;
    world.approvals.decide(ID, decision, world.now).unwrap();
    world.now += 10;
}

fn assert_needs(world: &World, needs: &[&str]) {
    assert_eq!(world.needs(), needs);
}

#[test]
fn a_plain_call_takes_three_operations() {
    let mut world = World::plain();
    world.start();
    assert_needs(&world, &["input", "begin", "start", "run", "settle", "end ended"]);
    assert_eq!(world.events(), ["tool.invoked", "tool.started", "tool.completed"]);
    assert_eq!((world.operations, world.state()), (3, Some(RunState::Completed)));
    world.start();
    assert_needs(&world, &["input", "begin", "end standing"]);
    world.tool = Arc::new(ToolSpec::new("wipe").with_id("WIPE_2"));
    world.start();
    assert_needs(&world, &["input", "begin", "end reused"]);
    assert_eq!(world.ran, 1);
}

#[test]
fn a_call_waits_in_the_store_and_goes_on_after_the_decision() {
    let mut world = World::checked();
    world.start();
    let asks = ["show", "ask", "end waiting"];
    assert_needs(&world, &[&CHECKS[..], &asks].concat());
    assert_eq!(world.events(), ["tool.invoked", "approval.requested"]);
    world.resume();
    assert_needs(&world, &["get", "tool", "hear", "end standing"]);
    decide(&mut world, &Decision::approved());
    assert_eq!(world.state(), Some(RunState::Approved));
    world.resume();
    let runs = ["verify", "permission", "start", "run", "undo", "settle", "end ended"];
    assert_needs(&world, &[&["get", "tool", "hear", "claim"], &runs[..]].concat());
    assert_eq!(world.events(), ["approval.decided", "tool.started", "tool.completed"]);
    assert_eq!((world.ran, world.state()), (1, Some(RunState::Completed)));
    world.resume();
    assert_needs(&world, &["get", "end standing"]);
}

#[test]
fn a_denied_call_ends_and_begins_again_if_that_is_wanted() {
    let mut world = World::checked();
    world.start();
    decide(&mut world, &Decision::denied());
    world.resume();
    assert_needs(&world, &["get", "tool", "hear", "claim", "settle", "end ended"]);
    assert_eq!(world.state(), Some(RunState::Denied));
    let drive = world.starting(RunStart::Again);
    world.drive(drive);
    assert_eq!(world.needs().last(), Some(&"end waiting"));
    let drive = world.starting(RunStart::Again);
    world.drive(drive);
    assert_needs(&world, &["input", "begin", "end standing"]);
}

#[test]
fn a_run_without_a_claim_waits_here_or_in_the_store() {
    let mut world = World::checked();
    let drive = Drive::here(world.execution());
    world.drive(drive);
    let here = ["permission", "limit", "show", "request", "await", "verify", "permission"];
    assert_needs(&world, &[&here[..], &["run", "undo", "end ended"]].concat());
    assert_eq!((world.ran, world.state()), (1, None));
    let drive = Drive::alone(world.execution(), String::new());
    world.drive(drive);
    let alone = ["permission", "limit", "show", "ask", "end waiting"];
    assert_needs(&world, &alone);
    // A second one under the same id is not kept, and asks nobody.
    let drive = Drive::alone(world.execution(), String::new());
    world.drive(drive);
    let taken = ["permission", "limit", "show", "ask", "cancel", "raise", "end ended"];
    assert_needs(&world, &taken);
    assert_eq!(world.approvals.pending(None, world.now).unwrap().len(), 2);
}

#[test]
fn a_call_with_a_bad_number_has_no_place_in_the_store() {
    let world = World::plain();
    let mut drive = world.starting(RunStart::Once);
    let bad = Answer::BadNumber { path: "/disk".to_owned() };
    let need = drive.advance(bad.into(), world.at()).unwrap();
    assert!(matches!(need, Need::Step(Step::Emit(_))), "{need:?}");
    let need = drive.advance(Answer::Done.into(), world.at()).unwrap();
    assert!(matches!(need, Need::End(_)), "{need:?}");
    assert_eq!(world.state(), None);
}

#[test]
fn a_run_whose_owner_ended_during_the_checks_is_taken_over_with_its_request() {
    let mut world = World::checked();
    // The answer of the request is the last that the first owner sees.
    let mut drive = world.starting(RunStart::Once).asking_apart();
    let mut answer = DriveAnswer::from(Answer::Done);
    loop {
        let need = drive.advance(answer, world.at()).unwrap();
        if matches!(need, Need::Runs(RunsStep::Wait(_))) {
            break;
        }
        answer = world.answer(need);
    }
    world.now += Runs::LEASE + 1;
    world.start();
    let taken = ["input", "begin", "claim", "permission", "limit", "show", "find", "wait"];
    assert_needs(&world, &[&taken[..], &["end waiting"]].concat());
    assert_eq!(world.approvals.pending(None, world.now).unwrap().len(), 1);
}

#[test]
fn a_handler_that_works_on_leaves_its_run_interrupted() {
    let mut world = World::plain();
    world.handler = DriveAnswer::StillWorking;
    world.start();
    let needs = ["input", "begin", "start", "run", "interrupt", "end standing"];
    assert_needs(&world, &needs);
    assert_eq!(world.events(), ["tool.invoked", "tool.started", "tool.interrupted"]);
    assert_eq!(world.state(), Some(RunState::Interrupted));
    world.resume();
    assert_needs(&world, &["get", "end standing"]);
    assert_eq!(world.events(), [""; 0], "it was told");
    world.handler = DriveAnswer::StillWorking;
    let drive = Drive::here(world.execution());
    world.drive(drive);
    assert_needs(&world, &["run", "raise", "end ended"]);
    assert_eq!(world.events().last(), Some(&"tool.failed"));
}

#[test]
fn a_caller_that_gives_up_cancels_no_handler_that_works_on() {
    let mut world = World::plain();
    world.handler = DriveAnswer::StillWorking;
    let mut drive = world.starting(RunStart::Once);
    let mut answer = DriveAnswer::from(Answer::Done);
    loop {
        let need = drive.advance(answer, world.at()).unwrap();
        if matches!(need, Need::Runs(RunsStep::Interrupt { .. })) {
            break;
        }
        answer = world.answer(need);
    }
    let need = drive.advance(Answer::Cancelled.into(), world.at()).unwrap();
    assert_eq!(crate::drive_host::name(&need), "end failed");
    assert_eq!(world.state(), Some(RunState::Running), "its lease ends");
}

#[test]
fn who_lost_a_run_gets_it_as_it_stands() {
    let mut world = approved();
    let (mut drive, mut needs) = (Drive::resume(ID, Settings::default()), Vec::new());
    let mut answer = DriveAnswer::from(Answer::Done);
    loop {
        let need = drive.advance(answer, world.at()).unwrap();
        needs.push(crate::drive_host::name(&need));
        if matches!(need, Need::Runs(RunsStep::Start { .. })) {
            world.now += 2 * Runs::LEASE;
            let taken = world.runs.claim(ID, Runs::LEASE, world.now).unwrap();
            assert!(matches!(taken, Resumption::Claimed(_)));
        }
        answer = match need {
            Need::End(_) => break,
            need => world.answer(need),
        };
    }
    assert_eq!(needs[needs.len() - 3..], ["start", "get", "end standing"]);
    assert_eq!((world.ran, world.state()), (0, Some(RunState::Running)));
}

#[test]
fn who_lost_a_run_in_the_checks_gets_it_as_it_stands() {
    let mut world = World::checked();
    world.permission = Answer::Refused { reason: "gone".to_owned() }.into();
    let (mut drive, mut needs) = (world.starting(RunStart::Once), Vec::new());
    let mut answer = DriveAnswer::from(Answer::Done);
    let end = loop {
        let need = drive.advance(answer, world.at()).unwrap();
        needs.push(crate::drive_host::name(&need));
        if matches!(need, Need::Step(Step::CheckPermission { .. })) {
            world.now += 2 * Runs::LEASE;
            assert!(matches!(
                world.runs.claim(ID, Runs::LEASE, world.now).unwrap(),
                Resumption::Claimed(_)
            ));
        }
        answer = match need {
            Need::End(end) => break end,
            need => world.answer(need),
        };
    };
    assert!(matches!(end, DriveEnd::Standing(_)), "{needs:?}");
    assert_eq!(world.state(), Some(RunState::Running), "the other process has it");
}

#[test]
fn a_run_that_begins_again_is_not_granted_by_an_old_approval() {
    let mut world = approved();
    world.permission = Answer::Refused { reason: "not now".to_owned() }.into();
    world.resume();
    assert_eq!(world.state(), Some(RunState::Denied));
    world.permission = Answer::Granted.into();
    // The process that begins the call again ends before it asks.
    world.now += 1;
    let (mut drive, mut answer) = (world.starting(RunStart::Again), Answer::Done.into());
    loop {
        let need = drive.advance(answer, world.at()).unwrap();
        if matches!(need, Need::Step(Step::RequestApproval { .. })) {
            break;
        }
        answer = world.answer(need);
    }
    world.now += 2 * Runs::LEASE;
    assert!(matches!(world.start(), Some(DriveEnd::Waiting)), "a person is asked anew");
    assert_eq!(world.ran, 0);
}

/// Every answer, legal somewhere.
fn answers(world: &World) -> Vec<DriveAnswer> {
    let reason = "no".to_owned();
    let decided = Answer::Decided { granted: true, reason: None, fingerprint: None };
    let steps = [
        Answer::Done,
        Answer::Granted,
        Answer::Refused { reason },
        Answer::BadNumber { path: String::new() },
        Answer::Arguments(Arc::new(1.into())),
        Answer::Limited { retry_after_ms: 1 },
        Answer::Requested { request_id: "r".to_owned(), fingerprint: None },
        decided,
        Answer::Fingerprint("f".to_owned()),
        Answer::TimedOut,
        Answer::Output(OutputFacts::default()),
        raised(),
    ];
    let none = Resumption::Unknown;
    let stored = [
        StoreAnswer::Record(None),
        StoreAnswer::Resumed(none),
        StoreAnswer::Changed(true),
        StoreAnswer::Changed(false),
        StoreAnswer::Found(None),
        StoreAnswer::Heard(ApprovalOutcome::Missing),
        StoreAnswer::Asked(None),
        StoreAnswer::Requested("r".to_owned()),
    ];
    let begun = world.runs.get(ID, world.now).unwrap();
    let begun = begun.map(|run| StoreAnswer::Begun(Begun::Known(Box::new(run))));
    let rest = [
        DriveAnswer::Shown(Box::new(shown())),
        given(),
        DriveAnswer::StillWorking,
        DriveAnswer::Tool(world.tool.clone()),
        DriveAnswer::Failed(Blame::Program),
        DriveAnswer::Failed(Blame::Store),
    ];
    let stored = stored.into_iter().chain(begun).map(DriveAnswer::from);
    steps.into_iter().map(DriveAnswer::from).chain(stored).chain(rest).collect()
}

/// Whether an answer matches a need.
fn fits(need: &Need, answer: &DriveAnswer, is_begun: bool) -> bool {
    use DriveAnswer as D;
    if let D::Failed(_) = answer {
        let never = matches!(need, Need::Step(Step::Emit(_)) | Need::Tool(_) | Need::Raise);
        return !never && !matches!(need, Need::End(_));
    }
    match (need, answer) {
        (Need::Step(step), D::Step(answer)) => match (step, answer) {
            (Step::Emit(_) | Step::StoreUndo, Answer::Done)
            | (Step::StoreUndo, Answer::Raised { .. })
            | (Step::CheckInput, Answer::Arguments(_))
            | (Step::CheckPermission { .. }, Answer::Granted | Answer::Refused { .. })
            | (Step::CheckLimit, Answer::Granted | Answer::Limited { .. })
            | (Step::AwaitApproval { .. }, Answer::Done | Answer::Decided { .. })
            | (Step::AwaitApproval { .. }, Answer::TimedOut)
            | (Step::VerifyApproval, Answer::Fingerprint(_)) => true,
            (Step::Emit(_), _) => false,
            (Step::CheckInput, Answer::Raised { .. }) => is_begun,
            (_, answer) => matches!(answer, Answer::Raised { .. }),
        },
        (Need::Step(Step::RequestApproval { .. }), D::Shown(_))
        | (Need::Step(Step::Run), D::Output { .. } | D::StillWorking)
        | (Need::Tool(_), D::Tool(_))
        | (Need::Raise, D::Step(Answer::Raised { .. })) => true,
        (Need::Runs(step), D::Stored(answer)) => match step {
            RunsStep::Begin { .. } => matches!(answer, StoreAnswer::Begun(_)),
            RunsStep::Get { .. } => matches!(answer, StoreAnswer::Record(_)),
            RunsStep::Claim { .. } => matches!(answer, StoreAnswer::Resumed(_)),
            RunsStep::Interrupt { .. } | RunsStep::Note { .. } => {
                matches!(answer, StoreAnswer::Found(_))
            }
            RunsStep::Retry { .. } => matches!(answer, StoreAnswer::Found(Some(_))),
            _ => matches!(answer, StoreAnswer::Changed(_)),
        },
        (Need::Ask(_), D::Stored(answer)) => {
            matches!(answer, StoreAnswer::Requested(_) | StoreAnswer::Changed(false))
        }
        (Need::Approvals(step), D::Stored(answer)) => match step {
            ApprovalsStep::Hear { .. } => matches!(answer, StoreAnswer::Heard(_)),
            ApprovalsStep::Find { .. } => matches!(answer, StoreAnswer::Asked(_)),
            ApprovalsStep::Request { .. } => matches!(answer, StoreAnswer::Requested(_)),
            ApprovalsStep::Cancel { .. } => matches!(answer, StoreAnswer::Changed(_)),
        },
        _ => false,
    }
}

/// Drives with every answer that does not fit before the one that does.
fn disturbed(world: &mut World, drive: Drive) {
    let (at, all) = (world.at(), answers(world));
    let mut is_begun = false;
    world.drive_trying(drive, |drive, need| {
        is_begun |= matches!(need, Need::Step(Step::Emit(_)));
        for answer in all.iter().filter(|answer| !fits(need, answer, is_begun)) {
            let refused = drive.advance(answer.clone(), at);
            let slug = refused.as_ref().map_or_else(|error| error.kind().slug(), |_| "taken");
            assert_eq!(slug, "unexpected_answer", "{answer:?} to {need:?}");
        }
        if matches!(need, Need::End(_)) {
            let cancelled = drive.advance(Answer::Cancelled.into(), at);
            assert_eq!(cancelled.unwrap_err().kind().slug(), "unexpected_answer");
        }
    });
}

#[test]
fn an_answer_that_does_not_fit_leaves_the_run_as_it_was() {
    let drives: [fn(&World) -> Drive; 7] = [
        |world| world.starting(RunStart::Once),
        |_| Drive::resume(ID, Settings::default()),
        |world| world.starting(RunStart::Once).asking_apart(),
        |_| Drive::look(ID, Settings::default()),
        |_| Drive::retry(ID, Settings::default()),
        |world| Drive::here(world.execution()),
        |world| Drive::alone(world.execution(), String::new()),
    ];
    let still_working = || World { handler: DriveAnswer::StillWorking, ..World::plain() };
    let worlds: [fn() -> World; 5] = [World::plain, World::checked, approved, left, still_working];
    for make in worlds {
        for drive in drives {
            for fails in (0..8).map(Some).chain([None]) {
                let fails = fails.map(|at| (at, Loss::Nothing));
                let (mut calm, mut disturbing) = (make(), make());
                for world in [&mut calm, &mut disturbing] {
                    (world.fails, world.operations) = (fails, 0);
                }
                let of = drive(&calm);
                calm.drive(of);
                let of = drive(&disturbing);
                disturbed(&mut disturbing, of);
                assert_eq!(calm.needs, disturbing.needs);
                assert_eq!(calm.state(), disturbing.state());
            }
        }
    }
}

#[test]
fn a_store_that_fails_at_any_operation_ends_no_run_and_runs_nothing_twice() {
    let starts: [fn(&World) -> Drive; 2] = [
        |world| world.starting(RunStart::Once),
        |world| world.starting(RunStart::Once).asking_apart(),
    ];
    let ways = starts
        .into_iter()
        .flat_map(|start| [Loss::Nothing, Loss::Answer].into_iter().map(move |loss| (start, loss)));
    for (start, loss) in ways {
        for at in 0.. {
            let mut world = World::checked();
            world.fails = Some((at, loss));
            let drive = start(&world);
            world.drive(drive);
            let failed = world.needs().last() == Some(&"end failed");
            assert!(!world.events().contains(&"tool.failed"), "{at} {loss:?}: {:?}", world.needs);
            if world.operations <= at {
                break;
            }
            assert!(failed || world.state() == Some(RunState::Waiting), "{at}: {:?}", world.needs);
            world.fails = None;
            world.now += Runs::LEASE + 1;
            world.start();
            assert_eq!(world.state(), Some(RunState::Waiting), "{at} {loss:?}: {:?}", world.needs);
            decide(&mut world, &Decision::approved());
            world.resume();
            assert_eq!((world.ran, world.state()), (1, Some(RunState::Completed)), "{at} {loss:?}");
        }
    }
}

#[test]
fn an_approved_run_stays_approved_when_the_store_fails() {
    for loss in [Loss::Nothing, Loss::Answer] {
        for at in 0.. {
            let mut world = approved();
            world.fails = Some((at, loss));
            world.operations = 0;
            world.resume();
            if world.operations <= at {
                break;
            }
            assert!(!world.events().contains(&"tool.failed"), "{at} {loss:?}: {:?}", world.needs);
            world.fails = None;
            if world.ran == 1 {
                // Only the end was not kept: the caller has it, and nobody runs it again.
                assert_eq!(world.needs().last(), Some(&"end not kept"));
                world.now += Runs::LEASE + 1;
                let states = [Some(RunState::Interrupted), Some(RunState::Completed)];
                assert!(states.contains(&world.state()), "{at} {loss:?}");
                continue;
            }
            assert_eq!(world.needs().last(), Some(&"end failed"));
            world.now += Runs::LEASE + 1;
            let state = world.state();
            assert_eq!(state, Some(RunState::Approved), "{at} {loss:?}: {:?}", world.needs);
            world.resume();
            assert_eq!((world.ran, world.state()), (1, Some(RunState::Completed)), "{at} {loss:?}");
        }
    }
}
