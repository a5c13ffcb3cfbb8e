//! Driven runs whose process was killed while their handler worked.

use toolwire::lifecycle::{
    Begun, Drive, DriveEnd, InterruptionCode, Naming, NewRun, RunStart, RunState, RunTool, Runs,
    Settings, fingerprint,
};

use crate::drive_host::{ID, Loss, World, raw};

/// A run that a process has left after it started the handler, when its lease is over.
pub(crate) fn left() -> World {
    let mut world = World::plain();
    let new = NewRun {
        run: world.execution().run().clone(),
        named: Naming::Own,
        caller: "ann".to_owned(),
        tool: RunTool { name: "wipe".to_owned(), id: "WIPE".to_owned() },
        call: fingerprint("WIPE", &serde_json::json!({"disk": 7}), None),
        payload: raw(r#"{"disk":7}"#),
    };
    let Begun::Mine(claim) = world.runs.begin(new, Runs::LEASE, world.now).unwrap() else {
        panic!("the store is empty")
    };
    assert!(world.runs.start(&claim, Runs::LEASE, world.at()).unwrap());
    world.now += Runs::LEASE + 1;
    world
}

/// A drive that meets the run, and what it needs until then.
type Meeting = (Drive, &'static [&'static str]);

fn standing(end: Option<DriveEnd>) -> (RunState, Option<InterruptionCode>) {
    match end {
        Some(DriveEnd::Standing(record)) => {
            let code = record.interruption().map(|why| why.code);
            (record.state(2 * Runs::LEASE), code)
        }
        other => panic!("{other:?}"),
    }
}

fn told(world: &World) -> (Vec<&str>, Vec<&str>) {
    (world.needs(), world.events())
}

#[test]
fn who_meets_it_first_notes_and_tells_it() {
    let drives: [fn(&World) -> Meeting; 3] = [
        |_| (Drive::look(ID, Settings::default()), &["get"]),
        |_| (Drive::resume(ID, Settings::default()), &["get"]),
        |world| (world.starting(RunStart::Once), &["input", "begin"]),
    ];
    let over = (RunState::Interrupted, Some(InterruptionCode::LeaseOver));
    for drive in drives {
        let mut world = left();
        let (first, way) = drive(&world);
        assert_eq!(standing(world.drive(first)), over);
        let needs = [way, &["note", "end standing"]].concat();
        assert_eq!(told(&world), (needs, vec!["tool.interrupted"]));
        for drive in drives {
            let (next, way) = drive(&world);
            assert_eq!(standing(world.drive(next)), over);
            assert_eq!(told(&world), ([way, &["end standing"]].concat(), vec![]));
        }
    }
}

#[test]
fn who_retries_it_tells_it_unless_somebody_has() {
    let mut world = left();
    let approved = (RunState::Approved, Some(InterruptionCode::LeaseOver));
    assert_eq!(standing(world.drive(Drive::retry(ID, Settings::default()))), approved);
    assert_eq!(told(&world), (vec!["retry", "end standing"], vec!["tool.interrupted"]));
    let end = world.drive(Drive::retry(ID, Settings::default()));
    assert!(matches!(end, Some(DriveEnd::Failed)), "it is not interrupted any more: {end:?}");
    world.resume();
    assert_eq!((world.ran, world.state()), (1, Some(RunState::Completed)));
    assert_eq!(world.events(), ["tool.invoked", "tool.started", "tool.completed"]);

    let mut world = left();
    world.drive(Drive::look(ID, Settings::default()));
    assert_eq!(standing(world.drive(Drive::retry(ID, Settings::default()))), approved);
    assert_eq!(told(&world), (vec!["retry", "end standing"], vec![]));
}

#[test]
fn a_note_that_the_store_does_not_take_is_left_to_the_next_look() {
    let mut world = left();
    world.fails = Some((1, Loss::Nothing));
    let end = world.drive(Drive::look(ID, Settings::default()));
    assert_eq!(standing(end), (RunState::Interrupted, None));
    assert_eq!(told(&world), (vec!["get", "note", "end standing"], vec![]));
    world.fails = None;
    world.drive(Drive::look(ID, Settings::default()));
    assert_eq!(world.events(), ["tool.interrupted"]);
}

#[test]
fn nobody_is_told_where_no_events_are_emitted() {
    let mut world = left();
    let quiet = Settings { emit_events: false, ..Settings::default() };
    let end = world.drive(Drive::look(ID, quiet));
    assert_eq!(standing(end), (RunState::Interrupted, Some(InterruptionCode::LeaseOver)));
    assert_eq!(told(&world), (vec!["get", "note", "end standing"], vec![]));
}
