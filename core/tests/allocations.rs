//! Text without calls costs no memory.

use std::hint::black_box;

use allocation_counter::measure;
use toolwire::Detector;

#[test]
fn prose_allocates_nothing() {
    let detector = Detector::default();
    let prose = "Set {color} in `theme` < 3, [see](x) and a <b title=\"x\">tag</b>.\n".repeat(1000);
    let allocated = measure(|| {
        black_box(detector.detect(black_box(prose.as_bytes())).calls.len());
    });
    assert_eq!(allocated.count_total, 0);
}

#[test]
fn a_call_is_what_costs() {
    let detector = Detector::default();
    let allocated = measure(|| {
        black_box(detector.detect(b"<tool:a>{}</tool>").calls.len());
    });
    assert!(allocated.count_total > 0);
}
