//! Times several ways of doing the same work, turn by turn, in one process.
//!
//! Each way runs in samples of some 0.2 ms, because the system takes the processor away in longer
//! ones; a round has one sample of each, in changing order. A sample is nanoseconds for one run;
//! the reader of the samples does the statistics.

use std::time::{Duration, Instant};

/// The least that a sample takes.
const SAMPLE: Duration = Duration::from_micros(200);

/// How often each way gets its turn, unless that takes too long.
const ROUNDS: usize = 200;

/// How often it gets its turn at least.
const FEWEST: usize = 9;

/// What all rounds may take before there are fewer of them.
const PATIENCE: Duration = Duration::from_millis(1500);

/// What a way does `n` times.
type Work<'a> = Box<dyn FnMut(u64) + 'a>;

/// One way of doing the work.
pub struct Way<'a> {
    /// `ours`, `theirs` or `limit`; where a measurement makes several rows, what it is.
    pub side: &'static str,
    work: Work<'a>,
}

impl<'a> Way<'a> {
    /// A way that runs `once`, again and again.
    pub fn new<T>(side: &'static str, mut once: impl FnMut() -> T + 'a) -> Self {
        let work = move |times: u64| {
            for _ in 0..times {
                std::hint::black_box(once());
            }
        };
        Self { side, work: Box::new(work) }
    }

    fn sample(&mut self, times: u64) -> Duration {
        let start = Instant::now();
        (self.work)(times);
        start.elapsed()
    }

    /// How often it runs within a sample, and how long that takes.
    fn calibrate(&mut self) -> (u64, Duration) {
        let mut times = 1;
        loop {
            let mut taken = self.sample(times);
            // A sample that was interrupted looks long enough, so two more are taken.
            if taken < 50 * SAMPLE {
                taken = taken.min(self.sample(times)).min(self.sample(times));
            }
            if taken >= SAMPLE {
                return (times, taken);
            }
            let factor = SAMPLE.as_secs_f64() / taken.as_secs_f64().max(1e-9);
            times = (times as f64 * (factor * 1.1).clamp(1.5, 100.0)).ceil() as u64;
        }
    }
}

/// The samples of each way, by its side.
pub fn samples(ways: &mut [Way<'_>]) -> Vec<(&'static str, Vec<f64>)> {
    let (times, taken): (Vec<u64>, Vec<Duration>) = ways.iter_mut().map(Way::calibrate).unzip();
    let affordable = PATIENCE.as_secs_f64() / taken.iter().sum::<Duration>().as_secs_f64();
    let rounds = (affordable as usize).clamp(FEWEST, ROUNDS);
    let mut samples: Vec<_> =
        ways.iter().map(|way| (way.side, Vec::with_capacity(rounds))).collect();
    for round in 0..rounds {
        for turn in 0..ways.len() {
            let at = (turn + round) % ways.len();
            let taken = ways[at].sample(times[at]);
            samples[at].1.push(taken.as_secs_f64() * 1e9 / times[at] as f64);
        }
    }
    samples
}

/// The 20th percentile of samples.
pub fn low(mut taken: Vec<f64>) -> f64 {
    taken.sort_by(f64::total_cmp);
    taken[taken.len() / 5]
}
