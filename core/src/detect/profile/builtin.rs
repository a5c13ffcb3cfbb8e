//! The table of built-in profiles, and how one is made.

use std::collections::BTreeMap;
use std::sync::{Arc, LazyLock};

use serde_json::{Value, json};

use super::data::{Profile, ProfileData, Source};
use super::definition::{self, NamedParts};
use super::shape::{FrameList, Framing, MessageShape, ReasoningStyle};
use crate::detect::format::Format;
use crate::detect::format::marker::Marker;
use crate::error::Error;
use crate::json::parse::parse_json;
use crate::option::wrong_type;

/// The list whose tokens frame a message of any model only where it begins: `>>>` is also Python's
/// prompt.
const FUNCTIONARY: &str = "functionary";
/// The slug of the profile for a model that nobody named.
const AUTO: &str = "auto";
/// The styles of reasoning whose markers are words that prose may hold.
const PLAIN: [&str; 5] = ["granite", "apriel", "ax", "hyperclova", "harmony_stripped"];
/// The lists of framing tokens that prose or another family's text may hold.
const NOT_AUTOMATIC: [&str; 10] = [
    "answer",
    "ernie",
    "granite_response",
    "harmony_stripped",
    "hyperclova",
    "longcat",
    "reka",
    "minicpmv",
    "gigachat",
    FUNCTIONARY,
];

/// The styles of reasoning that models of many kinds write, the most common ones first.
const COMMON: [&str; 3] = ["think", "thinking", "thought"];
/// How many of these are read where formats are named and no model is. The search for `</thought>`
/// shares a group of windows with keys of JSON, which then take a fourth longer to pass.
const COMMON_OF_FORMATS: usize = 2;

/// The parts that profiles are made of.
pub(super) struct Table {
    named: NamedParts,
    /// Parts of the markup of calls that no prose holds, whatever the format.
    unowned: Unowned,
    /// The styles of reasoning, in the order of the file.
    pub(super) styles: Vec<ReasoningStyle>,
    /// The lists of framing tokens with their names, in the order of the file.
    pub(super) frames: Vec<(Box<str>, FrameList)>,
}

static FILE: LazyLock<Value> =
    LazyLock::new(|| parse_json(include_bytes!("builtin.json")).unwrap_or_default());

/// The built-in profiles. A detector for which no model is named needs the parts alone, and the
/// profiles take longer to read.
static PROFILES: LazyLock<Vec<Profile>> = LazyLock::new(|| {
    let rows = FILE.get("profiles").and_then(Value::as_array).into_iter().flatten();
    rows.filter_map(|row| definition::read(row, &TABLE.named).ok()).collect()
});

static TABLE: LazyLock<Table> = LazyLock::new(|| {
    let members = |member: &str| FILE.get(member).and_then(Value::as_object).into_iter().flatten();
    let owned = |(name, value): (&String, &Value)| (name.clone(), value.clone());
    let named = NamedParts {
        reasoning: members("reasoning").map(owned).collect(),
        frames: members("frames").map(owned).collect(),
    };
    // A test reads each part, so no part is left out here.
    let names = members("reasoning").map(|(name, _)| Value::from(name.as_str()));
    let lists = members("frames").map(|(name, list)| (name, definition::list(list, &named)));
    let texts = |member: &str| FILE.get(member).and_then(Value::as_array).into_iter().flatten();
    let markers = |member: &str| {
        texts(member).filter_map(|text| Marker::parse(text.as_str()?).ok()).collect::<Vec<_>>()
    };
    Table {
        unowned: Unowned {
            strays: markers("strays"),
            stops: markers("stops"),
            turns: markers("turns"),
        },
        styles: names.filter_map(|name| definition::style(&name, &named, &[]).ok()).collect(),
        frames: lists.filter_map(|(name, list)| Some((name.as_str().into(), list.ok()?))).collect(),
        named,
    }
});

static AUTOMATIC: LazyLock<Profile> = LazyLock::new(|| {
    let lists = TABLE.frames.iter().filter(|(name, _)| !NOT_AUTOMATIC.contains(&&**name));
    let mut frames: Vec<Marker> = Vec::new();
    for token in lists.flat_map(|(_, list)| &list.tokens) {
        // In HTML, `</s>` ends text that is struck out.
        if token.written() != "</s>" && !frames.contains(token) {
            frames.push(token.clone());
        }
    }
    let others = TABLE.frames.iter().flat_map(|(_, list)| &list.after_end);
    let after_end = others
        .filter(|token| token.written().starts_with("<|") || token.written().starts_with("<｜"));
    let answers = TABLE.frames.iter().flat_map(|(_, list)| &list.answers);
    let first = TABLE.frames.iter().filter(|(name, _)| &**name == FUNCTIONARY);
    let begins = first.flat_map(|(_, list)| &list.tokens);
    let identified = TABLE.styles.iter().filter(|one| !PLAIN.contains(&&*one.style));
    let message = MessageShape {
        reasoning: identified.cloned().collect(),
        frames,
        answers: answers.cloned().collect(),
        begins: begins.cloned().collect(),
        after_end: after_end.cloned().collect(),
        begun: None,
        calls_in_reasoning: false,
    };
    let data = ProfileData {
        slug: AUTO.into(),
        models: "any model".to_owned(),
        aliases: Vec::new(),
        patterns: Vec::new(),
        formats: Format::automatic(),
        frames: Vec::new(),
        examples: BTreeMap::new(),
        framing: Framing::default(),
        thinking: None,
        siblings: Vec::new(),
    };
    let (source, begun_source) = (Source::Prompt, Source::Model);
    let definition = json!({"slug": &*data.slug});
    let (data, message) = (Arc::new(data), Arc::new(message));
    Profile { data, message, definition: Arc::new(definition), source, begun_source, exact: true }
});

/// Markers that say something wherever they stand, whatever the model.
pub(crate) struct Unowned {
    /// Parts of the markup of calls that no prose holds.
    pub(crate) strays: Vec<Marker>,
    /// The tokens that end a message.
    pub(crate) stops: Vec<Marker>,
    /// The tokens that begin the turn of somebody else.
    pub(crate) turns: Vec<Marker>,
}

/// Markers that say something wherever they stand.
pub(crate) fn unowned() -> &'static Unowned {
    &TABLE.unowned
}

/// The table of built-in profiles.
pub(super) fn table() -> &'static Table {
    &TABLE
}

impl MessageShape {
    /// The shape where nothing is known of the model: the most common styles of reasoning are read.
    pub(crate) fn plain() -> Arc<Self> {
        static PLAIN: LazyLock<Arc<MessageShape>> = LazyLock::new(|| {
            let nothing = MessageShape {
                reasoning: Vec::new(),
                frames: Vec::new(),
                answers: Vec::new(),
                begins: Vec::new(),
                after_end: Vec::new(),
                begun: None,
                calls_in_reasoning: false,
            };
            Arc::new(nothing.with_reasoning(&COMMON[..COMMON_OF_FORMATS]))
        });
        Arc::clone(&PLAIN)
    }

    /// The same with the common styles of reasoning behind its own. A model that was tuned to think
    /// writes these whatever its family, and no call in them is meant to run.
    pub(crate) fn with_common_reasoning(&self) -> Self {
        self.with_reasoning(&COMMON)
    }

    /// The same with these styles of reasoning behind its own, but for those that open alike.
    fn with_reasoning(&self, styles: &[&str]) -> Self {
        let mut shape = self.clone();
        for style in TABLE.styles.iter().filter(|style| styles.contains(&&*style.style)) {
            if !shape.reasoning.iter().any(|own| own.opens_like(style)) {
                shape.reasoning.push(style.clone());
            }
        }
        shape
    }
}

impl Profile {
    /// Every built-in profile; of those that write alike, the most general stands first.
    #[must_use]
    pub fn all() -> &'static [Self] {
        &PROFILES
    }

    /// A profile for a model that nobody named: every marker that identifies itself is understood.
    #[must_use]
    pub fn automatic() -> Self {
        AUTOMATIC.clone()
    }

    /// Whether it is the profile for a model that nobody named.
    pub(crate) fn is_automatic(&self) -> bool {
        self.slug() == AUTO && self.data == AUTOMATIC.data
    }

    /// The profile for a model's name, or the profile that this definition makes.
    ///
    /// # Errors
    /// `unknown_model`, `invalid_profile`; `wrong_type` for a value of another type.
    pub fn from_json(value: &Value) -> Result<Self, Error> {
        match value {
            Value::String(model) => Self::named(model),
            Value::Object(_) => Self::define(value),
            _ => Err(wrong_type("a profile", "a name or a definition")),
        }
    }

    /// Makes a profile from its definition; `docs/profiles.md` lists the members.
    ///
    /// ```
    /// use serde_json::json;
    /// use toolwire::detect::Profile;
    ///
    /// let profile = Profile::define(&json!({
    ///     "slug": "mine",
    ///     "formats": ["hermes"],
    ///     "reasoning": [{"name": "musing", "open": "<muse>", "close": "</muse>"}],
    ///     "frames": ["chatml"],
    ///     "begun": "musing",
    /// }))?;
    /// assert_eq!(profile.reasoning_begun(), Some("musing"));
    /// # Ok::<(), toolwire::Error>(())
    /// ```
    ///
    /// # Errors
    /// `invalid_profile`; the message names the member and what it must be.
    pub fn define(definition: &Value) -> Result<Self, Error> {
        match Self::automatic_from(definition) {
            Some(profile) => Ok(profile),
            None => definition::read(definition, &TABLE.named),
        }
    }

    /// The profile of [`Profile::automatic`], if its definition is given: the slug, and the style
    /// in which the message begins.
    fn automatic_from(definition: &Value) -> Option<Self> {
        let members = definition.as_object()?;
        let known = |name: &String| matches!(name.as_str(), "slug" | "begun");
        if members.get("slug")? != AUTO || !members.keys().all(known) {
            return None;
        }
        let profile = Self::automatic();
        let Some(begun) = members.get("begun") else { return Some(profile) };
        let begun = profile.reasoning().position(|style| begun == style)?;
        Some(profile.beginning_in(Some(begun), Source::Prompt))
    }
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use super::*;

    #[test]
    fn every_part_of_the_table_is_usable() {
        let file = parse_json(include_bytes!("builtin.json")).unwrap();
        for row in file["profiles"].as_array().unwrap() {
            definition::read(row, &TABLE.named).unwrap();
        }
        assert_eq!(file["profiles"].as_array().unwrap().len(), PROFILES.len());
        assert_eq!(file["frames"].as_object().unwrap().len(), TABLE.frames.len());
        for (name, list) in &TABLE.named.frames {
            assert!(!definition::list(list, &TABLE.named).unwrap().tokens.is_empty(), "{name}");
        }
        for name in TABLE.named.reasoning.keys() {
            definition::style(&name.as_str().into(), &TABLE.named, &[]).unwrap();
        }
    }

    #[test]
    fn each_profile_and_alias_has_a_name_of_its_own() {
        let mut names = BTreeSet::new();
        for profile in Profile::all() {
            let own = profile.aliases().iter().map(|alias| alias.replace('-', "_"));
            let own: BTreeSet<_> = own.chain([profile.slug().to_owned()]).collect();
            for name in own {
                assert!(names.insert(name.clone()), "{name} comes twice");
            }
        }
    }
}
