//! The topics `finder` and `projection`.

use serde::Deserialize;
use serde_json::{Map, Value, json};
use toolwire::Error;
use toolwire::packet::{FindOptions, PacketKind, Projection, find, find_all};
use toolwire::tree::{Failure, Hints, Name};

use crate::case::Case;

/// One handler or several.
#[derive(Deserialize)]
#[serde(untagged)]
enum Handlers {
    One(String),
    Several(Vec<String>),
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct FinderInput {
    #[serde(rename = "function")]
    _function: String,
    packets: Vec<Value>,
    handler: Option<String>,
    handlers: Option<Handlers>,
    #[serde(default)]
    partial: bool,
    r#type: Option<String>,
    #[serde(default)]
    success_only: bool,
}

/// Runs a case of the finder; it must find the packets themselves.
pub fn finder(case: &Case) -> Result<(), String> {
    let input: FinderInput = case.input()?;
    let packets = &input.packets;
    let own = |found: &Value| packets.iter().any(|packet| std::ptr::eq(packet, found));
    let outcome = match (case.function()?, &input.handler, &input.handlers) {
        ("find", Some(handler), None) => options(&input).map(|options| {
            let Ok(found) = find(packets, handler.as_bytes(), options);
            assert!(found.is_none_or(own), "the finder made a copy");
            json!({ "packet": found })
        }),
        ("find_all", None, Some(handlers)) => options(&input).map(|options| {
            let handlers = match handlers {
                Handlers::One(handler) => std::slice::from_ref(handler),
                Handlers::Several(handlers) => handlers,
            };
            let Ok(found) = find_all(packets, handlers, options);
            assert!(found.iter().all(|found| own(found)), "the finder made a copy");
            json!({ "packets": found })
        }),
        _ => return Err("input: an unknown function, or the wrong handlers for it".to_owned()),
    };
    case.check(outcome)
}

fn options(input: &FinderInput) -> Result<FindOptions, Error> {
    let kind = input.r#type.as_deref().map(PacketKind::named).transpose()?;
    Ok(FindOptions { partial: input.partial, kind, success_only: input.success_only })
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct ProjectionInput {
    #[serde(rename = "function")]
    _function: String,
    value: Value,
}

/// Runs a case of the projections.
pub fn projection(case: &Case) -> Result<(), String> {
    let input: ProjectionInput = case.input()?;
    let (value, hints) = (&&input.value, &mut Hints::default());
    let Ok(made) = match case.function()? {
        "data" => toolwire::packet::project_data(value, hints).map(built),
        "envelope_data" => toolwire::packet::project_envelope_data(value, hints).map(built),
        "envelope" => toolwire::packet::project_envelope(value, hints).map(built),
        "success" => toolwire::packet::project_success(value, hints).map(Value::from),
        other => return Err(format!("input: an unknown function {other:?}")),
    };
    case.check(Ok(json!({ "value": made })))
}

/// The value that a projection describes.
fn built(projection: Projection<&Value>) -> Value {
    match projection {
        Projection::Whole(node) => node.clone(),
        Projection::Payload(node) => {
            let mut kept = Map::new();
            let visited = toolwire::packet::payload_entries(&node, |name, value| {
                if let Name::Text(name) = name {
                    kept.insert(String::from_utf8_lossy(&name).into_owned(), value.clone());
                }
                Ok::<(), Failure<_>>(())
            });
            assert!(visited.is_ok(), "visiting a JSON map does not fail");
            Value::Object(kept)
        }
        Projection::Made { success, result } => json!({ "success": success, "result": result }),
        Projection::Empty => json!({}),
    }
}
