//! Who may read a store file: its owner alone, from the first moment on, whatever the umask is.
//!
//! SQLite gives its side files the mode of the file they belong to, so that the file must have its
//! mode before SQLite opens it. Beyond the mode, a file can be read or replaced by the user who
//! owns it, through a link, or in a folder of others; these are refused. On a system without Unix
//! modes the folder's own rules hold.

use std::ffi::OsString;
use std::fs::{self, File, OpenOptions};
use std::io;
use std::path::{Path, PathBuf};
use std::sync::{Mutex, PoisonError};

use crate::store::{StoreError, StoreErrorKind};

/// What SQLite keeps beside a file while it is open.
const SIDES: [&str; 3] = ["-wal", "-shm", "-journal"];

/// Held while a file is made. To close a file lets go of every lock that the process has on it, so
/// that no other thread may open it as a store before it is closed.
static MAKING: Mutex<()> = Mutex::new(());

/// Makes the file if there is none, empty and for its owner alone.
///
/// A file that is there is left as it is: see [`tighten`].
pub(super) fn make(path: &Path) -> Result<(), StoreError> {
    check_place(path)?;
    let _making = MAKING.lock().unwrap_or_else(PoisonError::into_inner);
    let mut options = OpenOptions::new();
    // A new file, or an error: this neither follows a link nor opens what another one made.
    options.write(true).create_new(true);
    set_mode(&mut options);
    // One that is there already, or a place where none can be: SQLite says which.
    let Ok(file) = options.open(path) else { return Ok(()) };
    restrict(&file).and_then(|()| sync_folder(path)).map_err(|error| {
        let message = format!("the store file {} cannot be made safe", path.display());
        StoreError::new(StoreErrorKind::Io, message).caused_by(error)
    })
}

/// Refuses a file or a side file that another user owns, and takes the rights of others to those
/// that this user owns, as an earlier version left them.
pub(super) fn tighten(path: &Path) -> Result<(), StoreError> {
    let files = || std::iter::once(path.to_owned()).chain(sides(path));
    if let Some(file) =
        files().find(|file| fs::metadata(file).is_ok_and(|found| is_of_another(&found)))
    {
        let message = format!(
            "another user owns the store file {} and may read it whatever its mode; give a path of your own",
            file.display()
        );
        return Err(StoreError::new(StoreErrorKind::Exposed, message));
    }
    files().try_for_each(|file| match close_to_others(&file) {
        Err(error) if error.kind() != io::ErrorKind::NotFound => {
            let message = format!(
                "others may read the store file {}, and its mode cannot be changed; let its owner set mode 600",
                file.display()
            );
            Err(StoreError::new(StoreErrorKind::Exposed, message).caused_by(error))
        }
        _ => Ok(()),
    })
}

fn sides(path: &Path) -> impl Iterator<Item = PathBuf> {
    SIDES.into_iter().map(move |side| {
        let mut name = OsString::from(path);
        name.push(side);
        PathBuf::from(name)
    })
}

/// Refuses a link, and a folder in which others may replace the file.
fn check_place(path: &Path) -> Result<(), StoreError> {
    let refused = |why: String| Err(StoreError::new(StoreErrorKind::Exposed, why));
    for file in std::iter::once(path.to_owned()).chain(sides(path)) {
        if fs::symlink_metadata(&file).is_ok_and(|metadata| metadata.is_symlink()) {
            return refused(format!(
                "the store file {} is a symbolic link; give the path of the file itself",
                file.display()
            ));
        }
    }
    let folder = path.parent().unwrap_or(path);
    if fs::metadata(folder).is_ok_and(|metadata| is_open_to_all(&metadata)) {
        return refused(format!(
            "anybody may replace files in the folder {}; give the store a folder of its own",
            folder.display()
        ));
    }
    Ok(())
}

/// Makes the entry of a new file in its folder survive the failure of the power.
fn sync_folder(path: &Path) -> io::Result<()> {
    path.parent().map_or(Ok(()), |folder| File::open(folder)?.sync_all())
}

#[cfg(unix)]
fn set_mode(options: &mut OpenOptions) {
    use std::os::unix::fs::OpenOptionsExt as _;
    options.mode(0o600);
}

/// Undoes what the umask took from the owner.
#[cfg(unix)]
fn restrict(file: &File) -> io::Result<()> {
    use std::os::unix::fs::PermissionsExt as _;
    file.set_permissions(fs::Permissions::from_mode(0o600))
}

#[cfg(unix)]
fn close_to_others(path: &Path) -> io::Result<()> {
    use std::os::unix::fs::PermissionsExt as _;
    let metadata = fs::metadata(path)?;
    let mode = metadata.permissions().mode() & 0o777;
    if !metadata.is_file() || mode == mode & 0o700 {
        return Ok(());
    }
    fs::set_permissions(path, fs::Permissions::from_mode(mode & 0o700))
}

/// Whether the file belongs to another user than the one this process acts as.
#[cfg(unix)]
fn is_of_another(file: &fs::Metadata) -> bool {
    use std::os::unix::fs::MetadataExt as _;
    file.is_file() && file.uid() != rustix::process::geteuid().as_raw()
}

/// Whether anybody may replace what another one has in the folder: a sticky one, as `/tmp`, forbids
/// that.
#[cfg(unix)]
fn is_open_to_all(folder: &fs::Metadata) -> bool {
    use std::os::unix::fs::PermissionsExt as _;
    folder.permissions().mode() & 0o1002 == 0o002
}

#[cfg(not(unix))]
fn set_mode(_: &mut OpenOptions) {}

#[cfg(not(unix))]
fn restrict(_: &File) -> io::Result<()> {
    Ok(())
}

#[cfg(not(unix))]
fn close_to_others(_: &Path) -> io::Result<()> {
    Ok(())
}

#[cfg(not(unix))]
fn is_of_another(_: &fs::Metadata) -> bool {
    false
}

#[cfg(not(unix))]
fn is_open_to_all(_: &fs::Metadata) -> bool {
    false
}
