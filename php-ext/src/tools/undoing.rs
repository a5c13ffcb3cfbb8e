//! Undoes a run that completed.

use ext_php_rs::types::Zval;
use toolwire::lifecycle::{
    Claim, Lease, Run, UndoAnswer, UndoData, UndoStep, UndoStore, Undoing, microseconds,
};

use super::callback::{Raised, Stop, call};
use super::definition::ToolDefinition;
use super::host::Host;
use super::undo::UndoMetadata;
use super::{clock, error, event, run};
use crate::host::value::{self, held};

/// Undoes the run of an action. Returns false if undo data or an undo handler is missing.
pub(super) fn undo(host: &Host, about: Run) -> Result<bool, Stop> {
    let lease = microseconds(UndoStore::LEASE_SECONDS);
    let (data, lease) =
        match host.undo.claim(&about.action_id, lease, clock::now()).map_err(error::store)? {
            Claim::Missing => return Ok(false),
            Claim::Busy { until } => {
                let tool = host.undo.get(&about.action_id, clock::now()).map_err(error::store)?;
                let tool = tool.map(|data| data.tool_name).unwrap_or_default();
                let reason = format!("another request is undoing it, until {until} at most");
                return Err(Stop::Thrown(error::undo(&tool, &about.action_id, &reason, None)?));
            }
            Claim::Claimed { data, lease } => (data, lease),
        };
    let definition = host.tools.by_name(&data.tool_name);
    let handler =
        definition.as_ref().and_then(held::<ToolDefinition>).and_then(ToolDefinition::undoes);
    let (Some(definition), Some(handler)) = (definition, handler) else {
        host.undo.release(&lease, clock::now()).map_err(error::store)?;
        return Ok(false);
    };
    go(host, about, data, &lease, &definition, &handler)
}

fn go(
    host: &Host,
    about: Run,
    data: UndoData,
    lease: &Lease,
    definition: &Zval,
    handler: &Zval,
) -> Result<bool, Stop> {
    let (tool, action_id) = (data.tool_name.clone(), about.action_id.clone());
    let original = data.created_at.to_string();
    let emit_events = host.settings.emit_events;
    let mut undoing = Undoing::new(run::spec(definition)?, about, original, emit_events);
    let metadata = value::object(UndoMetadata::new(data))?;
    let (mut thrown, mut answer) = (None, UndoAnswer::Done);
    loop {
        let step = undoing.advance(answer, clock::moment())?;
        answer = UndoAnswer::Done;
        match step {
            UndoStep::Run => match call(handler, vec![&metadata]) {
                Ok(_) => {}
                Err(Stop::Exit) => return Err(Stop::Exit),
                Err(Stop::Thrown(object)) => {
                    answer = Raised::of(&object).into();
                    thrown = Some(object);
                }
            },
            UndoStep::Emit(event) => {
                let (name, data) = (event.kind.slug(), event::data(&event, &Zval::null())?);
                host.tell(name, &data)?;
            }
            UndoStep::Forget => {
                host.undo.finish(lease, clock::now()).map_err(error::store)?;
            }
            UndoStep::Release => {
                host.undo.release(lease, clock::now()).map_err(error::store)?;
            }
            UndoStep::Finished(None) => return Ok(true),
            UndoStep::Finished(Some(reason)) => {
                return Err(Stop::Thrown(error::undo(&tool, &action_id, &reason, thrown)?));
            }
        }
    }
}
