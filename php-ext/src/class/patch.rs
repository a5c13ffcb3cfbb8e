//! `Toolwire\Patch`: one change to a transcript's list of entries.

use ext_php_rs::flags::DataType;
use ext_php_rs::prelude::*;
use ext_php_rs::types::Zval;
use toolwire::Error;
use toolwire::transcript::{self, Op};

use crate::class::entry::{Entry, read, written};
use crate::host::class::php_class;
use crate::host::record::{Fields, Record};
use crate::host::value::{self, AnArray, As, held};

/// One change to the list of entries.
pub(crate) struct Patch(pub(crate) transcript::Patch);

php_class!(Patch, "Toolwire\\Patch", [], private, {
    "op": DataType::String, false => op;
    "index": DataType::Long, false => index;
    "path": DataType::String, false => path;
    "entry": DataType::object("Toolwire\\Entry"), false => entry;
    "record": DataType::Array, false => write;
});

impl Patch {
    fn op(&self) -> Zval {
        value::text(self.0.op.slug())
    }

    fn index(&self) -> Zval {
        value::whole(self.0.index)
    }

    fn path(&self) -> Zval {
        value::text(self.0.path())
    }

    fn entry(&self) -> PhpResult<Zval> {
        Ok(value::object(Entry(self.0.entry.clone()))?)
    }
}

#[php_impl]
impl Patch {
    /// The patch as an operation of JSON Patch (RFC 6902).
    fn to_array(&self) -> PhpResult<As<AnArray>> {
        written(|out| self.0.write_json(out)).map(As::new)
    }
}

impl Record for Patch {
    fn write(&self) -> PhpResult<Zval> {
        let entry = read(self.0.entry.to_record().to_string().as_bytes())?;
        Ok(value::record([("op", self.op()), ("index", self.index()), ("entry", entry)])?)
    }

    fn read(fields: &Fields<'_>) -> Result<Self, Error> {
        let op = fields.word("op", Op::ALL, Op::slug)?;
        let index = fields.whole("index")?;
        let entry = fields.object::<Entry>("entry", fields.value("entry")?)?;
        let entry =
            held::<Entry>(&entry).ok_or_else(|| fields.error("entry", "an entry"))?.0.clone();
        Ok(Self(transcript::Patch { op, index, entry }))
    }
}
