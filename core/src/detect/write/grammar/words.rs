//! What may not stand in the texts of a message.

use std::collections::BTreeSet;

use crate::detect::format::Format;
use crate::detect::format::marker::Marker;
use crate::detect::format::shape::Syntax;
use crate::detect::profile::Profile;
use crate::detect::rule::tools::Tools;

/// The texts that would be read as something else.
#[derive(Clone, Debug, Default)]
pub(super) struct Words {
    pub(super) in_text: Vec<String>,
    pub(super) in_reasoning: Vec<String>,
    /// How a text does not begin, where no marker opens a call: with the first character of a
    /// call, or with white space.
    pub(super) first_not: String,
}

impl Words {
    /// The words of a format alone. `opener` is how calls begin.
    pub(super) fn of_format(format: &Format, opener: &str, tools: &Tools) -> Self {
        let mut words = BTreeSet::new();
        let first_not = match opener.chars().next() {
            Some(first @ ('[' | '{')) if is_plain(format, opener) => {
                words.extend(plain_openers(opener, tools));
                format!("{first} \t\r\n")
            }
            _ => String::new(),
        };
        if first_not.is_empty() {
            words.extend(openers(format, tools));
            if words.is_empty() && !opener.is_empty() {
                words.insert(opener.to_owned());
            }
        }
        let words: Vec<_> = words.into_iter().collect();
        Self { in_reasoning: words.clone(), in_text: words, first_not }
    }

    /// The words of a profile whose calls are in this format.
    pub(super) fn of_profile(
        profile: &Profile,
        format: Option<&Format>,
        opener: &str,
        tools: &Tools,
    ) -> Self {
        let own = format.map(|format| Self::of_format(format, opener, tools)).unwrap_or_default();
        let mut words: BTreeSet<String> = own.in_text.iter().cloned().collect();
        for format in profile.read_formats() {
            words.extend(openers(&format, tools));
        }
        let message = profile.message();
        let in_reasoning = words.clone();
        for style in &message.reasoning {
            let markers = style.open.iter().chain(&style.open_first).chain(&style.close);
            words.extend(markers.filter_map(lead));
        }
        let frames = message.frames.iter().chain(&message.after_end);
        let frames: BTreeSet<_> = frames.filter_map(lead).collect();
        let ends = message.reasoning.iter().flat_map(|style| {
            style.open.iter().chain(&style.open_first).chain(&style.close).chain(&style.ends_at)
        });
        let mut in_reasoning: BTreeSet<_> = in_reasoning.union(&frames).cloned().collect();
        in_reasoning.extend(ends.filter_map(lead));
        words.extend(frames);
        Self {
            in_text: words.into_iter().collect(),
            in_reasoning: in_reasoning.into_iter().collect(),
            first_not: own.first_not,
        }
    }
}

/// Whether nothing but brackets opens a call.
fn is_plain(format: &Format, opener: &str) -> bool {
    match &format.data.syntax {
        Syntax::Bare(_) => true,
        Syntax::Marked(_) => opener == "[" || opener.starts_with('{'),
        Syntax::Element(_) => false,
    }
}

/// How calls begin that no marker opens.
fn plain_openers(opener: &str, tools: &Tools) -> Vec<String> {
    if opener.chars().count() > 2 {
        return vec![opener.to_owned()];
    }
    tools.names().map(|name| format!("{opener}{name}(")).collect()
}

/// How the calls of a format with markers begin.
fn openers(format: &Format, tools: &Tools) -> Vec<String> {
    let Syntax::Marked(marked) = &format.data.syntax else { return Vec::new() };
    let call = &marked.call;
    if !call.names.is_empty() {
        let own = call.names.iter().map(|name| &**name);
        return own.chain(tools.names()).map(|name| format!("<{name}>")).collect();
    }
    let wrappers = marked.wrapper.iter().flat_map(|wrapper| &wrapper.open);
    let all = wrappers.chain(&call.open);
    all.filter_map(lead).filter(|lead| lead != "[").collect()
}

/// The text with which a marker begins, if it says anything.
fn lead(marker: &Marker) -> Option<String> {
    let lead = str::from_utf8(marker.lead()).ok()?;
    (lead.trim().chars().count() > 2).then(|| lead.to_owned())
}
