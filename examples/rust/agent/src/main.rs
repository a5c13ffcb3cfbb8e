//! An agent whose tool a person approves: `toolwire-agent http://HOST/v1 chat.db "Wipe disk 7."`,
//! then `toolwire approvals approve chat.db REQUEST`, then the first command without the text.

use serde_json::{Value, json};
use std::{env, error::Error, sync::Arc};
use toolwire::Detector;
use toolwire::agent::{Agent, ModelError, read_response};
use toolwire::executor::{Executor, ToolInput, ToolOutput};
use toolwire::registry::ToolSpec;
use toolwire::store::{SqliteOptions, SqliteStore};
use toolwire::{lifecycle::Settings, provider::Provider};

fn main() -> Result<(), Box<dyn Error + Send + Sync>> {
    let given: Vec<String> = env::args().skip(1).collect();
    let [server, file, text @ ..] = &*given else { return Err("SERVER FILE [TEXT]".into()) };
    let url = format!("{server}/chat/completions");
    let http: ureq::Agent =
        ureq::Agent::config_builder().http_status_as_error(false).build().into();
    let model = move |body: &Value| {
        let mut answer = http.post(&url).send_json(body).map_err(ModelError::unreachable)?;
        let said = answer.body_mut().read_to_vec().map_err(ModelError::unreachable)?;
        read_response(answer.status().as_u16(), None, &said)
    };
    let store = Arc::new(SqliteStore::open(file, SqliteOptions::default())?);
    let mut executor = Executor::new(store.clone(), Settings::default());
    let disk = json!({"properties": {"disk": {"type": "integer"}}, "required": ["disk"]});
    let wipe = ToolSpec { requires_approval: true, ..ToolSpec::new("wipe") };
    executor.register(wipe.with_schema(&disk)?, |input: &ToolInput| {
        println!("wiping {}", input.arguments["disk"]);
        Ok(ToolOutput::ok("wiped"))
    })?;
    executor.register(ToolSpec::new("disks"), |_: &ToolInput| {
        Ok(ToolOutput::ok(json!({"used": 3, "broken": [7]})))
    })?;
    let mut agent = Agent::new(model, Provider::OpenAi, "qwen3", executor, store);
    agent.settings.detector = Some(Detector::for_model("qwen3")?);
    let answer = agent.run(text.first().map(String::as_str), "chat")?;
    println!("{}", answer.text);
    for call in answer.waiting {
        println!("{} {}: {}", call.tool, call.state, call.approval_id.unwrap_or(call.run));
    }
    Ok(())
}
