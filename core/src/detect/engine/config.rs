//! A detector's options, arranged for the search.
//!
//! To arrange every format takes longer than to search a reply. So the detectors that read every
//! form share the large parts, and each has only its own rules.

use std::sync::{Arc, LazyLock};

use crate::detect::body::class_sign::ClassSign;
use crate::detect::body::element::ElementSyntax;
use crate::detect::engine::closing_bracket::BracketSearch;
use crate::detect::engine::json_search::JsonSearch;
use crate::detect::engine::marker_index::MarkerIndex;
use crate::detect::engine::sign::{Sign, SignKind};
use crate::detect::engine::signs::TextSigns;
use crate::detect::engine::starts::{Kinds, StartByte, Starts};
use crate::detect::engine::window_tables::WIDTH;
use crate::detect::format::shape::Syntax;
use crate::detect::format::{Data, Format, tool_tags};
use crate::detect::options::{Fences, Limits, Options, Reasoning};
use crate::detect::profile::{InnerMarkers, MessageShape, Profile, unowned};
use crate::detect::rule::accept::CallRules;
use crate::detect::rule::tools::Tools;
use crate::error::{Error, ErrorKind};
use crate::json::outcome::{Repair, Tolerance};

/// How reasoning is read.
#[derive(Clone, Debug)]
pub(crate) struct ReasoningRules {
    /// What becomes of it.
    pub(crate) becomes: Reasoning,
    /// For each style of it, the markers that do not end it.
    pub(crate) markers: Arc<[InnerMarkers]>,
}

/// A detector's options, arranged for the search.
#[derive(Clone, Debug)]
pub(crate) struct Config {
    /// The data of each format.
    pub(crate) formats: Arc<[Arc<Data>]>,
    /// How the model writes a whole message, if that is known.
    pub(crate) profile: Option<Profile>,
    pub(crate) json: Option<JsonSearch>,
    pub(crate) element: Option<Arc<ElementSyntax>>,
    pub(crate) markers: Arc<MarkerIndex>,
    pub(crate) starts: Arc<Starts>,
    pub(crate) brackets: BracketSearch,
    pub(crate) rules: CallRules,
    pub(crate) tolerance: Tolerance,
    pub(crate) fences: Fences,
    pub(crate) reasoning: ReasoningRules,
    pub(crate) message: Arc<MessageShape>,
    pub(crate) limits: Limits,
}

impl Config {
    /// Whether JSON that fills a code block may be a call.
    pub(super) fn finds_json_in_blocks(&self) -> bool {
        self.json.as_ref().is_some_and(|json| json.counts) && self.fences != Fences::None
    }

    pub(crate) fn new(options: Options) -> Result<Self, Error> {
        let refuse = |message: &str| Err(Error::new(ErrorKind::InvalidOption, message));
        if options.limits.max_depth > Options::DEEPEST {
            return refuse(&format!("max_depth must be at most {}", Options::DEEPEST));
        }
        let (config, problem) = Self::arrange(options);
        problem.map_or(Ok(config), Err)
    }

    /// Whether a marker may show that all calls before it were only thoughts.
    pub(crate) fn may_take_for_thoughts(&self) -> bool {
        self.reasoning.becomes != Reasoning::Keep && self.markers.closes_reasoning()
    }

    /// Arranges the options, and returns the first problem among them.
    fn arrange(options: Options) -> (Self, Option<Error>) {
        match Self::shared(&options) {
            Some(shared) => (shared.with_rules_of(options), None),
            None => Self::arrange_anew(options),
        }
    }

    /// The detector of the default options that looks for the same; `None` when there is none.
    fn shared(options: &Options) -> Option<&'static Self> {
        static OFF: LazyLock<Config> = LazyLock::new(|| Config::of_every_form(Repair::Off));
        static SAFE: LazyLock<Config> = LazyLock::new(|| Config::of_every_form(Repair::Safe));
        let looks_for_all = options.profile.is_none()
            && options.html_class.is_none()
            && (options.formats.is_empty() || options.formats == Format::automatic())
            && Arc::ptr_eq(&options.message(), Profile::automatic().message());
        looks_for_all.then(|| match options.repair {
            Repair::Off => &*OFF,
            Repair::Safe => &*SAFE,
        })
    }

    fn of_every_form(repair: Repair) -> Self {
        Self::arrange_anew(Options { repair, ..Options::default() }).0
    }

    /// What is looked for, with the rules of other options.
    fn with_rules_of(&self, options: Options) -> Self {
        let tolerance = tolerance(&options);
        let mut element = self.element.clone();
        if let Some(element) = element.as_mut().filter(|element| element.tolerance != tolerance) {
            Arc::make_mut(element).tolerance = tolerance;
        }
        let json = self.json.clone().map(|json| json.with_limits_of(tolerance));
        Self {
            json,
            element,
            tolerance,
            fences: options.fences,
            reasoning: ReasoningRules { becomes: options.reasoning, ..self.reasoning.clone() },
            limits: options.limits,
            rules: rules(options),
            ..self.clone()
        }
    }

    fn arrange_anew(mut options: Options) -> (Self, Option<Error>) {
        options.profile = options.settled_profile();
        let formats = tool_tags::with_tags_of(options.chosen_formats(), || tool_names(&options));
        let message = options.message();
        let tells_unread = options.reads_automatic();
        let tolerance = tolerance(&options);
        let (mut starts, mut markers) = (Starts::default(), MarkerIndex::default());
        let (json, mixed) = JsonSearch::new(&formats, tolerance, options.tools.is_some());
        add_code_and_json(json.as_ref(), &mut starts);
        for (index, format) in formats.iter().enumerate() {
            markers.add(&format.data, index, &mut starts);
        }
        // A model that writes no call in a wrapper has nothing to show in it either.
        let wrapping = if options.profile.is_some() { formats.as_slice() } else { &[] };
        for format in wrapping {
            markers.add_empty_wrapper(&format.data, &mut starts);
        }
        markers.add_message(&message, &mut starts);
        for format in &formats {
            markers.add_closing(&format.data, &mut starts);
            markers.add_turns(&format.data, &mut starts);
        }
        if tells_unread {
            let others: Vec<_> =
                Format::automatic().into_iter().filter(|other| !formats.contains(other)).collect();
            markers.add_unread(&others, unowned(), &mut starts);
            markers.add_rare_ways(&message, &mut starts);
        }
        markers.arrange(&mut starts);
        let (element, nameless) = element(&formats, options.html_class.as_deref(), tolerance);
        starts.signs = signs(json.as_ref(), &markers, element.as_deref());
        let config = Self {
            formats: formats.iter().map(|format| Arc::clone(&format.data)).collect(),
            profile: options.profile.clone(),
            json,
            element,
            markers: Arc::new(markers),
            starts: Arc::new(starts),
            brackets: BracketSearch::default(),
            tolerance,
            fences: options.fences,
            reasoning: ReasoningRules {
                becomes: options.reasoning,
                markers: message.inner_markers().into(),
            },
            message,
            limits: options.limits,
            rules: rules(options),
        };
        (config, nameless.or(mixed))
    }

    /// Whether a tag in this text may make its element a call.
    pub(crate) fn may_hold_element(&self, text: &[u8]) -> bool {
        self.element
            .as_ref()
            .is_some_and(|element| element.sign.as_ref().is_none_or(|sign| sign.stands_in(text)))
    }
}

/// The names that a call of a tool may have, old ones among them.
fn tool_names(options: &Options) -> Vec<&str> {
    let renamed = options.renamed.aliases.keys().chain(options.renamed.legacy.keys());
    let tools = options.tools.iter().flat_map(Tools::names);
    tools.chain(renamed.map(String::as_str)).collect()
}

fn tolerance(options: &Options) -> Tolerance {
    Tolerance {
        depth: options.limits.max_depth,
        bytes: options.limits.max_arguments,
        repair: options.repair,
    }
}

fn rules(options: Options) -> CallRules {
    let guessed = options.profile.as_ref().filter(|profile| !profile.is_exact());
    let nearest = guessed.map(|profile| profile.slug().into());
    CallRules {
        nearest,
        tools: options.tools,
        renamed: options.renamed,
        validate: options.schemas.validate,
        coerce: options.schemas.coerce,
        max_depth: options.limits.max_depth,
        seen: options.seen,
    }
}

/// Adds what begins with the same bytes whatever the markers are. So these bytes are known when a
/// byte is chosen for each marker.
fn add_code_and_json(json: Option<&JsonSearch>, starts: &mut Starts) {
    starts.add(b'`', None, Kinds::CODE);
    starts.add(b'~', Some(b'~'), Kinds::CODE);
    for byte in (0..=u8::MAX).filter(u8::is_ascii_alphabetic).chain(*b"!?") {
        starts.add(b'<', Some(byte), Kinds::TAG);
    }
    let Some(json) = json else { return };
    if json.has_ends() {
        let behind = Some(b'<');
        let found = StartByte { byte: b'{', before: None, after: Some(b'}'), behind };
        starts.add_inside(found, Kinds::JSON.without(Kinds::SPACED_JSON));
    }
    for bracket in *b"{[" {
        let follows = |next: &u8| may_follow(*next, bracket, json.tolerance.repair);
        let spaces = || (0..=u8::MAX).filter(u8::is_ascii_whitespace);
        for next in (0..=u8::MAX).filter(follows) {
            starts.add(bracket, Some(next), Kinds::JSON.without(Kinds::SPACED_JSON));
        }
        for behind in (0..=u8::MAX).filter(follows).chain(spaces()) {
            for after in spaces() {
                let found = StartByte {
                    byte: bracket,
                    before: None,
                    after: Some(after),
                    behind: Some(behind),
                };
                starts.add_inside(found, Kinds::SPACED_JSON);
            }
        }
    }
}

/// What each text holds that is not just text; `None` where that may be anything.
fn signs(
    json: Option<&JsonSearch>,
    markers: &MarkerIndex,
    element: Option<&ElementSyntax>,
) -> Option<TextSigns> {
    let markers = markers.signs();
    let mut all: Vec<Sign> = markers.all().collect();
    if let Some(json) = json {
        all.extend(json.signs()?);
    }
    let Some(element) = element else { return Some(TextSigns::new(all, &markers.words(), None)) };
    let class = element.sign.clone()?;
    let (written, references) = class.texts();
    all.push(Sign { text: written.into(), kind: SignKind::Class });
    let reference = |mut text: Vec<u8>| {
        // Few signs take less time than many: of a number, the first digit tells most.
        if text.starts_with(b"&#") {
            text.truncate(WIDTH);
        }
        Sign { text: text.into(), kind: SignKind::Reference }
    };
    all.extend(references.map(reference));
    Some(TextSigns::new(all, &markers.words(), Some(class)))
}

/// The elements that are calls, by the last format of elements.
fn element(
    formats: &[Format],
    class: Option<&str>,
    tolerance: Tolerance,
) -> (Option<Arc<ElementSyntax>>, Option<Error>) {
    let (mut found, mut problem) = (None, None);
    for format in formats {
        let (slug, Syntax::Element(attributes)) = (format.slug(), &format.data.syntax) else {
            continue;
        };
        let Some(class) = class.or(attributes.class.as_deref()) else {
            let message = format!("{slug} names no class, so html_class must");
            problem = problem.or(Some(Error::new(ErrorKind::InvalidOption, message)));
            continue;
        };
        let (attributes, class) = (attributes.clone(), class.to_owned());
        let sign = ClassSign::new(&class);
        found = Some(Arc::new(ElementSyntax { slug, attributes, class, sign, tolerance }));
    }
    (found, problem)
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
