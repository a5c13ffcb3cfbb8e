//! Calls that are HTML elements: their layout, and values whose signs an attribute cannot hold.

use super::expression::{Expression, QuotedText};
use super::quotes::{escapes, plain};
use crate::detect::body::class_sign::ClassSign;
use crate::detect::format::shape::Attributes;
use crate::detect::write::layout::{ArgumentsLayout, Around, CallsLayout, Each, WrappedCalls};
use crate::detect::write::value::{Notation, Style};
use crate::html::{entity, escape};

/// The layout of elements, as they are written.
pub(super) fn element_layout(attributes: &Attributes) -> CallsLayout {
    let class = escape(attributes.class.as_deref().unwrap_or_default());
    let each = Each {
        front: format!("<div class=\"{class}\" {}=\"", attributes.name),
        middle: format!("\" {}=\"", attributes.arguments),
        middle_with_id: None,
        first_number: 0,
        counts_ids: false,
        arguments: ArgumentsLayout::Object(Style { notation: Notation::Json, spaced: false }),
        back: "\"></div>".to_owned(),
    };
    CallsLayout {
        outer: Around::default(),
        wrapper: Around::default(),
        apart: false,
        between: String::new(),
        calls: WrappedCalls::Each(Box::new(each)),
    }
}

/// What may not stand in a text, so that no element in it is a call: the class, and the references
/// that may stand for a character of it.
pub(super) fn element_words(attributes: &Attributes) -> Vec<String> {
    let class = attributes.class.as_deref().unwrap_or_default();
    let Some(sign) = ClassSign::new(class) else { return vec![attributes.name.to_string()] };
    let (_, references) = sign.texts();
    let references = references.filter_map(|text| String::from_utf8(text).ok());
    references.chain([class.to_owned()]).collect()
}

/// JSON as it is written in an attribute: with character references.
pub(super) fn in_attribute(expression: Expression) -> Expression {
    let all = |parts: Vec<Expression>| parts.into_iter().map(in_attribute).collect();
    match expression {
        Expression::Literal(text) => Expression::Literal(escape(&text)),
        Expression::Sequence(parts) => Expression::Sequence(all(parts)),
        Expression::Choice(parts) => Expression::Choice(all(parts)),
        Expression::Repeat(inner, min, max) => {
            Expression::Repeat(Box::new(in_attribute(*inner)), min, max)
        }
        Expression::Terminal(inner) => in_attribute(*inner).terminal(),
        Expression::Shared(inner) => in_attribute((*inner).clone()).shared(),
        Expression::QuotedText(text) => quoted(&text),
        other => other,
    }
}

/// A text in quotes as one terminal.
fn quoted(text: &QuotedText) -> Expression {
    let mut class = plain(text.quote);
    let signs = (' '..='\u{7f}').filter(|letter| entity(*letter).is_some());
    class.ranges.extend(signs.map(|letter| (letter, letter)));
    let signs = class.ranges.iter().filter(|(from, _)| *from != text.quote);
    let references = signs.filter_map(|(letter, _)| entity(*letter)).map(Expression::literal);
    let escapes = escapes(text.quote, text.python).0.into_iter().map(in_attribute);
    let other = Expression::choice(references.chain(escapes));
    let plain = Expression::Class(class);
    let inner = if text.min == 0 && text.max.is_none() {
        // One way alone leads through a text: many alike make a mask slow.
        let plain = plain.repeated(0, None);
        let more = Expression::sequence([other, plain.clone()]).repeated(0, None);
        Expression::sequence([plain, more])
    } else {
        Expression::choice([plain, other]).repeated(text.min, text.max)
    };
    let quote = || Expression::literal(escape(&text.quote.to_string()));
    Expression::sequence([quote(), inner, quote()]).terminal()
}

#[cfg(test)]
mod tests {
    use super::super::banned::Banned;
    use super::*;

    #[test]
    fn signs_of_markup_are_references() {
        let json = Expression::sequence([
            Expression::literal("{\"a\":"),
            Expression::QuotedText(QuotedText {
                quote: '"',
                python: false,
                without: Banned::default(),
                min: 1,
                max: Some(2),
            }),
        ]);
        let Expression::Sequence(parts) = in_attribute(json) else { panic!("no sequence") };
        assert_eq!(parts[0], Expression::literal("{&quot;a&quot;:"));
        let shown = format!("{:?}", parts[1]);
        for written in ["&quot;", "&lt;", "&amp;", "&#39;", "\\&quot;"] {
            let written = format!("{written:?}");
            assert!(shown.contains(&written), "{written} {shown}");
        }
    }

    #[test]
    fn a_text_holds_no_sign_of_the_class() {
        let attributes = Attributes {
            name: "data-name".into(),
            arguments: "data-arguments".into(),
            id: "id".into(),
            class: Some("a-b".into()),
        };
        let words = element_words(&attributes);
        for sign in ["a-b", "&#97", "&#45", "&#98", "&#x"] {
            assert!(words.iter().any(|word| word == sign), "{sign}");
        }
        assert!(!words.iter().any(|word| "&#39;".starts_with(word.as_str())));
    }
}
