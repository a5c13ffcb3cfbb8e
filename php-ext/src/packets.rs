//! Walks a list of packets at the speed of memory.
//!
//! Packets of a long list lie all over memory. So while one is looked at, those ahead are fetched into
//! the cache, link by link: the packet's table, its buckets, the table of its metadata, its buckets, the
//! name of the handler. Each link is read only some packets after it was asked for.

use ext_php_rs::types::{ZendHashTable, Zval};
use toolwire::{Hint, Key};

use crate::zend::{self, Slots};

/// An array's values in order, references followed.
pub(crate) struct Packets<'a> {
    slots: Slots<'a>,
    position: usize,
    ahead: Option<Box<Ahead<'a>>>,
}

/// What is known of the packets ahead.
#[derive(Default)]
struct Ahead<'a> {
    metadata: Hint,
    handler: Hint,
    /// Their metadata, by position.
    tables: [Option<&'a ZendHashTable>; RING],
}

/// The stages are this many packets apart.
const STEP: usize = 4;
/// As many as lie between the stage that reads the metadata and the packet that is looked at.
const RING: usize = STEP * 4;
/// Lists shorter than this stay in the cache anyway.
const LONG: usize = 4096;

impl<'a> Packets<'a> {
    /// Starts at an array's first value; any other value has none.
    #[inline]
    pub(crate) fn of(value: &'a Zval) -> Self {
        let slots = Slots::of(zend::table(value).unwrap_or_else(|| zend::empty()));
        let ahead = if slots.used >= LONG { Some(Box::default()) } else { None };
        Self { slots, position: 0, ahead }
    }
}

impl<'a> Ahead<'a> {
    fn fetch(&mut self, slots: Slots<'a>, position: usize) {
        let at = |stages: usize| position + STEP * stages;
        if let Some(packet) = slots.table_at(at(5)) {
            zend::fetch(packet);
        }
        if let Some(packet) = slots.table_at(at(4)) {
            zend::fetch_bucket(packet, 0);
            zend::fetch_bucket(packet, self.metadata.slot);
        }
        let (third, second, first) = (at(3), at(2), at(1));
        let packet = slots.table_at(third);
        let found = packet.and_then(|packet| zend::lookup(packet, Key::Metadata, &mut self.metadata));
        let found = found.and_then(zend::table);
        if let Some(metadata) = found {
            zend::fetch(metadata);
        }
        if let Some(place) = self.tables.get_mut(third % RING) {
            *place = found;
        }
        if let Some(Some(metadata)) = self.tables.get(second % RING) {
            zend::fetch_bucket(metadata, self.handler.slot);
        }
        if let Some(Some(metadata)) = self.tables.get(first % RING)
            && let Some(name) =
                zend::lookup(metadata, Key::HandlerTool, &mut self.handler).and_then(zend::text)
        {
            zend::fetch(name);
        }
    }
}

impl<'a> Iterator for Packets<'a> {
    type Item = &'a Zval;

    #[inline]
    fn next(&mut self) -> Option<&'a Zval> {
        while self.position < self.slots.used {
            if let Some(ahead) = &mut self.ahead {
                ahead.fetch(self.slots, self.position);
            }
            self.position += 1;
            if let Some(value) = self.slots.value(self.position - 1) {
                return Some(value);
            }
        }
        None
    }
}
