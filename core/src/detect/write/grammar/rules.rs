//! What the notations of rules have in common: parts in order, alternatives, repetitions, and rules
//! with names, each written once.

use std::collections::HashMap;
use std::fmt::Write as _;
use std::rc::Rc;

use super::expression::Expression;

/// The rules that are written so far.
pub(super) struct WrittenRules<'g> {
    /// The rules of the grammar, by their numbers.
    named: &'g [Expression],
    written: Vec<bool>,
    /// A rule on each line.
    lines: String,
    /// The names of other rules by their bodies.
    known: HashMap<String, String>,
    /// The names of parts that stand in several places, by their addresses.
    parts: HashMap<*const Expression, String>,
}

impl<'g> WrittenRules<'g> {
    pub(super) fn new(named: &'g [Expression]) -> Self {
        let written = vec![false; named.len()];
        Self { named, written, lines: String::new(), known: HashMap::new(), parts: HashMap::new() }
    }

    /// A rule on a line of its own; `is` stands between its name and its body.
    pub(super) fn push_line(&mut self, name: &str, is: &str, body: &str) {
        self.lines.extend([name, is, body, "\n"]);
    }

    /// Begins a line with the name of a rule; its body and the end of the line are to follow.
    pub(super) fn push_name(&mut self, prefix: &str, number: usize, is: &str) {
        self.lines.extend([prefix, itoa::Buffer::new().format(number), is]);
    }

    /// The line that is being written.
    pub(super) fn line(&mut self) -> &mut String {
        &mut self.lines
    }

    /// The name of a rule with this body.
    pub(super) fn shared(&mut self, prefix: &str, is: &str, body: String) -> String {
        if let Some(name) = self.known.get(&body) {
            return name.clone();
        }
        let name = format!("{prefix}{}", self.known.len());
        self.push_line(&name, is, &body);
        self.known.insert(body, name.clone());
        name
    }

    /// All rules behind the first line.
    pub(super) fn behind(self, mut first: String) -> String {
        first.push_str(&self.lines);
        first
    }

    /// The rule of a number, the first time that it is sought.
    fn take(&mut self, number: usize) -> Option<&'g Expression> {
        let is_written = self.written.get_mut(number)?;
        if std::mem::replace(is_written, true) { None } else { self.named.get(number) }
    }
}

/// A notation of rules.
pub(super) trait RuleNotation<'g> {
    /// What stands between the name of a rule and its body.
    const IS: &'static str;

    fn rules(&mut self) -> &mut WrittenRules<'g>;

    /// Whether a number of times may stand behind a part as it is.
    fn is_atom(&self, expression: &Expression) -> bool;

    /// Appends what each notation writes in its own way: texts, classes and values.
    fn push_leaf(&mut self, out: &mut String, expression: &Expression);

    /// Appends an expression that stands alone.
    fn push_body(&mut self, out: &mut String, expression: &Expression) {
        let Expression::Choice(parts) = expression else { return self.push_part(out, expression) };
        for (place, part) in parts.iter().enumerate() {
            out.push_str(if place > 0 { " | " } else { "" });
            self.push_part(out, part);
        }
    }

    /// Appends an expression among others.
    fn push_part(&mut self, out: &mut String, expression: &Expression) {
        match expression {
            Expression::Sequence(parts) => {
                for (place, part) in parts.iter().enumerate() {
                    out.push_str(if place > 0 { " " } else { "" });
                    self.push_part(out, part);
                }
            }
            Expression::Choice(_) => self.push_group(out, expression),
            Expression::Repeat(inner, min, max) => {
                if self.is_atom(inner) {
                    self.push_part(out, inner);
                } else {
                    self.push_group(out, inner);
                }
                push_times(out, *min, *max);
            }
            Expression::Rule(number) => self.push_rule(out, *number),
            Expression::Shared(inner) => self.push_shared(out, inner),
            leaf => self.push_leaf(out, leaf),
        }
    }

    fn push_group(&mut self, out: &mut String, expression: &Expression) {
        out.push('(');
        self.push_body(out, expression);
        out.push(')');
    }

    fn push_rule(&mut self, out: &mut String, number: usize) {
        let name = format!("r{number}");
        if let Some(rule) = self.rules().take(number) {
            let mut body = String::new();
            self.push_body(&mut body, rule);
            self.rules().push_line(&name, Self::IS, &body);
        }
        out.push_str(&name);
    }

    fn push_shared(&mut self, out: &mut String, inner: &Rc<Expression>) {
        // The grammar holds the part as long as it is written, so no other one has its address.
        let address = Rc::as_ptr(inner);
        if let Some(name) = self.rules().parts.get(&address) {
            return out.push_str(name);
        }
        let mut body = String::new();
        self.push_body(&mut body, inner);
        let name = self.rules().shared("p", Self::IS, body);
        out.push_str(&name);
        self.rules().parts.insert(address, name);
    }
}

/// Appends how often the part in front may stand there.
pub(super) fn push_times(out: &mut String, min: u32, max: Option<u32>) {
    // Writing to a text cannot fail.
    let _ = match (min, max) {
        (0, None) => write!(out, "*"),
        (1, None) => write!(out, "+"),
        (0, Some(1)) => write!(out, "?"),
        (min, None) => write!(out, "{{{min},}}"),
        (min, Some(max)) => write!(out, "{{{min},{max}}}"),
    };
}
