//! Writes calls, and says which part of a call a format cannot hold.

use crate::detect::format::Format;
use crate::detect::format::shape::{Body, Syntax};
use crate::detect::profile::Profile;
use crate::detect::rule::tools::Tools;
use crate::detect::write::compose::{compose, elements};
use crate::detect::write::example::{layout, layouts};
use crate::detect::write::json::ExactJson;
use crate::detect::write::layout::CallsLayout;
use crate::detect::write::new_call::{Call, NewCall};
use crate::detect::write::proof::Proof;
use crate::detect::write::value::Escapes;
use crate::error::{Error, ErrorKind};

/// Writes calls as a model of this format writes them.
///
/// A detector with this format alone reads exactly the same calls from the text: the names, the
/// arguments with the digits of their numbers and the order of their keys, and the ids where the
/// format has a place for them.
///
/// In many formats with tagged parameters only a tool's schema says that a value is no string. Such
/// a value is written as JSON, and reads back if the schema names its type. With `tools` the
/// text is checked with the schemas of this list, and without them with a schema that names the
/// type of each value.
///
/// ```
/// use toolwire::detect::{Format, NewCall, render_calls};
///
/// let calls = [NewCall::new("add", r#"{"a": 1, "b": "x"}"#)];
/// let text = render_calls(&calls, &Format::named("functionary_v31")?, None)?;
/// assert_eq!(text, r#"<function=add>{"a": 1, "b": "x"}</function>"#);
/// let text = render_calls(&calls, &Format::named("pythonic")?, None)?;
/// assert_eq!(text, r#"[add(a=1, b="x")]"#);
/// # Ok::<(), toolwire::Error>(())
/// ```
///
/// # Errors
/// `invalid_arguments` when arguments are not a JSON object. `cannot_render` when the format cannot
/// hold a name, an id or an argument; the message says which one.
pub fn render_calls(
    calls: &[NewCall],
    format: &Format,
    tools: Option<&Tools>,
) -> Result<String, Error> {
    let calls = calls.iter().map(Call::read).collect::<Result<Vec<_>, _>>()?;
    let writer = Writer::new(format, tools);
    match writer.write(&calls)? {
        Some(text) => Ok(text),
        None => Err(writer.fault(&calls)),
    }
}

/// Writes calls in one format.
pub(super) struct Writer<'f> {
    pub(super) format: &'f Format,
    /// The layouts to try, the best first.
    layouts: Vec<CallsLayout>,
    tools: Option<&'f Tools>,
}

impl<'f> Writer<'f> {
    pub(super) fn new(format: &'f Format, tools: Option<&'f Tools>) -> Self {
        Self { format, layouts: layouts(format), tools }
    }

    /// Writes calls as this profile lays them out.
    pub(super) fn of_profile(
        format: &'f Format,
        profile: &Profile,
        tools: Option<&'f Tools>,
    ) -> Result<Self, Error> {
        let mut writer = Self::new(format, tools);
        let Some(given) = profile.example(format) else { return Ok(writer) };
        let call = if given.call.is_empty() { format.example() } else { &given.call };
        match layout(format, call) {
            Some(mut own) => {
                own.between = given.between.as_deref().map_or(own.between, str::to_owned);
                writer.layouts.insert(0, own);
            }
            None if given.call.is_empty() => {}
            None => return Err(no_call(profile, format)),
        }
        Ok(writer)
    }

    /// The best layout; `None` for a format that has none.
    pub(super) fn into_layout(self) -> Option<CallsLayout> {
        self.layouts.into_iter().next()
    }

    /// The texts that may give these calls, the best first.
    pub(super) fn forms(&self, calls: &[Call<'_>]) -> impl Iterator<Item = String> {
        let elements = match &self.format.data.syntax {
            Syntax::Element(attributes) => Some(elements(attributes, calls)),
            Syntax::Bare(_) | Syntax::Marked(_) => None,
        };
        let has_elements = match &self.format.data.syntax {
            Syntax::Marked(marked) => {
                matches!(&marked.body, Body::Tagged(parameter) if parameter.nested)
            }
            Syntax::Bare(_) | Syntax::Element(_) => false,
        };
        // Without markers, what stands between two calls is text.
        let is_first = |layout: &&CallsLayout| {
            calls.len() <= 1 || !self.has_wrapper() || !layout.wrapper.front.is_empty()
        };
        let later = self.layouts.iter().filter(move |layout| !is_first(layout));
        let composed = self.layouts.iter().filter(is_first).chain(later).flat_map(move |layout| {
            let all = [Escapes::Elements, Escapes::Few, Escapes::Many];
            let usable = all.into_iter().skip(usize::from(!has_elements));
            usable.map(move |escapes| compose(self.format, layout, calls, escapes))
        });
        elements.into_iter().chain(composed)
    }

    fn has_wrapper(&self) -> bool {
        matches!(&self.format.data.syntax, Syntax::Marked(marked) if marked.wrapper.is_some())
    }

    /// The first text that gives the same calls; `None` when there is none.
    pub(super) fn write(&self, calls: &[Call<'_>]) -> Result<Option<String>, Error> {
        if calls.is_empty() {
            return Ok(Some(String::new()));
        }
        let proof = Proof::new(calls, self.format, self.tools)?;
        Ok(self.forms(calls).find(|text| proof.holds(text, calls)))
    }

    fn can_write(&self, call: Call<'_>) -> bool {
        matches!(self.write(&[call]), Ok(Some(_)))
    }

    /// The error for calls that cannot be written.
    pub(super) fn fault(&self, calls: &[Call<'_>]) -> Error {
        let slug = self.format.slug();
        let problem = calls
            .iter()
            .find_map(|call| self.problem(call))
            .unwrap_or_else(|| "the calls are read as others when they stand together".to_owned());
        Error::new(
            ErrorKind::CannotRender,
            format!("the format {slug} cannot hold this: {problem}"),
        )
    }

    /// What the format cannot hold of a call.
    fn problem(&self, call: &Call<'_>) -> Option<String> {
        if self.can_write(call.clone()) {
            return None;
        }
        let name = call.name;
        let bare = Call { id: None, ..call.clone() };
        if self.can_write(bare.clone()) {
            let id = call.id.unwrap_or_default().escape_debug().to_string();
            return Some(format!("the id \"{id}\" of \"{name}\""));
        }
        let with = |arguments: Vec<(String, ExactJson)>| Call { arguments, ..bare.clone() };
        let alone = |key: &String, value: ExactJson| with(vec![(key.clone(), value)]);
        if !self.can_write(with(Vec::new())) {
            return Some(format!("the name \"{name}\""));
        }
        let wrong = |(key, value): &(String, ExactJson)| {
            if self.can_write(alone(key, value.clone())) {
                return None;
            }
            let shown = key.escape_debug();
            Some(if self.can_write(alone(key, ExactJson::Text("x".to_owned()))) {
                format!(
                    "the value of the argument \"{shown}\" of \"{name}\" is read as another one"
                )
            } else {
                format!("the name of the argument \"{shown}\" of \"{name}\"")
            })
        };
        let problem = call.arguments.iter().find_map(wrong);
        Some(problem.unwrap_or_else(|| format!("the arguments of \"{name}\" together")))
    }
}

/// The error for an example of a layout that is no call of its format.
fn no_call(profile: &Profile, format: &Format) -> Error {
    let (slug, format) = (profile.slug(), format.slug());
    let message = format!(
        "the profile \"{slug}\" is not usable: formats: the example is no call of {format}"
    );
    Error::new(ErrorKind::InvalidProfile, message)
}
