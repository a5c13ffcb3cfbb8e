//! What the runs of an executor share: the tools, the store's contents and the listeners.

use std::cell::RefCell;
use std::sync::Arc;

use ext_php_rs::exception::PhpResult;
use ext_php_rs::types::Zval;
use toolwire::executor::Services;
use toolwire::lifecycle::Settings;
use toolwire::redact::Redaction;
use toolwire::store::Store;

use super::callback::{Stop, call, warn};
use super::registry::{Registry, Tools};
use crate::host::object::Object;
use crate::host::value;
use crate::zend::Holds;

/// What the runs of an executor share.
pub(super) struct Host {
    pub(super) tools: Tools,
    pub(super) services: Services,
    listeners: RefCell<Vec<Zval>>,
    pub(super) permission: Option<Zval>,
    /// The callable that returns the changes that a run would make now.
    pub(super) changes: Option<Zval>,
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
            services: Services::new(store, options.settings)
                .with_approval_retention(options.approval_retention)
                .with_redaction(options.redaction)
                .with_undo_ttl(options.undo_ttl),
            listeners: RefCell::default(),
            permission: options.permission,
            changes: options.changes,
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
}
