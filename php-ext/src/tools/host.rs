//! What the runs of an executor share: the tools, the store's contents and the listeners.

use std::cell::RefCell;
use std::collections::HashMap;
use std::rc::Rc;
use std::sync::Arc;

use ext_php_rs::exception::PhpResult;
use ext_php_rs::types::Zval;
use toolwire::lifecycle::{
    Approvals, RateLimit, RateLimiter, RunClaim, RunOutcome, Runs, Settings, UndoStore,
};
use toolwire::redact::Redaction;
use toolwire::registry::ToolSpec;
use toolwire::store::Store;

use super::callback::{Stop, call, warn};
use super::registry::{Registry, Tools};
use super::{clock, error};
use crate::host::object::Object;
use crate::host::value;
use crate::zend::Holds;

/// What the runs of an executor share.
pub(super) struct Host {
    pub(super) tools: Tools,
    store: Arc<dyn Store>,
    pub(super) approvals: Approvals,
    pub(super) undo: UndoStore,
    pub(super) runs: Runs,
    limiters: RefCell<HashMap<String, (RateLimit, Rc<RateLimiter>)>>,
    listeners: RefCell<Vec<Zval>>,
    pub(super) permission: Option<Zval>,
    /// The callable that returns the changes that a run would make now.
    pub(super) changes: Option<Zval>,
    pub(super) redaction: Redaction,
    pub(super) settings: Settings,
    pub(super) undo_ttl: i64,
    /// The object that owns the tools. It shows them to the cycle collector.
    registry: Zval,
}

/// The program's options for all runs.
pub(super) struct HostOptions {
    pub(super) approval_retention: i64,
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
        if let Ok(listeners) = self.listeners.try_borrow() {
            listeners.iter().for_each(show);
        }
    }
}

impl Host {
    /// Puts together the values that the runs of a registry's tools share.
    pub(super) fn new(
        registry: &Object<Registry>,
        store: Arc<dyn Store>,
        options: HostOptions,
    ) -> PhpResult<Self> {
        Ok(Self {
            tools: registry.held()?.tools(),
            registry: registry.value().shallow_clone(),
            approvals: Approvals::new(Arc::clone(&store))
                .with_retention(options.approval_retention),
            undo: UndoStore::new(Arc::clone(&store)),
            runs: Runs::new(Arc::clone(&store)),
            store,
            limiters: RefCell::default(),
            listeners: RefCell::default(),
            permission: options.permission,
            changes: options.changes,
            redaction: options.redaction,
            settings: options.settings,
            undo_ttl: options.undo_ttl,
        })
    }

    /// Adds a listener, which is called with every event.
    pub(super) fn listen(&self, listener: Zval) {
        self.listeners.borrow_mut().push(listener);
    }

    /// Calls every listener with an event. An exception of a listener is reported, and the others
    /// are still called.
    pub(super) fn tell(&self, name: &str, data: &Zval) -> Result<(), Stop> {
        // A listener may add other listeners, which get the next event.
        let listeners: Vec<Zval> =
            self.listeners.borrow().iter().map(Zval::shallow_clone).collect();
        let name = value::text(name);
        for listener in listeners {
            match call(&listener, vec![&name, data]) {
                Ok(_) => {}
                Err(Stop::Thrown(thrown)) => warn("an event listener", &thrown)?,
                Err(Stop::Exit) => return Err(Stop::Exit),
            }
        }
        Ok(())
    }

    /// Writes down how a run ended. If that fails, the handler does not run again.
    pub(super) fn settle(&self, claim: &RunClaim, outcome: &RunOutcome) -> Result<(), Stop> {
        match self.runs.settle(claim, outcome, clock::now()).map_err(error::store) {
            Ok(_) => Ok(()),
            Err(Stop::Thrown(thrown)) => warn("the store", &thrown),
            Err(Stop::Exit) => Err(Stop::Exit),
        }
    }

    /// Returns the rate limiter of a tool.
    pub(super) fn limiter(&self, spec: &ToolSpec, limit: RateLimit) -> Rc<RateLimiter> {
        let mut limiters = self.limiters.borrow_mut();
        let made = || (limit, Rc::new(RateLimiter::new(Arc::clone(&self.store), limit)));
        let known = limiters.entry(spec.action_type.clone()).or_insert_with(made);
        if known.0 != limit {
            *known = made();
        }
        Rc::clone(&known.1)
    }
}
