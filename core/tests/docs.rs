//! Checks that the pages on formats and on codes agree with the crate.
#![allow(
    clippy::disallowed_methods,
    clippy::unwrap_used,
    clippy::expect_used,
    reason = "these are tests"
)]

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::Path;

use toolwire::agent::{AgentCode, AgentLimit};
use toolwire::call::{DiagnosticCode, RejectionCode};
use toolwire::detect::{Format, Profile};
use toolwire::lifecycle::{ApprovalCode, FailureCode, InterruptionCode, RunCode};
use toolwire::registry::AskCode;
use toolwire::store::StoreErrorKind;
use toolwire::{Detector, ErrorKind, Options};

/// The examples of a page by format, from the code block after each heading.
fn examples(page: &str) -> BTreeMap<String, (String, String)> {
    let mut found = BTreeMap::new();
    for section in page.split("\n## ").skip(1) {
        let (slug, rest) = section.split_once("\n\n").expect("a heading and a text");
        let (models, rest) = rest.split_once("\n\n").expect("a line on the models");
        let fence = if rest.starts_with("````") { "````" } else { "```" };
        let block = rest.strip_prefix(fence).and_then(|rest| rest.strip_prefix("text\n"));
        let (example, _) =
            block.and_then(|block| block.split_once(&format!("\n{fence}"))).expect("an example");
        found
            .insert(slug.to_owned(), (models.trim_end_matches('.').to_owned(), example.to_owned()));
    }
    found
}

#[test]
fn every_format_has_its_example_on_the_page_of_its_family() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../docs/formats");
    let mut shown = BTreeMap::new();
    for page in ["seeds", "json", "named", "tagged", "literal"] {
        shown
            .extend(examples(&fs::read_to_string(folder.join(page).with_extension("md")).unwrap()));
    }
    assert_eq!(shown.len(), Format::all().len());
    for format in Format::all() {
        let (models, example) = shown.get(format.slug()).expect("a heading for each format");
        assert_eq!((models.as_str(), example.as_str()), (format.models(), format.example()));
    }
}

#[test]
fn the_page_on_profiles_shows_one_that_works() {
    let page = Path::new(env!("CARGO_MANIFEST_DIR")).join("../docs/profiles.md");
    let page = fs::read_to_string(page).unwrap();
    let (_, rest) = page.split_once("```json\n").unwrap();
    let (definition, _) = rest.split_once("```").unwrap();
    let profile = Profile::define(&serde_json::from_str(definition).unwrap()).unwrap();
    assert_eq!(profile.reasoning().collect::<Vec<_>>(), ["think", "plan"]);
    assert_eq!(profile.reasoning_begun(), Some("think"));
}

#[test]
fn the_page_on_own_formats_shows_one_that_works() {
    let page = Path::new(env!("CARGO_MANIFEST_DIR")).join("../docs/formats/own.md");
    let page = fs::read_to_string(page).unwrap();
    let (_, rest) = page.split_once("```json\n").unwrap();
    let (definition, _) = rest.split_once("```").unwrap();
    let format = Format::define(&serde_json::from_str(definition).unwrap()).unwrap();
    let detector = Detector::new(Options { formats: vec![format], ..Options::default() }).unwrap();
    assert!(page.contains("`=>add:{\"a\": 1};`"));
    let calls = &detector.detect(b"=>add:{\"a\": 1};").calls;
    assert_eq!(calls.first().map(|call| call.name.as_str()), Some("add"));
}

/// The slugs of a table in `docs/codes.md`, each with the text behind it.
fn codes(enum_name: &str) -> Vec<(String, String)> {
    let page = Path::new(env!("CARGO_MANIFEST_DIR")).join("../docs/codes.md");
    let page = fs::read_to_string(page).unwrap();
    let (_, section) = page.split_once(&format!("\n## `{enum_name}`\n")).expect("a section");
    let section = section.split("\n## ").next().unwrap_or_default();
    let rows = section.lines().filter_map(|line| line.strip_prefix("| `")?.split_once("` | "));
    rows.map(|(slug, rest)| (slug.to_owned(), rest.to_owned())).collect()
}

/// The files under `core/src` that name a refusal outside of their tests, by its name.
fn files_of_refusals() -> BTreeMap<String, BTreeSet<String>> {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("src");
    let mut found: BTreeMap<String, BTreeSet<String>> = BTreeMap::new();
    let mut folders = vec![root.clone()];
    while let Some(folder) = folders.pop() {
        for entry in fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path()) {
            if entry.is_dir() {
                folders.push(entry);
                continue;
            }
            let text = fs::read_to_string(&entry).unwrap();
            let code = text.split("#[cfg(test)]\nmod ").next().unwrap_or_default();
            let file = entry.strip_prefix(&root).unwrap().to_str().unwrap().to_owned();
            for part in code.split("RejectionCode::").skip(1).filter(|_| file != "call.rs") {
                let name: String = part.chars().take_while(char::is_ascii_alphanumeric).collect();
                found.entry(name).or_default().insert(file.clone());
            }
        }
    }
    found
}

#[test]
fn the_table_says_where_each_refusal_is_decided() {
    let page = Path::new(env!("CARGO_MANIFEST_DIR")).join("../docs/architecture.md");
    let page = fs::read_to_string(page).unwrap();
    let (_, section) = page.split_once("### Where a refusal is decided\n").unwrap();
    let section = section.split("\n## ").next().unwrap_or_default();
    let rows = section.lines().filter_map(|line| line.strip_prefix("| `")?.split_once("` | "));
    let told: BTreeMap<&str, BTreeSet<String>> = rows
        .map(|(slug, rest)| (slug, rest.split('`').skip(1).step_by(2).map(str::to_owned).collect()))
        .collect();
    let mut files = files_of_refusals();
    for code in RejectionCode::ALL {
        let decided = files.remove(&format!("{code:?}")).unwrap_or_default();
        assert_eq!(told.get(code.slug()), Some(&decided), "{}", code.slug());
    }
    assert_eq!(told.len(), RejectionCode::ALL.len());
}

#[test]
fn the_page_on_codes_has_every_code() {
    for (name, slugs) in [
        ("call::RejectionCode", RejectionCode::SLUGS),
        ("call::DiagnosticCode", DiagnosticCode::SLUGS),
        ("lifecycle::FailureCode", FailureCode::SLUGS),
        ("registry::AskCode", AskCode::SLUGS),
        ("lifecycle::ApprovalCode", ApprovalCode::SLUGS),
        ("lifecycle::RunCode", RunCode::SLUGS),
        ("lifecycle::InterruptionCode", InterruptionCode::SLUGS),
        ("agent::AgentCode", AgentCode::SLUGS),
        ("agent::AgentLimit", AgentLimit::SLUGS),
        ("store::StoreErrorKind", StoreErrorKind::SLUGS),
        ("ErrorKind", ErrorKind::SLUGS),
    ] {
        let written: Vec<_> = codes(name).into_iter().map(|(slug, _)| slug).collect();
        assert_eq!(written, slugs, "{name}");
    }
    for (slug, row) in codes("ErrorKind") {
        let kind = ErrorKind::from_slug(&slug).unwrap();
        let class = format!("{:?}", kind.class()).to_lowercase();
        assert!(row.starts_with(&format!("{} | {class} | ", kind.number())), "{slug}");
    }
}
