//! Paths relative to the folder that an agent works in.

use std::fs::canonicalize;
use std::path::{Path, PathBuf};

/// The folder that an agent works in.
///
/// ```
/// use toolwire::transcript::Worktree;
///
/// let worktree = Worktree::new("/srv/site");
/// assert_eq!(worktree.shorten("/srv/site/src/a.rs"), "src/a.rs");
/// assert_eq!(worktree.shorten("/srv/site2/a.rs"), "/srv/site2/a.rs");
/// ```
#[derive(Clone, Debug)]
pub struct Worktree {
    path: PathBuf,
    /// The same path without symbolic links, if the folder exists.
    canonical: Option<PathBuf>,
}

impl Worktree {
    /// Names the folder. The folder need not exist; if it does, symbolic links that lead to it are
    /// followed.
    pub fn new(path: impl Into<PathBuf>) -> Self {
        let path = path.into();
        Self { canonical: canonicalize(&path).ok(), path }
    }

    /// The path relative to the folder; a path outside the folder stays as it is.
    #[must_use]
    pub fn shorten(&self, path: &str) -> String {
        self.inside(Path::new(path)).unwrap_or_else(|| path.to_owned())
    }

    fn inside(&self, path: &Path) -> Option<String> {
        if !path.is_absolute() {
            return None;
        }
        if let Ok(inner) = path.strip_prefix(&self.path) {
            return shown(inner);
        }
        let worktree = self.canonical.as_ref()?;
        shown(canonicalize(path).ok()?.strip_prefix(worktree).ok()?)
    }
}

fn shown(inner: &Path) -> Option<String> {
    let inner = inner.to_str()?;
    Some(if inner.is_empty() { "." } else { inner }.to_owned())
}
