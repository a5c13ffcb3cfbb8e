//! Here so that the build dependencies count.
fn main() {}
