//! The shared cases of logs.

use std::fs;
use std::path::Path;

use serde_json::Value;
use toolwire::transcript::DialectName;

/// A case's log, and the dialect that the case names.
pub struct Sample {
    pub name: String,
    pub log: String,
    pub dialect: DialectName,
}

/// All cases whose log is a text and whose dialect is named.
pub fn samples() -> Vec<Sample> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../tests/cases");
    let mut samples = Vec::new();
    for file in ["logs.json", "transcript.json"] {
        let cases: Value = serde_json::from_slice(&fs::read(folder.join(file)).unwrap()).unwrap();
        for case in cases.as_array().unwrap() {
            let dialect = case["output"]["dialect"].as_str().and_then(DialectName::from_slug);
            if let (Some(log), Some(dialect)) = (case["input"]["log"].as_str(), dialect) {
                let name = case["name"].as_str().unwrap().to_owned();
                samples.push(Sample { name, log: log.to_owned(), dialect });
            }
        }
    }
    samples
}
