//! What the runs of an executor share: the tools, the store's contents and the listeners.

use std::sync::Arc;

use ext_php_rs::exception::PhpResult;
use ext_php_rs::types::Zval;
use toolwire::executor::Services;
use toolwire::lifecycle::{RunEvent, Runs, Settings};
use toolwire::redact::Redaction;
use toolwire::store::Store;

use super::callback::Stop;
use super::listeners::Listeners;
use super::registry::{Registry, Tools};
use crate::host::object::Object;
use crate::zend::Holds;

/// What the runs of an executor share.
pub(super) struct Host {
    pub(super) tools: Tools,
    pub(super) services: Services,
    pub(super) listeners: Listeners,
    pub(super) permission: Option<Zval>,
    /// The callable that returns the changes that a run would make now.
    pub(super) changes: Option<Zval>,
    /// The object that owns the tools. It shows them to the cycle collector.
    registry: Zval,
}

/// The program's options for all runs.
pub(super) struct HostOptions {
    pub(super) approval_retention: i64,
    pub(super) run_retention: i64,
    pub(super) keeps_outputs: bool,
    pub(super) permission: Option<Zval>,
    pub(super) changes: Option<Zval>,
    pub(super) redaction: Redaction,
    pub(super) settings: Settings,
    pub(super) undo_ttl: i64,
}

impl Holds for Host {
    fn each_held(&self, show: &mut dyn FnMut(&Zval)) {
        show(&self.registry);
        self.permission.iter().for_each(&mut *show);
        self.changes.iter().for_each(&mut *show);
        self.listeners.each(show);
    }
}

impl Host {
    /// Emits an event that shows no payload.
    pub(super) fn tell(&self, event: &RunEvent) -> Result<(), Stop> {
        self.listeners.tell_event(event)
    }

    /// Puts together the values that the runs of a registry's tools share.
    pub(super) fn new(
        registry: &Object<Registry>,
        store: Arc<dyn Store>,
        options: HostOptions,
    ) -> PhpResult<Self> {
        let kept = |runs: Runs| {
            let runs = runs.with_retention(options.run_retention);
            if options.keeps_outputs { runs } else { runs.without_outputs() }
        };
        Ok(Self {
            tools: registry.held()?.tools(),
            registry: registry.value().shallow_clone(),
            services: Services::new(store, options.settings)
                .with_approval_retention(options.approval_retention)
                .with_runs(kept)
                .with_redaction(options.redaction)
                .with_undo_ttl(options.undo_ttl),
            listeners: Listeners::default(),
            permission: options.permission,
            changes: options.changes,
        })
    }
}
