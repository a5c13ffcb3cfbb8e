//! Classes of other projects under their own names, answered by the core.
//!
//! The INI setting `toolwire.dropins` names whose classes are declared when PHP starts; by default none are. A
//! program that autoloads such a class then gets this one, and its own file is never read. Signatures, errors
//! and side effects are those of the classes that are replaced; what is found and shown is the core's.

mod data_machine;
mod memberpress;
mod offset;

use ext_php_rs::error::{Result, php_error};
use ext_php_rs::flags::{ErrorType, IniEntryPermission};
use ext_php_rs::zend::{ExecutorGlobals, IniEntryDef, IniEntryDefs};

pub(crate) use memberpress::end_of_request;

/// The setting's name.
const SETTING: &str = "toolwire.dropins";

static SETTINGS: IniEntryDefs<2> = IniEntryDefs::new([
    IniEntryDef::new(c"toolwire.dropins", c"", IniEntryPermission::System),
    IniEntryDef::end(),
]);

/// A project whose classes can be declared.
struct Project {
    name: &'static str,
    declare: fn() -> Result<()>,
}

const PROJECTS: [Project; 2] = [
    Project { name: "datamachine", declare: data_machine::register },
    Project { name: "memberpress", declare: memberpress::register },
];

/// Registers the setting, and the classes that it asks for. To be called at start-up.
pub(crate) fn register(module: i32) -> Result<()> {
    IniEntryDef::register(SETTINGS.as_slice(), module);
    let asked = ExecutorGlobals::get().ini_values().remove(SETTING).flatten().unwrap_or_default();
    let asked: Vec<&str> = asked.split(',').map(str::trim).filter(|name| !name.is_empty()).collect();
    for name in &asked {
        if !PROJECTS.iter().any(|project| project.name == *name) {
            let known = PROJECTS.map(|project| project.name).join(", ");
            let name = name.escape_debug();
            let message = format!("{SETTING} names \"{name}\", which is not known; known: {known}");
            php_error(&ErrorType::CoreWarning, &message);
        }
    }
    let wanted = PROJECTS.iter().filter(|project| asked.contains(&project.name));
    wanted.map(|project| project.declare).try_for_each(|declare| declare())
}
