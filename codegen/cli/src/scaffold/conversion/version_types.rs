//! Types of one API version: declarations, and resolution of names in its files.

use genclient_syntax::names::ident;
use syn::ext::IdentExt as _;
use syn::{Fields, Ident, ImplItem, Item, ItemImpl, ItemUse, Path, Type, UseTree, Visibility};

use crate::scaffold::existing::ExistingProject;
use crate::scaffold::files::Scaffold;
use crate::scaffold::modules;

/// The types declared by the module of a version and its submodules.
pub(super) struct VersionTypes {
    /// The path of the version's module: `crate::apis::batch::v1`.
    pub(super) module_path: String,
    /// The version's own module, then its submodules.
    files: Vec<DeclaringModule>,
}

/// The version's own module, or a submodule of it, which may be inline.
struct DeclaringModule {
    /// The path of the file that contains the module, relative to the project folder.
    path: String,
    /// The submodule; `None` for the version's own module.
    module: Option<Ident>,
    is_public: bool,
    items: Vec<Item>,
}

/// A type of a version, by the indices of its file and item.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct TypeId {
    pub(super) file: usize,
    item: usize,
}

/// The type that a path resolves to.
pub(super) enum ResolvedType {
    /// A type of the version.
    Own(TypeId),
    /// Any other type, by its path.
    Other(Vec<String>),
}

impl VersionTypes {
    /// Reads the files of a module; `None` if its own file is missing or not Rust.
    pub(super) fn parse_module(
        module_path: &str,
        existing: &ExistingProject,
        files: &mut Scaffold,
    ) -> Option<Self> {
        let folder = modules::module_folder(module_path, existing);
        let mut read = |path: String| {
            let items = syn::parse_file(&files.read_text(&path)?).ok()?.items;
            Some((path, items))
        };
        let (path, items) =
            read(format!("{folder}.rs")).or_else(|| read(format!("{folder}/mod.rs")))?;
        let mut all = Vec::new();
        for item in &items {
            let Item::Mod(module) = item else { continue };
            let name = module.ident.unraw();
            let (path, items) = match &module.content {
                Some((_, items)) => (path.clone(), items.clone()),
                None => match read(format!("{folder}/{name}.rs"))
                    .or_else(|| read(format!("{folder}/{name}/mod.rs")))
                {
                    Some(found) => found,
                    None => continue,
                },
            };
            all.push(DeclaringModule {
                path,
                module: Some(module.ident.clone()),
                is_public: is_visible(&module.vis),
                items,
            });
        }
        let own = DeclaringModule {
            path,
            module: None,
            is_public: true,
            items,
        };
        all.insert(0, own);
        Some(Self {
            module_path: module_path.to_owned(),
            files: all,
        })
    }

    /// The last segment of the module path, by which other files refer to the module.
    pub(super) fn module(&self) -> String {
        let last = self.module_path.rsplit("::").next().unwrap_or_default();
        ident(last.trim_start_matches("r#")).to_string()
    }

    /// The path of the file that declares a type.
    pub(super) fn file_of(&self, name: &str) -> Option<&str> {
        let id = self.find(name)?;
        Some(&self.files[id.file].path)
    }

    /// Finds a type that the module declares or re-exports.
    pub(super) fn find(&self, name: &str) -> Option<TypeId> {
        self.declared(0, name).or_else(|| {
            let mut files = 1..self.files.len();
            files.find_map(|file| self.declared(file, name).filter(|id| self.exports(*id)))
        })
    }

    pub(super) fn item(&self, id: TypeId) -> &Item {
        &self.files[id.file].items[id.item]
    }

    fn declared(&self, file: usize, name: &str) -> Option<TypeId> {
        let mut items = self.files[file].items.iter();
        let item = items.position(|item| type_name(item).is_some_and(|ident| ident == name))?;
        Some(TypeId { file, item })
    }

    /// True if the version's own module re-exports the type.
    fn exports(&self, id: TypeId) -> bool {
        self.imports_from(id, |import| is_visible(&import.vis))
    }

    fn imports_from(&self, id: TypeId, is_wanted: impl Fn(&ItemUse) -> bool) -> bool {
        let Some(module) = &self.files[id.file].module else {
            return true;
        };
        let name = type_name(self.item(id))
            .map(Ident::to_string)
            .unwrap_or_default();
        list_imports(&self.files[0].items)
            .filter(|(import, _)| is_wanted(import))
            .any(|(_, path)| match &path[..] {
                [.., of, last] => module == of && (*last == name || last == "*"),
                _ => false,
            })
    }

    /// The path by which code refers to a type, relative to the version's module; `None` if the
    /// code cannot access the type. `from_outside` is true for code outside of that module.
    pub(super) fn path(&self, id: TypeId, from_outside: bool) -> Option<String> {
        let file = &self.files[id.file];
        let name = type_name(self.item(id))?;
        let is_seen =
            is_visible(item_visibility(self.item(id))?) || (id.file == 0 && !from_outside);
        if !is_seen {
            return None;
        }
        match &file.module {
            Some(module) if !self.imports_from(id, |it| !from_outside || is_visible(&it.vis)) => {
                (!from_outside || file.is_public).then(|| format!("{module}::{name}"))
            }
            _ => Some(name.to_string()),
        }
    }

    /// Resolves a path in a file to a type.
    pub(super) fn resolve(&self, file: usize, path: &Path) -> ResolvedType {
        let path: Vec<_> = path
            .segments
            .iter()
            .map(|it| it.ident.to_string())
            .collect();
        if let [name] = &path[..] {
            if let Some(id) = self.declared(file, name) {
                return ResolvedType::Own(id);
            }
            let mut imports: Vec<_> = list_imports(&self.files[file].items).collect();
            imports.retain(|(_, import)| import.last().is_some_and(|last| last == name));
            if let Some((_, import)) = imports.pop() {
                return self.resolve_segments(import);
            }
            let sees_all = file == 0 || self.globs(file);
            return match self.find(name).filter(|_| sees_all) {
                Some(id) => ResolvedType::Own(id),
                None => ResolvedType::Other(path),
            };
        }
        self.resolve_segments(path)
    }

    fn resolve_segments(&self, path: Vec<String>) -> ResolvedType {
        let [.., of, name] = &path[..] else {
            return ResolvedType::Other(path);
        };
        // In a submodule, `super::Mode` is a type of this version. `super::super::v1::Mode` is a
        // type of this version only if the version's module is `v1`.
        let is_here = match path.iter().filter(|it| *it == "super").count() {
            0 => of == "self" || path.contains(&self.module()) || path.len() == 2,
            1 => true,
            _ => path.contains(&self.module()),
        };
        let of_module = |file: &DeclaringModule| file.module.as_ref().is_some_and(|it| it == of);
        let found = match self.files.iter().position(of_module) {
            Some(file) => self.declared(file, name),
            None if of == "super" || of == "self" || *of == self.module() => self.find(name),
            None => None,
        };
        match found.filter(|_| is_here) {
            Some(id) => ResolvedType::Own(id),
            None => ResolvedType::Other(path),
        }
    }

    fn globs(&self, file: usize) -> bool {
        list_imports(&self.files[file].items).any(|(_, path)| path == ["super", "*"])
    }

    /// The `impl` items of a trait in all files, each as the path of the trait and the type.
    pub(super) fn impls<'a>(&'a self, of: &'a str) -> impl Iterator<Item = (&'a Path, &'a Type)> {
        self.items_of(of).filter_map(|item| {
            let (path, _) = item.trait_.as_ref()?;
            Some((path, &*item.self_ty))
        })
    }

    fn items_of<'a>(&'a self, of: &'a str) -> impl Iterator<Item = &'a ItemImpl> {
        let items = self.files.iter().flat_map(|file| &file.items);
        items.filter_map(move |item| match item {
            Item::Impl(item) => {
                let (path, _) = item.trait_.as_ref()?;
                (path.segments.last()?.ident == of).then_some(item)
            }
            _ => None,
        })
    }

    /// The hub that an `impl Spoke` for the type `name` converts to. If `module` is set, the type
    /// must be written with that module, as in files of the parent module: `v1::Task`.
    pub(super) fn hub_of(&self, name: &str, module: Option<&str>) -> Option<Path> {
        self.items_of("Spoke").find_map(|item| {
            let path = type_path(&item.self_ty)?;
            let mut segments = path.segments.iter().rev();
            let is_meant = segments.next()?.ident == name
                && module.is_none_or(|of| segments.next().is_some_and(|it| it.ident == of));
            let mut types = item.items.iter().filter_map(|it| match it {
                ImplItem::Type(it) if it.ident == "Hub" => type_path(&it.ty),
                _ => None,
            });
            types.next().filter(|_| is_meant).cloned()
        })
    }
}

/// The path of a type that is written as a path, such as `v1::Mode`.
pub(super) fn type_path(ty: &Type) -> Option<&Path> {
    match ty {
        Type::Path(ty) if ty.qself.is_none() => Some(&ty.path),
        _ => None,
    }
}

/// True if all fields are visible to other modules.
pub(super) fn are_visible(fields: &Fields) -> bool {
    fields.iter().all(|field| is_visible(&field.vis))
}

fn is_visible(visibility: &Visibility) -> bool {
    !matches!(visibility, Visibility::Inherited)
}

fn item_visibility(item: &Item) -> Option<&Visibility> {
    match item {
        Item::Struct(item) => Some(&item.vis),
        Item::Enum(item) => Some(&item.vis),
        _ => None,
    }
}

fn type_name(item: &Item) -> Option<&Ident> {
    match item {
        Item::Struct(item) => Some(&item.ident),
        Item::Enum(item) => Some(&item.ident),
        Item::Type(item) => Some(&item.ident),
        _ => None,
    }
}

/// The imports of a file with their paths. Globs end in `*`, and renamed imports in the new name.
fn list_imports(items: &[Item]) -> impl Iterator<Item = (&ItemUse, Vec<String>)> {
    let imports = items.iter().filter_map(|item| match item {
        Item::Use(import) => Some(import),
        _ => None,
    });
    imports.flat_map(|import| {
        let mut paths = Vec::new();
        collect_use_paths(&import.tree, &mut Vec::new(), &mut paths);
        paths.into_iter().map(move |path| (import, path))
    })
}

fn collect_use_paths(tree: &UseTree, above: &mut Vec<String>, paths: &mut Vec<Vec<String>>) {
    let mut push = |last: String| paths.push([&above[..], &[last]].concat());
    match tree {
        UseTree::Path(path) => {
            above.push(path.ident.to_string());
            collect_use_paths(&path.tree, above, paths);
            above.pop();
        }
        UseTree::Name(name) => push(name.ident.to_string()),
        UseTree::Rename(name) => push(name.rename.to_string()),
        UseTree::Glob(_) => push("*".to_owned()),
        UseTree::Group(group) => {
            for tree in &group.items {
                collect_use_paths(tree, above, paths);
            }
        }
    }
}

/// True if both have named fields, both have none, or both have the same number of tuple fields.
pub(super) fn are_alike(one: &Fields, other: &Fields) -> bool {
    match (one, other) {
        (Fields::Named(_), Fields::Named(_)) | (Fields::Unit, Fields::Unit) => true,
        (Fields::Unnamed(one), Fields::Unnamed(other)) => one.unnamed.len() == other.unnamed.len(),
        _ => false,
    }
}
