//! Tells the crate which Python it is built for (`Py_3_14` and so on), and which layouts of that
//! Python's values it knows.

use pyo3_build_config::{PythonAbiKind, PythonImplementation};

/// The newest Python whose headers were read.
const NEWEST: u8 = 15;

fn main() {
    pyo3_build_config::use_pyo3_cfgs();
    let abi = pyo3_build_config::get().target_abi();
    let minor = abi.version().minor;
    let known = abi.implementation() == PythonImplementation::CPython
        && matches!(abi.kind(), PythonAbiKind::VersionSpecific(_))
        && minor <= NEWEST;
    let locked = !abi.kind().is_free_threaded();
    let layouts = [
        // The characters of a `str`.
        ("known_str", known),
        // Values are read without references of their own: no other thread may free them.
        ("known_values", known && locked),
        // The tables of dicts.
        ("known_tables", known && locked && minor >= 11),
    ];
    for (name, is_known) in layouts {
        println!("cargo:rustc-check-cfg=cfg({name})");
        if is_known {
            println!("cargo:rustc-cfg={name}");
        }
    }
}
