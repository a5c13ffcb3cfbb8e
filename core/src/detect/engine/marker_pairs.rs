//! The markers that may stand at a place, by the byte that is searched for and the one behind it.

use super::lead::MarkerLead;
use super::sought_marker::SoughtMarker;

/// The markers of one byte.
#[derive(Clone, Debug)]
pub(super) struct Pairs {
    pub(super) all: Candidates,
    /// For each byte behind it, the markers that may stand there.
    pub(super) behind: Vec<Candidates>,
}

/// Markers that may stand at a place.
#[derive(Clone, Debug, Default)]
pub(super) struct Candidates {
    /// Their indices, in order of their length.
    pub(super) markers: Vec<usize>,
    /// What they begin with, without what begins with another one of these.
    pub(super) leads: Vec<MarkerLead>,
}

impl Pairs {
    /// The markers of this byte among all.
    pub(super) fn of(byte: u8, all: &[SoughtMarker]) -> Self {
        let mut pairs =
            Self { all: Candidates::default(), behind: vec![Candidates::default(); 256] };
        for (at, sought) in all.iter().enumerate() {
            let lead = sought.marker.lead();
            if lead.get(sought.offset) != Some(&byte) {
                continue;
            }
            pairs.all.push(at, sought.lead);
            match lead.get(sought.offset + 1) {
                Some(next) => pairs
                    .behind
                    .get_mut(usize::from(*next))
                    .into_iter()
                    .for_each(|behind| behind.push(at, sought.lead)),
                None => pairs.behind.iter_mut().for_each(|behind| behind.push(at, sought.lead)),
            }
        }
        pairs
    }
}

impl Candidates {
    fn push(&mut self, marker: usize, lead: MarkerLead) {
        self.markers.push(marker);
        if !self.leads.iter().any(|known| known.covers(&lead)) {
            self.leads.retain(|known| !lead.covers(known));
            self.leads.push(lead);
        }
    }
}
