//! Lookup of paths in the API types, and paths for generated code.

use std::cell::RefCell;
use std::collections::{BTreeMap, BTreeSet};
use std::iter;

use genclient_syntax::names::ident;
use syn::Item;

use crate::diagnostic::Diagnostic;
use crate::known::is_known;
use crate::lookup::{self, PathLookup, Reach, Target};
pub(super) use crate::lookup::{is_public, type_name as item_name};
use crate::sources::{CargoAnswer, DefId, ModuleId, ModuleState, Namespace, Sources};

/// Result of the lookup of a path.
#[derive(Clone)]
pub(super) enum Found<'a> {
    /// An item of this crate or another.
    Item(DefId, &'a Item),
    /// A path into a crate that is not searched, or a single name without a definition in source: a
    /// primitive type, a name of the standard prelude, or an unknown name.
    Foreign(Vec<String>),
    /// The path leads through a file or crate that cannot be read. The diagnostic has the reason.
    Unreadable(&'a Diagnostic),
}

/// Result of an earlier lookup.
enum KnownPath {
    Item(DefId),
    Foreign(Vec<String>),
}

/// Lookup of paths that the API types use.
///
/// A path through an unloaded file does not resolve in this pass. It is collected as wanted, so
/// that the file is loaded before the next pass.
pub(super) struct Paths<'a> {
    sources: &'a Sources,
    /// Path of the API module in generated code, such as `crate::apis`.
    types: &'a str,
    /// Results, since many fields have the same type.
    known: RefCell<BTreeMap<PathLookup, KnownPath>>,
    wanted: RefCell<BTreeSet<PathLookup>>,
}

impl<'a> Paths<'a> {
    pub(super) fn new(sources: &'a Sources, types: &'a str) -> Self {
        Self {
            sources,
            types,
            known: RefCell::default(),
            wanted: RefCell::default(),
        }
    }

    pub(super) fn into_wanted(self) -> BTreeSet<PathLookup> {
        self.wanted.into_inner()
    }

    /// Adds a path that leads through an unloaded file.
    pub(super) fn want(&self, path: PathLookup) {
        self.wanted.borrow_mut().insert(path);
    }

    /// Looks up a type from inside `module`.
    pub(super) fn find(&self, module: ModuleId, path: &syn::Path) -> Option<Found<'a>> {
        self.follow(PathLookup::new(module, path, Namespace::Types))
    }

    /// Looks up a function, a constant or a static from inside `module`.
    pub(super) fn find_value(&self, module: ModuleId, path: &syn::Path) -> Option<Found<'a>> {
        self.follow(PathLookup::new(module, path, Namespace::Values))
    }

    /// Looks up a path in the crates that `reach` allows, without collecting it as wanted.
    pub(super) fn look_up(&self, path: &PathLookup, reach: Reach) -> Option<Target<'a>> {
        lookup::find_target(self.sources, path, self.types, reach)
    }

    fn follow(&self, path: PathLookup) -> Option<Found<'a>> {
        if let Some(known) = self.known.borrow().get(&path) {
            return Some(match known {
                KnownPath::Item(id) => Found::Item(*id, &self.sources[*id]),
                KnownPath::Foreign(names) => Found::Foreign(names.clone()),
            });
        }
        let found = self.search(&path)?;
        let known = match &found {
            Found::Item(id, _) => KnownPath::Item(*id),
            Found::Foreign(names) => KnownPath::Foreign(names.clone()),
            Found::Unreadable(_) => return Some(found),
        };
        self.known.borrow_mut().insert(path, known);
        Some(found)
    }

    fn search(&self, path: &PathLookup) -> Option<Found<'a>> {
        match self.look_up(path, Reach::Everywhere)? {
            Target::Item(id, item) => Some(Found::Item(id, item)),
            Target::Foreign(path) => Some(Found::Foreign(path)),
            Target::Unreadable(module) => match &self.sources[module].content {
                ModuleState::Unreadable(why) => Some(Found::Unreadable(why)),
                _ => None,
            },
            Target::NoPackages => match &self.sources.packages {
                CargoAnswer::Failed(why) => Some(Found::Unreadable(why)),
                _ => None,
            },
            Target::Unloaded(_) => {
                self.want(path.clone());
                None
            }
            Target::Module(_) | Target::Extern(..) => None,
        }
    }

    /// Returns a path that generated code can use for a type that is named inside `module`.
    pub(super) fn type_path(&self, module: ModuleId, path: &syn::Path) -> Option<String> {
        let types = self.types;
        let path = PathLookup::new(module, path, Namespace::Types);
        match self.look_up(&path, Reach::Api)? {
            Target::Item(id, item) => {
                let below = self.public_path(id.module, &item_name(item)?).ok()?;
                Some(format!("{types}::{below}"))
            }
            Target::Foreign(path) => match &path[..] {
                // `crate` means the crate of the types, which may differ from that of the clients.
                [first, rest @ ..] if first == "crate" => {
                    let krate = types.split("::").next().unwrap_or("crate");
                    Some(format!("{krate}::{}", rest.join("::")))
                }
                [_] if !is_known(&path) => None,
                path => Some(path.join("::")),
            },
            Target::Unloaded(_) => {
                self.want(path);
                None
            }
            _ => None,
        }
    }

    /// Returns the full path of a type in another crate, with imports followed. Any other path is
    /// returned as written. A leading `crate` is replaced by the name of the module's crate.
    pub(super) fn spelled(&self, module: ModuleId, path: &syn::Path) -> String {
        let sources = self.sources;
        let path = PathLookup::new(module, path, Namespace::Types);
        let mut spelled = match self.look_up(&path, Reach::Api) {
            Some(Target::Foreign(path)) => path,
            _ => path.segments,
        };
        if let Some(first) = spelled.first_mut().filter(|first| *first == "crate") {
            first.clone_from(&sources[sources[module].krate].name);
        }
        spelled.join("::")
    }

    /// Returns the path of an item's definition: `other::inner::Thing`.
    pub(super) fn definition(&self, module: ModuleId, name: &str) -> String {
        format!("{}::{name}", self.of_module(module))
    }

    /// Returns the path of a module: `other::inner`.
    pub(super) fn of_module(&self, module: ModuleId) -> String {
        let (sources, types) = (self.sources, self.types);
        let mut path: Vec<&str> = Vec::new();
        let mut at = module;
        while let Some(parent) = sources[at].parent {
            path.insert(0, &sources[at].name);
            at = parent;
        }
        let krate = &sources[sources[module].krate].name;
        path.insert(0, if at == ModuleId::API { types } else { krate });
        path.join("::")
    }

    /// Returns the path by which generated code refers to the item `name` of a module of the
    /// package's crate.
    ///
    /// # Errors
    ///
    /// As [`Self::public_path`].
    pub(super) fn own_path(&self, module: ModuleId, name: &str) -> Result<String, ModuleId> {
        let path = self.public_path(module, name)?;
        let above = if self.is_in_api(module) {
            self.types
        } else {
            self.own_crate()
        };
        Ok(format!("{above}::{path}"))
    }

    /// Returns the name by which generated code refers to the crate of the types.
    pub(super) fn own_crate(&self) -> &'a str {
        self.types.split("::").next().unwrap_or("crate")
    }

    fn is_in_api(&self, module: ModuleId) -> bool {
        let parent = |id: &ModuleId| self.sources[*id].parent;
        iter::successors(Some(module), parent).last() == Some(ModuleId::API)
    }

    /// Returns the path of the item `name` of `module` relative to the API module, or to the root
    /// of its crate if it is in another module, through public modules or a `pub use`.
    ///
    /// # Errors
    ///
    /// Returns the innermost module that hides the item: it is private, and its parent does not
    /// re-export the item.
    pub(super) fn public_path(&self, module: ModuleId, name: &str) -> Result<String, ModuleId> {
        let sources = self.sources;
        let mut path = vec![name.to_owned()];
        let mut at = module;
        loop {
            let current = &sources[at];
            let Some(parent) = current.parent else {
                let raw = path.iter().map(|name| ident(name).to_string());
                return Ok(raw.collect::<Vec<_>>().join("::"));
            };
            // Private items in the crate root are visible in the whole crate.
            let in_own_root = sources[parent].parent.is_none()
                && match parent {
                    ModuleId::API => self.types == "crate",
                    _ => self.own_crate() == "crate",
                };
            if is_public(&current.visibility) {
                path.insert(0, current.name.clone());
            } else if let Some(exported) = re_export(sources, parent, &current.name, &path) {
                let (name, rest) = exported;
                path = rest;
                path[0] = name;
            } else if in_own_root {
                path.insert(0, current.name.clone());
            } else {
                return Err(at);
            }
            at = parent;
        }
    }
}

/// The error for a type that generated code cannot reach: the module `hidden` above the type is
/// private. If `hidden` is `None`, the type itself is private. `item` says what the type is.
pub(super) fn unreachable_error(
    (name, item): (&syn::Ident, &str),
    hidden: Option<ModuleId>,
    sources: &Sources,
) -> Diagnostic {
    let private = hidden.map(|id| &sources[id]);
    let (why, help) = match private {
        Some(module) => (
            "a module above it is private",
            format!(
                "write `pub mod {}`, or re-export the type with `pub use`",
                module.name
            ),
        ),
        None => ("it is private", format!("make the {item} `pub`")),
    };
    let finding =
        Diagnostic::error(format!("generated code cannot reach `{name}`: {why}")).help(help);
    match private.and_then(|module| module.declared.clone()) {
        Some(place) => finding.label(place, "the private module"),
        None => finding,
    }
}

/// Path as written, without generic arguments.
pub(super) fn display(path: &syn::Path) -> String {
    let names: Vec<_> = path
        .segments
        .iter()
        .map(|segment| segment.ident.to_string())
        .collect();
    names.join("::")
}

/// Finds a `pub use child::…` in `module` that exports the item at `path`, or a module above the
/// item. `path` is relative to the private module `child`.
///
/// Returns the exported name, and the path of the item relative to `module`, which begins with that
/// name. For the path `a::Item`, `pub use child::a as b` results in `b` and `b::Item`.
fn re_export(
    sources: &Sources,
    module: ModuleId,
    child: &str,
    path: &[String],
) -> Option<(String, Vec<String>)> {
    for import in sources.names(module).all_imports() {
        let Item::Use(item) = &sources[module].items[import.item] else {
            continue;
        };
        if !is_public(&item.vis) {
            continue;
        }
        let target = match import.path.first().map(String::as_str) {
            Some("self") => &import.path[1..],
            _ => &import.path[..],
        };
        if target.first().map(String::as_str) != Some(child) {
            continue;
        }
        let below = &target[1..];
        if import.glob && below.is_empty() {
            return Some((path[0].clone(), path.to_vec()));
        }
        let used = below.len();
        if !import.glob && used > 0 && path.starts_with(below) {
            let mut rest = path[used - 1..].to_vec();
            rest[0].clone_from(&import.name);
            return Some((import.name.clone(), rest));
        }
    }
    None
}
