//! `Toolwire\Detections`: what is found in each of many texts, one after the other.
//!
//! It asks the program's own iterator for a text when the one before was used, and keeps the last
//! detection alone. What the iterator throws stays pending, so that PHP throws it.

use std::cell::RefCell;

use ext_php_rs::prelude::*;
use ext_php_rs::types::Zval;
use ext_php_rs::zend::{ClassEntry, ExecutorGlobals, ce};

use crate::class::detection::Detection;
use crate::host::class::{ITERATOR, php_class};
use crate::host::exception;
use crate::host::value::{self, Anything, As};
use crate::zend::{self, Holds};

/// The most objects that give another one for their iterator.
const MOST_AGGREGATES: usize = 64;

/// The detections of texts that an iterator gives.
pub(crate) struct Detections {
    detector: toolwire::Detector,
    texts: Zval,
    /// The detection in the text at which the iterator is, once it was asked for.
    last: RefCell<Option<Zval>>,
}

php_class!(Detections, "Toolwire\\Detections", [ITERATOR], private, {});

impl Holds for Detections {
    fn each_held(&self, show: &mut dyn FnMut(&Zval)) {
        show(&self.texts);
        if let Ok(last) = self.last.try_borrow()
            && let Some(last) = &*last
        {
            show(last);
        }
    }
}

impl Detections {
    /// The detections in an array of texts, or in what an object gives that `foreach` takes.
    ///
    /// # Errors
    /// `wrong_type` for anything else.
    pub(crate) fn of(detector: toolwire::Detector, texts: &Zval) -> PhpResult<Self> {
        let texts = iterator(texts)?;
        Ok(Self { detector, texts, last: RefCell::new(None) })
    }

    /// Calls a method of the iterator; null if it has thrown.
    fn ask(&self, method: &str) -> PhpResult<Zval> {
        Ok(self.texts.try_call_method(method, Vec::new())?)
    }
}

/// The iterator of what `foreach` takes.
fn iterator(texts: &Zval) -> PhpResult<Zval> {
    let refuse = || {
        let given = value::type_name(texts);
        exception::wrong_type(format!("texts must be an array or a Traversable, got {given}"))
    };
    if zend::table(texts).is_some() {
        let class =
            ClassEntry::try_find("ArrayIterator").ok_or("there is no class ArrayIterator")?;
        let iterator = class.new();
        iterator.try_call_method("__construct", vec![texts])?;
        return Ok(value::object(iterator)?);
    }
    let mut found = texts.dereference().shallow_clone();
    for _ in 0..MOST_AGGREGATES {
        let Some(object) = found.object() else { return Err(refuse()) };
        if object.instance_of(ce::iterator()) {
            return Ok(found);
        }
        if !object.instance_of(ce::aggregate()) {
            return Err(refuse());
        }
        found = object.try_call_method("getiterator", Vec::new())?;
        if ExecutorGlobals::has_exception() {
            return Ok(Zval::null());
        }
    }
    Err(refuse())
}

#[php_impl]
impl Detections {
    /// Starts again, if the iterator can.
    fn rewind(&self) -> PhpResult<()> {
        self.last.replace(None);
        self.ask("rewind").map(drop)
    }

    /// Whether there is a text.
    fn valid(&self) -> PhpResult<bool> {
        Ok(self.ask("valid")?.bool() == Some(true))
    }

    /// The key of the text.
    fn key(&self) -> PhpResult<As<Anything>> {
        self.ask("key").map(As::new)
    }

    /// The detection in the text.
    fn current(&self) -> PhpResult<As<Anything>> {
        if let Some(last) = &*self.last.borrow() {
            return Ok(As::new(last.shallow_clone()));
        }
        let text = self.ask("current")?;
        if ExecutorGlobals::has_exception() {
            return Ok(As::new(Zval::null()));
        }
        let text = text.dereference();
        let Some(string) = zend::text(text) else {
            let given = value::type_name(text);
            return Err(exception::wrong_type(format!(
                "each of texts must be string, got {given}"
            )));
        };
        let findings = self.detector.detect(string.as_bytes()).into_findings();
        let found = zend::new_object(Detection::new(text.shallow_clone(), findings));
        self.last.replace(Some(found.shallow_clone()));
        Ok(As::new(found))
    }

    /// Goes to the next text.
    fn next(&self) -> PhpResult<()> {
        self.last.replace(None);
        self.ask("next").map(drop)
    }
}
