//! `Toolwire\Entry`: a message of a transcript, or a call with its result.

use ext_php_rs::flags::DataType;
use ext_php_rs::prelude::*;
use ext_php_rs::types::Zval;
use toolwire::Error;
use toolwire::transcript::{self, CallStatus, ToolUse};

use crate::class::result::ToolResult;
use crate::host::class::php_class;
use crate::host::json::{self, Objects};
use crate::host::record::{Fields, Record};
use crate::host::value::{self, AnArray, As};

/// A message, or a call with its result.
pub(crate) struct Entry(pub(crate) transcript::Entry);

php_class!(Entry, "Toolwire\\Entry", [], private, {
    "type": DataType::String, false => kind;
    "content": DataType::String, false => content;
    "toolName": DataType::String, true => tool_name;
    "name": DataType::String, true => name;
    "id": DataType::String, true => id;
    "status": DataType::String, true => status;
    "arguments": DataType::Mixed, false => arguments;
    "argumentsRaw": DataType::String, true => arguments_raw;
    "action": DataType::Array, true => action;
    "error": DataType::Array, true => error;
    "started": DataType::Long, true => started;
    "duration": DataType::Long, true => duration;
    "about": DataType::Array, true => about;
    "result": DataType::object("Toolwire\\ToolResult"), true => result;
    "record": DataType::Array, false => write;
});

/// The output of a function of the core, as a PHP value.
pub(super) fn written(write: impl FnOnce(&mut Vec<u8>)) -> PhpResult<Zval> {
    let mut out = Vec::new();
    write(&mut out);
    read(&out)
}

/// The JSON text of the core, as a PHP value.
pub(super) fn read(text: &[u8]) -> PhpResult<Zval> {
    json::read(text, Objects::Arrays).ok_or_else(|| "what was written is not JSON".into())
}

fn whole_or_null(number: Option<i64>) -> Zval {
    let mut value = Zval::null();
    if let Some(number) = number {
        value.set_long(number);
    }
    value
}

impl Entry {
    /// The result of a call, if it has one.
    pub(crate) fn result_of(call: &ToolUse) -> PhpResult<Option<Zval>> {
        let Some(data) = call.data() else { return Ok(None) };
        let error = call.error().map(|(_, message)| value::text(message.as_bytes()));
        let tool = value::text(call.call.name.as_bytes());
        let success = call.status == CallStatus::Success;
        let result = ToolResult::with(tool, success, read(data.as_bytes())?, error);
        Ok(Some(value::object(result)?))
    }

    fn call(&self) -> Option<&ToolUse> {
        self.0.tool_use()
    }

    /// A text of the call, or null.
    fn of_call<'a>(&'a self, text: impl FnOnce(&'a ToolUse) -> &'a str) -> Zval {
        value::text_or_null(self.call().map(text))
    }

    fn kind(&self) -> Zval {
        value::text(self.0.entry_type())
    }

    fn content(&self) -> Zval {
        value::text(self.0.content().as_bytes())
    }

    fn tool_name(&self) -> Zval {
        self.of_call(ToolUse::tool_name)
    }

    fn name(&self) -> Zval {
        self.of_call(|call| &call.call.name)
    }

    fn id(&self) -> Zval {
        self.of_call(|call| &call.call.id)
    }

    fn status(&self) -> Zval {
        self.of_call(|call| call.status.slug())
    }

    fn arguments(&self) -> PhpResult<Zval> {
        self.call().map_or_else(|| Ok(Zval::null()), |call| read(call.call.arguments.as_bytes()))
    }

    fn arguments_raw(&self) -> Zval {
        self.of_call(|call| &call.call.arguments)
    }

    fn action(&self) -> PhpResult<Zval> {
        self.call().map_or_else(|| Ok(Zval::null()), |call| written(|out| call.write_action(out)))
    }

    fn error(&self) -> PhpResult<Zval> {
        let Some((kind, message)) = self.call().and_then(ToolUse::error) else {
            return Ok(Zval::null());
        };
        let fields =
            [("kind", value::text(kind.as_bytes())), ("message", value::text(message.as_bytes()))];
        Ok(value::record(fields)?)
    }

    fn started(&self) -> Zval {
        whole_or_null(self.call().and_then(|call| call.call.started))
    }

    fn duration(&self) -> Zval {
        let duration = self.call().and_then(ToolUse::duration);
        whole_or_null(duration.and_then(|duration| i64::try_from(duration).ok()))
    }

    fn about(&self) -> PhpResult<Zval> {
        let about = self.0.about().map(|about| about.to_value().to_string());
        about.map_or_else(|| Ok(Zval::null()), |about| read(about.as_bytes()))
    }

    fn result(&self) -> PhpResult<Zval> {
        let result = self.call().map_or(Ok(None), Self::result_of);
        result.map(|result| result.unwrap_or_else(Zval::null))
    }
}

#[php_impl]
impl Entry {
    /// The entry in the form that vibe-kanban's board reads.
    fn to_array(&self) -> PhpResult<As<AnArray>> {
        written(|out| self.0.write_json(out)).map(As::new)
    }
}

impl Record for Entry {
    fn write(&self) -> PhpResult<Zval> {
        read(self.0.to_record().to_string().as_bytes())
    }

    /// Reads the record that is among the properties, since the other properties are not complete.
    fn read(fields: &Fields<'_>) -> Result<Self, Error> {
        let record = if fields.are_properties() { fields.json_in("record") } else { fields.json() };
        transcript::Entry::from_record(record?).map(Self)
    }
}
