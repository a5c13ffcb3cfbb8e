//! A detector's options, arranged for the search.

use std::sync::Arc;

use crate::detect::body::element::ElementSyntax;
use crate::detect::engine::byte_search::ByteSearch;
use crate::detect::engine::marker_index::MarkerIndex;
use crate::detect::engine::signs::CallSigns;
use crate::detect::format::shape::{Keys, Syntax};
use crate::detect::format::{Data, Format};
use crate::detect::options::{Fences, Limits, Options, Reasoning};
use crate::detect::profile::{InnerMarkers, MessageShape, Profile};
use crate::detect::rule::accept::CallRules;
use crate::error::{Error, ErrorKind};
use crate::json::outcome::Tolerance;

/// How reasoning is read.
#[derive(Clone, Debug)]
pub(crate) struct ReasoningRules {
    /// What becomes of it.
    pub(crate) becomes: Reasoning,
    /// For each style of it, the markers that do not end it.
    pub(crate) markers: Vec<InnerMarkers>,
}

/// A detector's options, arranged for the search.
#[derive(Clone, Debug)]
pub(crate) struct Config {
    /// The data of each format.
    pub(crate) formats: Vec<Arc<Data>>,
    /// How the model writes a whole message, if that is known.
    pub(crate) profile: Option<Profile>,
    pub(crate) json: Option<(&'static str, Arc<Keys>)>,
    pub(crate) element: Option<ElementSyntax>,
    pub(crate) markers: MarkerIndex,
    pub(crate) search: ByteSearch,
    pub(crate) signs: CallSigns,
    pub(crate) rules: CallRules,
    pub(crate) tolerance: Tolerance,
    pub(crate) fences: Fences,
    pub(crate) reasoning: ReasoningRules,
    pub(crate) message: Arc<MessageShape>,
    pub(crate) limits: Limits,
}

impl Config {
    pub(crate) fn new(options: Options) -> Result<Self, Error> {
        let refuse = |message: &str| Err(Error::new(ErrorKind::InvalidOption, message));
        if options.limits.max_depth > Options::DEEPEST {
            return refuse(&format!("max_depth must be at most {}", Options::DEEPEST));
        }
        let (config, problem) = Self::arrange(options);
        problem.map_or(Ok(config), Err)
    }

    /// Arranges the options, and returns the first problem among them.
    fn arrange(options: Options) -> (Self, Option<Error>) {
        let (formats, message) = (options.chosen_formats(), options.message());
        let tolerance = Tolerance {
            depth: options.limits.max_depth,
            bytes: options.limits.max_arguments,
            repair: options.repair,
        };
        let mut config = Self {
            formats: formats.iter().map(|format| Arc::clone(&format.data)).collect(),
            profile: options.profile,
            json: None,
            element: None,
            markers: MarkerIndex::default(),
            search: ByteSearch::default(),
            signs: CallSigns::new(&formats, options.html_class.as_deref(), options.repair),
            rules: CallRules {
                tools: options.tools,
                renamed: options.renamed,
                validate: options.validate,
                coerce: options.coerce,
                max_depth: options.limits.max_depth,
                seen: options.seen,
            },
            tolerance,
            fences: options.fences,
            reasoning: ReasoningRules {
                becomes: options.reasoning,
                markers: message.inner_markers(),
            },
            message,
            limits: options.limits,
        };
        config.add_to_search(&formats);
        let problems = formats.iter().enumerate().filter_map(|(index, format)| {
            config.add(format, index, options.html_class.as_deref()).err()
        });
        let mut problem = problems.reduce(|first, _| first);
        config.json = config.json.or_else(|| {
            let mut bare = formats.iter().filter_map(|format| {
                Some((format.slug(), Arc::clone(format.data.syntax.bare_json()?)))
            });
            bare.next()
        });
        let shape = Arc::clone(&config.message);
        // A model that writes no call in a wrapper has nothing to show in it either.
        let wrapping = if config.profile.is_some() { formats.as_slice() } else { &[] };
        let fits = wrapping
            .iter()
            .all(|format| config.markers.add_empty_wrapper(&format.data, &mut config.search));
        if !fits || !config.markers.add_message(&shape, &mut config.search) {
            let message = "the markers of the message have too little in common with the formats'";
            problem = problem.or_else(|| Some(Error::new(ErrorKind::InvalidOption, message)));
        }
        config.markers.arrange();
        (config, problem)
    }

    /// Adds the bytes that are searched for whatever the markers are.
    ///
    /// Rare bytes come first, since the bytes of one group are searched for together.
    fn add_to_search(&mut self, formats: &[Format]) {
        let json = formats.iter().any(|format| format.data.syntax.bare_json().is_some());
        let bytes: &[u8] = if json { b"<`{[~" } else { b"<`~" };
        for byte in bytes {
            self.search.add(*byte);
        }
    }

    fn add(&mut self, format: &Format, index: usize, class: Option<&str>) -> Result<(), Error> {
        let slug = format.slug();
        let refuse = |message: String| Err(Error::new(ErrorKind::InvalidOption, message));
        match &format.data.syntax {
            Syntax::Bare(_) if self.json.is_some() => refuse(
                "formats may hold one format of plain JSON, as json, xlam or command_r".to_owned(),
            ),
            Syntax::Bare(keys) => {
                self.json = Some((slug, Arc::clone(keys)));
                Ok(())
            }
            Syntax::Element(attributes) => {
                let Some(class) = class.or(attributes.class.as_deref()) else {
                    return refuse(format!("{slug} names no class, so html_class must"));
                };
                let (attributes, class, tolerance) =
                    (attributes.clone(), class.to_owned(), self.tolerance);
                self.element = Some(ElementSyntax { slug, attributes, class, tolerance });
                Ok(())
            }
            Syntax::Marked(_) => {
                if self.markers.add(&format.data, index, &mut self.search) {
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
