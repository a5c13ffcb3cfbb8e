//! `Toolwire\Transcript`: the whole log of an agent.

use ext_php_rs::flags::DataType;
use ext_php_rs::prelude::*;
use ext_php_rs::types::Zval;
use toolwire::compat::vibe_kanban;
use toolwire::transcript::{self, DialectName, Form, PageLink, ReaderOptions};

use crate::class::entry::{Entry, read};
use crate::class::patch::Patch;
use crate::host::class::{COUNTABLE, php_class};
use crate::host::exception;
use crate::host::value::{self, AnArray, As, Flag, Maybe, Table, Text};
use crate::zend::{self, Key};

/// The name that selects the dialect automatically.
pub(super) const AUTO: &str = "auto";

/// Reads the options of both classes.
pub(super) fn options(
    worktree: Maybe<Text<'_>>,
    dialect: &Text<'_>,
    faithful: Flag,
) -> PhpResult<ReaderOptions> {
    let dialect =
        DialectName::named(&dialect.lossy()).map_err(|error| exception::from_core(&error))?;
    let worktree = worktree.0.map(|path| path.lossy().into_owned().into());
    let form = if faithful.0 { vibe_kanban::FORM } else { Form::default() };
    Ok(ReaderOptions { worktree, dialect, form })
}

/// The dialect's slug, or null.
pub(super) fn slug(dialect: Option<DialectName>) -> Zval {
    value::text_or_null(dialect.map(DialectName::slug))
}

/// The account of a log as an array.
pub(super) fn account(account: &transcript::LogAccount) -> PhpResult<Zval> {
    read(account.to_value().to_string().as_bytes())
}

/// A list of entries as PHP objects.
pub(super) fn entries(entries: impl Iterator<Item = transcript::Entry>) -> PhpResult<Zval> {
    let objects =
        entries.map(|entry| value::object(Entry(entry))).collect::<Result<Vec<_>, _>>()?;
    Ok(value::list(objects)?)
}

/// A list of patches as PHP objects.
pub(super) fn patches(patches: impl IntoIterator<Item = transcript::Patch>) -> PhpResult<Zval> {
    let objects = patches.into_iter().map(|patch| value::object(Patch(patch)));
    Ok(value::list(objects.collect::<Result<Vec<_>, _>>()?)?)
}

/// A whole log.
pub(crate) struct Transcript(transcript::Transcript);

php_class!(Transcript, "Toolwire\\Transcript", [COUNTABLE], private, {
    "entries": DataType::Array, false => entries;
    "patches": DataType::Array, false => patches;
    "calls": DataType::Array, false => calls;
    "pending": DataType::Array, false => pending;
    "sessionId": DataType::String, true => session_id;
    "dialect": DataType::String, true => dialect;
    "account": DataType::Array, false => account;
    "look": DataType::String, true => look;
});

impl Transcript {
    fn entries(&self) -> PhpResult<Zval> {
        entries(self.0.entries.iter().cloned())
    }

    fn patches(&self) -> PhpResult<Zval> {
        patches(self.0.patches())
    }

    fn calls(&self) -> PhpResult<Zval> {
        entries(self.0.calls().map(|(_, call)| transcript::Entry::ToolUse(Box::new(call.clone()))))
    }

    fn pending(&self) -> PhpResult<Zval> {
        entries(
            self.0.pending().map(|(_, call)| transcript::Entry::ToolUse(Box::new(call.clone()))),
        )
    }

    fn session_id(&self) -> Zval {
        value::text_or_null(self.0.session_id.as_ref())
    }

    fn dialect(&self) -> Zval {
        slug(self.0.dialect)
    }

    fn account(&self) -> PhpResult<Zval> {
        account(&self.0.account)
    }

    fn look(&self) -> Zval {
        value::text_or_null(self.0.look.as_ref())
    }
}

#[php_impl]
impl Transcript {
    /// Reads a whole log.
    #[php(defaults(dialect = AUTO, faithful = false))]
    fn normalize(
        text: Text<'_>,
        worktree: Maybe<Text<'_>>,
        stderr: Maybe<Text<'_>>,
        dialect: Text<'_>,
        faithful: Flag,
    ) -> PhpResult<Self> {
        let options = options(worktree, &dialect, faithful)?;
        let stderr = stderr.0.as_ref().map(Text::bytes).unwrap_or_default();
        Ok(Self(transcript::Transcript::read(text.bytes(), stderr, options)))
    }

    /// The index of the pages of many sessions; a key is the path of a page.
    fn index_html(pages: Table<'_>) -> PhpResult<String> {
        let mut links = Vec::new();
        for (path, session) in zend::table(pages.0).into_iter().flat_map(zend::entries) {
            let Some(Self(session)) = value::held::<Self>(session) else {
                let given = value::type_name(session);
                let message = format!("pages must be Toolwire\\Transcript, got {given}");
                return Err(exception::wrong_type(message));
            };
            let path = match path {
                Key::Name(name) => String::from_utf8_lossy(name).into_owned(),
                Key::Index(index) => index.to_string(),
            };
            links.push(PageLink::new(&path, session));
        }
        Ok(transcript::index_html(&links))
    }

    /// The dialects that are known.
    fn dialects() -> PhpResult<As<AnArray>> {
        let slugs = DialectName::SLUGS.iter().map(|slug| value::text(slug.as_bytes()));
        Ok(As::new(value::list(slugs)?))
    }

    /// The results of all calls that have one, for a report.
    fn to_results(&self) -> PhpResult<As<AnArray>> {
        let results = self.0.calls().filter_map(|(_, call)| Entry::result_of(call).transpose());
        Ok(As::new(value::list(results.collect::<PhpResult<Vec<_>>>()?)?))
    }

    /// The session as one HTML page.
    fn to_html(&self) -> String {
        self.0.to_html()
    }

    /// The number of entries.
    fn count(&self) -> usize {
        self.0.entries.len()
    }
}
