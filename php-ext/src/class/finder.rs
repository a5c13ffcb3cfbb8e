//! `Toolwire\ToolResultFinder`: finds a handler's tool results among a pipeline's data packets.
//!
//! Packets are read in place. A found packet is the caller's own array, with its reference count
//! raised. Nothing is logged.

#![allow(non_snake_case, reason = "the parameters are named arguments in PHP")]

use std::cell::RefCell;
use std::collections::BTreeSet;
use std::sync::atomic::{AtomicUsize, Ordering};

use ext_php_rs::convert::FromZval;
use ext_php_rs::flags::DataType;
use ext_php_rs::prelude::*;
use ext_php_rs::types::{ZendCallable, ZendHashTable, ZendStr, Zval};
use ext_php_rs::zend::ClassEntry;
use toolwire::packet::{
    FindOptions, PacketKind, Projection, STATUS_KEYS, find, find_all, made_entries, project_data,
    project_envelope, project_envelope_data, project_success,
};
use toolwire::tree::Hints;
use toolwire::{Error, ErrorKind};

use crate::host::class::php_class;
use crate::host::exception;
use crate::host::packets::Packets;
use crate::host::tree::Node;
use crate::host::value::{self, ACallable, AnArray, As, Flag, Maybe, Table, Text};
use crate::zend::{self, Answer, Short};

thread_local! {
    /// The filter of this request.
    static FILTER: RefCell<Option<Zval>> = const { RefCell::new(None) };
    /// The fibers in which the filter runs; results that the filter itself finds are not filtered.
    /// While it is suspended, it holds in every other fiber.
    static FILTERING: RefCell<BTreeSet<usize>> = const { RefCell::new(BTreeSet::new()) };
}

/// The number of threads with a filter; while it is 0, a call need not look for its thread's
/// filter.
static FILTERS: AtomicUsize = AtomicUsize::new(0);

/// In how many fibers the filter may run at the same time.
const MOST_FILTERING: usize = 10_000;

/// Sets or removes this thread's filter.
fn set_filter(filter: Option<Zval>) {
    let set = usize::from(filter.is_some());
    let before = FILTER.replace(filter);
    FILTERS.fetch_add(set, Ordering::Relaxed);
    FILTERS.fetch_sub(usize::from(before.is_some()), Ordering::Relaxed);
    // It is dropped last, since its destructor may run PHP code.
    drop(before);
}

/// Drops the filter, which does not outlive its request.
pub(crate) fn end_of_request() {
    set_filter(None);
    FILTERING.take();
}

/// Declares that `findAllHandlerResults` takes one handler or several; call it at start-up.
pub(crate) fn widen_handlers(class: &ClassEntry) {
    zend::widen(class, "findallhandlerresults", 1, DataType::String);
}

/// One handler or several, as they are given.
pub(crate) enum Handlers<'a> {
    One(Text<'a>),
    Several(&'a ZendHashTable),
}

impl<'a> FromZval<'a> for Handlers<'a> {
    const TYPE: DataType = DataType::Array;

    fn from_zval(value: &'a Zval) -> Option<Self> {
        match value.array() {
            Some(table) => Some(Self::Several(table)),
            None => Text::from_zval(value).map(Self::One),
        }
    }
}

impl Handlers<'_> {
    fn names(&self) -> PhpResult<Vec<&[u8]>> {
        match self {
            Self::One(name) => Ok(vec![name.bytes()]),
            Self::Several(table) => {
                zend::entries(table).map(|(_, name)| handler_name(name)).collect()
            }
        }
    }
}

fn handler_name(name: &Zval) -> PhpResult<&[u8]> {
    if name.is_string() {
        return Ok(value::bytes(name));
    }
    Err(exception::wrong_type(format!("handlers must be strings, not {}", value::type_name(name))))
}

/// A class of static methods; it has no objects.
pub(crate) struct ToolResultFinder;

php_class!(ToolResultFinder, "Toolwire\\ToolResultFinder", [], private, {});

#[php_impl]
impl ToolResultFinder {
    /// The first packet of a handler; null if there is none.
    #[php(defaults(partialMatch = false, successOnly = false))]
    fn find_handler_result(
        data: Table<'_>,
        handler: Text<'_>,
        partialMatch: Flag,
        r#type: Maybe<Text<'_>>,
        successOnly: Flag,
    ) -> PhpResult<Option<As<AnArray>>> {
        let options = options(partialMatch, r#type.0.as_ref(), successOnly)?;
        let found = find(Node::new(data.0).values(), handler.bytes(), options)?;
        filtered(found.map(Node::to_value), data.0, &handler)
    }

    /// Every packet of any of the handlers, each once, in the packets' order.
    #[php(defaults(partialMatch = false, successOnly = false))]
    fn find_all_handler_results(
        data: Table<'_>,
        handlers: Handlers<'_>,
        partialMatch: Flag,
        r#type: Maybe<Text<'_>>,
        successOnly: Flag,
    ) -> PhpResult<As<AnArray>> {
        let options = options(partialMatch, r#type.0.as_ref(), successOnly)?;
        let found = find_all(Node::new(data.0).all_values(), &handlers.names()?, options)?;
        Ok(As::new(value::list(found.into_iter().map(Node::to_value))?))
    }

    /// The data of a packet's tool.
    fn project_result_data(entry: Table<'_>) -> PhpResult<As<AnArray>> {
        projected(project_data(&Node::new(entry.0), &mut Hints::default())?)
    }

    /// The data of an envelope.
    fn project_envelope_data(envelope: Table<'_>) -> PhpResult<As<AnArray>> {
        projected(project_envelope_data(&Node::new(envelope.0), &mut Hints::default())?)
    }

    /// The envelope of a packet.
    fn project_result_envelope(entry: Table<'_>) -> PhpResult<As<AnArray>> {
        projected(project_envelope(&Node::new(entry.0), &mut Hints::default())?)
    }

    /// Whether a packet's tool succeeded.
    fn project_result_success(entry: Table<'_>) -> PhpResult<bool> {
        Ok(project_success(&Node::new(entry.0), &mut Hints::default())?)
    }

    /// Sets or removes the function through which every result for a handler passes.
    fn set_filter(filter: Option<As<ACallable>>) -> PhpResult<()> {
        let filter = filter.map(|filter| filter.0).filter(|filter| !filter.is_null());
        if let Some(filter) = filter.as_ref().filter(|filter| !filter.is_callable()) {
            let message =
                format!("filter must be callable or null, not {}", value::type_name(filter));
            return Err(exception::wrong_type(message));
        }
        set_filter(filter);
        Ok(())
    }
}

fn options(partial: Flag, kind: Option<&Text<'_>>, success_only: Flag) -> PhpResult<FindOptions> {
    let kind = kind.map(|kind| PacketKind::named(&kind.lossy())).transpose();
    let kind = kind.map_err(|error| exception::from_core(&error))?;
    Ok(FindOptions { partial: partial.0, kind, success_only: success_only.0 })
}

/// Answers `findHandlerResult` for only packets and a name, while no filter is set.
pub(crate) struct Shortly;

impl Short for Shortly {
    #[inline]
    fn answer<'a>(packets: &'a ZendHashTable, handler: &ZendStr) -> Answer<'a> {
        if FILTERS.load(Ordering::Relaxed) > 0 {
            return Answer::Left;
        }
        let packets = Packets::in_table(packets).map(Node::followed);
        match find(packets, handler.as_bytes(), FindOptions::default()) {
            Ok(Some(packet)) => Answer::Found(packet.value()),
            Ok(None) => Answer::Nothing,
            Err(_) => Answer::Left,
        }
    }
}

/// A filter that runs in a fiber until this value is dropped.
struct Filtering(usize);

impl Filtering {
    fn begin(fiber: usize) -> PhpResult<Self> {
        FILTERING.with_borrow_mut(|fibers| {
            if fibers.len() >= MOST_FILTERING {
                let message = format!(
                    "the filter runs in {MOST_FILTERING} fibers already; it must not search in a \
                     fiber that it starts"
                );
                return Err(exception::from_core(&Error::new(ErrorKind::NestedTooDeep, message)));
            }
            fibers.insert(fiber);
            Ok(Self(fiber))
        })
    }
}

impl Drop for Filtering {
    fn drop(&mut self) {
        FILTERING.with_borrow_mut(|fibers| fibers.remove(&self.0));
    }
}

/// The found packet after the filter, if there is one.
fn filtered(
    found: Option<Zval>,
    data: &Zval,
    handler: &Text<'_>,
) -> PhpResult<Option<As<AnArray>>> {
    let filter = FILTER.with_borrow(|filter| filter.as_ref().map(Zval::shallow_clone));
    let fiber = zend::running_fiber();
    let own = || FILTERING.with_borrow(|fibers| fibers.contains(&fiber));
    let Some(filter) = filter.filter(|_| !own()) else { return Ok(found.map(As::new)) };
    let found = found.unwrap_or_else(Zval::null);
    let name = value::text(handler.bytes());
    let filtering = Filtering::begin(fiber)?;
    let given =
        ZendCallable::new(&filter).and_then(|filter| filter.try_call(vec![&found, data, &name]));
    drop(filtering);
    let given = given?;
    let given = given.dereference();
    if given.is_null() {
        return Ok(None);
    }
    if !given.is_array() {
        let message =
            format!("the filter must return an array or null, not {}", value::type_name(given));
        return Err(exception::wrong_type(message));
    }
    Ok(Some(As::new(given.shallow_clone())))
}

/// A projection as a PHP array.
fn projected(projection: Projection<Node<'_>>) -> PhpResult<As<AnArray>> {
    Ok(As::new(array_of(projection)?))
}

/// A projection as a PHP array, with its references kept.
pub(crate) fn array_of(projection: Projection<Node<'_>>) -> PhpResult<Zval> {
    Ok(match projection {
        Projection::Whole(node) => node.to_value(),
        Projection::Made { success, result } => {
            value::record(made_entries(value::flag(success), result.to_value()))?
        }
        Projection::Payload(envelope) => payload(envelope),
        Projection::Empty => value::list([])?,
    })
}

/// A copy of an envelope without the fields about the run.
fn payload(envelope: Node<'_>) -> Zval {
    let mut copy = envelope.value().array().unwrap_or_else(|| zend::empty()).to_owned();
    for key in STATUS_KEYS {
        copy.remove(key.slug());
    }
    let mut array = Zval::new();
    array.set_hashtable(copy);
    array
}
