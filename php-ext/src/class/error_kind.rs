//! `Toolwire\Exception\ErrorKind`: every kind of error.

use ext_php_rs::prelude::*;
use ext_php_rs::types::ZendHashTable;
use toolwire::ErrorKind;

use crate::host::class::php_class;
use crate::host::exception::class_name;
use crate::host::value::{self, AnArray, As};

/// The list of kinds, for PHP.
pub(crate) struct ErrorKinds;

php_class!(ErrorKinds, "Toolwire\\Exception\\ErrorKind", [], private, {});

#[php_impl]
impl ErrorKinds {
    /// Every kind: its slug, with its number and its exception class.
    fn all() -> PhpResult<As<AnArray>> {
        let mut kinds = ZendHashTable::new();
        for kind in ErrorKind::ALL {
            let fields = value::record([
                ("number", value::whole(usize::from(kind.number()))),
                ("exception", value::text(class_name(kind.class()))),
            ])?;
            kinds.insert(kind.slug(), fields)?;
        }
        Ok(As::new(value::array(kinds)))
    }
}
