//! What models are told of the tools of a registry, each under a name that leads back to it.

use serde_json::Value;

use super::directory::{Registered, Registry};
use super::spec::ToolSpec;
use crate::detect::{PromptStyle, PromptTool, render_prompt};
use crate::error::{Error, ErrorKind};
use crate::provider::tool_name::NameRule;
use crate::provider::{Provider, ToolDefinition, ToolOptions, dump_tools};

impl<H> Registry<H> {
    /// Writes the tools as a provider's request has them, in the order of their registration.
    ///
    /// A tool whose name the provider refuses, or whose name finds another tool, gets a name that
    /// is made of its own; [`get`](Self::get) finds the tool by it.
    ///
    /// ```
    /// use serde_json::json;
    /// use toolwire::provider::{Provider, ToolOptions};
    /// use toolwire::registry::{Registry, ToolSpec};
    ///
    /// let mut registry = Registry::default();
    /// registry.register(ToolSpec::new("weather.get").with_id("WEATHER"), "the weather");
    /// let tools = registry.to_provider(Provider::Mistral, ToolOptions::default())?;
    /// let name = tools[0]["function"]["name"].as_str().unwrap_or_default();
    /// assert_eq!(name, "weather_get_0a244108");
    /// assert_eq!(registry.get(name).map(|tool| *tool.handle()), Some("the weather"));
    /// # Ok::<(), toolwire::Error>(())
    /// ```
    ///
    /// # Errors
    /// See [`dump_tools`]. `invalid_tool` if no free name is left for a tool.
    pub fn to_provider(
        &self,
        provider: Provider,
        options: ToolOptions,
    ) -> Result<Vec<Value>, Error> {
        let rule = NameRule::of(provider);
        let plain = |name: &str| match rule {
            Some(rule) => rule.plain(name),
            None => Some(name.to_owned()),
        };
        let names = self.names(plain, rule.unwrap_or(NameRule::IDENTIFIER))?;
        let tools: Vec<_> =
            self.iter().zip(&names).map(|(tool, name)| definition(tool.spec(), name)).collect();
        dump_tools(&tools, provider, options)
    }

    /// Writes the text that tells a model without tool support which tools it has and how to call
    /// them.
    ///
    /// A tool whose name the format of the calls cannot hold gets a name that is made of its own;
    /// [`get`](Self::get) finds the tool by it.
    ///
    /// # Errors
    /// See [`render_prompt`]. `invalid_tool` if no free name is left for a tool.
    pub fn render_prompt(&self, style: &PromptStyle) -> Result<String, Error> {
        let plain = |name: &str| style.can_name(name).then(|| name.to_owned());
        let names = self.names(plain, NameRule::IDENTIFIER)?;
        let tools = self.iter().zip(&names).map(|(tool, name)| PromptTool {
            name,
            description: &tool.spec().description,
            input_schema: tool.spec().input_schema.as_deref(),
        });
        render_prompt(&tools.collect::<Vec<_>>(), style)
    }

    /// The name under which each tool is given: the plain one if it finds the tool, else one that
    /// the rule makes.
    fn names(
        &self,
        plain: impl Fn(&str) -> Option<String>,
        rule: NameRule,
    ) -> Result<Vec<String>, Error> {
        let name = |(place, tool): (usize, &Registered<H>)| {
            let ToolSpec { name, id, .. } = &**tool.spec();
            let made = rule.made(name, id);
            let mut names = plain(name).into_iter().chain(made);
            names.find(|name| self.place(name) == Some(place)).ok_or_else(|| {
                let name = name.escape_debug();
                let message = format!("other tools have every name that \"{name}\" could be given");
                Error::new(ErrorKind::InvalidTool, message)
            })
        };
        self.iter().enumerate().map(name).collect()
    }
}

/// What a provider is told of a tool under this name.
fn definition<'t>(spec: &'t ToolSpec, name: &'t str) -> ToolDefinition<'t> {
    ToolDefinition {
        name,
        description: &spec.description,
        input_schema: spec.input_schema.as_ref().map(|schema| schema.json()),
        hints: spec.hints,
    }
}
