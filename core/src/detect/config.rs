//! A detector's options, arranged for the search.

use std::sync::Arc;

use super::body::element::ElementSyntax;
use super::format::shape::{Keys, Syntax};
use super::format::{Data, Format};
use super::json::arguments::Tolerance;
use super::options::{Fences, Options};
use super::starts::Starts;
use super::triggers::Triggers;
use super::vet::Rules;
use crate::error::{Error, ErrorKind};

/// A detector's options, arranged for the search.
#[derive(Clone, Debug)]
pub(super) struct Config {
    /// What there is of each format.
    pub(super) formats: Vec<Arc<Data>>,
    pub(super) json: Option<(&'static str, Arc<Keys>)>,
    pub(super) element: Option<ElementSyntax>,
    pub(super) starts: Starts,
    pub(super) triggers: Triggers,
    pub(super) rules: Rules,
    pub(super) tolerance: Tolerance,
    pub(super) fences: Fences,
    pub(super) reasoning: bool,
    pub(super) max_input: usize,
    pub(super) max_calls: usize,
    pub(super) max_rejections: usize,
}

impl Config {
    pub(super) fn new(options: Options) -> Result<Self, Error> {
        let refuse = |message: &str| Err(Error::new(ErrorKind::InvalidOption, message));
        if options.formats.is_empty() {
            return refuse("formats must name at least one format");
        }
        if options.max_depth > Options::DEEPEST {
            return refuse(&format!("max_depth must be at most {}", Options::DEEPEST));
        }
        let (config, problem) = Self::arrange(options);
        problem.map_or(Ok(config), Err)
    }

    /// Arranges the options, and tells the first that cannot be had.
    fn arrange(options: Options) -> (Self, Option<Error>) {
        let tolerance =
            Tolerance { depth: options.max_depth, bytes: options.max_arguments, repair: options.repair };
        let mut config = Self {
            formats: options.formats.iter().map(|format| Arc::clone(&format.data)).collect(),
            json: None,
            element: None,
            starts: Starts::default(),
            triggers: Triggers::default(),
            rules: Rules {
                tools: options.tools,
                aliases: options.aliases,
                legacy: options.legacy,
                validate: options.validate,
                coerce: options.coerce,
                max_depth: options.max_depth,
                seen: options.seen,
            },
            tolerance,
            fences: options.fences,
            reasoning: options.reasoning,
            max_input: options.max_input,
            max_calls: options.max_calls,
            max_rejections: options.max_rejections,
        };
        config.add_triggers(&options.formats);
        let formats = options.formats.iter().enumerate();
        let problems =
            formats.filter_map(|(index, format)| config.add(format, index, &options.html_class).err());
        let problem = problems.reduce(|first, _| first);
        config.starts.arrange();
        (config, problem)
    }

    /// The bytes that are searched for whatever the markers are: the rare ones first, since those of a
    /// group are searched for together.
    fn add_triggers(&mut self, formats: &[Format]) {
        let json = formats.iter().any(|format| matches!(format.data.syntax, Syntax::Bare(_)));
        let bytes: &[u8] = if json { b"<`{[~" } else { b"<`~" };
        for byte in bytes {
            self.triggers.add(*byte);
        }
    }

    fn add(&mut self, format: &Format, index: usize, class: &str) -> Result<(), Error> {
        let slug = format.slug();
        let refuse = |message: String| Err(Error::new(ErrorKind::InvalidOption, message));
        match &format.data.syntax {
            Syntax::Bare(_) if self.json.is_some() => {
                refuse("formats may hold one format of plain JSON, as json, xlam or command_r".to_owned())
            }
            Syntax::Bare(keys) => {
                self.json = Some((slug, Arc::clone(keys)));
                Ok(())
            }
            Syntax::Element(attributes) => {
                let (attributes, class, tolerance) = (attributes.clone(), class.to_owned(), self.tolerance);
                self.element = Some(ElementSyntax { slug, attributes, class, tolerance });
                Ok(())
            }
            Syntax::Marked(_) => {
                if self.starts.add(&format.data, index, &mut self.triggers) {
                    return Ok(());
                }
                refuse(format!("the markers of {slug} have too little in common with the others"))
            }
        }
    }
}

impl Default for Config {
    fn default() -> Self {
        Self::arrange(Options::default()).0
    }
}
