//! Classes of other projects under their own names, implemented by the core.
//!
//! The INI setting `toolwire.dropins` lists the projects whose classes are declared when PHP
//! starts; the default is none. A program that autoloads such a class gets this class, and its own
//! file is never read. Signatures, errors and side effects are those of the replaced classes; the
//! core finds and shows the results.

mod data_machine;
mod offset;
mod settings;

use ext_php_rs::error::{Result, php_error};
use ext_php_rs::flags::ErrorType;

use settings::{DROPINS, Settings};

/// A project whose classes can be declared.
struct Project {
    name: &'static str,
    declare: fn(&Settings) -> Result<()>,
}

const PROJECTS: [Project; 1] = [Project { name: "datamachine", declare: data_machine::register }];

/// A project whose drop-in consists of files that a site copies over the plugin's own files.
///
/// That plugin includes its file without checking whether the class exists, so a class that PHP
/// declares at its start would stop the whole site.
const COPIED: (&str, &str) = ("memberpress", "php/memberpress");

/// Registers the settings and the classes that they select; call it at start-up.
pub(crate) fn register(module: i32) -> Result<()> {
    let settings = Settings::read(module);
    for name in &settings.names {
        if !PROJECTS.iter().any(|project| project.name == name) {
            php_error(&ErrorType::CoreWarning, &complaint(name));
        }
    }
    let wanted =
        PROJECTS.iter().filter(|project| settings.names.iter().any(|name| name == project.name));
    wanted.map(|project| project.declare).try_for_each(|declare| declare(&settings))
}

/// The reason why a name in the setting declares nothing.
fn complaint(name: &str) -> String {
    let (copied, folder) = COPIED;
    if name == copied {
        return format!(
            "{DROPINS} names \"{copied}\", which declares no class any more; copy the files of {folder} over \
             the plugin's own and take the name out, see docs/dropins.md"
        );
    }
    let known = PROJECTS.map(|project| project.name).join(", ");
    format!("{DROPINS} names \"{}\", which is not known; known: {known}", name.escape_debug())
}
