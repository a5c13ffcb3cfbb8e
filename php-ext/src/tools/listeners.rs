//! The program's listeners to the events of runs.

use std::cell::RefCell;
use std::ops::ControlFlow;
use std::rc::{Rc, Weak};

use ext_php_rs::types::Zval;
use toolwire::executor::Teller;
use toolwire::lifecycle::RunEvent;

use super::callback::{Stop, call, warn};
use super::event;
use crate::host::value;

type Callables = RefCell<Vec<Zval>>;

/// The listeners of an executor, which shows them to the cycle collector.
#[derive(Default)]
pub(super) struct Listeners(Rc<Callables>);

/// The listeners of an executor that may be gone. Whoever holds this does not hold the listeners,
/// so the cycle collector need not be told.
pub(super) struct ListenersOf(Weak<Callables>);

impl Listeners {
    /// Adds a listener.
    pub(super) fn add(&self, listener: Zval) {
        self.0.borrow_mut().push(listener);
    }

    /// Shows every listener, unless one is being added.
    pub(super) fn each(&self, show: &mut dyn FnMut(&Zval)) {
        if let Ok(listeners) = self.0.try_borrow() {
            listeners.iter().for_each(show);
        }
    }

    /// Calls every listener with an event that shows no payload.
    pub(super) fn tell_event(&self, event: &RunEvent) -> Result<(), Stop> {
        self.tell(event.kind.slug(), &event::data(event, &Zval::null())?)
    }

    /// Returns what tells these listeners at the end of the request, when their executor may be
    /// gone. It counts as a user of each listener: the cycle collector frees what only an executor
    /// holds that nobody else reaches.
    pub(super) fn teller(&self) -> Teller {
        let own = self.0.borrow().iter().map(Zval::shallow_clone).collect();
        let listeners = Self(Rc::new(RefCell::new(own)));
        Box::new(move |event| match listeners.tell_event(event) {
            Ok(()) => ControlFlow::Continue(()),
            Err(_) => ControlFlow::Break(()),
        })
    }

    pub(super) fn share(&self) -> ListenersOf {
        ListenersOf(Rc::downgrade(&self.0))
    }

    /// Calls every listener with an event. An exception of a listener is reported, and the others
    /// are still called.
    pub(super) fn tell(&self, name: &str, data: &Zval) -> Result<(), Stop> {
        // A listener may add other listeners, which get the next event.
        let listeners: Vec<Zval> = self.0.borrow().iter().map(Zval::shallow_clone).collect();
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

impl ListenersOf {
    /// Calls every listener with an event, while there are any.
    pub(super) fn tell(&self, name: &str, data: &Zval) -> Result<(), Stop> {
        match self.0.upgrade() {
            Some(callables) => Listeners(callables).tell(name, data),
            None => Ok(()),
        }
    }
}
