//! The topic `profiles`.

use serde_json::{Map, Value, json};
use toolwire::detect::{Format, Profile};
use toolwire::{Detector, Error, Options};

use crate::case::Case;

/// Runs a case of `profiles`: the profile that a model's name alone means, or the one that a
/// detector takes from its options.
pub fn profiles(case: &Case) -> Result<(), String> {
    let input: Map<String, Value> = case.input()?;
    if let (1, Some(Value::String(model))) = (input.len(), input.get("model")) {
        let found = Profile::find(model);
        let mut told = json!({ "profile": found.as_ref().map(Profile::slug) });
        if found.is_some_and(|profile| !profile.is_exact()) {
            told["exact"] = false.into();
        }
        return case.check(Ok(told));
    }
    case.check(given(&input))
}

fn given(input: &Map<String, Value>) -> Result<Value, Error> {
    let mut slugs = Vec::new();
    // The order in which the options are set does not matter.
    for names in [input.keys().collect::<Vec<_>>(), input.keys().rev().collect()] {
        let mut options = Options::default();
        names.into_iter().try_for_each(|name| options.set(name, &input[name]))?;
        let detector = Detector::new(options)?;
        slugs.push(detector.profile().map(described));
    }
    slugs.dedup();
    Ok(if let [slug] = slugs.as_slice() { json!(slug) } else { json!(slugs) })
}

fn described(profile: &Profile) -> Value {
    let formats: Vec<_> = profile.formats().iter().map(Format::slug).collect();
    json!({
        "profile": profile.slug(),
        "formats": formats,
        "reasoning_begun": profile.reasoning_begun(),
    })
}
