//! Access to a store file: only its owner may read it, from its creation on, for any umask.
//!
//! SQLite gives its side files the mode of the main file, so the main file must have its mode
//! before SQLite opens it. Three cases are refused because the mode does not protect the file:
//! another user owns it, the path is a link, or the folder lets others replace it. On a system
//! without Unix modes, the rules of the folder apply.

use std::ffi::OsString;
use std::fs::{self, File, OpenOptions};
use std::io;
use std::path::{Path, PathBuf};
use std::sync::{Mutex, PoisonError};

use crate::store::{StoreError, StoreErrorKind};

/// The suffixes of the files that SQLite keeps beside an open file.
const SIDES: [&str; 3] = ["-wal", "-shm", "-journal"];

/// Held while a file is made. Closing a file releases every lock of the process on it, so no other
/// thread may open it as a store before it is closed.
static MAKING: Mutex<()> = Mutex::new(());

/// Makes the file if it does not exist: empty, and readable only by its owner.
///
/// An existing file is left as it is: see [`tighten`].
pub(super) fn make(path: &Path) -> Result<(), StoreError> {
    check_place(path)?;
    let _making = MAKING.lock().unwrap_or_else(PoisonError::into_inner);
    let mut options = OpenOptions::new();
    // This makes a new file or fails. It follows no link and opens no existing file.
    options.write(true).create_new(true);
    set_mode(&mut options);
    // If the file exists or cannot be made, SQLite's own open reports which.
    let Ok(file) = options.open(path) else { return Ok(()) };
    restrict(&file).and_then(|()| sync_folder(path)).map_err(|error| {
        let message = format!("the store file {} cannot be made safe", path.display());
        StoreError::new(StoreErrorKind::Io, message).caused_by(error)
    })
}

/// Refuses a file or a side file that another user owns.
pub(super) fn check_owner(path: &Path) -> Result<(), StoreError> {
    let is_foreign = |file: &PathBuf| fs::metadata(file).is_ok_and(|found| is_of_another(&found));
    let Some(file) = files(path).find(is_foreign) else { return Ok(()) };
    let message = format!(
        "another user owns the store file {} and may read it whatever its mode; give a path of your own",
        file.display()
    );
    Err(StoreError::new(StoreErrorKind::Exposed, message))
}

/// Removes the rights of others on a store and its side files, because an earlier version may have
/// left them. A file of another user is refused.
pub(super) fn tighten(path: &Path) -> Result<(), StoreError> {
    check_owner(path)?;
    files(path).try_for_each(|file| match close_to_others(&file) {
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

/// The file and its side files.
fn files(path: &Path) -> impl Iterator<Item = PathBuf> {
    std::iter::once(path.to_owned()).chain(sides(path))
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
    for file in files(path) {
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

/// Syncs the folder, so that the entry of a new file survives a power failure.
fn sync_folder(path: &Path) -> io::Result<()> {
    path.parent().map_or(Ok(()), |folder| File::open(folder)?.sync_all())
}

#[cfg(unix)]
fn set_mode(options: &mut OpenOptions) {
    use std::os::unix::fs::OpenOptionsExt as _;
    options.mode(0o600);
}

/// Sets the owner's rights that the umask removed.
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

/// Whether the owner of the file differs from the effective user of this process.
#[cfg(unix)]
fn is_of_another(file: &fs::Metadata) -> bool {
    use std::os::unix::fs::MetadataExt as _;
    file.is_file() && file.uid() != rustix::process::geteuid().as_raw()
}

/// Whether any user may replace the files of others in the folder. A sticky folder, such as `/tmp`,
/// forbids that.
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
