//! The offsets at which no JSON call can start.

/// A set of offsets, stored as one bit each up to the last offset.
#[derive(Clone, Debug, Default)]
pub(crate) struct RuledOut {
    words: Vec<u64>,
}

impl RuledOut {
    /// Adds offsets, in ascending order.
    pub(crate) fn mark(&mut self, places: &[usize]) {
        let Some(last) = places.last() else { return };
        if self.words.len() <= last / 64 {
            self.words.resize(last / 64 + 1, 0);
        }
        for place in places {
            if let Some(word) = self.words.get_mut(place / 64) {
                *word |= 1 << (place % 64);
            }
        }
    }

    pub(crate) fn contains(&self, place: usize) -> bool {
        self.words.get(place / 64).is_some_and(|word| word & (1 << (place % 64)) != 0)
    }
}
