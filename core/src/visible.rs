//! Writes the invisible characters of a text as marks.
//!
//! A person who is shown a text must see all of it, in its order. A control character may steer a
//! terminal. A bidirectional control changes the order of words. An invisible character hides words
//! or makes two names look the same. Each of these becomes a mark such as `⟨U+202E⟩`.
//!
//! The characters that a language needs stay: accents, letters of any script, the joiners inside
//! Arabic and Indic words, and emoji with their joiners, skin tones and variation selectors. A mark
//! holds no character that has a meaning in HTML or Markdown, so the text can be escaped
//! afterwards.

use std::borrow::Cow;
use std::fmt::Write;
use std::ops::Range;
use std::sync::LazyLock;

use regex::{Regex, bytes};

use crate::text::surrogate;

/// Sequences that display as they are; elsewhere, their invisible characters become marks.
///
/// The properties are Unicode's. An emoji sequence follows UTS 51; the three flags are the only tag
/// sequences that it recommends. Joiners stand between letters of the scripts that need them (UAX
/// 31, section 2.3).
const SEQUENCES: &str = r"(?x)
    \r\n
  | [0-9\#*]\x{FE0F}\x{20E3}
  | \x{1F3F4}\x{E0067}\x{E0062}(?:
        \x{E0065}\x{E006E}\x{E0067} | \x{E0073}\x{E0063}\x{E0074} | \x{E0077}\x{E006C}\x{E0073}
    )\x{E007F}
  | \p{Extended_Pictographic}[\x{FE0E}\x{FE0F}\p{Emoji_Modifier}]?
    (?:\x{200D}\p{Extended_Pictographic}[\x{FE0F}\p{Emoji_Modifier}]?)*
  | LETTER (?:[\x{200C}\x{200D}] LETTER)+
  | (?<hidden>HIDDEN)";

/// An invisible character outside of a sequence.
const HIDDEN: &str = r"[\p{Cc}\p{Cf}\p{Zl}\p{Zp}\p{Default_Ignorable_Code_Point}\p{Bidi_Control}
    \p{Noncharacter_Code_Point}\x{2800}--[\n\t\p{Prepended_Concatenation_Mark}]]";

/// A letter or a vowel sign of a script that uses joiners inside words.
const LETTER: &str = r"[\p{Arabic}\p{Syriac}\p{Nko}\p{Mongolian}\p{Devanagari}\p{Bengali}\p{Gurmukhi}
    \p{Gujarati}\p{Oriya}\p{Tamil}\p{Telugu}\p{Kannada}\p{Malayalam}\p{Sinhala}\p{Khmer}\p{Myanmar}
    --\p{Default_Ignorable_Code_Point}]";

static SEQUENCE: LazyLock<Option<Regex>> = LazyLock::new(|| sequences().ok());
static INVISIBLE: LazyLock<Option<bytes::Regex>> = LazyLock::new(|| characters().ok());

fn sequences() -> Result<Regex, regex::Error> {
    Regex::new(&SEQUENCES.replace("LETTER", LETTER).replace("HIDDEN", HIDDEN))
}

fn characters() -> Result<bytes::Regex, regex::Error> {
    bytes::Regex::new(&format!("(?x){HIDDEN}"))
}

/// The spans of invisible characters, in order; no span covers harmless text.
pub(crate) fn hidden(text: &str) -> impl Iterator<Item = Range<usize>> {
    // Most texts are plain ASCII and hold no such sequence.
    let sequence = SEQUENCE.as_ref().filter(|_| !text.bytes().all(is_plain));
    let found = sequence.into_iter().flat_map(move |sequence| sequence.captures_iter(text));
    found.filter_map(|found| Some(found.name("hidden")?.range()))
}

/// The spans of characters that are invisible by themselves, also inside a harmless sequence.
///
/// Bytes that are not UTF-8 are skipped.
pub(crate) fn invisible(text: &[u8]) -> impl Iterator<Item = Range<usize>> {
    let class = INVISIBLE.as_ref().filter(|_| !text.iter().copied().all(is_plain));
    class.into_iter().flat_map(move |class| class.find_iter(text)).map(|found| found.range())
}

fn is_plain(byte: u8) -> bool {
    matches!(byte, b' '..=b'~' | b'\n' | b'\t')
}

/// Writes each invisible or control character of a text as a mark such as `⟨U+202E⟩`.
///
/// These characters are marked: control characters except tab and line feed (a carriage return
/// before a line feed stays), bidirectional controls, Unicode's default-ignorable and format
/// characters, line and paragraph separators, noncharacters, and the blank U+2800. A text without
/// any of them is borrowed. A second application changes nothing.
///
/// ```
/// use toolwire::visible::visible;
///
/// assert_eq!(visible("rm \u{202E}txt.a"), "rm ⟨U+202E⟩txt.a");
/// assert_eq!(visible("Zoë sends 👩‍💻"), "Zoë sends 👩‍💻");
/// ```
#[must_use]
pub fn visible(text: &str) -> Cow<'_, str> {
    let mut made = String::new();
    let mut done = 0;
    for span in hidden(text) {
        made.push_str(text.get(done..span.start).unwrap_or_default());
        for character in text.get(span.clone()).unwrap_or_default().chars() {
            // Writing to a string cannot fail.
            let _ = write!(made, "⟨U+{:04X}⟩", u32::from(character));
        }
        done = span.end;
    }
    if done == 0 {
        return Cow::Borrowed(text);
    }
    made.push_str(text.get(done..).unwrap_or_default());
    Cow::Owned(made)
}

/// Does the same as [`visible`] for a text of the caller's own, which is returned if it stays.
///
/// ```
/// assert_eq!(toolwire::visible::made_visible("a\0b".to_owned()), "a⟨U+0000⟩b");
/// ```
#[must_use]
pub fn made_visible(text: String) -> String {
    let made = match visible(&text) {
        Cow::Borrowed(_) => None,
        Cow::Owned(made) => Some(made),
    };
    made.unwrap_or(text)
}

/// Does the same as [`visible`] for text that need not be UTF-8: an invalid byte becomes a mark
/// such as `⟨0xFF⟩`.
///
/// A lone surrogate, encoded in the three bytes that UTF-8 would give it, becomes `⟨U+D83D⟩`.
/// Python writes a byte that is not UTF-8 as a surrogate from U+DC80 to U+DCFF (PEP 383), so such a
/// surrogate is shown as that byte.
///
/// ```
/// assert_eq!(toolwire::visible::visible_bytes(b"a\xFFb"), "a⟨0xFF⟩b");
/// ```
#[must_use]
pub fn visible_bytes(text: &[u8]) -> Cow<'_, str> {
    if let Ok(text) = str::from_utf8(text) {
        return visible(text);
    }
    let mut made = String::with_capacity(text.len() * 2);
    let mut rest = text;
    loop {
        let valid = str::from_utf8(rest).map_or_else(|error| error.valid_up_to(), str::len);
        let (valid, behind) = rest.split_at(valid);
        made.push_str(&visible(str::from_utf8(valid).unwrap_or_default()));
        let Some(&byte) = behind.first() else { return Cow::Owned(made) };
        // Writing to a string cannot fail.
        let (_, width) = match behind.get(..3).and_then(surrogate) {
            Some(unit @ 0xDC80..=0xDCFF) => (write!(made, "⟨0x{:02X}⟩", unit - 0xDC00), 3),
            Some(unit) => (write!(made, "⟨U+{unit:04X}⟩"), 3),
            None => (write!(made, "⟨0x{byte:02X}⟩"), 1),
        };
        rest = behind.get(width..).unwrap_or_default();
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn the_expressions_compile() {
        sequences().unwrap();
        characters().unwrap();
    }

    #[test]
    fn a_harmless_text_is_borrowed() {
        for text in [
            "",
            "plain\n\ttext",
            "line\r\nend",
            "Zoë, e\u{301}, नमस्ते, 漢字",
            "שלום and سلام",
            "\u{645}\u{6CC}\u{200C}\u{62E}\u{648}\u{627}\u{647}\u{645}",
            "\u{915}\u{94D}\u{200D}\u{937}",
            "👩‍💻 👍🏽 ❤️ 1️⃣ 🏳️‍🌈 👁️‍🗨️ 🧑🏽‍🤝‍🧑🏻 🇫🇷 ☎︎",
            "🏴\u{E0067}\u{E0062}\u{E0073}\u{E0063}\u{E0074}\u{E007F}",
            "\u{600}1",
        ] {
            assert!(matches!(visible(text), Cow::Borrowed(_)), "{text:?}: {}", visible(text));
        }
    }

    #[test]
    fn joiners_and_selectors_outside_their_sequences_are_marked() {
        for (text, shown) in [
            ("ad\u{200D}min", "ad⟨U+200D⟩min"),
            ("سلام\u{200C}", "سلام⟨U+200C⟩"),
            ("👩\u{200D}", "👩⟨U+200D⟩"),
            ("❤\u{FE0F}\u{FE0F}", "❤\u{FE0F}⟨U+FE0F⟩"),
            ("1\u{FE0F}", "1⟨U+FE0F⟩"),
            ("\u{845B}\u{E0100}", "\u{845B}⟨U+E0100⟩"),
            ("🏴\u{E0061}\u{E007F}", "🏴⟨U+E0061⟩⟨U+E007F⟩"),
        ] {
            assert_eq!(visible(text), shown);
        }
    }

    proptest! {
        #[test]
        fn twice_is_once(text in any::<String>()) {
            let shown = visible(&text);
            prop_assert!(hidden(&shown).next().is_none());
            prop_assert_eq!(visible(&shown), shown.clone());
        }

        #[test]
        fn bytes_that_are_utf8_are_shown_as_text(text in any::<String>(), bytes: Vec<u8>) {
            prop_assert_eq!(visible_bytes(text.as_bytes()), visible(&text));
            prop_assert!(hidden(&visible_bytes(&bytes)).next().is_none());
        }
    }
}
