//! Events of a run as PHP arrays.

use ext_php_rs::error::Result;
use ext_php_rs::types::{ArrayKey, ZendHashTable, Zval};
use toolwire::lifecycle::{FieldValue, RunEvent};

use crate::host::value;

/// Returns the fields of an event by name, in order. `payload_summary` is the value of that field.
pub(super) fn data(event: &RunEvent, payload_summary: &Zval) -> Result<Zval> {
    let mut table =
        ZendHashTable::with_capacity(u32::try_from(event.fields.len()).unwrap_or_default());
    for (name, field) in &event.fields {
        table.insert(ArrayKey::Str(name.slug()), value_of(field, payload_summary)?)?;
    }
    let mut data = Zval::new();
    data.set_hashtable(table);
    Ok(data)
}

fn value_of(field: &FieldValue, payload_summary: &Zval) -> Result<Zval> {
    Ok(match field {
        FieldValue::Null => Zval::null(),
        FieldValue::Text(text) => value::text(text.as_bytes()),
        FieldValue::Count(count) => value::whole(*count),
        FieldValue::Flag(flag) => value::flag(*flag),
        FieldValue::Milliseconds(duration) => value::real_or_null(Some(*duration)),
        FieldValue::Texts(texts) => value::list(texts.iter().map(value::text))?,
        FieldValue::Output(facts) => {
            value::record(facts.entries().map(|(name, is)| (name.slug(), value::flag(is))))?
        }
        FieldValue::Problems(problems) => {
            let problems = problems.iter().map(|problem| {
                let (path, message) = (value::text(&problem.path), value::text(&problem.message));
                value::record([("path", path), ("message", message)])
            });
            value::list(problems.collect::<Result<Vec<_>>>()?)?
        }
        FieldValue::PayloadSummary => payload_summary.shallow_clone(),
    })
}
