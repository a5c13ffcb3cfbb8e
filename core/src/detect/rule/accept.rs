//! Whether a call that was found may be handed out: its name, its tool, and whether it is new.

use std::borrow::Cow;

use crate::call::{
    Arguments, CallId, Diagnostic, DiagnosticCode, RejectionCode, Span, Status, ToolCall,
};
use crate::detect::candidate::{Candidate, Refusal};
use crate::detect::options::{Renamed, Validate};
use crate::detect::rule::coerce::coerce;
use crate::detect::rule::id::{NewIds, is_new_id, name_in_id, written_id};
use crate::detect::rule::name::{MAX_NAME, is_name_byte};
use crate::detect::rule::schema::Schema;
use crate::detect::rule::seen::Seen;
use crate::detect::rule::tools::{SchemaProblem, Tools};
use crate::json::reason::Reason;
use crate::nearest::nearest;

/// The most tools whose names are compared with one that is not known.
const MOST_COMPARED: usize = 48;
/// The longest name that is compared, in bytes.
const LONGEST_COMPARED: usize = 48;
/// How many of the nearest are named.
const NAMED: usize = 3;

/// Why a call was not handed out.
#[derive(Debug)]
pub(crate) enum Denied {
    Refused(Refusal),
    /// JSON that names no known tool is prose.
    Prose,
}

/// The rules of one detector.
#[derive(Clone, Debug)]
pub(crate) struct CallRules {
    pub(crate) tools: Option<Tools>,
    pub(crate) renamed: Renamed,
    pub(crate) validate: Validate,
    pub(crate) coerce: bool,
    pub(crate) max_depth: usize,
    pub(crate) seen: Option<Seen>,
    /// The profile by which calls are read though the version of the model is not known.
    pub(crate) nearest: Option<Box<str>>,
}

/// A name that the rules accept.
struct Named<'n> {
    name: Cow<'n, str>,
    renamed: bool,
}

impl CallRules {
    /// Whether no call is handed out, since no tools were offered.
    pub(crate) fn refuses_all(&self) -> bool {
        self.tools.as_ref().is_some_and(Tools::refuses_all)
    }

    /// The refusal of a call of an unknown tool, with the nearest tools named; any other one as it
    /// is.
    ///
    /// Few short names are compared: the work for a text of refused calls stays small.
    pub(crate) fn naming_nearest(&self, mut refusal: Refusal) -> Refusal {
        let (Some(tools), Reason::Naming(_, name, _)) = (&self.tools, &refusal.reason) else {
            return refusal;
        };
        let few = tools.names().take(MOST_COMPARED + 1).count() <= MOST_COMPARED;
        if refusal.code == RejectionCode::UnknownTool && few && name.len() <= LONGEST_COMPARED {
            let short = tools.names().filter(|tool| tool.len() <= LONGEST_COMPARED);
            let near = nearest(name, short);
            let near = near.get(..NAMED).unwrap_or(&near);
            if !near.is_empty() {
                let reason = format!("there is no tool \"{name}\"; nearest: {}", near.join(", "));
                refusal.reason = Reason::Made(reason);
            }
        }
        refusal
    }

    /// Whether a call of this name could be handed out, or would at least be refused by name.
    pub(crate) fn knows(&self, name: &[u8]) -> bool {
        let Some(tools) = &self.tools else { return true };
        let Ok(name) = std::str::from_utf8(name.trim_ascii()) else { return false };
        tools.contains(name)
            || self.renamed.aliases.contains_key(name)
            || self.renamed.legacy.contains_key(name)
    }

    /// The schema of the arguments of the tool that a call of this name would run.
    pub(crate) fn schema(&self, name: &[u8]) -> Option<&Schema> {
        let name = std::str::from_utf8(name).ok()?;
        let name = self.renamed.aliases.get(name).map_or(name, String::as_str);
        self.tools.as_ref()?.schema(name)
    }

    /// The tool that a call of this name would run; `None` when its name would be refused.
    pub(crate) fn called(&self, name: &[u8]) -> Option<String> {
        match self.resolve(name) {
            Ok((name, _)) => Some(name.to_owned()),
            Err(_) => None,
        }
    }

    /// Checks everything that can be checked before the call's end is known.
    pub(crate) fn check(&self, candidate: &Candidate) -> Result<(), Denied> {
        self.name(candidate).map(|_| ())
    }

    /// Checks the call and hands it out: it becomes the last one of the calls. What is handed out
    /// is taken from the candidate.
    #[inline]
    pub(crate) fn accept(
        &self,
        candidate: &mut Candidate,
        input: &[u8],
        ids: &mut NewIds,
        calls: &mut Vec<ToolCall>,
    ) -> Result<(), Denied> {
        let (name, renamed) = self.take_name(candidate)?;
        let (format, span) = (candidate.format, candidate.span);
        let refuse =
            |code, reason: Reason| Denied::Refused(Refusal::new(format, code, span, reason));
        if !is_utf8(candidate.span.of(input)) {
            return Err(refuse(RejectionCode::InvalidUtf8, "the markup is not UTF-8".into()));
        }
        if renamed {
            let written = candidate.name.escape_ascii();
            let message = format!("\"{written}\" is now called \"{name}\"");
            let offset = candidate.span.start;
            candidate.diagnostics.push(Diagnostic {
                code: DiagnosticCode::Renamed,
                message,
                offset,
            });
        }
        if let Some(profile) = &self.nearest {
            candidate.diagnostics.push(Diagnostic {
                code: DiagnosticCode::NearestVersion,
                message: format!(
                    "the model's version is not known; its call is read as one of \"{profile}\""
                ),
                offset: candidate.span.start,
            });
        }
        if self.coerce {
            self.fit(&name, candidate, input);
        }
        if let Some(problem) = self.schema_problem(&name, candidate, input) {
            let SchemaProblem { message, is_limit } = problem;
            if self.validate == Validate::Reject {
                let limit = RejectionCode::SchemaLimit;
                let code = if is_limit { limit } else { RejectionCode::SchemaMismatch };
                return Err(refuse(code, Reason::Made(message)));
            }
            let offset = candidate.span.start;
            let limit = DiagnosticCode::SchemaLimit;
            let code = if is_limit { limit } else { DiagnosticCode::SchemaMismatch };
            candidate.diagnostics.push(Diagnostic { code, message, offset });
        }
        let given = candidate.id.take().and_then(|id| written_id(&id));
        if let Some(seen) = &self.seen
            && !seen.insert(given.as_deref(), candidate.span.of(input))
        {
            let reason = "the same call was seen before".into();
            return Err(refuse(RejectionCode::Duplicate, reason));
        }
        let id_given = given.is_some();
        let id = given.map_or_else(|| ids.next_id(), CallId::from);
        calls.push(hand_out(candidate, name, (id, id_given), calls.len()));
        Ok(())
    }

    /// The tool's name, and whether it is another one than the text writes.
    ///
    /// A name that is accepted as it is written is not copied, and is then no longer in the
    /// candidate.
    fn take_name(&self, candidate: &mut Candidate) -> Result<(String, bool), Denied> {
        if self.takes_any_name() && !candidate.prose_if_unknown {
            match String::from_utf8(std::mem::take(&mut candidate.name)) {
                Ok(name)
                    if (candidate.is_name_plain || is_plain_name(name.as_bytes()))
                        && !is_new_id(&name) =>
                {
                    return Ok((name, false));
                }
                Ok(name) => candidate.name = name.into_bytes(),
                Err(error) => candidate.name = error.into_bytes(),
            }
        }
        let named = self.name(candidate)?;
        let renamed = named.renamed;
        let made =
            (renamed || named.name.len() != candidate.name.len()).then(|| named.name.into_owned());
        let name = made.unwrap_or_else(|| {
            String::from_utf8(std::mem::take(&mut candidate.name)).unwrap_or_default()
        });
        Ok((name, renamed))
    }

    /// Whether each name of the right form is the name of a tool.
    fn takes_any_name(&self) -> bool {
        self.tools.is_none() && self.renamed.aliases.is_empty() && self.renamed.legacy.is_empty()
    }

    fn name<'c>(&'c self, candidate: &'c Candidate) -> Result<Named<'c>, Denied> {
        let trimmed = candidate.name.trim_ascii();
        if candidate.prose_if_unknown && !self.knows(trimmed) {
            return Err(Denied::Prose);
        }
        match self.resolve(trimmed) {
            Ok((name, renamed)) => Ok(Named { name: Cow::Borrowed(name), renamed }),
            Err((code, reason)) => {
                Err(Denied::Refused(Refusal::new(candidate.format, code, candidate.span, reason)))
            }
        }
    }

    /// The tool's current name, and whether the name is an alias of it.
    fn resolve<'c>(&'c self, name: &'c [u8]) -> Result<(&'c str, bool), (RejectionCode, Reason)> {
        let trimmed = name.trim_ascii();
        if trimmed.is_empty() {
            return Err((RejectionCode::MissingName, "the name is empty".into()));
        }
        let valid = is_plain_name(trimmed);
        let Some(name) = std::str::from_utf8(trimmed).ok().filter(|_| valid) else {
            let message = "a tool's name has 1 to 128 characters of A-Z a-z 0-9 _ . : / -";
            return Err((RejectionCode::BadName, message.into()));
        };
        if let Some(successor) = self.renamed.legacy.get(name) {
            let reason = Reason::Retired(name.into(), successor.as_str().into());
            return Err((RejectionCode::LegacyTool, reason));
        }
        let alias = self.renamed.aliases.get(name);
        let name = alias.map_or(name, String::as_str);
        let Some(tools) = &self.tools else {
            if is_new_id(name) {
                let reason = Reason::Naming("\"", name.into(), "\" is an id, and no tool's name");
                return Err((RejectionCode::BadName, reason));
            }
            return Ok((name, alias.is_some()));
        };
        // Each call is refused when it ends, with its markup.
        if tools.refuses_all() {
            return Ok((name, alias.is_some()));
        }
        if !tools.contains(name) {
            if let Some(held) = name_in_id(name).filter(|held| tools.contains(held)) {
                return Ok((held, true));
            }
            let reason = Reason::Naming("there is no tool \"", name.into(), "\"");
            return Err((RejectionCode::UnknownTool, reason));
        }
        Ok((name, alias.is_some()))
    }

    /// Converts arguments that do not fit their schema, and adds a diagnostic for each.
    fn fit(&self, name: &str, candidate: &mut Candidate, input: &[u8]) {
        let Some(schema) = self.tools.as_ref().and_then(|tools| tools.schema(name)) else { return };
        let Some(coerced) = coerce(candidate.arguments.of(input), schema, self.max_depth) else {
            return;
        };
        candidate.arguments = Arguments::Made(coerced.json.into());
        for name in coerced.names {
            let message =
                format!("\"{}\" was made of the type that its schema names", name.escape_debug());
            let offset = candidate.span.start;
            candidate.diagnostics.push(Diagnostic {
                code: DiagnosticCode::Coerced,
                message,
                offset,
            });
        }
    }

    fn schema_problem(
        &self,
        name: &str,
        candidate: &Candidate,
        input: &[u8],
    ) -> Option<SchemaProblem> {
        if self.validate == Validate::Off {
            return None;
        }
        self.tools.as_ref()?.problem(name, candidate.arguments.of(input))
    }
}

/// Whether a name has the form of a tool's name.
fn is_plain_name(name: &[u8]) -> bool {
    (1..=MAX_NAME).contains(&name.len()) && name.iter().copied().all(is_name_byte)
}

/// Whether a text is UTF-8. Most markup is ASCII, which is known sooner.
fn is_utf8(text: &[u8]) -> bool {
    text.is_ascii() || std::str::from_utf8(text).is_ok()
}

#[inline]
fn hand_out(
    candidate: &mut Candidate,
    name: String,
    (id, id_given): (CallId, bool),
    index: usize,
) -> ToolCall {
    let repaired = candidate.diagnostics.iter().any(|note| note.code.is_repair());
    ToolCall {
        id,
        id_given,
        index,
        name,
        arguments: std::mem::replace(
            &mut candidate.arguments,
            Arguments::Verbatim(Span::default()),
        ),
        format: candidate.format,
        span: candidate.span,
        status: if repaired { Status::Repaired } else { Status::Complete },
        diagnostics: std::mem::take(&mut candidate.diagnostics),
        provider_data: None,
    }
}
