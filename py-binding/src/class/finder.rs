//! Handlers' results in data packets, and their content.
//!
//! Packets are read in place, and a found packet is the caller's own object.

use std::cell::Cell;

use pyo3::prelude::*;
use pyo3::types::{
    PyBool, PyByteArray, PyBytes, PyDict, PyIterator, PyList, PyMapping, PyString, PyTuple,
};
use toolwire::packet::{FindOptions, PacketKind, Projection, made_entries};
use toolwire::tree::{Hints, Name};

use crate::host::argument::{text, truth};
use crate::host::error::{raise, wrong_type};
use crate::host::node::{Node, host, raise_failure, string};
use crate::raw;

/// Finds the first packet that holds a result of a handler; returns the packet itself, or None.
///
/// A packet counts when its ``type`` is ``tool_result`` or ``ai_handler_complete`` and its
/// ``metadata["handler_tool"]`` is the handler. A value that is not a mapping or lacks a field is
/// skipped.
///
/// Parameters
/// ----------
/// packets: a sequence of mappings.
/// handler: the handler's slug.
/// partial: whether a handler that contains the slug counts too.
/// type: the only type of packets that counts.
/// `success_only`: whether only successful packets count, as `project_result_success` decides.
///
/// ```pycon
/// >>> packets = [{"type": "tool_result", "metadata": {"handler_tool": "publish"}}]
/// >>> toolwire.find_handler_result(packets, "publish") is packets[0]
/// True
/// >>> toolwire.find_handler_result(packets, "fetch") is None
/// True
///
/// ```
#[pyfunction]
#[pyo3(signature = (packets, handler, *, partial=None, r#type=None, success_only=None), text_signature =
    "(packets, handler, *, partial=False, type=None, success_only=False)")]
pub fn find_handler_result<'py>(
    packets: &Bound<'py, PyAny>,
    handler: &Bound<'py, PyAny>,
    partial: Option<&Bound<'py, PyAny>>,
    r#type: Option<&Bound<'py, PyAny>>,
    success_only: Option<&Bound<'py, PyAny>>,
) -> PyResult<Option<Bound<'py, PyAny>>> {
    let options = options(partial, r#type, success_only)?;
    let handler = text("handler", handler)?;
    let failed = Cell::new(None);
    let names: &[&[u8]] = &[&handler];
    let packets = Packets::of(packets, (!options.partial).then_some(names), &failed)?;
    let found = toolwire::packet::find(packets, &handler, options).map_err(|raised| *raised)?;
    match failed.take() {
        Some(error) => Err(error),
        None => Ok(found.map(|node| node.value)),
    }
}

/// Finds all packets that hold a result of one of the handlers, each once, in packet order.
///
/// It takes one slug or several, and the options of :func:`find_handler_result`.
///
/// ```pycon
/// >>> packets = [{"type": "tool_result", "metadata": {"handler_tool": name}} for name in "abc"]
/// >>> len(toolwire.find_all_handler_results(packets, ["c", "a"]))
/// 2
///
/// ```
#[pyfunction]
#[pyo3(signature = (packets, handlers, *, partial=None, r#type=None, success_only=None), text_signature =
    "(packets, handlers, *, partial=False, type=None, success_only=False)")]
pub fn find_all_handler_results<'py>(
    packets: &Bound<'py, PyAny>,
    handlers: &Bound<'py, PyAny>,
    partial: Option<&Bound<'py, PyAny>>,
    r#type: Option<&Bound<'py, PyAny>>,
    success_only: Option<&Bound<'py, PyAny>>,
) -> PyResult<Vec<Bound<'py, PyAny>>> {
    let options = options(partial, r#type, success_only)?;
    let mut names = Vec::new();
    if handlers.is_instance_of::<PyString>() {
        names.push(text("handlers", handlers)?.into_owned());
    } else if let Ok(items) = handlers.try_iter() {
        for handler in items {
            names.push(text("each of handlers", &handler?)?.into_owned());
        }
    } else {
        return Err(wrong_type(handlers.py(), "handlers", "str or a sequence of str", handlers));
    }
    let failed = Cell::new(None);
    let few: Vec<_> = names.iter().map(Vec::as_slice).take(FEW + 1).collect();
    let sought = Some(few.as_slice()).filter(|few| few.len() <= FEW && !options.partial);
    let packets = Packets::of(packets, sought, &failed)?;
    let found = toolwire::packet::find_all(packets, &names, options).map_err(|raised| *raised)?;
    match failed.take() {
        Some(error) => Err(error),
        None => Ok(found.into_iter().map(|node| node.value).collect()),
    }
}

/// Returns the data of a packet's tool.
///
/// The data is ``metadata["tool_result_data"]`` if it is not empty, else the data of the packet's
/// envelope, else an empty dict.
///
/// ```pycon
/// >>> envelope = {"success": True, "data": {"id": 7}}
/// >>> toolwire.project_result_data({"metadata": {"tool_result": envelope}})
/// {'id': 7}
///
/// ```
#[pyfunction]
pub fn project_result_data<'py>(entry: &Bound<'py, PyAny>) -> PyResult<Bound<'py, PyAny>> {
    let node: Node<'_> = Node::new(entry.clone());
    hand_out(
        entry.py(),
        toolwire::packet::project_data(&node, &mut Hints::default()).map_err(|raised| *raised)?,
    )
}

/// Returns the data of an envelope.
///
/// It is its ``result``, its ``data``, or the fields that are not about its status.
///
/// ```pycon
/// >>> toolwire.project_envelope_data({"success": True, "post_id": 7})
/// {'post_id': 7}
///
/// ```
#[pyfunction]
pub fn project_envelope_data<'py>(envelope: &Bound<'py, PyAny>) -> PyResult<Bound<'py, PyAny>> {
    let node: Node<'_> = Node::new(envelope.clone());
    hand_out(
        envelope.py(),
        toolwire::packet::project_envelope_data(&node, &mut Hints::default())
            .map_err(|raised| *raised)?,
    )
}

/// Returns a packet's envelope: the dict with ``success`` and the data of the tool.
///
/// ```pycon
/// >>> metadata = {"tool_success": 1, "tool_result_data": {"id": 7}}
/// >>> toolwire.project_result_envelope({"metadata": metadata})
/// {'success': True, 'result': {'id': 7}}
///
/// ```
#[pyfunction]
pub fn project_result_envelope<'py>(entry: &Bound<'py, PyAny>) -> PyResult<Bound<'py, PyAny>> {
    let node: Node<'_> = Node::new(entry.clone());
    hand_out(
        entry.py(),
        toolwire::packet::project_envelope(&node, &mut Hints::default())
            .map_err(|raised| *raised)?,
    )
}

/// Tells whether a packet's tool succeeded.
///
/// ```pycon
/// >>> toolwire.project_result_success({"metadata": {"tool_success": False}})
/// False
///
/// ```
#[pyfunction]
pub fn project_result_success(entry: &Bound<'_, PyAny>) -> PyResult<bool> {
    let node: Node<'_> = Node::new(entry.clone());
    toolwire::packet::project_success(&node, &mut Hints::default()).map_err(|raised| *raised)
}

/// Makes the Python object for a projection.
fn hand_out<'py>(
    py: Python<'py>,
    projection: Projection<Node<'py>>,
) -> PyResult<Bound<'py, PyAny>> {
    let made = PyDict::new(py);
    match projection {
        Projection::Whole(node) => return Ok(node.value),
        Projection::Payload(node) => {
            let kept = toolwire::packet::payload_entries(&node, |name, value| {
                let set = match name {
                    Name::Text(text) => {
                        string(py, &text).and_then(|name| made.set_item(name, value.value))
                    }
                    Name::Number(number) => made.set_item(number, value.value),
                    Name::Node(key) => made.set_item(key.value, value.value),
                };
                set.map_err(host)
            });
            kept.map_err(|failure| raise_failure(py, failure))?;
        }
        Projection::Made { success, result } => {
            let success = PyBool::new(py, success).to_owned().into_any();
            for (name, value) in made_entries(success, result.value) {
                made.set_item(PyString::intern(py, name), value)?;
            }
        }
        Projection::Empty => {}
    }
    Ok(made.into_any())
}

/// Reads the options of the finder.
fn options(
    partial: Option<&Bound<'_, PyAny>>,
    kind: Option<&Bound<'_, PyAny>>,
    success_only: Option<&Bound<'_, PyAny>>,
) -> PyResult<FindOptions> {
    let kind = match kind {
        None => None,
        Some(kind) => {
            let name = text("type", kind)?;
            let known = PacketKind::named(&String::from_utf8_lossy(&name));
            Some(known.map_err(|error| raise(kind.py(), &error))?)
        }
    };
    let partial = truth("partial", partial)?;
    Ok(FindOptions { partial, kind, success_only: truth("success_only", success_only)? })
}

/// The most handlers for which packets are skipped by name.
const FEW: usize = 16;

/// An iterator over the packets that may belong to one of the handlers, or to any handler if none
/// are named. An error of the caller's own iterator ends it and is kept for later.
struct Packets<'py, 'a> {
    source: Source<'py>,
    at: usize,
    names: Option<&'a [&'a [u8]]>,
    failed: &'a Cell<Option<PyErr>>,
}

enum Source<'py> {
    List(Bound<'py, PyList>),
    Tuple(Bound<'py, PyTuple>),
    Other(Bound<'py, PyIterator>),
}

impl<'py, 'a> Packets<'py, 'a> {
    fn of(
        packets: &Bound<'py, PyAny>,
        names: Option<&'a [&'a [u8]]>,
        failed: &'a Cell<Option<PyErr>>,
    ) -> PyResult<Self> {
        let refused = || wrong_type(packets.py(), "packets", "a sequence of mappings", packets);
        let source = if let Ok(list) = packets.cast_exact::<PyList>() {
            Source::List(list.clone())
        } else if let Ok(tuple) = packets.cast_exact::<PyTuple>() {
            Source::Tuple(tuple.clone())
        } else if packets.is_instance_of::<PyString>()
            || packets.is_instance_of::<PyBytes>()
            || packets.is_instance_of::<PyByteArray>()
            || packets.cast::<PyMapping>().is_ok()
            || !(packets.hasattr("__iter__")? || packets.hasattr("__getitem__")?)
        {
            return Err(refused());
        } else {
            Source::Other(packets.try_iter()?)
        };
        Ok(Self { source, at: 0, names, failed })
    }
}

impl<'py> Iterator for Packets<'py, '_> {
    type Item = Node<'py>;

    #[inline]
    fn next(&mut self) -> Option<Node<'py>> {
        if let Source::List(list) = &self.source {
            self.at = raw::skip_others(list, self.at, self.names);
        }
        let packet = match &mut self.source {
            // The list may shrink while its packets are read, so its length is checked each time.
            Source::List(list) if self.at < list.len() => list.get_item(self.at).ok()?,
            Source::Tuple(tuple) if self.at < tuple.len() => tuple.get_item(self.at).ok()?,
            Source::List(_) | Source::Tuple(_) => return None,
            Source::Other(iterator) => match iterator.next()? {
                Ok(packet) => packet,
                Err(error) => {
                    self.failed.set(Some(error));
                    return None;
                }
            },
        };
        self.at += 1;
        Some(Node::new(packet))
    }
}
