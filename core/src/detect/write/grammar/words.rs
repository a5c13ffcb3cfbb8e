//! What may not stand in the texts of a message.

use std::collections::BTreeSet;

use super::banned::Banned;
use super::element::element_words;
use crate::detect::format::Format;
use crate::detect::format::marker::Marker;
use crate::detect::format::shape::{Body, EndRule, LiteralDialect, Syntax};
use crate::detect::profile::Profile;
use crate::detect::rule::tools::Tools;

/// What stands round the name of a special token.
const BARS: [char; 2] = ['|', '｜'];
/// The fewest characters that tell a kind of markers from other text.
const MIN_KIND: usize = 4;
/// The fewest characters of a marker whose last signs do not matter.
const MIN_UNENDED: usize = 6;

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
        let mut words = Self { in_reasoning: words.clone(), in_text: words, first_not };
        if is_read_alone(format) {
            words.add_names(format, tools);
        }
        words
    }

    /// Refuses all calls, for a message without any.
    ///
    /// A text with a damaged opener and the end of a call is refused for the end. Where calls may
    /// lack one, the names are refused.
    pub(super) fn refuse_calls(&mut self, format: &Format, tools: &Tools) {
        let ends = match &format.data.syntax {
            Syntax::Marked(marked) => {
                let wrapper = marked.wrapper.as_ref();
                let of_wrapper = wrapper.map(|wrapper| (&wrapper.close, wrapper.end));
                let parts = of_wrapper.into_iter().chain([(&marked.call.close, marked.call.end)]);
                let needed = parts.filter(|(_, end)| *end != EndRule::Optional);
                needed.flat_map(|(close, _)| close).filter_map(lead).any(|end| is_known(&end))
            }
            Syntax::Bare(_) | Syntax::Element(_) => false,
        };
        if !ends {
            self.add_names(format, tools);
        }
    }

    /// Refuses in texts how calls name these tools.
    ///
    /// So no call can be read from a text, however it is laid out and whatever its marker became.
    fn add_names(&mut self, format: &Format, tools: &Tools) {
        let names = tools.names().flat_map(|name| named(format, name));
        self.in_text = self.in_text.iter().cloned().chain(names).collect();
    }

    /// The words of a profile whose calls are in this format.
    pub(super) fn of_profile(
        profile: &Profile,
        format: Option<&Format>,
        opener: &str,
        tools: &Tools,
    ) -> Self {
        let own = format.map(|format| Self::of_format(format, opener, tools)).unwrap_or_default();
        let read = profile.read_formats().into_iter();
        let openers: BTreeSet<_> = read.flat_map(|format| openers(&format, tools)).collect();
        let with_openers = |own: &Banned| own.iter().chain(&openers).cloned().collect();
        let mut words: BTreeSet<String> = with_openers(&own.in_text);
        let mut in_reasoning: BTreeSet<String> = with_openers(&own.in_reasoning);
        let message = profile.message();
        let frames = message.frames.iter().chain(&message.after_end);
        let frames: BTreeSet<_> = frames.filter_map(lead).map(known_by).collect();
        for style in &message.reasoning {
            // What opens reasoning only where a message begins may be a word, as `analysis` is.
            let opens = style.open.iter().chain(&style.open_first).filter_map(lead);
            let opens = opens.filter(|text| !text.bytes().all(|byte| byte.is_ascii_alphabetic()));
            let markers = opens.chain(style.close.iter().filter_map(lead)).map(known_by);
            for marker in markers {
                in_reasoning.insert(marker.clone());
                words.insert(marker);
            }
            in_reasoning.extend(style.ends_at.iter().filter_map(lead).map(known_by));
        }
        in_reasoning.extend(frames.iter().cloned());
        words.extend(frames);
        Self {
            in_text: words.into_iter().collect(),
            in_reasoning: in_reasoning.into_iter().collect(),
            first_not: own.first_not,
        }
    }
}

/// Whether calls are read without a marker.
fn is_read_alone(format: &Format) -> bool {
    match &format.data.syntax {
        Syntax::Bare(_) => true,
        Syntax::Marked(marked) => marked.plain || marked.bare,
        Syntax::Element(_) => false,
    }
}

/// How calls name a tool outside of markers.
fn named(format: &Format, name: &str) -> Vec<String> {
    let in_quotes = || vec![format!("\"{name}\""), format!("'{name}'")];
    match &format.data.syntax {
        Syntax::Bare(_) => in_quotes(),
        Syntax::Marked(marked) => match &marked.body {
            Body::Json(_) => in_quotes(),
            Body::Literal(LiteralDialect::Python) => {
                vec![format!("{name}("), format!("{name} (")]
            }
            Body::Literal(LiteralDialect::Braces(_)) | Body::Named | Body::Tagged(_) => Vec::new(),
        },
        Syntax::Element(_) => Vec::new(),
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
    texts.filter(|text| is_known(text)).map(known_by).collect()
}

/// Whether a marker is more than the fence of a block of code, which texts hold too.
fn is_known(text: &str) -> bool {
    text.bytes().any(|byte| byte != b'`')
}

/// As much of a marker as nothing else begins with.
///
/// Without its last signs it is read as a damaged marker. Those of one kind begin alike, as
/// `<|tool_call_begin|>` and `<|tool_call_end|>`: so `<|tool` says enough, and an engine, which
/// pays for each letter, has less to look for.
fn known_by(mut text: String) -> String {
    let kind = text.strip_prefix('<').map(|rest| rest.trim_start_matches('/')).and_then(|rest| {
        let name = rest.trim_start_matches(BARS);
        let end = name.find(|letter: char| !letter.is_ascii_alphanumeric())?;
        let has_prefix = name.get(end..)?.starts_with(':');
        // A tag of HTML has neither bars nor a prefix.
        let has_kind = has_prefix || name.len() < rest.len();
        has_kind.then(|| text.len() - name.len() + end + usize::from(has_prefix))
    });
    let unended = text.trim_end_matches(['>', ' ']).trim_end_matches(BARS).len();
    let lengths = [kind.map(|end| (end, MIN_KIND)), Some((unended, MIN_UNENDED))];
    let is_enough = |(end, min): &(usize, usize)| {
        text.get(..*end).is_some_and(|known| known.chars().count() >= *min)
    };
    if let Some((end, _)) = lengths.into_iter().flatten().find(is_enough) {
        text.truncate(end);
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_marker_is_known_by_its_kind() {
        for (marker, known) in [
            ("<|tool_calls_section_begin|>", "<|tool"),
            ("</|im_end|>", "</|im"),
            ("<｜DSML｜invoke", "<｜DSML"),
            ("<minimax:tool_call>", "<minimax:"),
            ("</co: 1>", "</co:"),
            ("<mm:think>", "<mm:"),
            ("</tool_call>", "</tool_call"),
            ("<function=", "<function="),
            ("<co: ", "<co:"),
            ("<|a|>", "<|a|>"),
            ("[TOOL_CALLS]", "[TOOL_CALLS]"),
        ] {
            assert_eq!(known_by(marker.to_owned()), known);
        }
    }

    #[test]
    fn no_word_of_people_is_refused() {
        let tools = Tools::default();
        for profile in Profile::all() {
            let format = profile.formats().first();
            let words = Words::of_profile(profile, format, "", &tools);
            for word in words.in_text.iter().chain(words.in_reasoning.iter()) {
                let is_plain = word.bytes().all(|byte| byte.is_ascii_alphanumeric());
                // Servers that drop special tokens leave this of a message's parts.
                let is_left_over = word.starts_with("assistant");
                assert!(!is_plain || is_left_over, "{}: {word}", profile.slug());
            }
        }
    }
}
