//! The grammar of calls, from the layout by which a format is written.

use serde_json::{Map, Value, json};

use super::arguments::ArgumentsBuilder;
use super::element::{element_layout, in_attribute};
use super::expression::{Class, Expression};
use super::facts::ends_turn;
use super::notes::{ConstraintNote, SchemaNotes};
use super::request::CallsRequest;
use super::schema::{GrammarEngine, Tidier};
use crate::detect::format::shape::{Body, Syntax};
use crate::detect::write::layout::{
    ArgumentsLayout, CallPart, CallsLayout, Each, ID, NAME, NUMBER, ObjectLayout, WORD,
    WrappedCalls, fill,
};
use crate::detect::write::render::Writer;
use crate::detect::write::value::{Escapes, Notation};
use crate::error::Error;

/// The grammar of calls.
pub(super) struct CallsGrammar {
    pub(super) expression: Expression,
    pub(super) rules: Vec<Expression>,
    pub(super) notes: Vec<ConstraintNote>,
    /// Whether a second call may follow.
    pub(super) is_parallel: bool,
    /// The token that ends the calls and the turn, which is no part of the grammar.
    pub(super) stop: Option<&'static str>,
}

impl Default for CallsGrammar {
    fn default() -> Self {
        let (rules, notes) = (Vec::new(), Vec::new());
        let expression = Expression::literal("");
        Self { expression, rules, notes, is_parallel: false, stop: None }
    }
}

/// The calls of a request.
pub(super) fn calls(request: &CallsRequest<'_>) -> Result<CallsGrammar, Error> {
    let writer = match request.profile {
        Some(profile) => Writer::of_profile(request.format, profile, None)?,
        None => Writer::new(request.format, None),
    };
    let mut layout = match (&request.format.data.syntax, writer.into_layout()) {
        (Syntax::Element(attributes), _) => element_layout(attributes),
        (_, Some(layout)) => layout,
        (_, None) => return Err(request.fault("has no layout")),
    };
    let mut request = request.clone();
    // Several calls stand between markers; where one is written without them, it is alone.
    let has_wrapper = request.marked().is_some_and(|marked| marked.wrapper.is_some());
    request.is_parallel &= !has_wrapper || !layout.wrapper.front.is_empty();
    let back = match &mut layout.calls {
        WrappedCalls::Each(each) if layout.wrapper.back.is_empty() => &mut each.back,
        _ => &mut layout.wrapper.back,
    };
    let stop = ends_turn(back);
    if let Some(stop) = stop {
        back.truncate(back.len() - stop.len());
        // Behind a call that ends the turn nothing follows.
        request.is_parallel &= !layout.wrapper.back.is_empty() || !layout.wrapper.front.is_empty();
    }
    let (rules, notes) = (Vec::new(), Vec::new());
    let mut builder = CallsBuilder { request: &request, layout: &layout, rules, notes };
    let expression = builder.whole()?;
    let CallsBuilder { rules, notes, .. } = builder;
    Ok(CallsGrammar { expression, rules, notes, is_parallel: request.is_parallel, stop })
}

struct CallsBuilder<'b> {
    request: &'b CallsRequest<'b>,
    layout: &'b CallsLayout,
    rules: Vec<Expression>,
    notes: Vec<ConstraintNote>,
}

impl CallsBuilder<'_> {
    fn whole(&mut self) -> Result<Expression, Error> {
        let names = self.request.names.clone();
        let mut each = Vec::new();
        for name in &names {
            each.push((*name, self.call(name)?));
        }
        let (array, comma) = match &self.layout.calls {
            WrappedCalls::Json(members) => (members.array, members.style.comma()),
            WrappedCalls::Each(_) => (false, ""),
        };
        let wrapper = &self.layout.wrapper;
        let (open, close) = if array { ("[", "]") } else { ("", "") };
        let whole = if self.layout.apart {
            let alone = each.into_iter().map(|(name, call)| {
                Expression::sequence([
                    filled(&wrapper.front, name),
                    Expression::literal(open),
                    call,
                    Expression::literal(close),
                    filled(&wrapper.back, name),
                ])
            });
            self.several(Expression::choice(alone), self.between())
        } else {
            let call = Expression::choice(each.into_iter().map(|(_, call)| call));
            let between = match (array, self.layout.wrapper.front.is_empty()) {
                (true, _) => Expression::literal(comma),
                (false, true) => self.between(),
                (false, false) => Expression::literal(&*self.layout.between),
            };
            Expression::sequence([
                filled(&wrapper.front, ""),
                Expression::literal(open),
                self.several(call, between),
                Expression::literal(close),
                filled(&wrapper.back, ""),
            ])
        };
        Ok(Expression::sequence([
            Expression::literal(&*self.layout.outer.front),
            whole,
            Expression::literal(&*self.layout.outer.back),
        ]))
    }

    /// What stands between two calls: of line breaks, one more or less does not matter.
    fn between(&self) -> Expression {
        let between = &self.layout.between;
        let is_marked = !matches!(self.request.format.data.syntax, Syntax::Bare(_));
        if is_marked && between.bytes().all(|byte| byte == b'\n') {
            return Expression::literal("\n").repeated(0, Some(2));
        }
        Expression::literal(&**between)
    }

    fn several(&self, call: Expression, between: Expression) -> Expression {
        if !self.request.is_parallel {
            return call;
        }
        // The text between two calls and the start of the next one are one literal, since what ends
        // the calls may begin alike.
        let next = match (&between, call.clone()) {
            (Expression::Literal(_), Expression::Choice(calls)) => {
                let joined = |call| Expression::sequence([between.clone(), call]);
                Expression::choice(calls.into_iter().map(joined))
            }
            (_, call) => Expression::sequence([between, call]),
        };
        Expression::sequence([call, next.repeated(0, None)])
    }

    fn call(&mut self, name: &str) -> Result<Expression, Error> {
        let layout = self.layout;
        match &layout.calls {
            WrappedCalls::Json(members) => self.object(members, name),
            WrappedCalls::Each(each) => self.each(each, name),
        }
    }

    /// A call that is a JSON object.
    fn object(&mut self, layout: &ObjectLayout, name: &str) -> Result<Expression, Error> {
        let arguments = self.arguments(name, &ArgumentsLayout::Object(layout.style.clone()))?;
        let style = &layout.style;
        let colon = if style.spaced { ": " } else { ":" };
        let key = |key: &str| {
            let mut out = String::new();
            style.push_text(&mut out, key, Escapes::Few);
            out + colon
        };
        if layout.parts.is_empty() {
            let front = Expression::literal(format!("{{{}", key(name)));
            return Ok(Expression::sequence([front, arguments, Expression::literal("}")]));
        }
        let mut parts = vec![Expression::literal("{")];
        let last = layout.parts.len() - 1;
        let mut is_first = true;
        for (place, (part, word)) in layout.parts.iter().enumerate() {
            let comma = if is_first { "" } else { style.comma() };
            match part {
                CallPart::Id if place == last => {}
                CallPart::Id => {
                    let quote =
                        if matches!(style.notation, Notation::Python('\'')) { "'" } else { "\"" };
                    let member = Expression::sequence([
                        Expression::literal(format!("{comma}{}{quote}", key(word))),
                        id(),
                        Expression::literal(format!("{quote}{}", style.comma())),
                    ]);
                    parts.push(member.optional());
                }
                CallPart::Name => {
                    let mut text = format!("{comma}{}", key(word));
                    style.push_text(&mut text, name, Escapes::Few);
                    parts.push(Expression::literal(text));
                    is_first = false;
                }
                CallPart::Arguments => {
                    parts.push(Expression::literal(format!("{comma}{}", key(word))));
                    parts.push(arguments.clone());
                    is_first = false;
                }
            }
        }
        parts.push(Expression::literal("}"));
        Ok(Expression::sequence(parts))
    }

    /// A call with markers of its own.
    fn each(&mut self, layout: &Each, name: &str) -> Result<Expression, Error> {
        let arguments = self.arguments(name, &layout.arguments)?;
        let middle = filled(&layout.middle, name);
        let middle = match &layout.middle_with_id {
            Some(with_id) => Expression::choice([middle, filled(with_id, name)]),
            None => middle,
        };
        Ok(Expression::sequence([
            filled(&layout.front, name),
            Expression::literal(name),
            middle,
            arguments,
            filled(&layout.back, name),
        ]))
    }

    fn arguments(&mut self, name: &str, layout: &ArgumentsLayout) -> Result<Expression, Error> {
        let request = self.request;
        let mut notes = SchemaNotes { tool: name, is_strict: request.is_strict, all: Vec::new() };
        let schema = match request.tools.input_schema(name) {
            Some(schema) => schema.clone(),
            None => json!({"type": "object", "additionalProperties": true}),
        };
        let schema = as_object(schema);
        let parameter = match request.marked().map(|marked| &marked.body) {
            Some(Body::Tagged(parameter)) => Some(parameter),
            _ => None,
        };
        let is_element = matches!(request.format.data.syntax, Syntax::Element(_));
        let engine = match layout {
            ArgumentsLayout::Object(style) if style.notation == Notation::Json && !is_element => {
                request.engine
            }
            _ => GrammarEngine::Own,
        };
        let first_rule = self.rules.len();
        let tidied = Tidier { engine, root: &schema, notes: &mut notes }.tidy(&schema, "")?;
        let mut arguments = ArgumentsBuilder {
            request,
            name,
            schema: &schema,
            tidied: &tidied,
            rules: &mut self.rules,
            notes: &mut notes,
        };
        let built = match layout {
            ArgumentsLayout::Object(style) => arguments.object(style, engine),
            ArgumentsLayout::Python(style) => arguments.python(style),
            ArgumentsLayout::Tagged(tagged) => match parameter {
                Some(parameter) => arguments.tagged(tagged, parameter),
                None => Err(request.fault("has no parameters")),
            },
        }?;
        notes.checked()?;
        self.notes.append(&mut notes.all);
        if !is_element {
            return Ok(built.shared());
        }
        for rule in self.rules.iter_mut().skip(first_rule) {
            *rule = in_attribute(std::mem::replace(rule, Expression::literal("")));
        }
        Ok(in_attribute(built).shared())
    }
}

/// The schema of arguments, which are an object whatever the schema says.
fn as_object(schema: Value) -> Value {
    let mut members = match schema {
        Value::Object(members) => members,
        _ => Map::new(),
    };
    let says =
        ["properties", "required", "$ref", "allOf", "anyOf", "oneOf", "additionalProperties"];
    if !says.iter().any(|key| members.contains_key(*key)) {
        members.insert("additionalProperties".to_owned(), true.into());
    }
    if !["$ref", "allOf", "anyOf", "oneOf"].iter().any(|key| members.contains_key(*key)) {
        members.insert("type".to_owned(), "object".into());
    }
    Value::Object(members)
}

/// A text of a layout with its holes filled.
pub(super) fn filled(text: &str, name: &str) -> Expression {
    let text = fill(text, &[(NAME, name), (WORD, name)]);
    let mut parts = Vec::new();
    let mut rest = text.as_str();
    loop {
        let next = [ID, NUMBER].into_iter().filter_map(|hole| Some((rest.find(hole)?, hole))).min();
        let Some((at, hole)) = next else { break };
        let (before, behind) = rest.split_at_checked(at).unwrap_or((rest, ""));
        parts.push(Expression::literal(before));
        parts.push(if hole == ID { id() } else { number() });
        rest = behind.strip_prefix(hole).unwrap_or_default();
    }
    parts.push(Expression::literal(rest));
    Expression::sequence(parts)
}

/// An id of a call.
fn id() -> Expression {
    let letters =
        [('A', 'Z'), ('a', 'z'), ('0', '9'), ('_', '_'), ('.', '.'), (':', ':'), ('-', '-')];
    Expression::Class(Class::of(&letters)).repeated(1, Some(64)).terminal()
}

/// The number of a call.
fn number() -> Expression {
    Expression::Class(Class::of(&[('0', '9')])).repeated(1, Some(4)).terminal()
}
