//! A detector's options, arranged for the search.

use std::sync::Arc;

use crate::detect::body::class_sign::ClassSign;
use crate::detect::body::element::ElementSyntax;
use crate::detect::engine::closing_bracket::BracketSearch;
use crate::detect::engine::json_search::JsonSearch;
use crate::detect::engine::marker_index::MarkerIndex;
use crate::detect::engine::starts::{Kinds, StartByte, Starts};
use crate::detect::format::shape::Syntax;
use crate::detect::format::{Data, Format};
use crate::detect::options::{Fences, Limits, Options, Reasoning};
use crate::detect::profile::{InnerMarkers, MessageShape, Profile, strays};
use crate::detect::rule::accept::CallRules;
use crate::error::{Error, ErrorKind};
use crate::json::outcome::{Repair, Tolerance};

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
    pub(crate) json: Option<JsonSearch>,
    pub(crate) element: Option<ElementSyntax>,
    pub(crate) markers: MarkerIndex,
    pub(crate) starts: Starts,
    pub(crate) brackets: BracketSearch,
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
    fn arrange(mut options: Options) -> (Self, Option<Error>) {
        options.profile = options.settled_profile();
        let (formats, message) = (options.chosen_formats(), options.message());
        // Formats that are named one by one are exact; otherwise what is not read is told.
        let reads_all = options.formats.is_empty() && options.profile.is_some()
            || Arc::ptr_eq(&message, Profile::automatic().message());
        let tolerance = Tolerance {
            depth: options.limits.max_depth,
            bytes: options.limits.max_arguments,
            repair: options.repair,
        };
        let mut config = Self {
            formats: formats.iter().map(|format| Arc::clone(&format.data)).collect(),
            profile: options.profile,
            json: JsonSearch::new(&formats, tolerance, options.tools.is_some()),
            element: None,
            markers: MarkerIndex::default(),
            starts: Starts::default(),
            brackets: BracketSearch::default(),
            rules: CallRules {
                tools: options.tools,
                renamed: options.renamed,
                validate: options.schemas.validate,
                coerce: options.schemas.coerce,
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
        config.add_code_and_json();
        let problems = formats.iter().enumerate().filter_map(|(index, format)| {
            config.add(format, index, options.html_class.as_deref()).err()
        });
        let problem = problems.reduce(|first, _| first);
        let shape = Arc::clone(&config.message);
        // A model that writes no call in a wrapper has nothing to show in it either.
        let wrapping = if config.profile.is_some() { formats.as_slice() } else { &[] };
        for format in wrapping {
            config.markers.add_empty_wrapper(&format.data, &mut config.starts);
        }
        config.markers.add_message(&shape, &mut config.starts);
        for format in &formats {
            config.markers.add_closing(&format.data, &mut config.starts);
        }
        if reads_all {
            let others: Vec<_> =
                Format::automatic().into_iter().filter(|other| !formats.contains(other)).collect();
            config.markers.add_unread(&others, strays(), &mut config.starts);
        }
        config.markers.arrange(&mut config.starts);
        (config, problem)
    }

    /// Adds what begins with the same bytes whatever the markers are. So these bytes are known
    /// when a byte is chosen for each marker.
    fn add_code_and_json(&mut self) {
        self.starts.add(b'`', None, Kinds::CODE);
        self.starts.add(b'~', Some(b'~'), Kinds::CODE);
        for byte in (0..=u8::MAX).filter(u8::is_ascii_alphabetic).chain(*b"!?") {
            self.starts.add(b'<', Some(byte), Kinds::TAG);
        }
        let Some(json) = &self.json else { return };
        for bracket in *b"{[" {
            let follows = |next: &u8| may_follow(*next, bracket, json.tolerance.repair);
            let spaces = || (0..=u8::MAX).filter(u8::is_ascii_whitespace);
            for next in (0..=u8::MAX).filter(follows) {
                self.starts.add(bracket, Some(next), Kinds::JSON.without(Kinds::SPACED_JSON));
            }
            for behind in (0..=u8::MAX).filter(follows).chain(spaces()) {
                for after in spaces() {
                    let found = StartByte {
                        byte: bracket,
                        before: None,
                        after: Some(after),
                        behind: Some(behind),
                    };
                    self.starts.add_inside(found, Kinds::SPACED_JSON);
                }
            }
        }
    }

    /// Whether a tag in this text may make its element a call.
    pub(crate) fn may_hold_element(&self, text: &[u8]) -> bool {
        self.element
            .as_ref()
            .is_some_and(|element| element.sign.as_ref().is_none_or(|sign| sign.stands_in(text)))
    }

    fn add(&mut self, format: &Format, index: usize, class: Option<&str>) -> Result<(), Error> {
        let slug = format.slug();
        let refuse = |message: String| Err(Error::new(ErrorKind::InvalidOption, message));
        match &format.data.syntax {
            Syntax::Bare(_) if self.json.as_ref().is_some_and(|json| json.slug != slug) => refuse(
                "formats may hold one format of plain JSON, as json, xlam or command_r".to_owned(),
            ),
            Syntax::Bare(_) => Ok(()),
            Syntax::Element(attributes) => {
                let Some(class) = class.or(attributes.class.as_deref()) else {
                    return refuse(format!("{slug} names no class, so html_class must"));
                };
                let (attributes, class, tolerance) =
                    (attributes.clone(), class.to_owned(), self.tolerance);
                let sign = ClassSign::new(&class);
                let element = ElementSyntax { slug, attributes, class, sign, tolerance };
                self.element = Some(element);
                Ok(())
            }
            Syntax::Marked(_) => {
                self.markers.add(&format.data, index, &mut self.starts);
                Ok(())
            }
        }
    }
}

/// Whether JSON that may be a call can have this byte after its first bracket.
pub(super) fn may_follow(next: u8, bracket: u8, repair: Repair) -> bool {
    match (bracket, repair) {
        (b'{', Repair::Off) => next == b'"',
        (b'{', Repair::Safe) => {
            matches!(next, b'"' | b'\'' | b'/' | b'_' | b'$') || next.is_ascii_alphabetic()
        }
        _ => next == b'{',
    }
}

impl Default for Config {
    fn default() -> Self {
        Self::arrange(Options::default()).0
    }
}
