//! The settings of the drop-ins in `php.ini`.

use ext_php_rs::flags::IniEntryPermission;
use ext_php_rs::zend::{ExecutorGlobals, IniEntryDef, IniEntryDefs};

/// The setting with the names of projects.
pub(super) const DROPINS: &str = "toolwire.dropins";
const STRICT: &str = "toolwire.dropins_strict";

static ENTRIES: IniEntryDefs<3> = IniEntryDefs::new([
    IniEntryDef::new(c"toolwire.dropins", c"", IniEntryPermission::System),
    IniEntryDef::new(c"toolwire.dropins_strict", c"0", IniEntryPermission::System),
    IniEntryDef::end(),
]);

/// The values of the settings.
pub(super) struct Settings {
    /// The projects whose classes are requested.
    pub(super) names: Vec<String>,
    /// Whether the errors of the replaced classes are corrected.
    pub(super) strict: bool,
}

impl Settings {
    /// Registers the settings and reads them.
    pub(super) fn read(module: i32) -> Self {
        IniEntryDef::register(ENTRIES.as_slice(), module);
        let mut values = ExecutorGlobals::get().ini_values();
        let mut value = |name| values.remove(name).flatten().unwrap_or_default();
        let names = value(DROPINS);
        let names = names.split(',').map(str::trim).filter(|name| !name.is_empty());
        let strict = value(STRICT);
        let strict = strict.trim().to_ascii_lowercase();
        Self {
            names: names.map(str::to_owned).collect(),
            // The values that PHP reads as "on".
            strict: matches!(strict.as_str(), "1" | "on" | "yes" | "true"),
        }
    }
}
