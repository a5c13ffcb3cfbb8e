//! Texts made of what each format and each profile writes: each marker, and each beginning of a
//! call, again and again.

use toolwire::detect::{Format, Profile};
use toolwire::{Options, detect};

/// What is repeated, and the options that look for it.
pub struct Repeated {
    pub unit: String,
    pub options: Options,
}

/// The most units of one format, and of one profile, in the fast form of the test: counting takes a
/// while.
const FEW_OF_FORMAT: usize = 4;
const FEW_OF_PROFILE: usize = 1;

/// The names under which [`repeated`] knows all formats and all profiles.
pub fn names() -> Vec<String> {
    let formats = Format::all().iter().map(|format| format!("format {}", format.slug()));
    let profiles = Profile::all().iter().map(|profile| format!("profile {}", profile.slug()));
    formats.chain(profiles).collect()
}

/// The units of a format or a profile, all or some of them.
pub fn repeated(name: &str, all: bool) -> Vec<Repeated> {
    let (kind, slug) = name.split_once(' ').unwrap_or_default();
    let units = |units: Vec<String>, options: &dyn Fn() -> Options| {
        units.into_iter().map(|unit| Repeated { unit, options: options() }).collect()
    };
    if kind == "format" {
        let format = Format::named(slug).unwrap();
        // The tags of this format are tools that are known.
        let tools = || (slug == "cline").then(|| detect::Tools::named(["f"]));
        let options =
            || Options { formats: vec![format.clone()], tools: tools(), ..Options::default() };
        return units(some(begun(&format), all, FEW_OF_FORMAT), &options);
    }
    let profile = Profile::named(slug).unwrap();
    let options = || Options { profile: Some(profile.clone()), ..Options::default() };
    units(some(markers(&profile), all, FEW_OF_PROFILE), &options)
}

/// The beginnings of a call with a text that holds each sign, up to each of its signs, and parts
/// between two signs.
fn begun(format: &Format) -> Vec<String> {
    let call = detect::NewCall::new("f", r#"{"a":"b","c":[1,{"d":"e"}]}"#);
    let written = detect::render_calls(&[call], format, None);
    let written = written.unwrap_or_else(|_| format.example().to_owned());
    let mut cuts = vec![0];
    let mut was_sign = false;
    for (at, character) in written.char_indices() {
        let is_sign = !character.is_ascii_alphanumeric();
        let is_mark = is_sign && "\"'{[(<>)]}".contains(character);
        if at > 0 && (is_mark || is_sign != was_sign) {
            cuts.push(at);
        }
        was_sign = is_sign;
    }
    cuts.push(written.len());
    let beginnings = cuts.iter().filter_map(|end| written.get(..*end));
    let parts = cuts.iter().zip(cuts.iter().skip(1));
    let parts = parts.filter_map(|(start, end)| written.get(*start..*end));
    beginnings.chain(parts).map(str::to_owned).collect()
}

/// The units or some of them, from the longest to the shortest.
fn some(mut units: Vec<String>, all: bool, few: usize) -> Vec<String> {
    units.retain(|unit| !unit.is_empty());
    units.sort_by_key(|unit| (unit.len(), unit.clone()));
    units.dedup();
    let step = if all { 1 } else { units.len().div_ceil(few).max(1) };
    units.into_iter().rev().step_by(step).collect()
}

/// The markers of reasoning and of messages, and each of them before a call that is begun.
fn markers(profile: &Profile) -> Vec<String> {
    let mut units = Vec::new();
    for (open, close) in profile.reasoning_markers() {
        units.extend(open.into_iter().chain(close).map(|marker| marker.replace("{suffix}", ":x")));
    }
    units.extend(profile.frames().into_iter().map(|frame| frame.replace("{word}", "7")));
    let half = |text: &str| text.chars().take(text.chars().count() / 2).collect::<String>();
    let calls: Vec<String> =
        profile.formats().iter().map(|format| half(format.example())).collect();
    let joined: Vec<String> = units
        .iter()
        .flat_map(|unit| calls.iter().map(move |call| format!("{unit}{call}")))
        .collect();
    units.extend(units.iter().map(|unit| half(unit)).collect::<Vec<_>>());
    units.extend(joined);
    units
}
