//! Checks what `docs/architecture.md` says of types, and that modules import down its layers only.
//!
//! The graph is read from the sources. Each file is a node. Each path to an item that another file
//! defines is an edge. A re-export is followed to the definition, and is not an edge itself.
#![allow(clippy::expect_used, reason = "these are tests")]

mod types;

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::{Path, PathBuf};

use syn::visit::{self, Visit};
use syn::{Item, ItemUse, UseTree, Visibility};

/// A module's path in the crate; empty for the crate's root.
type Module = Vec<String>;

/// The items that one file defines, re-exports and refers to.
#[derive(Default)]
struct Source {
    defined: BTreeSet<String>,
    /// Imported names, with the path as it is written.
    imported: BTreeMap<String, Vec<String>>,
    /// Modules whose public names are all re-exported or imported.
    globs: Vec<Vec<String>>,
    paths: BTreeSet<Vec<String>>,
}

/// A crate of the workspace.
struct Crate {
    folder: &'static str,
    /// The beginning of the crate's list of layers.
    layers: &'static str,
    /// The start of the path of files that may hold unsafe code; `None` if no file may.
    unsafe_code: Option<&'static str>,
}

const CRATES: [Crate; 3] = [
    Crate { folder: "core/src", layers: "layers", unsafe_code: None },
    Crate { folder: "php-ext/src", layers: "layers of php-ext", unsafe_code: Some("zend/") },
    Crate { folder: "py-binding/src", layers: "layers of py-binding", unsafe_code: Some("raw/") },
];

struct Graph {
    sources: BTreeMap<Module, Source>,
}

#[test]
fn no_two_files_import_each_other() {
    for each in CRATES {
        let edges = Graph::read(&each).edges();
        let circles: Vec<_> = circles(&edges).into_iter().map(|circle| shown(&circle)).collect();
        let folder = each.folder;
        assert!(
            circles.is_empty(),
            "{folder}: files import each other in a circle:\n{}",
            circles.join("\n")
        );
    }
}

#[test]
fn imports_lead_down_the_layers() {
    for each in CRATES {
        let (folder, layers) = (each.folder, layers(&each));
        let rank = |module: &Module| {
            let name = module.first()?;
            let rank = layers.iter().position(|layer| layer.contains(name));
            assert!(
                rank.is_some(),
                "docs/architecture.md does not list the layer of {folder}: `{name}`"
            );
            rank
        };
        let edges = Graph::read(&each).edges();
        let mut wrong = BTreeSet::new();
        for (from, to) in edges.iter().flat_map(|(from, all)| all.iter().map(move |to| (from, to)))
        {
            if let (Some(upper), Some(lower)) = (rank(from), rank(to))
                && from.first() != to.first()
                && upper >= lower
            {
                wrong.insert(format!("{} imports from {}", from.join("::"), to.join("::")));
            }
        }
        let wrong: Vec<_> = wrong.into_iter().collect();
        assert!(
            wrong.is_empty(),
            "{folder}: imports lead up or across the layers:\n{}",
            wrong.join("\n")
        );
    }
}

#[test]
fn unsafe_code_stands_where_it_is_looked_for() {
    for each in CRATES {
        let root = each.root();
        let mut files = Vec::new();
        collect(&root, &mut files);
        for file in files {
            let text = fs::read_to_string(&file).expect("a source");
            let place = file
                .strip_prefix(&root)
                .expect("a file of the crate")
                .to_string_lossy()
                .into_owned();
            let is_allowed = each.unsafe_code.is_some_and(|allowed| place.starts_with(allowed));
            let mut code = text.lines().filter(|line| !line.trim_start().starts_with("//"));
            let has_unsafe =
                code.any(|line| line.contains("unsafe {") || line.contains("unsafe extern"));
            assert!(is_allowed || !has_unsafe, "{}/{place} holds unsafe code", each.folder);
        }
    }
}

/// Other programs' names occur only in `compat`, in `provider`, and in the dialects of logs.
#[test]
fn core_names_no_other_program() {
    const NAMES: [&str; 8] = [
        "memberpress",
        "mpai",
        "data machine",
        "data_machine",
        "stageflow",
        "vibe-kanban",
        "vibe_kanban",
        "issue agent",
    ];
    let root = CRATES[0].root();
    let mut files = Vec::new();
    collect(&root, &mut files);
    let mut named = Vec::new();
    for file in files {
        let place = file.strip_prefix(&root).expect("a file of the crate").to_string_lossy();
        if ["compat/", "provider/", "transcript/dialect/"]
            .iter()
            .any(|room| place.starts_with(room))
        {
            continue;
        }
        let text = fs::read_to_string(&file).expect("a source").to_lowercase();
        // A name may be split over two lines of a comment.
        let text = text.replace(['/', '!'], " ").split_whitespace().collect::<Vec<_>>().join(" ");
        let found = NAMES.iter().filter(|name| text.contains(**name));
        named.extend(found.map(|name| format!("core/src/{place} names {name}")));
    }
    assert!(named.is_empty(), "{}", named.join("\n"));
}

#[test]
fn the_reader_of_imports_sees_a_circle() {
    let edges = BTreeMap::from([
        (vec!["a".to_owned()], BTreeSet::from([vec!["b".to_owned()]])),
        (vec!["b".to_owned()], BTreeSet::from([vec!["c".to_owned()]])),
        (vec!["c".to_owned()], BTreeSet::from([vec!["b".to_owned()]])),
    ]);
    assert_eq!(circles(&edges), [vec![vec!["b".to_owned()], vec!["c".to_owned()]]]);
}

/// The layers from top to bottom, from the crate's block in `docs/architecture.md`.
fn layers(each: &Crate) -> Vec<Vec<String>> {
    let page = Path::new(env!("CARGO_MANIFEST_DIR")).join("../docs/architecture.md");
    let page = fs::read_to_string(page).expect("docs/architecture.md");
    let start = format!("```text {}\n", each.layers);
    let block = page.split(&start).nth(1).and_then(|rest| rest.split("```").next());
    let block = block.expect("a block of layers in docs/architecture.md");
    let names = |line: &str| {
        let names = line.split("  ").next().unwrap_or_default();
        names.split_whitespace().map(|name| name.trim_end_matches(".rs").to_owned()).collect()
    };
    block.lines().filter(|line| !line.trim().is_empty()).map(names).collect()
}

impl Crate {
    fn root(&self) -> PathBuf {
        Path::new(env!("CARGO_MANIFEST_DIR")).join("..").join(self.folder)
    }

    /// The path of each file in the crate's folder, and its code.
    fn sources(&self) -> Vec<(PathBuf, syn::File)> {
        let root = self.root();
        let mut files = Vec::new();
        collect(&root, &mut files);
        let read = |file: PathBuf| {
            let text = fs::read_to_string(&file).expect("a source");
            let parsed = syn::parse_file(&text).expect("a source that compiles");
            (file.strip_prefix(&root).expect("a file of the crate").to_owned(), parsed)
        };
        files.into_iter().map(read).collect()
    }
}

impl Graph {
    fn read(each: &Crate) -> Self {
        let mut sources = BTreeMap::new();
        for (file, parsed) in each.sources() {
            let module = module_of(&file);
            let mut reader = Reader::default();
            reader.visit_file(&parsed);
            sources.insert(module, reader.source);
        }
        assert!(sources.len() > 40, "the sources were not found");
        Self { sources }
    }

    fn edges(&self) -> BTreeMap<Module, BTreeSet<Module>> {
        let mut edges = BTreeMap::new();
        for (module, source) in &self.sources {
            let mut targets: BTreeSet<Module> = source
                .paths
                .iter()
                .filter_map(|path| self.definition(module, path, 0))
                .filter(|target| target != module)
                .collect();
            // The crate's root only re-exports.
            targets.remove(&Vec::new());
            edges.insert(module.clone(), targets);
        }
        edges
    }

    /// The file that defines the item at a path, as seen from a module.
    fn definition(&self, from: &Module, path: &[String], depth: usize) -> Option<Module> {
        if depth > 20 {
            return None;
        }
        let (mut module, mut rest) = start(from, path)?;
        while let Some((name, further)) = rest.split_first() {
            let child: Module = module.iter().cloned().chain([name.clone()]).collect();
            if self.sources.contains_key(&child) {
                module = child;
                rest = further;
                continue;
            }
            let source = self.sources.get(&module)?;
            if source.defined.contains(name) {
                return Some(module);
            }
            if let Some(target) = source.imported.get(name) {
                let target: Vec<_> = target.iter().chain(further).cloned().collect();
                return self.definition(&module, &target, depth + 1);
            }
            return source.globs.iter().find_map(|glob| {
                let target: Vec<_> = glob.iter().chain(rest).cloned().collect();
                self.definition(&module, &target, depth + 1)
            });
        }
        Some(module)
    }
}

/// The module in which a path begins, and the rest of the path; `None` for a path of another crate.
fn start<'p>(from: &Module, path: &'p [String]) -> Option<(Module, &'p [String])> {
    let (first, rest) = path.split_first()?;
    match first.as_str() {
        "crate" => Some((Vec::new(), rest)),
        "self" => Some((from.clone(), rest)),
        "super" => {
            let mut module = from.clone();
            module.pop();
            let mut rest = rest;
            while let Some((next, further)) = rest.split_first()
                && next == "super"
            {
                module.pop();
                rest = further;
            }
            Some((module, rest))
        }
        _ => Some((from.clone(), path)),
    }
}

fn collect(folder: &Path, files: &mut Vec<PathBuf>) {
    for entry in fs::read_dir(folder).expect("a folder of sources") {
        let path = entry.expect("an entry").path();
        if path.is_dir() {
            collect(&path, files);
        } else if path.extension().is_some_and(|extension| extension == "rs") {
            files.push(path);
        }
    }
}

fn module_of(file: &Path) -> Module {
    let mut module: Module =
        file.with_extension("").iter().map(|part| part.to_string_lossy().into_owned()).collect();
    if module.last().is_some_and(|last| last == "mod" || last == "lib") {
        module.pop();
    }
    module
}

/// Reads one file.
#[derive(Default)]
struct Reader {
    source: Source,
}

impl Reader {
    fn import(&mut self, tree: &UseTree, prefix: &[String], is_public: bool) {
        let with = |name: &dyn ToString| -> Vec<String> {
            prefix.iter().cloned().chain([name.to_string()]).collect()
        };
        match tree {
            UseTree::Path(path) => self.import(&path.tree, &with(&path.ident), is_public),
            UseTree::Group(group) => {
                group.items.iter().for_each(|item| self.import(item, prefix, is_public));
            }
            UseTree::Glob(_) => self.source.globs.push(prefix.to_vec()),
            UseTree::Name(name) => {
                let (path, name) = match name.ident.to_string().as_str() {
                    "self" => (prefix.to_vec(), prefix.last().cloned().unwrap_or_default()),
                    other => (with(&name.ident), other.to_owned()),
                };
                self.bind(name, path, is_public);
            }
            UseTree::Rename(rename) => {
                let path = with(&rename.ident);
                self.bind(rename.rename.to_string(), path, is_public);
            }
        }
    }

    fn bind(&mut self, name: String, path: Vec<String>, is_public: bool) {
        if !is_public {
            self.source.paths.insert(path.clone());
        }
        self.source.imported.insert(name, path);
    }
}

impl<'ast> Visit<'ast> for Reader {
    fn visit_item(&mut self, item: &'ast Item) {
        let name = match item {
            Item::Const(item) => Some(&item.ident),
            Item::Enum(item) => Some(&item.ident),
            Item::Fn(item) => Some(&item.sig.ident),
            Item::Macro(item) => item.ident.as_ref(),
            Item::Static(item) => Some(&item.ident),
            Item::Struct(item) => Some(&item.ident),
            Item::Trait(item) => Some(&item.ident),
            Item::Type(item) => Some(&item.ident),
            // Tests beside the code may import anything.
            Item::Mod(item) if item.content.is_some() => return,
            _ => None,
        };
        if let Some(name) = name {
            self.source.defined.insert(name.to_string());
        }
        visit::visit_item(self, item);
    }

    fn visit_item_use(&mut self, item: &'ast ItemUse) {
        let is_public = !matches!(item.vis, Visibility::Inherited);
        self.import(&item.tree, &[], is_public);
    }

    fn visit_path(&mut self, path: &'ast syn::Path) {
        let path_names: Vec<_> =
            path.segments.iter().map(|segment| segment.ident.to_string()).collect();
        // A single name is imported or defined here. `Self::X` and generics lead to no other file.
        if path_names.len() > 1 && path_names.first().is_some_and(|first| first != "Self") {
            self.source.paths.insert(path_names);
        }
        visit::visit_path(self, path);
    }
}

/// The strongly connected files: each of them leads to every other.
fn circles(edges: &BTreeMap<Module, BTreeSet<Module>>) -> Vec<Vec<Module>> {
    let reached = |from: &Module| {
        let mut seen = BTreeSet::new();
        let mut waiting: Vec<&Module> = edges.get(from).into_iter().flatten().collect();
        while let Some(next) = waiting.pop() {
            if seen.insert(next.clone()) {
                waiting.extend(edges.get(next).into_iter().flatten());
            }
        }
        seen
    };
    let reached: BTreeMap<_, _> =
        edges.keys().map(|module| (module.clone(), reached(module))).collect();
    let mut circles = BTreeSet::new();
    for (module, targets) in &reached {
        if targets.contains(module) {
            let back = |other: &&Module| {
                reached.get(*other).is_some_and(|targets| targets.contains(module))
            };
            circles.insert(targets.iter().filter(back).cloned().collect::<Vec<_>>());
        }
    }
    circles.into_iter().collect()
}

fn shown(circle: &[Module]) -> String {
    circle.iter().map(|module| module.join("::")).collect::<Vec<_>>().join(", ")
}
