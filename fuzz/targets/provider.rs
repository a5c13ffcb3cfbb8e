//! Providers' objects: whatever comes, each call and result can be written for every provider and
//! read again.
//!
//! The input is JSON: an object, or an array that also counts as the events of a stream.
#![no_main]

use libfuzzer_sys::fuzz_target;
use serde_json::Value;
use toolwire::provider::{
    Accumulator, Exchange, Provider, ProviderCall, dump_call, dump_result, parse,
};

fn check(exchange: &Exchange) {
    for provider in Provider::ALL {
        for call in &exchange.calls {
            let arguments: Value =
                serde_json::from_slice(call.arguments_raw(b"")).expect("arguments are JSON");
            assert!(arguments.is_object() || arguments.as_array().is_some_and(Vec::is_empty));
            if let Ok(written) = dump_call(ProviderCall::of(call, b""), *provider) {
                let _ = parse(&written, Some(*provider));
            }
        }
        for result in &exchange.results {
            let _ = parse(&dump_result(result, *provider), Some(*provider));
        }
    }
}

fuzz_target!(|data: &[u8]| {
    let Ok(value) = serde_json::from_slice::<Value>(data) else { return };
    check(&parse(&value, None));
    for provider in Provider::ALL {
        let _ = parse(&value, Some(*provider));
    }
    let Value::Array(events) = &value else { return };
    let mut accumulator = Accumulator::new(None);
    for event in events {
        if accumulator.feed(event).is_err() {
            return;
        }
    }
    if let Ok(exchange) = accumulator.finish() {
        check(&exchange);
    }
});
