//! The calls and results in providers' objects, in the rows of a piece, as a column.

use arrow_buffer::NullBufferBuilder;
use arrow_data::ArrayData;
use arrow_schema::{DataType, Field, Fields};
use serde_json::Value;
use toolwire::call::RejectionCode;
use toolwire::json::{ParseError, ParseErrorKind, parse_json};
use toolwire::provider::{Exchange, ParseOptions, ProviderRejection, parse_with};

use crate::batch::layout::{Part, any, given, list};
use crate::batch::members::without_lone_surrogates;
use crate::batch::strings::{TooLong, structs, text};
use crate::batch::table::{Cell, Table};
use crate::batch::texts::{Piece, Texts};

/// The longest message that is read in a row.
const LONGEST: usize = 256 << 20;

/// A column of what was found in providers' objects.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Exchanged {
    Calls,
    Results,
    Rejections,
    Items,
}

impl Part for Exchanged {
    const ALL: &'static [Self] = &[Self::Calls, Self::Results, Self::Rejections, Self::Items];

    fn name(self) -> &'static str {
        match self {
            Self::Calls => "calls",
            Self::Results => "results",
            Self::Rejections => "rejections",
            Self::Items => "items",
        }
    }
}

impl Exchanged {
    /// The fields of an item of the part's lists.
    fn fields(self) -> Fields {
        Fields::from(match self {
            Self::Calls => vec![
                given("name"),
                given("arguments"),
                any("id"),
                given("format"),
                given("status"),
                any("provider_data"),
            ],
            Self::Results => vec![
                given("tool"),
                Field::new("success", DataType::Boolean, false),
                given("data"),
                any("error_message"),
                any("call_id"),
                given("format"),
            ],
            Self::Rejections => vec![given("code"), given("message"), given("path"), any("format")],
            Self::Items => vec![
                given("kind"),
                given("word"),
                any("id"),
                given("raw"),
                given("path"),
                given("format"),
            ],
        })
    }

    fn push(self, table: &mut Table, found: &Exchange) -> Result<(), TooLong> {
        match self {
            Self::Calls => found.calls.iter().try_for_each(|call| {
                let arguments = text(call.arguments_raw(b""));
                table.push([
                    (&*call.name).into(),
                    (&*arguments).into(),
                    // One that was made anew would differ at each try of a task.
                    Cell::any(call.id_given.then_some(&*call.id)),
                    call.format.into(),
                    call.status.slug().into(),
                    Cell::any(call.provider_data.as_deref()),
                ])
            }),
            Self::Results => found.results.iter().try_for_each(|result| {
                let (outcome, data) = (&result.outcome, result.outcome.data.to_string());
                table.push([
                    (&*outcome.tool).into(),
                    Cell::Flag(outcome.success),
                    (&*data).into(),
                    Cell::any(outcome.error_message.as_deref()),
                    Cell::any(result.call_id.as_deref()),
                    result.format.into(),
                ])
            }),
            Self::Rejections => found.rejections.iter().try_for_each(|rejection| {
                table.push([
                    rejection.code.slug().into(),
                    (&*rejection.message).into(),
                    (&*rejection.path).into(),
                    Cell::any(rejection.format),
                ])
            }),
            Self::Items => found.items.iter().try_for_each(|item| {
                let raw = item.object.to_string();
                table.push([
                    item.kind.slug().into(),
                    (&*item.word).into(),
                    Cell::any(item.id.as_deref()),
                    (&*raw).into(),
                    (&*item.path).into(),
                    item.format.into(),
                ])
            }),
        }?;
        table.end()
    }
}

/// The type of a column of providers' objects.
pub fn exchanges(parts: &[Exchanged]) -> DataType {
    DataType::Struct(columns(parts))
}

fn columns(parts: &[Exchanged]) -> Fields {
    parts.iter().map(|part| Field::new(part.name(), list(part.fields()), false)).collect()
}

/// Reads the objects of a piece.
///
/// # Errors
/// If a column would be too long.
pub fn read(
    options: ParseOptions,
    texts: &Texts,
    piece: &Piece<'_>,
    parts: &[Exchanged],
) -> Result<ArrayData, TooLong> {
    let rows = piece.rows.len();
    let mut nulls = NullBufferBuilder::new(rows);
    let mut tables: Vec<_> = parts.iter().map(|part| Table::new(part.fields(), rows)).collect();
    for row in piece.rows.clone() {
        let is_null = piece.chunk.is_null(row);
        nulls.append(!is_null);
        let found = if is_null {
            Exchange::default()
        } else {
            exchange(piece.chunk.bytes(row), texts.has_surrogates, options)
        };
        for (part, table) in parts.iter().zip(&mut tables) {
            part.push(table, &found)?;
        }
    }
    let made = tables.into_iter().map(Table::finish).collect();
    Ok(structs(columns(parts), rows, nulls.finish(), made))
}

/// What is in an object; a text that is none has one rejection.
fn exchange(message: &[u8], has_surrogates: bool, options: ParseOptions) -> Exchange {
    if message.len() > LONGEST {
        let why = format!("the message has {} bytes, more than {LONGEST}", message.len());
        return refused(RejectionCode::TooLarge, why);
    }
    match decoded(message, has_surrogates) {
        Ok(object) => parse_with(&object, options),
        Err(error) if error.kind == ParseErrorKind::TooDeep => {
            refused(RejectionCode::TooDeep, error.to_string())
        }
        Err(error) => refused(RejectionCode::BadJson, error.to_string()),
    }
}

/// The value that JSON text holds; half of a surrogate pair is U+FFFD.
fn decoded(message: &[u8], has_surrogates: bool) -> Result<Value, ParseError> {
    parse_json(message).or_else(|error| {
        let whole = without_lone_surrogates(message);
        let whole = if has_surrogates { text(&whole).into_owned().into_bytes() } else { whole };
        parse_json(&whole).map_err(|_| error)
    })
}

fn refused(code: RejectionCode, message: String) -> Exchange {
    let rejection = ProviderRejection { code, message, path: String::new(), format: None };
    Exchange { rejections: vec![rejection], ..Exchange::default() }
}
