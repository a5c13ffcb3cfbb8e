//! The sentences that the issue agent uses if a reply says nothing.

/// A comment with fewer code points counts as empty.
pub(super) const SHORTEST: usize = 10;

pub(super) const NO_COMMENT: &str =
    "I've analyzed this issue. Please let me know if you need any clarification.";
pub(super) const RESULTS_PROCESSED: &str =
    "I've completed the analysis of this issue. The results have been processed successfully.";
pub(super) const DETAILS_RECORDED: &str =
    "I've completed the analysis of this issue. The details have been recorded successfully.";
pub(super) const RESULTS_AVAILABLE: &str = "I've analyzed this issue and the results are available. \
     Please let me know if you need any additional information.";
pub(super) const NOTHING_FOUND: &str = "I've analyzed this issue. The analysis has been completed and the results are being processed.";
