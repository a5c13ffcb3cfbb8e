//! The settings of the drop-ins in `php.ini`.

use ext_php_rs::flags::IniEntryPermission;
use ext_php_rs::zend::{ExecutorGlobals, IniEntryDef, IniEntryDefs};

/// Names whose classes are asked for.
pub(super) const DROPINS: &str = "toolwire.dropins";
const STRICT: &str = "toolwire.dropins_strict";

static ENTRIES: IniEntryDefs<3> = IniEntryDefs::new([
    IniEntryDef::new(c"toolwire.dropins", c"", IniEntryPermission::System),
    IniEntryDef::new(c"toolwire.dropins_strict", c"0", IniEntryPermission::System),
    IniEntryDef::end(),
]);

/// What the settings say.
pub(super) struct Settings {
    /// Whose classes are asked for.
    pub(super) names: Vec<String>,
    /// Whether what the classes that are replaced get wrong is put right.
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
            // As PHP reads a setting that is on or off.
            strict: matches!(strict.as_str(), "1" | "on" | "yes" | "true"),
        }
    }
}
