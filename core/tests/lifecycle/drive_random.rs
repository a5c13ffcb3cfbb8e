//! Driven runs that are given answers at random: what holds of each, whatever the host says.

use std::sync::Arc;

use proptest::prelude::*;
use toolwire::lifecycle::{
    Answer, ApprovalOutcome, ApprovalsStep, Begun, Blame, Drive, DriveAnswer, FoundRun, Need,
    Resumption, RunStart, Runs, RunsStep, Settings, Step, StoreAnswer,
};

use crate::drive_host::{ID, World, given, name, raised, shown};

/// A claimed run of the world's tool.
fn claimed(world: &World) -> StoreAnswer {
    let mut drive = world.starting(RunStart::Once);
    let mut answer = DriveAnswer::from(Answer::Done);
    loop {
        answer = match drive.advance(answer, world.at()).unwrap() {
            Need::Step(_) => Answer::Arguments(Arc::new(serde_json::json!({"disk": 7}))).into(),
            Need::Runs(step) => return step.perform(&world.runs, Runs::LEASE, world.at()).unwrap(),
            other => panic!("{other:?}"),
        };
    }
}

/// The answers to a need, without the ones that repeat it.
fn legal(world: &World, begun: &StoreAnswer, need: &Need) -> Vec<DriveAnswer> {
    let decided = |granted| Answer::Decided { granted, reason: None, fingerprint: None };
    let fails = [Blame::Program, Blame::Store].map(DriveAnswer::Failed);
    let mut all: Vec<DriveAnswer> = match need {
        Need::End(_) => return Vec::new(),
        Need::Raise => return vec![raised().into()],
        Need::Tool(_) => return vec![DriveAnswer::Tool(Arc::clone(&world.tool))],
        Need::Step(step) => match step {
            Step::Emit(_) => return vec![Answer::Done.into()],
            Step::CheckInput => {
                vec![Answer::Arguments(Arc::new(serde_json::json!({"disk": 7}))).into()]
            }
            Step::CheckPermission { .. } => {
                vec![Answer::Granted.into(), Answer::Refused { reason: "no".into() }.into()]
            }
            Step::CheckLimit => {
                vec![Answer::Granted.into(), Answer::Limited { retry_after_ms: 1 }.into()]
            }
            Step::RequestApproval { .. } => vec![DriveAnswer::Shown(Box::new(shown()))],
            Step::AwaitApproval { .. } => {
                vec![decided(true).into(), decided(false).into(), Answer::TimedOut.into()]
            }
            Step::VerifyApproval => vec![
                Answer::Fingerprint(shown().detail.fingerprint).into(),
                Answer::Fingerprint("other".into()).into(),
            ],
            Step::Run => vec![given(), DriveAnswer::StillWorking, raised().into()],
            _ => vec![Answer::Done.into(), raised().into()],
        },
        Need::Runs(step) => match step {
            RunsStep::Begin { .. } => {
                let known = begun.claim().map(|claim| (*claim.record).clone());
                let known = Box::new(known.unwrap());
                let other = StoreAnswer::Begun(Begun::Other(known.clone()));
                let known = StoreAnswer::Begun(Begun::Known(known));
                vec![begun.clone().into(), other.into(), known.into()]
            }
            RunsStep::Get { .. } => {
                let run = world.runs.get(ID, world.now).unwrap().map(Box::new);
                vec![StoreAnswer::Record(run).into(), StoreAnswer::Record(None).into()]
            }
            RunsStep::Claim { .. } => {
                let claim = begun.claim().cloned().unwrap();
                vec![
                    StoreAnswer::Resumed(Resumption::Claimed(claim)).into(),
                    StoreAnswer::Resumed(Resumption::Unknown).into(),
                ]
            }
            RunsStep::Interrupt { .. } | RunsStep::Note { .. } => {
                let record = begun.claim().map(|claim| Box::new((*claim.record).clone())).unwrap();
                let found = FoundRun { record, is_first: true };
                vec![StoreAnswer::Found(Some(found)).into(), StoreAnswer::Found(None).into()]
            }
            _ => vec![StoreAnswer::Changed(true).into(), StoreAnswer::Changed(false).into()],
        },
        Need::Ask(_) => {
            vec![StoreAnswer::Requested("r".to_owned()).into(), StoreAnswer::Changed(false).into()]
        }
        Need::Approvals(step) => match step {
            ApprovalsStep::Hear { .. } => vec![StoreAnswer::Heard(ApprovalOutcome::Missing).into()],
            ApprovalsStep::Find { .. } => vec![
                StoreAnswer::Asked(None).into(),
                StoreAnswer::Asked(Some("r".to_owned())).into(),
            ],
            ApprovalsStep::Request { .. } => vec![StoreAnswer::Requested("r".to_owned()).into()],
            ApprovalsStep::Cancel { .. } => vec![StoreAnswer::Changed(true).into()],
        },
    };
    all.extend(fails);
    all.push(Answer::Cancelled.into());
    all
}

/// Checks what holds of the needs of one drive.
fn check(needs: &[String], answers: &[DriveAnswer], has_claim: bool) {
    let place = |word: &str| needs.iter().position(|need| need == word);
    let times = |word: &str| needs.iter().filter(|need| *need == word).count();
    let context = || format!("{needs:?} {answers:?}");
    assert!(times("run") <= 1 && times("start") <= 1 && times("settle") <= 1, "{}", context());
    if let Some(run) = place("run").filter(|_| has_claim) {
        let started = run.checked_sub(1).map(|at| needs[at].as_str());
        assert_eq!(started, Some("start"), "{}", context());
        assert!(matches!(answers[run], DriveAnswer::Stored(StoreAnswer::Changed(true))));
        assert_eq!(times("give_back"), 0, "a handler that may have run: {}", context());
    }
    if let Some(settle) = place("settle") {
        let is_started = place("start").is_some();
        let looks = !is_started && needs[settle + 1] == "get";
        let length = settle + 2 + usize::from(looks);
        assert_eq!(needs.len(), length, "nothing follows the end: {}", context());
    }
    if let Some(given_back) = place("give_back") {
        assert_eq!(needs[given_back + 1..], ["end failed"], "{}", context());
        assert_eq!(times("settle"), 0, "{}", context());
    }
    // A request without a run is withdrawn before anything else.
    let asks = place("ask").or_else(|| place("wait"));
    if let Some(ask) = asks.filter(|ask| needs[ask + 1] == "get") {
        let next = needs[ask + 2].as_str();
        let is_right = matches!(next, "cancel" | "approval.requested") || next.starts_with("end");
        assert!(is_right, "{}", context());
    }
}

proptest! {
    #![proptest_config(ProptestConfig {
        cases: 4000, failure_persistence: None, ..ProptestConfig::default()
    })]

    #[test]
    fn whatever_the_host_says_a_handler_runs_at_most_once_and_every_drive_ends(
        way in 0_usize..5,
        choices in prop::collection::vec(any::<prop::sample::Index>(), 60),
        // Most answers are the first one, so that drives get far.
        luck in prop::collection::vec(0_u8..10, 60),
    ) {
        let world = World::checked();
        let begun = claimed(&world);
        let mut drive = match way {
            0 => world.starting(RunStart::Once),
            1 => Drive::resume(ID, Settings::default()),
            2 => Drive::here(world.execution()),
            3 => world.starting(RunStart::Once).asking_apart(),
            _ => Drive::alone(world.execution(), String::new()),
        };
        let (mut needs, mut answers) = (Vec::new(), vec![DriveAnswer::from(Answer::Done)]);
        for (choice, luck) in choices.iter().zip(luck) {
            let need = drive.advance(answers[answers.len() - 1].clone(), world.at()).unwrap();
            needs.push(name(&need));
            let legal = legal(&world, &begun, &need);
            let Some(first) = legal.first() else { break };
            let chosen = if luck < 7 { first } else { choice.get(&legal) };
            answers.push(chosen.clone());
        }
        prop_assert!(needs.last().is_some_and(|need| need.starts_with("end")), "{needs:?}");
        check(&needs, &answers, way < 2 || way == 3);
    }
}
