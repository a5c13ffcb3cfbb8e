//! Checks the size and the names of types.

use std::collections::BTreeMap;

use syn::visit::{self, Visit};
use syn::{Fields, Item};

use super::CRATES;

/// A struct with this many fields is several things in one.
const TOO_MANY_FIELDS: usize = 14;

/// The types that one file defines outside of its tests.
#[derive(Default)]
struct Types {
    names: Vec<String>,
    /// The number of fields of each struct, and of each variant of an enum.
    fields: Vec<(String, usize)>,
}

impl Types {
    fn of(file: &syn::File) -> Self {
        let mut types = Self::default();
        types.visit_file(file);
        types
    }

    fn count(&mut self, name: String, fields: &Fields) {
        self.fields.push((name, fields.len()));
    }
}

impl<'ast> Visit<'ast> for Types {
    fn visit_item(&mut self, item: &'ast Item) {
        let name = match item {
            Item::Enum(item) => {
                for variant in &item.variants {
                    self.count(format!("{}::{}", item.ident, variant.ident), &variant.fields);
                }
                Some(&item.ident)
            }
            Item::Struct(item) => {
                self.count(item.ident.to_string(), &item.fields);
                Some(&item.ident)
            }
            Item::Trait(item) => Some(&item.ident),
            Item::Type(item) => Some(&item.ident),
            Item::Union(item) => Some(&item.ident),
            Item::Macro(item) => {
                let words: Vec<_> =
                    item.mac.tokens.clone().into_iter().map(|token| token.to_string()).collect();
                self.names.extend(words.windows(2).filter_map(|pair| match pair {
                    [keyword, name] if keyword == "enum" => Some(name.clone()),
                    _ => None,
                }));
                None
            }
            // A type of the tests is not in the crate.
            Item::Mod(item) if item.content.is_some() => return,
            _ => None,
        };
        self.names.extend(name.map(ToString::to_string));
        visit::visit_item(self, item);
    }
}

#[test]
fn a_struct_has_fewer_than_fourteen_fields() {
    let mut large = Vec::new();
    for each in CRATES {
        for (file, parsed) in each.sources() {
            for (name, fields) in Types::of(&parsed).fields {
                if fields >= TOO_MANY_FIELDS {
                    let place = file.display();
                    large.push(format!("{}/{place}: {name} has {fields}", each.folder));
                }
            }
        }
    }
    assert!(large.is_empty(), "these have too many fields:\n{}", large.join("\n"));
}

#[test]
fn a_name_of_a_type_stands_once_in_core() {
    let mut places: BTreeMap<String, Vec<String>> = BTreeMap::new();
    for (file, parsed) in CRATES[0].sources() {
        for name in Types::of(&parsed).names {
            places.entry(name).or_default().push(file.display().to_string());
        }
    }
    assert!(places.len() > 300, "the types were not found");
    let twice: Vec<_> = places
        .into_iter()
        .filter(|(_, files)| files.len() > 1)
        .map(|(name, files)| format!("{name}: {}", files.join(", ")))
        .collect();
    assert!(twice.is_empty(), "these names stand more than once:\n{}", twice.join("\n"));
}

#[test]
fn the_reader_of_types_sees_names_and_fields() {
    let file = syn::parse_file(
        "struct Pair(u8, u8);
         slugs! { pub enum Word { A => \"a\" } }
         enum Shape { Circle { x: u8, y: u8, r: u8 } }
         type Short = Pair;
         mod tests { struct Pair; }",
    )
    .expect("code that parses");
    let types = Types::of(&file);
    assert_eq!(types.names, ["Pair", "Word", "Shape", "Short"]);
    assert_eq!(types.fields, [("Pair".to_owned(), 2), ("Shape::Circle".to_owned(), 3)]);
}
