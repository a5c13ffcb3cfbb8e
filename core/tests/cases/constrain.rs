//! The topic `constrain`: the grammar to which a server holds a model.
//!
//! In a case the grammar inside the request is `{"$grammar": true}`, since it is there already.
//! After a wanted change, `TOOLWIRE_BLESS=1` writes the outputs of the cases anew.

use std::fs;

use serde::Deserialize;
use serde::Serialize;
use serde_json::ser::{PrettyFormatter, Serializer};
use serde_json::{Map, Value, json};
use toolwire::detect::{Constraint, GrammarSettings, Tools};
use toolwire::{Error, ErrorKind};

use crate::case::Case;
use crate::root;

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct ConstrainInput {
    tools: Value,
    options: Map<String, Value>,
}

/// Runs a case.
pub fn constrain(case: &Case) -> Result<(), String> {
    case.check(outcome(&case.input()?))
}

fn outcome(input: &ConstrainInput) -> Result<Value, Error> {
    let mut settings = GrammarSettings::default();
    for (name, value) in &input.options {
        settings.set(name, value)?;
    }
    let constraint = settings.constrain(&Tools::from_json(&input.tools)?)?;
    Ok(shown(&constraint))
}

fn shown(constraint: &Constraint) -> Value {
    let notes = constraint
        .notes
        .iter()
        .map(|note| json!({"tool": note.tool, "pointer": note.pointer, "keyword": note.keyword}));
    let mut request = constraint.request();
    abridge(&mut request, &constraint.grammar);
    json!({
        "profile": constraint.profile,
        "format": constraint.format,
        "backend": constraint.backend.slug(),
        "reasoning": constraint.reasoning.to_json(),
        "stop": constraint.stop,
        "notes": notes.collect::<Vec<_>>(),
        "grammar": constraint.grammar,
        "request": request,
    })
}

/// Names the grammar where it stands.
fn abridge(value: &mut Value, grammar: &Value) {
    if value == grammar {
        *value = json!({"$grammar": true});
    } else if let Value::Object(members) = value {
        members.values_mut().for_each(|member| abridge(member, grammar));
    }
}

#[test]
fn the_outputs_are_written_anew_when_asked() {
    let path = root().join("tests/cases/constrain.json");
    let text = fs::read_to_string(&path).unwrap();
    let mut cases: Vec<Map<String, Value>> = serde_json::from_str(&text).unwrap();
    for case in &mut cases {
        let input = serde_json::from_value(case["input"].clone()).unwrap();
        let made = outcome(&input).map_err(|error| error.kind().slug());
        case.remove("output");
        case.remove("error");
        match made {
            Ok(output) => case.insert("output".to_owned(), output),
            Err(kind) => case.insert("error".to_owned(), json!({"kind": kind})),
        };
    }
    let mut written = Vec::new();
    let formatter = PrettyFormatter::with_indent(b" ");
    cases.serialize(&mut Serializer::with_formatter(&mut written, formatter)).unwrap();
    written.push(b'\n');
    if std::env::var_os("TOOLWIRE_BLESS").is_some() {
        fs::write(&path, &written).unwrap();
    }
    assert_eq!(fs::read(&path).unwrap(), written, "TOOLWIRE_BLESS=1 writes it anew");
}

#[test]
fn each_option_that_names_a_writer_is_known() {
    let mut settings = GrammarSettings::default();
    assert!(!settings.name_writer());
    settings.set("format", &json!("hermes")).unwrap();
    assert!(settings.name_writer());
    settings.set("model", &json!("qwen3")).unwrap();
    let error = settings.constrain(&Tools::default()).unwrap_err();
    assert_eq!(error.kind(), ErrorKind::InvalidOption);
    settings.set("format", &Value::Null).unwrap();
    assert_eq!(settings.constrain(&Tools::default()).unwrap().profile.as_deref(), Some("qwen3"));
}
