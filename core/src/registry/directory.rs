//! Finds tools by id, name or alias.

use std::collections::HashMap;
use std::sync::Arc;

use super::spec::ToolSpec;
use crate::provider::tool_name::{is_function_of, is_made_for};

/// The tools of a program, each with its host handle.
///
/// A new tool replaces the tool with the same id, and takes its position. If several tools
/// share a name or an alias, a lookup finds the one that was registered last.
#[derive(Debug)]
pub struct Registry<H> {
    tools: Vec<Registered<H>>,
    by_id: HashMap<String, usize>,
    by_name: HashMap<String, usize>,
}

/// A tool with its host handle.
#[derive(Debug)]
pub struct Registered<H> {
    spec: Arc<ToolSpec>,
    handle: H,
}

impl<H> Registered<H> {
    /// Returns the specification of the tool.
    pub fn spec(&self) -> &Arc<ToolSpec> {
        &self.spec
    }

    /// Returns the value by which the host runs the tool.
    pub fn handle(&self) -> &H {
        &self.handle
    }

    /// Returns the host handle for a change.
    pub fn handle_mut(&mut self) -> &mut H {
        &mut self.handle
    }
}

impl<H> Default for Registry<H> {
    fn default() -> Self {
        Self { tools: Vec::new(), by_id: HashMap::new(), by_name: HashMap::new() }
    }
}

impl<H> Registry<H> {
    /// Adds a tool. If a tool of the same id exists, it is replaced and returned.
    pub fn register(&mut self, spec: impl Into<Arc<ToolSpec>>, handle: H) -> Option<Registered<H>> {
        let spec = spec.into();
        let tool = Registered { spec: Arc::clone(&spec), handle };
        let (place, replaced) = if let Some(place) = self.by_id.get(&spec.id).copied() {
            self.by_name.retain(|_, named| *named != place);
            (place, self.tools.get_mut(place).map(|old| std::mem::replace(old, tool)))
        } else {
            self.tools.push(tool);
            (self.tools.len() - 1, None)
        };
        self.by_id.insert(spec.id.clone(), place);
        for name in std::iter::once(&spec.name).chain(&spec.aliases) {
            self.by_name.insert(name.clone(), place);
        }
        replaced
    }

    /// Removes the tool of this id, and returns it.
    pub fn remove(&mut self, id: &str) -> Option<Registered<H>> {
        let removed = self.by_id.remove(id)?;
        self.by_name.retain(|_, place| *place != removed);
        for place in self.by_id.values_mut().chain(self.by_name.values_mut()) {
            if *place > removed {
                *place -= 1;
            }
        }
        (removed < self.tools.len()).then(|| self.tools.remove(removed))
    }

    /// Returns the tool of this id, else the tool of this name or alias, else the tool
    /// that a provider was given under this name.
    #[must_use]
    pub fn get(&self, name: &str) -> Option<&Registered<H>> {
        self.place(name).and_then(|place| self.tools.get(place))
    }

    /// Returns the same tool as [`get`](Self::get), for a change.
    pub fn get_mut(&mut self, name: &str) -> Option<&mut Registered<H>> {
        self.place(name).and_then(|place| self.tools.get_mut(place))
    }

    /// Returns the tool of this id.
    #[must_use]
    pub fn by_id(&self, id: &str) -> Option<&Registered<H>> {
        self.by_id.get(id).and_then(|place| self.tools.get(*place))
    }

    /// Returns the tool of this name or alias, else the tool of this id.
    #[must_use]
    pub fn by_name(&self, name: &str) -> Option<&Registered<H>> {
        let place = self.by_name.get(name).or_else(|| self.by_id.get(name));
        place.and_then(|place| self.tools.get(*place))
    }

    /// Returns the tools in the order in which their ids were first registered.
    pub fn iter(&self) -> impl Iterator<Item = &Registered<H>> {
        self.tools.iter()
    }

    /// Returns the position of the tool that [`get`](Self::get) finds.
    pub(super) fn place(&self, name: &str) -> Option<usize> {
        let own = self.by_id.get(name).or_else(|| self.by_name.get(name)).copied();
        own.or_else(|| self.tools.iter().position(|tool| is_given_as(name, tool.spec())))
    }
}

/// Whether a provider was given the tool under this name, because it refuses the tool's own.
fn is_given_as(given: &str, spec: &ToolSpec) -> bool {
    is_function_of(given, &spec.name) || is_made_for(given, &spec.name, &spec.id)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn handle(tool: Option<&Registered<u8>>) -> Option<u8> {
        tool.map(|tool| *tool.handle())
    }

    #[test]
    fn the_id_comes_before_the_name() {
        let mut registry = Registry::default();
        registry.register(ToolSpec::new("EDIT").with_id("WRITE"), 1);
        registry.register(ToolSpec::new("edit").with_id("EDIT"), 2);
        assert_eq!(handle(registry.get("EDIT")), Some(2));
        assert_eq!(handle(registry.by_name("EDIT")), Some(1));
        assert_eq!(handle(registry.get("edit")), Some(2));
        assert_eq!(handle(registry.by_id("edit")), None);
        assert_eq!(handle(registry.get("nothing")), None);
    }

    #[test]
    fn a_tool_replaces_the_one_of_its_id_and_its_names() {
        let mut registry = Registry::default();
        registry.register(
            ToolSpec { aliases: vec!["old".into()], ..ToolSpec::new("a").with_id("A") },
            1,
        );
        registry.register(ToolSpec::new("b").with_id("B"), 2);
        let replaced = registry.register(ToolSpec::new("c").with_id("A"), 3);
        assert_eq!(replaced.map(|tool| *tool.handle()), Some(1));
        assert_eq!(registry.iter().map(|tool| *tool.handle()).collect::<Vec<_>>(), [3, 2]);
        assert_eq!((handle(registry.get("a")), handle(registry.get("old"))), (None, None));
        assert_eq!(handle(registry.get("c")), Some(3));
    }

    #[test]
    fn a_tool_that_is_removed_is_found_by_nothing() {
        let mut registry = Registry::default();
        registry.register(
            ToolSpec { aliases: vec!["old".into()], ..ToolSpec::new("a").with_id("A") },
            1,
        );
        registry.register(ToolSpec::new("b").with_id("B"), 2);
        assert_eq!(registry.remove("A").map(|tool| *tool.handle()), Some(1));
        assert!(registry.remove("A").is_none());
        for name in ["A", "a", "old"] {
            assert_eq!(handle(registry.get(name)), None);
        }
        assert_eq!((handle(registry.get("b")), handle(registry.get("B"))), (Some(2), Some(2)));
        registry.register(ToolSpec::new("a").with_id("A"), 3);
        assert_eq!(registry.iter().map(|tool| *tool.handle()).collect::<Vec<_>>(), [2, 3]);
    }

    #[test]
    fn of_two_tools_with_one_name_the_later_is_found() {
        let mut registry = Registry::default();
        registry.register(ToolSpec::new("same").with_id("A"), 1);
        registry.register(ToolSpec::new("same").with_id("B"), 2);
        assert_eq!(handle(registry.get("same")), Some(2));
        assert_eq!(handle(registry.get("A")), Some(1));
    }
}
