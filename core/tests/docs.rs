//! Checks that the pages on formats agree with the formats.
#![allow(
    clippy::disallowed_methods,
    clippy::unwrap_used,
    clippy::expect_used,
    reason = "these are tests"
)]

use std::collections::BTreeMap;
use std::fs;
use std::path::Path;

use toolwire::detect::Format;
use toolwire::{Detector, Options};

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
