//! `Toolwire\Tools\Store`, `BatchStore` and `WholeBatchStore`: the interfaces of stores, and
//! entries as PHP values.

use ext_php_rs::args::Arg;
use ext_php_rs::builders::{ClassBuilder, FunctionBuilder};
use ext_php_rs::class::ClassEntryInfo;
use ext_php_rs::error::Result as PhpBuild;
use ext_php_rs::flags::{ClassFlags, DataType, MethodFlags};
use ext_php_rs::types::Zval;
use ext_php_rs::zend::{ClassEntry, ce};
use toolwire::store::{Condition, StoreEntry};

use crate::host::exception::park;
use crate::host::value;
use crate::zend::ClassPlace;

/// The name of the interface.
pub(super) const NAME: &str = "Toolwire\\Tools\\Store";

/// The name of the interface of a store that takes several changes at once.
const BATCH: &str = "Toolwire\\Tools\\BatchStore";

/// The name of the interface of a store whose batches are one atomic step.
const WHOLE_BATCH: &str = "Toolwire\\Tools\\WholeBatchStore";

/// The interface that start-up has registered.
static INTERFACE: ClassPlace = ClassPlace::new();

/// The same, for [`BATCH`].
static BATCHING: ClassPlace = ClassPlace::new();

/// The same, for [`WHOLE_BATCH`].
static WHOLE_BATCHING: ClassPlace = ClassPlace::new();

/// The interface, for the classes that implement it.
pub(super) const STORE: ClassEntryInfo = (interface, NAME);

/// Returns the engine's entry of the interface.
pub(super) fn interface() -> &'static ClassEntry {
    INTERFACE.get().unwrap_or_else(ce::stdclass)
}

/// Returns the engine's entry of the interface of a store that takes several changes at once.
pub(super) fn batching() -> &'static ClassEntry {
    BATCHING.get().unwrap_or_else(ce::stdclass)
}

/// Returns the engine's entry of the interface of a store whose batches are one atomic step.
pub(super) fn whole_batching() -> &'static ClassEntry {
    WHOLE_BATCHING.get().unwrap_or_else(ce::stdclass)
}

/// Registers the interfaces.
pub(super) fn register() -> PhpBuild<()> {
    let text = |name: &str| Arg::new(name, DataType::String);
    let whole = |name: &str| Arg::new(name, DataType::Long);
    let maybe = |name: &str| Arg::new(name, DataType::Long).allow_null();
    let method = |name: &str, arguments: Vec<Arg<'static>>, returns: DataType, nullable: bool| {
        let function =
            arguments.into_iter().fold(FunctionBuilder::new_abstract(name), FunctionBuilder::arg);
        function.returns(returns, false, nullable)
    };
    let methods = [
        method("get", vec![text("key"), whole("now")], DataType::Array, true),
        method(
            "put",
            vec![text("key"), text("value"), maybe("expected"), maybe("expiresAt"), whole("now")],
            DataType::Long,
            true,
        ),
        method("delete", vec![text("key"), maybe("expected"), whole("now")], DataType::Bool, false),
        method(
            "scan",
            vec![text("prefix"), text("after").allow_null(), whole("limit"), whole("now")],
            DataType::Array,
            false,
        ),
        method("purge", vec![text("prefix"), whole("now")], DataType::Long, false),
        method("shared", Vec::new(), DataType::Bool, false),
    ];
    let interface =
        ClassBuilder::new(NAME).flags(ClassFlags::Interface).registration(|entry, tables| {
            park(tables);
            INTERFACE.set(entry);
        });
    let abstractly = MethodFlags::Public | MethodFlags::Abstract;
    methods
        .into_iter()
        .fold(interface, |class, method| class.method(method, abstractly))
        .register()?;
    let batch = FunctionBuilder::new_abstract("batch")
        .arg(Arg::new("changes", DataType::Array))
        .arg(whole("now"))
        .returns(DataType::Array, false, false);
    ClassBuilder::new(BATCH)
        .flags(ClassFlags::Interface)
        .implements(STORE)
        .method(batch, abstractly)
        .registration(|entry, tables| {
            park(tables);
            BATCHING.set(entry);
        })
        .register()?;
    ClassBuilder::new(WHOLE_BATCH)
        .flags(ClassFlags::Interface)
        .implements((batching, BATCH))
        .registration(|entry, tables| {
            park(tables);
            WHOLE_BATCHING.set(entry);
        })
        .register()
}

/// Reads the expected version from its PHP form.
pub(super) fn expect(expected: Option<i64>) -> Condition {
    match expected {
        None => Condition::Any,
        Some(version) => match u64::try_from(version) {
            Ok(0) | Err(_) => Condition::Absent,
            Ok(version) => Condition::Version(version),
        },
    }
}

/// Returns an entry as a PHP array.
pub(super) fn fields(entry: &StoreEntry) -> PhpBuild<Zval> {
    value::record([
        ("value", value::text(&entry.value)),
        ("version", version(entry.version)),
        ("expires_at", entry.expires_at.map_or_else(Zval::null, number)),
    ])
}

/// Returns a version as a PHP value.
pub(super) fn version(version: u64) -> Zval {
    number(i64::try_from(version).unwrap_or(i64::MAX))
}

/// Returns a number as a PHP value.
pub(super) fn number(number: i64) -> Zval {
    let mut value = Zval::new();
    value.set_long(number);
    value
}
