//! A detector's options, arranged for the search.

use super::body::element::ElementSyntax;
use super::format::{Format, Keys, Named, Syntax};
use super::json::arguments::Tolerance;
use super::options::{Fences, Options};
use super::triggers::Triggers;
use super::vet::Rules;
use crate::error::{Error, ErrorKind};

/// A detector's options, arranged for the search.
#[derive(Clone, Debug)]
pub(super) struct Config {
    pub(super) named: Vec<(&'static str, Named)>,
    pub(super) json: Option<(&'static str, Keys)>,
    pub(super) element: Option<ElementSyntax>,
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
        if options.formats.is_empty() {
            let message = "formats must name at least one format";
            return Err(Error::new(ErrorKind::InvalidOption, message));
        }
        if options.max_depth > Options::DEEPEST {
            let message = format!("max_depth must be at most {}", Options::DEEPEST);
            return Err(Error::new(ErrorKind::InvalidOption, message));
        }
        Ok(Self::arrange(options))
    }

    fn arrange(options: Options) -> Self {
        let tolerance =
            Tolerance { depth: options.max_depth, bytes: options.max_arguments, repair: options.repair };
        let mut config = Self {
            named: Vec::new(),
            json: None,
            element: None,
            triggers: Triggers::new([b'<', b'`', b'{'], Some([b'[', b'~'])),
            rules: Rules {
                tools: options.tools,
                aliases: options.aliases,
                legacy: options.legacy,
                validate: options.validate,
                seen: options.seen,
            },
            tolerance,
            fences: options.fences,
            reasoning: options.reasoning,
            max_input: options.max_input,
            max_calls: options.max_calls,
            max_rejections: options.max_rejections,
        };
        for format in &options.formats {
            config.add(format, &options.html_class);
        }
        if config.json.is_none() {
            config.triggers = Triggers::new([b'<', b'`', b'~'], None);
        }
        config
    }

    fn add(&mut self, format: &Format, class: &str) {
        let slug = format.slug();
        match &format.syntax {
            Syntax::Named(named) => self.named.push((slug, *named)),
            Syntax::Json(keys) => self.json = Some((slug, *keys)),
            Syntax::Element(attributes) => {
                let (attributes, class, tolerance) = (*attributes, class.to_owned(), self.tolerance);
                self.element = Some(ElementSyntax { slug, attributes, class, tolerance });
            }
        }
    }
}

impl Default for Config {
    fn default() -> Self {
        Self::arrange(Options::default())
    }
}
