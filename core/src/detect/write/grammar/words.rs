//! What may not stand in the texts of a message.

use std::collections::BTreeSet;

use super::banned::Banned;
use super::element::element_words;
use crate::detect::format::Format;
use crate::detect::format::marker::Marker;
use crate::detect::format::shape::Syntax;
use crate::detect::profile::Profile;
use crate::detect::rule::tools::Tools;

/// The texts that would be read as something else.
#[derive(Clone, Debug, Default)]
pub(super) struct Words {
    pub(super) in_text: Banned,
    pub(super) in_reasoning: Banned,
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
        let words: Banned = words.into_iter().collect();
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
            words.extend(markers.filter_map(lead).map(without_end));
        }
        let frames = message.frames.iter().chain(&message.after_end);
        let frames: BTreeSet<_> = frames.filter_map(lead).map(without_end).collect();
        let ends = message.reasoning.iter().flat_map(|style| {
            style.open.iter().chain(&style.open_first).chain(&style.close).chain(&style.ends_at)
        });
        let mut in_reasoning: BTreeSet<_> = in_reasoning.union(&frames).cloned().collect();
        in_reasoning.extend(ends.filter_map(lead).map(without_end));
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

/// The markers with which the calls of a format begin and end.
fn openers(format: &Format, tools: &Tools) -> Vec<String> {
    let marked = match &format.data.syntax {
        Syntax::Marked(marked) => marked,
        Syntax::Element(attributes) => return element_words(attributes),
        Syntax::Bare(_) => return Vec::new(),
    };
    let call = &marked.call;
    if !call.names.is_empty() {
        let own = call.names.iter().map(|name| &**name);
        return own.chain(tools.names()).map(|name| format!("<{name}>")).collect();
    }
    let wrapper = marked.wrapper.iter();
    let markers = wrapper.flat_map(|wrapper| wrapper.open.iter().chain(&wrapper.close));
    let is_token = |marker: &&Marker| marker.lead().starts_with(b"<|");
    let name_ends = call.name_end.iter().filter(is_token);
    let markers = markers.chain(&call.open).chain(&call.close).chain(name_ends);
    let texts = markers.flat_map(|marker| lead(marker).into_iter().chain(tags(marker)));
    let texts = texts.filter(|text| text.bytes().any(|byte| byte != b'`'));
    texts.map(without_end).collect()
}

/// A marker without its last signs: what lacks them is read as a damaged marker.
fn without_end(mut text: String) -> String {
    let least = text.trim_end_matches(['>', '|', '｜', ' ']).len();
    if text.get(..least).is_some_and(|rest| rest.chars().count() > 5) {
        text.truncate(least);
    }
    text
}

/// The tags of a marker that has several: each of them alone would be read as a damaged call.
fn tags(marker: &Marker) -> impl Iterator<Item = String> {
    let tags = marker.tags();
    let several = tags.len() > 1 || tags.first().is_some_and(|tag| *tag != marker.lead());
    let tags = tags.into_iter().filter(move |_| several);
    tags.filter_map(|tag| str::from_utf8(tag).ok()).map(str::to_owned)
}

/// The text with which a marker begins, if it says anything.
fn lead(marker: &Marker) -> Option<String> {
    let lead = str::from_utf8(marker.lead()).ok()?;
    (lead.trim().chars().count() > 2).then(|| lead.to_owned())
}
