//! The topic `store`: what every store promises.

use std::collections::BTreeMap;

use serde::Deserialize;
use serde::de::DeserializeOwned;
use serde_json::{Value, json};
use toolwire::store::{
    Condition, MemoryStore, Put, SqliteOptions, SqliteStore, Store, StoreEntry, StoreError, Write,
};

use crate::case::{Case, Text};

/// A version that no entry has.
const NEVER: u64 = 1 << 62;

/// The steps that one store takes, each a list of its name and its arguments.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Input {
    steps: Vec<Value>,
}

/// Runs a case of `store` over every store.
pub fn store(case: &Case) -> Result<(), String> {
    let Input { steps } = case.input()?;
    let folder = tempfile::tempdir().unwrap();
    let file = SqliteStore::open(folder.path().join("state.db"), SqliteOptions::default()).unwrap();
    let stores: [Box<dyn Store>; 2] = [Box::new(MemoryStore::default()), Box::new(file)];
    stores.iter().try_for_each(|store| {
        let mut taken = Taken { store: &**store, versions: BTreeMap::new() };
        let steps = steps.iter().enumerate();
        let given = steps.map(|(number, step)| taken.step(number, step));
        let given = given.collect::<Result<Vec<_>, _>>()?;
        case.check(Ok(json!({ "given": given })))
    })
}

/// A store, and the versions that it gave, each under the number of the step.
struct Taken<'s> {
    store: &'s dyn Store,
    versions: BTreeMap<usize, u64>,
}

impl Taken<'_> {
    fn step(&mut self, number: usize, step: &Value) -> Result<Value, String> {
        let failed = |error: StoreError| format!("step {number}: {error}");
        match step[0].as_str() {
            Some("get") => {
                let (_, key, now): (String, String, i64) = read(step)?;
                let entry = self.store.get(&key, now).map_err(failed)?;
                entry.map_or(Ok(Value::Null), |entry| Ok(self.written(&entry).into()))
            }
            Some("put") => {
                let (_, key, value, expect, expires_at, now): Change = read(step)?;
                let expect = self.expect(&expect)?;
                let write = Write { value: &value.0, expect, expires_at };
                let put = self.store.put(&key, write, now).map_err(failed)?;
                if let Put::Stored(version) = put {
                    if self.versions.values().any(|known| *known == version) {
                        return Err(format!("step {number}: the version {version} came before"));
                    }
                    self.versions.insert(number, version);
                }
                Ok(json!(put != Put::Conflict))
            }
            Some("delete") => {
                let (_, key, expect, now): (String, String, Value, i64) = read(step)?;
                let expect = self.expect(&expect)?;
                Ok(json!(self.store.delete(&key, expect, now).map_err(failed)?))
            }
            Some("scan") => {
                let (_, prefix, after, limit, now): (String, String, Option<String>, usize, i64) =
                    read(step)?;
                let found = self.store.scan(&prefix, after.as_deref(), limit, now);
                let entries = found.map_err(failed)?;
                Ok(entries.iter().map(|(key, entry)| self.keyed(key, entry)).collect())
            }
            Some("purge") => {
                let (_, prefix, now): (String, String, i64) = read(step)?;
                Ok(json!(self.store.purge(&prefix, now).map_err(failed)?))
            }
            _ => Err(format!("an unknown step: {step}")),
        }
    }

    fn expect(&self, expect: &Value) -> Result<Condition, String> {
        match expect {
            Value::String(any) if any == "any" => Ok(Condition::Any),
            Value::String(absent) if absent == "absent" => Ok(Condition::Absent),
            number => {
                let step = usize::try_from(read::<i64>(number)?);
                let version = step.ok().and_then(|step| self.versions.get(&step));
                Ok(Condition::Version(version.copied().unwrap_or(NEVER)))
            }
        }
    }

    /// Writes an entry: its value, the step that put it, and its expiry.
    fn written(&self, entry: &StoreEntry) -> Vec<Value> {
        let step = self.versions.iter().find(|(_, version)| **version == entry.version);
        let value = Text(entry.value.clone());
        vec![value.written(), json!(step.map(|(step, _)| step)), json!(entry.expires_at)]
    }

    fn keyed(&self, key: &str, entry: &StoreEntry) -> Value {
        let mut written = vec![json!(key)];
        written.extend(self.written(entry));
        written.into()
    }
}

/// A put: its name, the key, the value, the condition, the expiry, the time.
type Change = (String, String, Text, Value, Option<i64>, i64);

fn read<T: DeserializeOwned>(value: &Value) -> Result<T, String> {
    serde_json::from_value(value.clone()).map_err(|error| format!("{value}: {error}"))
}
