//! Walks a list of packets at the speed of memory.
//!
//! The packets of a long list are scattered over memory. So while some packets are read, those
//! ahead are fetched into the cache, link by link: the packet's table, its buckets, the table of
//! its metadata, its buckets, the name of the handler. Each link is read only some packets after it
//! was requested.
//!
//! A search for one result reads the type of hardly any packet, so types are fetched only for a
//! search that is expected to find many ([`Packets::with_types`]).

use ext_php_rs::types::{ZendHashTable, Zval};
use toolwire::tree::Key;

use crate::zend::{self, Slots};

/// Maps a value that lies behind a reference.
pub(crate) trait Reach<'a>: Copy {
    /// The value to continue with.
    fn reach(self, value: &'a Zval) -> &'a Zval;
}

/// Returns the value unchanged.
impl<'a> Reach<'a> for () {
    fn reach(self, value: &'a Zval) -> &'a Zval {
        value
    }
}

/// An array's values in order, with references followed.
pub(crate) struct Packets<'a, R = ()> {
    slots: Slots<'a>,
    reach: R,
    position: usize,
    /// The position at which the next packets ahead are fetched; a short list never reaches it.
    fetch_at: usize,
    types: bool,
    ahead: Option<Box<Ahead<'a>>>,
}

/// The metadata of packets ahead, for the next stages.
#[derive(Default)]
struct Ahead<'a> {
    far: Tables<'a>,
    near: Tables<'a>,
}

type Tables<'a> = [Option<&'a ZendHashTable>; STEP];

/// The number of packets that are fetched at a time, and the distance between the stages.
const STEP: usize = 8;
/// Shorter lists stay in the cache without help.
const LONG: usize = 4096;

impl<'a> Packets<'a> {
    /// Starts at an array's first value; any other value has no packets.
    #[inline]
    pub(crate) fn of(value: &'a Zval) -> Self {
        Self::in_table(zend::table(value).unwrap_or_else(|| zend::empty()))
    }

    /// Starts at a table's first value.
    #[inline]
    pub(crate) fn in_table(table: &'a ZendHashTable) -> Self {
        Self::reaching(table, ())
    }
}

impl<'a, R> Packets<'a, R> {
    /// Starts at a table's first value; `reach` maps values behind references.
    #[inline]
    pub(crate) fn reaching(table: &'a ZendHashTable, reach: R) -> Self {
        let slots = Slots::of(table);
        // The first packets may already hold the result.
        let fetch_at = if slots.used >= LONG { STEP } else { usize::MAX };
        Self { slots, reach, position: 0, fetch_at, types: false, ahead: None }
    }

    /// Fetches the types of packets ahead too.
    pub(crate) fn with_types(self) -> Self {
        Self { types: true, ..self }
    }

    /// Fetches links of the packets ahead, and sets the position of the next fetch.
    #[inline(never)]
    fn fetch(&mut self) {
        let ahead = self.ahead.get_or_insert_default();
        ahead.fetch(self.slots, self.position, self.types);
        self.fetch_at = self.position + STEP;
    }
}

impl<'a> Ahead<'a> {
    /// Runs each stage for some packets. A key is assumed to be in its last slot; if it is
    /// elsewhere, the fetched data is not read.
    fn fetch(&mut self, slots: Slots<'a>, position: usize, types: bool) {
        let (kind, metadata, handler) =
            (zend::guess(Key::Type), zend::guess(Key::Metadata), zend::guess(Key::HandlerTool));
        let stage =
            |number: usize| (0..STEP).map(move |at| slots.table_at(position + STEP * number + at));
        for packet in stage(5).flatten() {
            zend::fetch_table(packet);
        }
        for packet in stage(4).flatten() {
            zend::fetch_bucket(packet, metadata);
            if types {
                zend::fetch_bucket(packet, kind);
            }
        }
        for table in self.near.iter().flatten() {
            Slots::of(table).fetch_entry(handler);
        }
        for table in self.far.iter().flatten() {
            zend::fetch_bucket(table, handler);
        }
        self.near = self.far;
        for (place, packet) in self.far.iter_mut().zip(stage(3)) {
            let packet = packet.map(Slots::of);
            if let Some(packet) = packet {
                packet.fetch_entry(metadata);
                if types {
                    packet.fetch_entry(kind);
                }
            }
            *place = packet.and_then(|packet| packet.table_at(metadata));
            if let Some(table) = place {
                zend::fetch_table(table);
            }
        }
    }
}

impl<'a, R: Reach<'a>> Iterator for Packets<'a, R> {
    type Item = &'a Zval;

    #[allow(clippy::inline_always, reason = "a step is a few loads; a call would double it")]
    #[inline(always)]
    fn next(&mut self) -> Option<&'a Zval> {
        while self.position < self.slots.used {
            if self.position >= self.fetch_at {
                self.fetch();
            }
            self.position += 1;
            if let Some(value) =
                self.slots.value_reached(self.position - 1, |value| self.reach.reach(value))
            {
                return Some(value);
            }
        }
        None
    }
}
