//! Tells the code which PHP it is built for: `cfg(php84)` holds for PHP 8.4 and newer.
//!
//! The PHP is the one that ext-php-rs is built for: `$PHP`, or `php` in `$PATH`.

#![allow(clippy::print_stdout, reason = "cargo reads what is printed")]

use ext_php_rs_build::{ApiVersion, PHPInfo, emit_check_cfg, emit_php_cfg_flags, find_php};

fn main() -> Result<(), Box<dyn std::error::Error>> {
    for variable in ["PHP", "PATH"] {
        println!("cargo:rerun-if-env-changed={variable}");
    }
    println!("cargo:rerun-if-changed=build.rs");
    emit_check_cfg();
    let info = PHPInfo::get(&find_php()?)?;
    let version = ApiVersion::try_from(info.zend_version()?)?;
    if version < ApiVersion::Php82 {
        return Err("toolwire needs PHP 8.2 or newer".into());
    }
    emit_php_cfg_flags(version);
    Ok(())
}
