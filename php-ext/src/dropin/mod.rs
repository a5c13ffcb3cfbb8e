//! Classes of other projects under their own names, answered by the core.
//!
//! The INI setting `toolwire.dropins` names whose classes are declared when PHP starts; by default
//! none are. A program that autoloads such a class then gets this one, and its own file is never
//! read. Signatures, errors and side effects are those of the classes that are replaced; what is
//! found and shown is the core's.

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

/// A project whose drop-in is files that a site copies over the plugin's own.
///
/// That plugin includes its file without asking whether the class is there, so a class that PHP
/// starts with would stop the whole site.
const COPIED: (&str, &str) = ("memberpress", "php/memberpress");

/// Registers the settings, and the classes that they ask for. To be called at start-up.
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

/// Why a name of the setting declares nothing.
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
