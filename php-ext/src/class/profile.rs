//! `Toolwire\Profile`: how the models of a family write a message.

use ext_php_rs::flags::DataType;
use ext_php_rs::prelude::*;
use ext_php_rs::types::Zval;
use toolwire::detect::Format;

use crate::host::class::php_class;
use crate::host::value::{self, AnArray, As};

/// How the models of a family write a message.
pub(crate) struct Profile(toolwire::detect::Profile);

php_class!(Profile, "Toolwire\\Profile", [], private, {
    "slug": DataType::String, false => slug;
    "exact": DataType::Bool, false => exact;
    "models": DataType::String, false => models;
    "aliases": DataType::Array, false => aliases;
    "formats": DataType::Array, false => formats;
    "siblings": DataType::Array, false => siblings;
    "reasoning": DataType::Array, false => reasoning;
    "reasoningBegun": DataType::String, true => reasoning_begun;
    "callsInReasoning": DataType::Bool, false => calls_in_reasoning;
    "thinking": DataType::Array, true => thinking;
    "stop": DataType::Array, false => stop;
});

impl Profile {
    /// Makes a profile from a profile of the core.
    pub(crate) fn of(profile: &toolwire::detect::Profile) -> Self {
        Self(profile.clone())
    }

    /// The profile of the core.
    pub(crate) fn core(&self) -> &toolwire::detect::Profile {
        &self.0
    }

    fn slug(&self) -> Zval {
        value::text(self.0.slug())
    }

    fn exact(&self) -> Zval {
        value::flag(self.0.is_exact())
    }

    fn models(&self) -> Zval {
        value::text(self.0.models())
    }

    fn aliases(&self) -> PhpResult<Zval> {
        Ok(value::list(self.0.aliases().iter().map(value::text))?)
    }

    fn formats(&self) -> PhpResult<Zval> {
        Ok(value::list(self.0.formats().iter().map(Format::slug).map(value::text))?)
    }

    fn siblings(&self) -> PhpResult<Zval> {
        Ok(value::list(self.0.siblings().iter().map(Format::slug).map(value::text))?)
    }

    fn reasoning(&self) -> PhpResult<Zval> {
        Ok(value::list(self.0.reasoning().map(value::text))?)
    }

    fn reasoning_begun(&self) -> Zval {
        value::text_or_null(self.0.reasoning_begun())
    }

    fn calls_in_reasoning(&self) -> Zval {
        value::flag(self.0.calls_in_reasoning())
    }

    fn thinking(&self) -> PhpResult<Zval> {
        let Some(names) = self.0.thinking_names() else { return Ok(Zval::null()) };
        Ok(value::list(names.map(value::text))?)
    }

    fn stop(&self) -> PhpResult<Zval> {
        Ok(value::list(self.0.stop().into_iter().map(value::text))?)
    }
}

#[php_impl]
impl Profile {
    /// Every field, by its name in snake case.
    fn to_array(&self) -> PhpResult<As<AnArray>> {
        let fields = value::record([
            ("slug", self.slug()),
            ("exact", self.exact()),
            ("models", self.models()),
            ("aliases", self.aliases()?),
            ("formats", self.formats()?),
            ("siblings", self.siblings()?),
            ("reasoning", self.reasoning()?),
            ("reasoning_begun", self.reasoning_begun()),
            ("calls_in_reasoning", self.calls_in_reasoning()),
            ("thinking", self.thinking()?),
            ("stop", self.stop()?),
        ])?;
        Ok(As::new(fields))
    }
}
