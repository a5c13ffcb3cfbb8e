//! `Toolwire\\Redaction`: masks secrets in values, by the names of keys and by the form of texts.

use ext_php_rs::convert::FromZval;
use ext_php_rs::flags::DataType;
use ext_php_rs::prelude::*;
use ext_php_rs::types::Zval;
use toolwire::Error;
use toolwire::redact::Redaction as Core;

use crate::host::class::php_class;
use crate::host::copy::Copies;
use crate::host::exception;
use crate::host::object::Object;
use crate::host::option;
use crate::host::tree::{self, Node};
use crate::host::value::{self, AString, Anything, As, Maybe, Table, Text};
use crate::zend;

/// The names of secrets.
pub(crate) struct Redaction(Core);

php_class!(Redaction, "Toolwire\\Redaction", [], private, {});

#[php_impl]
impl Redaction {
    /// The default names and the given ones.
    #[php(name = "withDefaults")]
    fn with_defaults(names: Maybe<Table<'_>>) -> PhpResult<Self> {
        Self::made(names, Core::with_defaults)
    }

    /// Only the given names.
    fn only(names: Table<'_>) -> PhpResult<Self> {
        Self::made(Maybe(Some(names)), Core::new)
    }

    /// Whether the value under this name is a secret.
    fn hides(&self, name: Text<'_>) -> bool {
        self.0.hides(&name.lossy())
    }

    /// A copy of a value without its secrets.
    fn mask(&self, value: As<Anything>) -> PhpResult<As<Anything>> {
        let masked = self.0.mask(&Node::new(&value.0), &mut Copies::exact());
        Ok(As::new(masked.map_err(tree::failed)?))
    }

    /// A text without the parts that look like a secret.
    #[php(name = "maskText")]
    fn mask_text(&self, text: Text<'_>) -> As<AString> {
        As::new(value::text(&*self.0.masked_text(text.bytes())))
    }
}

impl Redaction {
    fn made(names: Maybe<Table<'_>>, make: impl Fn(Vec<String>) -> Core) -> PhpResult<Self> {
        let names =
            option::texts("names", names).map_err(|error: Error| exception::from_core(&error))?;
        Ok(Self(make(names)))
    }
}

/// An argument that is a [`Redaction`], or an array of names that replace the default names.
pub(crate) enum Redact<'a> {
    Made(Object<Redaction>),
    Names(Table<'a>),
}

impl<'a> FromZval<'a> for Redact<'a> {
    // Start-up adds the array to this type.
    const TYPE: DataType = <Object<Redaction> as FromZval<'a>>::TYPE;

    fn from_zval(value: &'a Zval) -> Option<Self> {
        if zend::table(value).is_some() {
            return Table::from_zval(value).map(Self::Names);
        }
        if value::held::<Redaction>(value).is_none() {
            zend::refuse_object(value, c"Toolwire\\Redaction|array|null");
            return None;
        }
        Object::from_zval(value).map(Self::Made)
    }
}

impl Redact<'_> {
    /// The core's redaction.
    pub(crate) fn core(self, name: &str) -> Result<Core, Error> {
        match self {
            // The argument was accepted because it is a `Redaction`.
            Self::Made(object) => {
                Ok(object.held().map_or_else(|_| Core::default(), |held| held.0.clone()))
            }
            Self::Names(names) => Ok(Core::new(option::texts(name, Maybe(Some(names)))?)),
        }
    }
}
