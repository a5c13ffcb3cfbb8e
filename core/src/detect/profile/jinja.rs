//! The few expressions of Jinja that decide what a chat template's generation prompt writes.
//!
//! A value is known, undefined or unknown. Nothing here fails: what is not understood is unknown.

use std::collections::BTreeMap;

/// The deepest nesting of brackets that is read.
const DEEPEST: usize = 32;
/// The most conditional expressions within one expression that are read.
const MOST_CHOICES: usize = 8;

/// A word, a text or a sign of an expression.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum JinjaToken<'t> {
    Name(&'t str),
    Text(String),
    Sign(char),
    Equal,
    Unequal,
}

/// What is known of a value.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum JinjaValue {
    Boolean(bool),
    Text(String),
    Undefined,
    Unknown,
}

impl JinjaValue {
    fn truth(&self) -> Option<bool> {
        match self {
            Self::Boolean(value) => Some(*value),
            Self::Text(text) => Some(!text.is_empty()),
            Self::Undefined => Some(false),
            Self::Unknown => None,
        }
    }

    fn of(truth: Option<bool>) -> Self {
        truth.map_or(Self::Unknown, Self::Boolean)
    }
}

/// The variables whose value is known.
pub(super) type Variables = BTreeMap<String, JinjaValue>;

/// Cuts an expression or a tag into tokens.
pub(super) fn tokens(expression: &str) -> Vec<JinjaToken<'_>> {
    let mut tokens = Vec::new();
    let mut rest = expression;
    while let Some(first) = rest.chars().next() {
        let is_word = |letter: char| letter.is_alphanumeric() || letter == '_';
        let length = if is_word(first) {
            rest.find(|letter| !is_word(letter)).unwrap_or(rest.len())
        } else if first == '\'' || first == '"' {
            text_length(rest, first)
        } else if rest.starts_with("==") || rest.starts_with("!=") {
            2
        } else {
            first.len_utf8()
        };
        let (token, behind) = rest.split_at_checked(length).unwrap_or((rest, ""));
        rest = behind;
        tokens.push(match first {
            '\'' | '"' => JinjaToken::Text(unescaped(token.trim_matches(first))),
            _ if is_word(first) => JinjaToken::Name(token),
            _ if token == "==" => JinjaToken::Equal,
            _ if token == "!=" => JinjaToken::Unequal,
            _ if first.is_whitespace() => continue,
            sign => JinjaToken::Sign(sign),
        });
    }
    tokens
}

/// The length of a text with its quotes.
pub(super) fn text_length(text: &str, quote: char) -> usize {
    let mut escaped = false;
    for (at, letter) in text.char_indices().skip(1) {
        match letter {
            _ if escaped => escaped = false,
            '\\' => escaped = true,
            _ if letter == quote => return at + letter.len_utf8(),
            _ => {}
        }
    }
    text.len()
}

/// A text without its escapes.
pub(super) fn unescaped(text: &str) -> String {
    let mut plain = String::with_capacity(text.len());
    let mut letters = text.chars();
    while let Some(letter) = letters.next() {
        match (letter, letter == '\\') {
            (_, true) => match letters.next() {
                Some('n') => plain.push('\n'),
                Some('t') => plain.push('\t'),
                Some('r') => plain.push('\r'),
                Some(escaped @ ('\\' | '\'' | '"')) => plain.push(escaped),
                Some(other) => plain.extend(['\\', other]),
                None => plain.push('\\'),
            },
            (letter, false) => plain.push(letter),
        }
    }
    plain
}

/// The value of an expression.
pub(super) fn value(tokens: &[JinjaToken<'_>], variables: &Variables) -> JinjaValue {
    let chosen = chosen(tokens, variables);
    let mut reader = ExpressionReader { tokens: &chosen, at: 0, variables, depth: 0 };
    let value = reader.either();
    if reader.at == chosen.len() { value } else { JinjaValue::Unknown }
}

/// Whether a condition holds; a condition that is not understood holds.
pub(super) fn holds(tokens: &[JinjaToken<'_>], variables: &Variables) -> bool {
    value(tokens, variables).truth().unwrap_or(true)
}

/// The texts that an expression writes.
pub(super) fn texts(tokens: &[JinjaToken<'_>], variables: &Variables) -> String {
    let texts = chosen(tokens, variables).into_iter().filter_map(|token| match token {
        JinjaToken::Text(text) => Some(text),
        _ => None,
    });
    texts.collect()
}

/// The tokens of an expression with each `A if C else B` replaced by `A` or `B`.
fn chosen<'t>(tokens: &[JinjaToken<'t>], variables: &Variables) -> Vec<JinjaToken<'t>> {
    let mut tokens = tokens.to_vec();
    for _ in 0..MOST_CHOICES {
        let Some(at) = tokens.iter().position(|token| *token == JinjaToken::Name("if")) else {
            break;
        };
        let start = at - reach(tokens.iter().take(at).rev(), ')', '(');
        let end = at + 1 + reach(tokens.iter().skip(at + 1), '(', ')');
        let inner = tokens.get(at + 1..end).unwrap_or_default();
        let length = inner.iter().position(|token| *token == JinjaToken::Name("else"));
        let (condition, other) =
            inner.split_at_checked(length.unwrap_or(end)).unwrap_or((inner, &[]));
        let mut reader = ExpressionReader { tokens: condition, at: 0, variables, depth: 0 };
        let kept = if reader.either().truth().unwrap_or(true) {
            tokens.get(start..at).unwrap_or_default().to_vec()
        } else {
            other.get(1..).unwrap_or_default().to_vec()
        };
        tokens.splice(start..end, kept);
    }
    tokens
}

/// The number of tokens until the bracket that encloses them.
fn reach<'a, 't: 'a>(
    tokens: impl Iterator<Item = &'a JinjaToken<'t>>,
    opens: char,
    closes: char,
) -> usize {
    let mut depth = 0_usize;
    let inside = tokens.take_while(|token| {
        match token {
            JinjaToken::Sign(sign) if *sign == opens => depth += 1,
            JinjaToken::Sign(sign) if *sign == closes && depth == 0 => return false,
            JinjaToken::Sign(sign) if *sign == closes => depth -= 1,
            _ => {}
        }
        true
    });
    inside.count()
}

/// Reads a condition.
struct ExpressionReader<'r, 't> {
    tokens: &'r [JinjaToken<'t>],
    at: usize,
    variables: &'r Variables,
    depth: usize,
}

impl ExpressionReader<'_, '_> {
    fn takes(&mut self, token: &JinjaToken<'_>) -> bool {
        let is_next = self.tokens.get(self.at) == Some(token);
        self.at += usize::from(is_next);
        is_next
    }

    /// A condition with `or`.
    fn either(&mut self) -> JinjaValue {
        let mut value = self.both();
        while self.takes(&JinjaToken::Name("or")) {
            let next = self.both();
            value = match (value.truth(), next.truth()) {
                (Some(true), _) | (_, Some(true)) => JinjaValue::Boolean(true),
                (Some(false), Some(false)) => JinjaValue::Boolean(false),
                _ => JinjaValue::Unknown,
            };
        }
        value
    }

    /// A condition with `and`.
    fn both(&mut self) -> JinjaValue {
        let mut value = self.negated();
        while self.takes(&JinjaToken::Name("and")) {
            let next = self.negated();
            value = match (value.truth(), next.truth()) {
                (Some(false), _) | (_, Some(false)) => JinjaValue::Boolean(false),
                (Some(true), Some(true)) => JinjaValue::Boolean(true),
                _ => JinjaValue::Unknown,
            };
        }
        value
    }

    fn negated(&mut self) -> JinjaValue {
        let mut count = 0;
        while self.takes(&JinjaToken::Name("not")) {
            count += 1;
        }
        let value = self.test();
        if count == 0 {
            value
        } else {
            JinjaValue::of(value.truth().map(|truth| truth ^ (count % 2 == 1)))
        }
    }

    /// A value, compared with another or tested by a word.
    fn test(&mut self) -> JinjaValue {
        let value = self.operand();
        if self.takes(&JinjaToken::Name("is")) {
            let negated = self.takes(&JinjaToken::Name("not"));
            let holds = match (self.tokens.get(self.at), &value) {
                (_, JinjaValue::Unknown) => None,
                (Some(JinjaToken::Name("defined")), _) => Some(value != JinjaValue::Undefined),
                (Some(JinjaToken::Name("undefined")), _) => Some(value == JinjaValue::Undefined),
                (Some(JinjaToken::Name("true" | "True")), _) => {
                    Some(value == JinjaValue::Boolean(true))
                }
                (Some(JinjaToken::Name("false" | "False")), _) => {
                    Some(value == JinjaValue::Boolean(false))
                }
                (Some(JinjaToken::Name("none" | "None")), _) => Some(false),
                _ => None,
            };
            self.at += 1;
            return JinjaValue::of(holds.map(|holds| holds != negated));
        }
        let equal = self.takes(&JinjaToken::Equal);
        if equal || self.takes(&JinjaToken::Unequal) {
            let other = self.operand();
            let both_known = value != JinjaValue::Unknown && other != JinjaValue::Unknown;
            return JinjaValue::of(both_known.then(|| (value == other) == equal));
        }
        value
    }

    /// A word, a text or what stands in brackets, with its filter.
    fn operand(&mut self) -> JinjaValue {
        let token = self.tokens.get(self.at);
        self.at += 1;
        let mut value = match token {
            Some(JinjaToken::Sign('(')) if self.depth < DEEPEST => {
                self.depth += 1;
                let value = self.either();
                self.depth -= 1;
                if self.takes(&JinjaToken::Sign(')')) { value } else { JinjaValue::Unknown }
            }
            Some(JinjaToken::Text(text)) => JinjaValue::Text(text.clone()),
            Some(JinjaToken::Name(name)) => self.named(name),
            _ => JinjaValue::Unknown,
        };
        while self.takes(&JinjaToken::Sign('|')) {
            let is_default = self.takes(&JinjaToken::Name("default"));
            self.at += usize::from(!is_default);
            let given = self.takes(&JinjaToken::Sign('('));
            let other = if given { self.operand() } else { JinjaValue::Unknown };
            if given {
                let rest = self.tokens.iter().skip(self.at);
                self.at += reach(rest, '(', ')') + 1;
            }
            value = match value {
                JinjaValue::Undefined if is_default => other,
                value if is_default => value,
                _ => JinjaValue::Unknown,
            };
        }
        value
    }

    /// The value of a name; a part or an item of a value is unknown.
    fn named(&mut self, name: &str) -> JinjaValue {
        let mut value = match name {
            "add_generation_prompt" | "true" | "True" => JinjaValue::Boolean(true),
            "false" | "False" => JinjaValue::Boolean(false),
            "none" | "None" => JinjaValue::Undefined,
            _ => match self.variables.get(name) {
                Some(value) => value.clone(),
                // The switch of reasoning is the caller's, who has not given it.
                None if name.contains("think") || name.contains("reason") => JinjaValue::Undefined,
                None => JinjaValue::Unknown,
            },
        };
        while let Some(JinjaToken::Sign(sign @ ('.' | '[' | '('))) = self.tokens.get(self.at) {
            self.at += 1;
            self.at += match sign {
                '.' => 1,
                '[' => reach(self.tokens.iter().skip(self.at), '[', ']') + 1,
                _ => reach(self.tokens.iter().skip(self.at), '(', ')') + 1,
            };
            value = JinjaValue::Unknown;
        }
        value
    }
}
