//! What a schema may cost for each look at a value, known before any value comes.

use serde_json::{Map, Value};

use crate::input_schema::graph::{SchemaGraph, SchemaPart};
use crate::input_schema::patterns::PatternCost;

/// The most checks that one value may get because of one part of a schema, all references and
/// combinations written out.
const MOST_CHECKS: usize = 10_000;

/// The most references and combinations within each other that apply to the same value.
const HIGHEST: usize = 128;

/// The most steps for writing out a schema.
const MOST_STEPS: usize = 1_000_000;

/// The deepest JSON of a schema: deeper ones would exhaust the stack of who reads them.
const DEEPEST: usize = 128;

/// What a schema may cost for each look at a value.
#[derive(Clone, Copy, Debug)]
pub(super) struct SchemaCost {
    /// The checks of one value because of one part of the schema.
    pub(super) checks: usize,
    /// The references and combinations within each other, for one value.
    pub(super) height: usize,
    /// The longest detail that an error quotes from the schema, in bytes.
    pub(super) detail: usize,
    pub(super) patterns: PatternCost,
}

impl SchemaCost {
    /// The cost of a schema, or what is too much of it.
    pub(super) fn of(schema: &Value) -> Result<Self, &'static str> {
        if is_deeper(schema, DEEPEST) {
            return Err("it nests deeper than 128 levels");
        }
        let patterns = PatternCost::of(schema).ok_or("its patterns need too much memory")?;
        let graph = SchemaGraph::new(schema).ok_or("it has more than 50000 parts")?;
        let extent = Unfolding::new(&graph).whole().ok_or(
            "written out without references, its combinations apply more than 10000 checks, or \
             128 within each other, to one value",
        )?;
        Ok(Self {
            checks: extent.checks.max(1),
            height: extent.height.max(1),
            detail: detail(schema),
            patterns,
        })
    }
}

fn is_deeper(value: &Value, levels: usize) -> bool {
    let Some(levels) = levels.checked_sub(1) else { return true };
    match value {
        Value::Array(items) => items.iter().any(|item| is_deeper(item, levels)),
        Value::Object(entries) => entries.values().any(|entry| is_deeper(entry, levels)),
        _ => false,
    }
}

/// The size of the longest text or constant of a schema: an error may quote it.
fn detail(schema: &Value) -> usize {
    match schema {
        Value::String(text) => text.len(),
        Value::Array(items) => items.iter().map(detail).max().unwrap_or_default(),
        Value::Object(entries) => {
            let of_entry = |(keyword, value): (&String, &Value)| match keyword.as_str() {
                "const" => written_size(value),
                _ => keyword.len().max(detail(value)),
            };
            entries.iter().map(of_entry).max().unwrap_or_default()
        }
        _ => 0,
    }
}

fn written_size(value: &Value) -> usize {
    match value {
        Value::String(text) => text.len() + 32,
        Value::Array(items) => 32 + items.iter().map(written_size).sum::<usize>(),
        Value::Object(entries) => {
            let entries: &Map<String, Value> = entries;
            32 + entries.iter().map(|(key, value)| key.len() + written_size(value)).sum::<usize>()
        }
        _ => 32,
    }
}

/// How far one part of a schema reaches at one value.
#[derive(Clone, Copy, Default)]
struct PartExtent {
    checks: usize,
    height: usize,
}

/// Writes out the parts of a schema as the validator does: it stops where a part leads back to
/// itself, and follows each of several ways to the same part.
struct Unfolding<'g> {
    parts: &'g [SchemaPart],
    known: Vec<Option<PartExtent>>,
    open: Vec<bool>,
    steps: usize,
}

impl<'g> Unfolding<'g> {
    fn new(graph: &'g SchemaGraph) -> Self {
        let count = graph.parts.len();
        Self {
            parts: &graph.parts,
            known: vec![None; count],
            open: vec![false; count],
            steps: MOST_STEPS,
        }
    }

    /// The most checks and the most height of all parts; `None` if either is too much.
    fn whole(mut self) -> Option<PartExtent> {
        let mut most = PartExtent::default();
        for index in 0..self.parts.len() {
            let (extent, _) = self.part(index, HIGHEST)?;
            most.checks = most.checks.max(extent.checks);
            most.height = most.height.max(extent.height);
        }
        Some(most)
    }

    /// The extent of a part, and whether a way back cut it short. Only a whole one is kept.
    fn part(&mut self, index: usize, levels: usize) -> Option<(PartExtent, bool)> {
        self.steps = self.steps.checked_sub(1)?;
        let part = self.parts.get(index)?;
        if let Some(extent) = *self.known.get(index)? {
            return (extent.height <= levels).then_some((extent, false));
        }
        let levels = levels.checked_sub(1)?;
        if std::mem::replace(self.open.get_mut(index)?, true) {
            return Some((PartExtent { checks: 1, height: 1 }, true));
        }
        let mut extent = PartExtent { checks: part.checks, height: 0 };
        let mut was_cut = false;
        for inner in &part.in_place {
            let (inner, cut) = self.part(*inner, levels)?;
            // A second look at neighbours asks each of them again, at each level.
            let times = if part.looks_again { 2 + inner.height } else { 1 };
            extent.checks = extent.checks.saturating_add(inner.checks.saturating_mul(times));
            extent.height = extent.height.max(inner.height);
            was_cut |= cut;
        }
        extent.height += 1;
        *self.open.get_mut(index)? = false;
        if !was_cut {
            *self.known.get_mut(index)? = Some(extent);
        }
        (extent.checks <= MOST_CHECKS).then_some((extent, was_cut))
    }
}
