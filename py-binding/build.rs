//! Tells the crate which Python it is built for (`Py_3_14` and so on).

fn main() {
    pyo3_build_config::use_pyo3_cfgs();
}
