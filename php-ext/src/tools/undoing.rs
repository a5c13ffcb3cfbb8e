//! Undoes a run that completed.

use std::sync::Arc;

use ext_php_rs::types::Zval;
use toolwire::executor::{UndoHost, Undone};
use toolwire::lifecycle::{Run, RunEvent, UndoAnswer, UndoData};
use toolwire::registry::ToolSpec;

use super::callback::{Raised, Stop, call};
use super::definition::ToolDefinition;
use super::host::Host;
use super::undo::UndoMetadata;
use super::{clock, error, event, run};
use crate::host::value::{self, held};
use crate::zend;

/// Undoes a run. Returns false if undo data or an undo handler is missing.
pub(super) fn undo(host: &Host, about: Run) -> Result<bool, Stop> {
    let run_id = about.run_id.clone();
    let undone = host.services.undo(about, clock::now(), |data| made(host, data))?;
    let (tool, reason, thrown) = match undone {
        Undone::Done => return Ok(true),
        Undone::Missing => return Ok(false),
        Undone::Busy { tool, until } => {
            (tool, format!("another request is undoing it, until {until} at most"), None)
        }
        Undone::Failed { tool, reason, host } => (tool, reason, host.thrown),
    };
    Err(Stop::Thrown(error::undo(&tool, &run_id, &reason, thrown)?))
}

/// PHP's side of an undoing.
struct UndoRunner<'h> {
    host: &'h Host,
    handler: Zval,
    thrown: Option<Zval>,
}

fn made<'h>(
    host: &'h Host,
    data: &UndoData,
) -> Result<Option<(Arc<ToolSpec>, UndoRunner<'h>)>, Stop> {
    let Some(definition) = host.tools.by_name(&data.tool_name) else { return Ok(None) };
    let handler = held::<ToolDefinition>(&definition).and_then(ToolDefinition::undoes);
    let Some(handler) = handler else { return Ok(None) };
    Ok(Some((run::spec(&definition)?, UndoRunner { host, handler, thrown: None })))
}

impl UndoHost for UndoRunner<'_> {
    type Stop = Stop;

    fn stack() -> usize {
        zend::running_fiber()
    }

    fn raised(&mut self, stop: Stop) -> Result<UndoAnswer, Stop> {
        let Stop::Thrown(thrown) = stop else { return Err(stop) };
        let raised = Raised::of(&thrown);
        self.thrown = Some(thrown);
        Ok(raised.into())
    }

    fn emit(&mut self, event: &RunEvent) -> Result<(), Stop> {
        self.host.listeners.tell(event.kind.slug(), &event::data(event, &Zval::null())?)
    }

    fn undo(&mut self, data: &UndoData) -> Result<(), Stop> {
        let metadata = value::object(UndoMetadata::new(data.clone()))?;
        call(&self.handler, vec![&metadata]).map(drop)
    }
}
