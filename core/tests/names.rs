//! Checks `docs/names.md`: the names of the crate, and the name of each thing in three languages.
#![allow(clippy::expect_used, clippy::indexing_slicing, reason = "these are tests")]

use std::collections::BTreeSet;
use std::fs;
use std::path::{Path, PathBuf};

use syn::{Item, UseTree, Visibility};

/// A row of a table: the names in Rust, PHP and Python, where they exist.
struct Row {
    names: [Option<String>; 3],
    has_reason: bool,
}

impl Row {
    fn present(&self) -> impl Iterator<Item = &String> {
        self.names.iter().flatten()
    }
}

#[test]
fn the_names_of_the_crate_exist() {
    let missing: Vec<_> = rows()
        .into_iter()
        .filter_map(|row| row.names.into_iter().next().flatten())
        .filter(|name| !exists(name))
        .collect();
    assert!(missing.is_empty(), "docs/names.md: not in the crate: {missing:?}");
}

#[test]
fn one_thing_has_one_name() {
    for row in rows().iter().filter(|row| !row.has_reason) {
        let lasts = row.present().map(|name| words(last(name)));
        let least = lasts.min_by_key(BTreeSet::len).expect("a row has a name");
        for name in row.present() {
            assert!(least.is_subset(&words(name)), "{name}: the others say {least:?}");
        }
    }
}

#[test]
fn each_row_has_two_names_or_a_reason() {
    for row in rows() {
        let names: Vec<_> = row.present().collect();
        assert!(row.has_reason || names.len() > 1, "{names:?}");
    }
}

fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("..")
}

fn rows() -> Vec<Row> {
    let page = fs::read_to_string(root().join("docs/names.md")).expect("docs/names.md");
    let rows: Vec<_> = page.lines().filter_map(row).collect();
    assert!(rows.len() > 50, "only {} rows were read", rows.len());
    rows
}

fn row(line: &str) -> Option<Row> {
    let cells: Vec<_> = line.strip_prefix('|')?.strip_suffix('|')?.split('|').collect();
    if !line.contains('`') {
        return None;
    }
    let name = |cell: &str| cell.trim().strip_prefix('`')?.strip_suffix('`').map(str::to_owned);
    Some(Row {
        names: [name(cells[0]), name(cells[1]), name(cells[2])],
        has_reason: cells.len() == 4,
    })
}

fn last(name: &str) -> &str {
    name.rsplit([':', '\\', '.']).next().unwrap_or(name)
}

/// The words of a name, in lower case and in the singular.
fn words(name: &str) -> BTreeSet<String> {
    let mut spaced = String::new();
    for letter in name.chars() {
        match letter {
            'A'..='Z' => spaced.extend([' ', letter.to_ascii_lowercase()]),
            'a'..='z' => spaced.push(letter),
            _ => spaced.push(' '),
        }
    }
    spaced
        .split_whitespace()
        .map(|word| word.strip_suffix('s').unwrap_or(word).to_owned())
        .collect()
}

/// Whether a path after `toolwire::` is public: a module's item, or a type's method.
fn exists(name: &str) -> bool {
    let path: Vec<_> = name.split("::").collect();
    let is_module = |segment: &str| segment.starts_with(|letter: char| letter.is_ascii_lowercase());
    let modules = path[..path.len() - 1].iter().take_while(|segment| is_module(segment)).count();
    let mut folder = root().join("core/src");
    let mut file = folder.join("lib.rs");
    for module in &path[..modules] {
        if !exported(&file).contains(*module) {
            return false;
        }
        folder.push(module);
        file = folder.join("mod.rs");
        if !file.exists() {
            file = folder.with_extension("rs");
        }
    }
    exported(&file).contains(path[modules])
}

/// The names that a file makes public.
fn exported(file: &Path) -> BTreeSet<String> {
    let text = fs::read_to_string(file).expect("a module's file");
    let parsed = syn::parse_file(&text).expect("Rust");
    let mut names = BTreeSet::new();
    for item in parsed.items {
        let (visibility, name) = match item {
            Item::Use(item) => {
                if matches!(item.vis, Visibility::Public(_)) {
                    imported(&item.tree, &mut names);
                }
                continue;
            }
            Item::Mod(item) => (item.vis, item.ident),
            Item::Struct(item) => (item.vis, item.ident),
            Item::Enum(item) => (item.vis, item.ident),
            Item::Trait(item) => (item.vis, item.ident),
            Item::Fn(item) => (item.vis, item.sig.ident),
            _ => continue,
        };
        if matches!(visibility, Visibility::Public(_)) {
            names.insert(name.to_string());
        }
    }
    names
}

fn imported(tree: &UseTree, names: &mut BTreeSet<String>) {
    match tree {
        UseTree::Path(path) => imported(&path.tree, names),
        UseTree::Group(group) => group.items.iter().for_each(|item| imported(item, names)),
        UseTree::Name(name) => {
            names.insert(name.ident.to_string());
        }
        UseTree::Rename(rename) => {
            names.insert(rename.rename.to_string());
        }
        UseTree::Glob(_) => {}
    }
}
