//! OpenAI's chat completions in front of such a server that gives calls as the model wrote them.
//!
//!     cd examples/rust/gateway && cargo run --release -- http://127.0.0.1:8000/v1 8080

use axum::{Json, Router, extract::State, routing::post};
use serde_json::Value;
use toolwire::{Detector, provider};

type Answer = Result<Json<Value>, String>;

async fn chat(State(server): State<String>, Json(asked): Json<Value>) -> Answer {
    let detector = provider::options(&asked).and_then(Detector::new).map_err(|e| e.to_string())?;
    if asked["stream"] == true {
        return Err("this gateway gives whole answers".to_owned());
    }
    let sent = reqwest::Client::new().post(server).json(&asked).send();
    let answer: Value = async { sent.await?.json().await }.await.map_err(|e| e.to_string())?;
    provider::with_calls(answer, &detector).map(Json).map_err(|e| e.to_string())
}

#[tokio::main]
async fn main() {
    let [server, port] = [1, 2].map(|at| std::env::args().nth(at).expect("a server and a port"));
    let chat = post(chat).with_state(format!("{server}/chat/completions"));
    let listener = tokio::net::TcpListener::bind(format!("127.0.0.1:{port}")).await;
    let app = Router::new().route("/v1/chat/completions", chat);
    axum::serve(listener.expect("the port is free"), app).await.expect("it serves");
}
