//! The tools that may be called, as a program lists them.

use std::collections::BTreeMap;
use std::fmt;
use std::sync::Arc;

use serde_json::Value;

use crate::detect::rule::schema::Schema;
use crate::error::{Error, ErrorKind};
use crate::input_schema::{InputSchema, Mismatch};
use crate::json::parse::parse_json;
use crate::slug::slugs;

/// The tools that may be called, each with the schema of its arguments where it has one.
///
/// ```
/// use serde_json::json;
/// use toolwire::detect::Tools;
///
/// let tools = Tools::from_json(&json!([
///     "wp_api",
///     {"name": "add", "parameters": {"type": "object", "required": ["a"]}},
///     {"type": "function", "function": {"name": "search", "parameters": {"type": "object"}}},
/// ]))?;
/// assert!(tools.contains("search"));
/// assert!(!tools.contains("add_all"));
/// # Ok::<(), toolwire::Error>(())
/// ```
#[derive(Clone, Default)]
pub struct Tools {
    schemas: BTreeMap<String, Option<Arc<ArgumentSchemas>>>,
    /// Whether no call counts, whatever the list says.
    refuses: bool,
}

slugs! {
    /// What becomes of the calls that are found.
    pub enum CallsOffered {
        /// They are handed out.
        Read => "read",
        /// Each is refused as `no_tools`, as if `tools` were empty.
        Refuse => "refuse",
    }
}

/// How arguments fail to match their schema.
pub(crate) struct SchemaProblem {
    pub(crate) message: String,
    /// Whether nothing is known of them, since the schema cannot be applied within the limits.
    pub(crate) is_limit: bool,
}

/// What is known of a tool's arguments.
struct ArgumentSchemas {
    input: InputSchema,
    schema: Schema,
}

impl fmt::Debug for Tools {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.debug_set().entries(self.schemas.keys()).finish()
    }
}

impl Tools {
    /// Makes a list of tools without schemas.
    pub fn named<N: Into<String>>(names: impl IntoIterator<Item = N>) -> Self {
        let schemas = names.into_iter().map(|name| (name.into(), None)).collect();
        Self { schemas, refuses: false }
    }

    /// Whether another list names the same tools, with the very same schemas.
    pub(crate) fn are_as(&self, other: &Self) -> bool {
        let same = |one: &Option<Arc<ArgumentSchemas>>, another: &Option<_>| match (one, another) {
            (Some(one), Some(another)) => Arc::ptr_eq(one, another),
            (one, another) => one.is_none() && another.is_none(),
        };
        let mut pairs = self.schemas.iter().zip(&other.schemas);
        self.schemas.len() == other.schemas.len()
            && pairs.all(|((name, one), (other, another))| name == other && same(one, another))
    }

    /// Reads a list of tools.
    ///
    /// An entry is a name, a definition `{name, parameters | input_schema | inputSchema}`, or a
    /// definition as `{type: "function", function: {…}}`. Other keys are ignored.
    ///
    /// # Errors
    /// `wrong_type` when it is not an array, `invalid_tool` for an entry of another shape,
    /// `invalid_schema` for a schema that is invalid or refers to another document,
    /// `schema_limit` for one that is too large.
    pub fn from_json(list: &Value) -> Result<Self, Error> {
        let Value::Array(entries) = list else {
            return Err(Error::new(
                ErrorKind::WrongType,
                "tools must be a list of names and definitions",
            ));
        };
        let schemas = entries.iter().enumerate().map(|(index, entry)| tool(index, entry));
        Ok(Self { schemas: schemas.collect::<Result<_, _>>()?, refuses: false })
    }

    /// The same list for a request in which no call counts: each is refused as `no_tools`, and its
    /// markup is not shown. An empty list says so too.
    #[must_use]
    pub fn refusing(self) -> Self {
        Self { refuses: true, ..self }
    }

    /// Whether it was made by [`Tools::refusing`].
    pub(crate) fn is_refusing(&self) -> bool {
        self.refuses
    }

    /// Whether no call counts.
    pub(crate) fn refuses_all(&self) -> bool {
        self.refuses || self.schemas.is_empty()
    }

    /// Whether a tool of this name is in the list.
    #[must_use]
    pub fn contains(&self, name: &str) -> bool {
        self.schemas.contains_key(name)
    }

    /// The names, sorted.
    pub fn names(&self) -> impl Iterator<Item = &str> {
        self.schemas.keys().map(String::as_str)
    }

    /// The schema of the tool's arguments.
    pub(crate) fn schema(&self, name: &str) -> Option<&Schema> {
        self.schemas.get(name)?.as_ref().map(|arguments| &arguments.schema)
    }

    /// The schema of the tool's arguments, as JSON.
    pub(crate) fn input_schema(&self, name: &str) -> Option<&Value> {
        self.schemas.get(name)?.as_ref().map(|arguments| arguments.input.json())
    }

    /// How the arguments fail to match the tool's schema, with the failing paths.
    pub(crate) fn problem(&self, name: &str, arguments: &[u8]) -> Option<SchemaProblem> {
        let input = &self.schemas.get(name)?.as_ref()?.input;
        let arguments = match parse_json(arguments) {
            Ok(Value::Array(_)) => Value::Object(serde_json::Map::new()),
            Ok(arguments) => arguments,
            Err(error) => {
                let message = format!("the arguments cannot be validated: {error}");
                return Some(SchemaProblem { message, is_limit: false });
            }
        };
        let mismatch = input.check(&arguments).err()?;
        let is_limit = mismatch == Mismatch::Limit;
        Some(SchemaProblem { message: mismatch.to_string(), is_limit })
    }
}

fn tool(index: usize, entry: &Value) -> Result<(String, Option<Arc<ArgumentSchemas>>), Error> {
    let invalid =
        |problem: &str| Error::new(ErrorKind::InvalidTool, format!("tools[{index}] {problem}"));
    let definition = match entry {
        Value::String(name) => {
            return named(name, None).ok_or_else(|| invalid("has an empty name"));
        }
        Value::Object(definition) => match definition.get("function") {
            Some(Value::Object(function)) => function,
            _ => definition,
        },
        _ => return Err(invalid("must be a name or a definition")),
    };
    let Some(Value::String(name)) = definition.get("name") else {
        return Err(invalid("has no name"));
    };
    let schema =
        ["parameters", "input_schema", "inputSchema"].iter().find_map(|key| definition.get(*key));
    let validator = schema.filter(|schema| !schema.is_null()).map(|schema| validator(name, schema));
    named(name, validator.transpose()?).ok_or_else(|| invalid("has an empty name"))
}

fn named(
    name: &str,
    validator: Option<Arc<ArgumentSchemas>>,
) -> Option<(String, Option<Arc<ArgumentSchemas>>)> {
    let name = name.trim();
    (!name.is_empty()).then(|| (name.to_owned(), validator))
}

fn validator(name: &str, schema: &Value) -> Result<Arc<ArgumentSchemas>, Error> {
    let input = InputSchema::new(name, schema)?;
    Ok(Arc::new(ArgumentSchemas { input, schema: Schema::new(schema.clone()) }))
}
