//! `Toolwire\Constraint` and `Toolwire\ConstraintNote`: a grammar, and what it does not hold.

use ext_php_rs::flags::DataType;
use ext_php_rs::prelude::*;
use ext_php_rs::types::Zval;
use toolwire::detect as core;

use crate::class::provider::array;
use crate::host::class::php_class;
use crate::host::value::{self, AnArray, As, held};

/// A grammar that holds a model to calls that can be read.
pub(crate) struct Constraint {
    core: core::Constraint,
    grammar: Zval,
    request: Zval,
    notes: Zval,
}

php_class!(Constraint, "Toolwire\\Constraint", [], private, {
    "grammar": DataType::Mixed, false => grammar;
    "request": DataType::Array, false => request;
    "stop": DataType::Array, false => stop;
    "notes": DataType::Array, false => notes;
    "profile": DataType::String, true => profile;
    "format": DataType::String, true => format;
    "backend": DataType::String, false => backend;
    "reasoning": DataType::Mixed, false => reasoning;
});

impl Constraint {
    /// Makes an object of a constraint of the core.
    pub(crate) fn new(core: core::Constraint) -> PhpResult<Self> {
        let (grammar, request) = (array(&core.grammar)?, array(&core.request())?);
        let notes = core.notes.iter().map(|note| value::object(ConstraintNote(note.clone())));
        let notes = value::list(notes.collect::<Result<Vec<_>, _>>()?)?;
        Ok(Self { core, grammar, request, notes })
    }

    fn grammar(&self) -> Zval {
        self.grammar.shallow_clone()
    }

    fn request(&self) -> Zval {
        self.request.shallow_clone()
    }

    fn stop(&self) -> PhpResult<Zval> {
        Ok(value::list(self.core.stop.iter().map(value::text))?)
    }

    fn notes(&self) -> Zval {
        self.notes.shallow_clone()
    }

    fn profile(&self) -> Zval {
        value::text_or_null(self.core.profile.as_deref())
    }

    fn format(&self) -> Zval {
        value::text_or_null(self.core.format.as_deref())
    }

    fn backend(&self) -> Zval {
        value::text(self.core.backend.slug())
    }

    fn reasoning(&self) -> PhpResult<Zval> {
        array(&self.core.reasoning.to_json())
    }
}

#[php_impl]
impl Constraint {
    /// Every field, by its name in snake case.
    fn to_array(&self) -> PhpResult<As<AnArray>> {
        let notes = self.notes.array().into_iter().flat_map(crate::zend::entries);
        let notes = notes.filter_map(|(_, note)| held::<ConstraintNote>(note));
        let notes = notes.map(ConstraintNote::fields).collect::<PhpResult<Vec<_>>>()?;
        let fields = value::record([
            ("grammar", self.grammar()),
            ("request", self.request()),
            ("stop", self.stop()?),
            ("notes", value::list(notes)?),
            ("profile", self.profile()),
            ("format", self.format()),
            ("backend", self.backend()),
            ("reasoning", self.reasoning()?),
        ])?;
        Ok(As::new(fields))
    }
}

/// A keyword of a schema that a grammar does not hold.
pub(crate) struct ConstraintNote(core::ConstraintNote);

php_class!(ConstraintNote, "Toolwire\\ConstraintNote", [], private, {
    "tool": DataType::String, false => tool;
    "pointer": DataType::String, false => pointer;
    "keyword": DataType::String, false => keyword;
    "message": DataType::String, false => message;
});

impl ConstraintNote {
    fn tool(&self) -> Zval {
        value::text(&self.0.tool)
    }

    fn pointer(&self) -> Zval {
        value::text(&self.0.pointer)
    }

    fn keyword(&self) -> Zval {
        value::text(&self.0.keyword)
    }

    fn message(&self) -> Zval {
        value::text(&self.0.message)
    }

    fn fields(&self) -> PhpResult<Zval> {
        Ok(value::record([
            ("tool", self.tool()),
            ("pointer", self.pointer()),
            ("keyword", self.keyword()),
            ("message", self.message()),
        ])?)
    }
}

#[php_impl]
impl ConstraintNote {
    /// Every field, by its name.
    fn to_array(&self) -> PhpResult<As<AnArray>> {
        self.fields().map(As::new)
    }
}
