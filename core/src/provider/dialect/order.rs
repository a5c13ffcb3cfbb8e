//! The order in which an object is shown to the providers.
//!
//! The first one that knows it counts: a later one's shape may have members of an earlier one's.
//! WordPress has Gemini's parts, and leaves to Gemini those that are not its own.

use super::{
    anthropic, bedrock, chat, cohere, data_machine, droid, gemini, mcp, mistral, ollama, responses,
    stageflow, wordpress,
};
use crate::provider::kind::Provider;
use crate::provider::read::{FoundResult, JsonObject, OwnWord, SeenObject, Shape};

type ReadCall = fn(&SeenObject<'_>) -> Option<Shape>;
type HintTest = fn(&JsonObject) -> bool;
type ReadResult = fn(&SeenObject<'_>) -> Option<FoundResult>;

/// Those that say by a type, or by a key of their own, that an object is a call.
const TAGGED_CALLS: [ReadCall; 7] = [
    anthropic::call,
    mistral::call,
    droid::call,
    responses::call,
    wordpress::call,
    bedrock::call,
    mcp::call,
];

/// Those whose calls only have the members of one. A message is never such a call.
const BARE_CALLS: [ReadCall; 6] = [
    chat::call,
    bedrock::bare_call,
    stageflow::call,
    wordpress::bare_call,
    chat::bare_call,
    mcp::bare_call,
];

/// Those that say by a type, by a role, or by a key of their own that an object is a result.
const TAGGED_RESULTS: [ReadResult; 7] = [
    droid::result,
    anthropic::result,
    responses::result,
    wordpress::result,
    bedrock::result,
    chat::result,
    mcp::result,
];

/// Those whose results only have the members of one. A message is never such a result.
const BARE_RESULTS: [ReadResult; 5] = [
    wordpress::bare_result,
    cohere::result,
    data_machine::result,
    stageflow::result,
    wordpress::error,
];

/// Those that write calls as OpenAI's chat does, and say by other members whose a message is.
const HINTS: [(Provider, HintTest); 3] = [
    (Provider::Cohere, cohere::hints),
    (Provider::Mistral, mistral::hints),
    (Provider::Ollama, ollama::hints),
];

/// The types of the items that each provider keeps for itself.
const OWN_WORDS: [(Provider, &[OwnWord]); 4] = [
    (Provider::OpenAiResponses, responses::OWN_WORDS),
    (Provider::Anthropic, anthropic::OWN_WORDS),
    (Provider::Gemini, gemini::OWN_WORDS),
    (Provider::Mistral, mistral::OWN_WORDS),
];

/// Tells the shape of an object that is a call; none for any other object.
pub(in crate::provider) fn call(seen: &SeenObject<'_>) -> Option<Shape> {
    TAGGED_CALLS.iter().find_map(|call| call(seen)).or_else(|| {
        let bare = !seen.has("role");
        bare.then(|| BARE_CALLS.iter().find_map(|call| call(seen)))?
    })
}

/// Tells the shape of an item of a message's `tool_calls`.
pub(in crate::provider) fn listed_call(seen: &SeenObject<'_>) -> Option<Shape> {
    if seen.has("function") {
        return Some(chat::shape(seen));
    }
    cohere::listed_call(seen).or_else(|| call(seen))
}

/// Reads an object that is a result; none for any other object.
pub(in crate::provider) fn result(seen: &SeenObject<'_>) -> Option<FoundResult> {
    TAGGED_RESULTS.iter().find_map(|result| result(seen)).or_else(|| {
        let bare = !seen.has("role");
        bare.then(|| BARE_RESULTS.iter().find_map(|result| result(seen)))?
    })
}

/// The provider that an object hints at, for calls in a shape that several providers share.
pub(in crate::provider) fn hint(object: &JsonObject) -> Option<Provider> {
    HINTS.iter().find(|(_, hints)| hints(object)).map(|(provider, _)| *provider)
}

/// The provider that keeps items of a type for itself, and what they are.
pub(in crate::provider) fn own_word(word: &str) -> Option<(OwnWord, Provider)> {
    let known = |(provider, words): &(Provider, &[OwnWord])| {
        let word = words.iter().find(|(known, _)| *known == word)?;
        Some((*word, *provider))
    };
    OWN_WORDS.iter().find_map(known)
}
