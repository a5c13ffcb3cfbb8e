//! Events of a run as PHP arrays.

use ext_php_rs::error::Result;
use ext_php_rs::types::{ArrayKey, ZendHashTable, Zval};
use toolwire::lifecycle::{Event, Field};

use crate::host::value;

/// Returns the fields of an event by name, in order. `payload_summary` is the value of that field.
pub(super) fn data(event: &Event, payload_summary: &Zval) -> Result<Zval> {
    let mut table =
        ZendHashTable::with_capacity(u32::try_from(event.fields.len()).unwrap_or_default());
    for (name, field) in &event.fields {
        table.insert(ArrayKey::Str(name.slug()), value_of(field, payload_summary)?)?;
    }
    let mut data = Zval::new();
    data.set_hashtable(table);
    Ok(data)
}

fn value_of(field: &Field, payload_summary: &Zval) -> Result<Zval> {
    Ok(match field {
        Field::Null => Zval::null(),
        Field::Text(text) => value::text(text.as_bytes()),
        Field::Count(count) => value::whole(*count),
        Field::Milliseconds(duration) => value::real_or_null(Some(*duration)),
        Field::Texts(texts) => value::list(texts.iter().map(value::text))?,
        Field::Output(facts) => {
            value::record(facts.entries().map(|(name, is)| (name.slug(), value::flag(is))))?
        }
        Field::Problems(problems) => {
            let problems = problems.iter().map(|problem| {
                let (path, message) = (value::text(&problem.path), value::text(&problem.message));
                value::record([("path", path), ("message", message)])
            });
            value::list(problems.collect::<Result<Vec<_>>>()?)?
        }
        Field::PayloadSummary => payload_summary.shallow_clone(),
    })
}
