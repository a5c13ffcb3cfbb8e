//! Cases of what is asked for: a run of the tool `mail`, which gives its arguments back.

use std::sync::Arc;

use serde::Deserialize;
use serde_json::{Value, json};
use toolwire::executor::{Action, Executor, ToolInput, ToolOutput};
use toolwire::lifecycle::{RunFailure, Settings};
use toolwire::registry::ToolSpec;
use toolwire::store::MemoryStore;

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub struct AskedInput {
    #[serde(rename = "function")]
    _function: String,
    value: Value,
}

pub fn asked(input: &AskedInput) -> Value {
    let mut executor = Executor::new(Arc::new(MemoryStore::default()), Settings::default());
    let mail = |input: &ToolInput| Ok(ToolOutput::ok((*input.arguments).clone()));
    executor.register(ToolSpec::new("mail").with_id("MAIL"), mail).unwrap();
    let action = Action::asked(&input.value);
    let (run, again) = (executor.execute(&action).unwrap(), executor.start(&action).unwrap());
    assert_eq!((run.state, &run.failure), (again.state, &again.failure));
    let Some(failure) = run.failure else {
        let arguments = run.output.and_then(|output| output.data);
        return json!({"state": run.state.slug(), "arguments": arguments});
    };
    let path = match &failure {
        RunFailure::BadCall { refusal } => Some(refusal.problem.path.clone()),
        RunFailure::BadNumber { problems } => problems.first().map(|problem| problem.path.clone()),
        _ => None,
    };
    json!({"state": run.state.slug(), "code": failure.slug(), "path": path})
}
