//! Sources of a package: module trees that were read, and the crates and files still unloaded.

mod names;

use std::cell::OnceCell;
use std::collections::{BTreeMap, BTreeSet};
use std::iter;
use std::ops::{Index, IndexMut};
use std::path::PathBuf;
use std::sync::Arc;

use genclient_schema::kubernetes::Release;
use syn::spanned::Spanned;
use syn::{Attribute, Item, Visibility};

use crate::diagnostic::{Diagnostic, Location, SourceText};
use crate::model::Schema;
use crate::project::{CrateNames, Nullable, Project};
pub use names::bare_name;
pub(crate) use names::{Import, ModuleNames, Namespace, defined_name};

/// Index of a module in [`Sources`].
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct ModuleId(usize);

impl ModuleId {
    /// The API module.
    pub const API: Self = Self(0);
}

/// Index of a crate in [`Sources`].
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct CrateId(usize);

impl CrateId {
    /// The crate with the API types.
    pub const OWN: Self = Self(0);
}

/// Id of an item: its module, and its index in that module's items.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct DefId {
    pub(crate) module: ModuleId,
    index: usize,
}

/// Modules and crates of a package, read or not, and settings for resolving their types.
pub struct Sources {
    /// All modules. The API module is the first, and the `parent` of each module precedes it.
    modules: Vec<Module>,
    /// The files of the API types, which are read immediately instead of on demand.
    pub files: Vec<Arc<SourceText>>,
    /// Known crates. The first is the crate with the API types.
    crates: Vec<Crate>,
    /// The state of cargo's answer about packages.
    pub packages: CargoAnswer,
    /// The parent of the API module in its crate, and the API module's name there, once they are
    /// known.
    pub above_api: Option<(ModuleId, String)>,
    /// The release of Kubernetes' types that the package uses.
    pub kubernetes: Release,
    /// True for schemars 0.8, which has fewer attributes.
    pub has_old_schemars: bool,
    /// Schemas that Cargo.toml states for types, by path.
    pub stated: BTreeMap<String, Schema>,
    /// The tool whose rules decide `nullable` in kinds with kube's derive; `None` for genclient's
    /// own rules.
    pub nullable: Option<Nullable>,
    /// The module of the admission webhooks, if there is one.
    pub webhooks: Option<ModuleId>,
    /// The module of the controllers, if there is one.
    pub controllers: Option<ModuleId>,
    /// True if an unreadable module of the API types was skipped. Stale files are then kept, since
    /// they may be of kinds in that module.
    pub is_partial: bool,
    /// Candidate files of `#[cfg(test)]` modules. They are not read, and `load` does not report
    /// them as files outside the module tree.
    pub(crate) tests: Vec<PathBuf>,
    /// Modules outside the API module that derive kinds with kube or call macros. Their kinds are
    /// reported as unloaded.
    pub hidden: Vec<ModuleId>,
    /// The name by which other crates refer to the crate with the API types.
    pub library: String,
    /// Location of the API module, by which `load` recognizes it among the modules of its crate.
    pub(crate) api: ApiRoot,
}

/// A crate whose modules may be read.
#[derive(Debug)]
pub struct Crate {
    /// The name of its library; `crate` for the crate with the API types, empty for other crates of
    /// the package.
    pub name: String,
    /// Its root file.
    pub file: PathBuf,
    /// True if it comes from a registry or from git, so that its source cannot be edited.
    pub foreign: bool,
    /// Its dependencies, by the names that it uses for them.
    pub dependencies: BTreeMap<String, CrateId>,
    /// Names of dependencies that cargo has to locate and has not located yet.
    pub elsewhere: BTreeSet<String>,
    /// Its enabled features; empty for the crate with the API types, whose features are in the
    /// project.
    pub features: BTreeSet<String>,
    /// Its root module, once it is loaded.
    pub root: Option<ModuleId>,
}

/// State of cargo's answer about packages.
#[derive(Debug)]
pub enum CargoAnswer {
    /// Cargo has not been asked.
    Unasked,
    /// Cargo has listed the packages for the default features.
    OfDefaultFeatures,
    /// Cargo has listed the packages for all features.
    OfAllFeatures,
    /// Cargo has failed.
    Failed(Diagnostic),
}

/// One module. The API module counts as a root, even if another module declares it.
pub struct Module {
    /// Its name; empty for a root.
    pub name: String,
    /// The crate that it is part of.
    pub krate: CrateId,
    /// The module that contains it; `None` for a root.
    pub parent: Option<ModuleId>,
    /// Its child modules.
    pub children: Vec<ModuleId>,
    /// True for the API module and the modules below it, which are searched for kinds.
    pub is_api: bool,
    /// Its visibility.
    pub visibility: Visibility,
    /// Its `mod` line; `None` for a root.
    pub declared: Option<Location>,
    /// The attributes on it.
    pub attrs: Vec<Attribute>,
    /// The file that its items are in.
    pub source: Arc<SourceText>,
    /// Its items, except modules.
    pub items: Vec<Item>,
    /// Positions in `items` of the impls of `Serialize` and `JsonSchema`.
    pub trait_impls: Vec<usize>,
    /// The names of its items, collected by the first lookup.
    pub(crate) names: OnceCell<ModuleNames>,
    /// Whether it was read.
    pub content: ModuleState,
}

/// State of a module: read, unloaded or unreadable.
pub enum ModuleState {
    /// The module was read.
    Read,
    /// The module has not been read.
    Unloaded(ModuleFile),
    /// The module cannot be read.
    Unreadable(Diagnostic),
}

/// Location of a module's file.
pub struct ModuleFile {
    /// Candidate paths.
    pub(crate) candidates: Vec<PathBuf>,
    /// True if child modules are beside the file, whatever its name: for a crate's root, and for a
    /// file that `#[path]` names.
    pub(crate) beside: bool,
}

/// Location of the API module.
pub(crate) struct ApiRoot {
    pub(crate) file: PathBuf,
    /// The module names from the crate's root to the API module, if it is inline; else empty.
    pub(crate) inline: Vec<String>,
}

impl Sources {
    /// Returns the sources of a project before anything is read.
    pub fn unloaded(project: &Project) -> Self {
        Self {
            modules: Vec::new(),
            files: Vec::new(),
            crates: Crate::unloaded(project),
            packages: CargoAnswer::Unasked,
            above_api: None,
            kubernetes: project.versions.kubernetes,
            has_old_schemars: project.versions.has_old_schemars(),
            stated: project.schemas.clone(),
            nullable: project.nullable,
            webhooks: None,
            controllers: None,
            is_partial: false,
            tests: Vec::new(),
            hidden: Vec::new(),
            library: project.library.clone(),
            api: ApiRoot {
                file: PathBuf::new(),
                inline: Vec::new(),
            },
        }
    }

    /// Adds a module below its parent.
    pub fn add_module(&mut self, module: Module) -> ModuleId {
        let id = ModuleId(self.modules.len());
        if let Some(parent) = module.parent {
            self[parent].children.push(id);
        }
        self.modules.push(module);
        id
    }

    /// Adds a crate.
    pub fn add_crate(&mut self, krate: Crate) -> CrateId {
        let id = CrateId(self.crates.len());
        self.crates.push(krate);
        id
    }

    /// Returns every known crate.
    pub fn crates(&self) -> impl Iterator<Item = (CrateId, &Crate)> {
        let crates = self.crates.iter().enumerate();
        crates.map(|(at, krate)| (CrateId(at), krate))
    }

    /// Returns every known module.
    pub fn modules(&self) -> impl Iterator<Item = (ModuleId, &Module)> {
        let modules = self.modules.iter().enumerate();
        modules.map(|(at, module)| (ModuleId(at), module))
    }

    /// Returns the items of a module with their ids.
    pub(crate) fn items(&self, module: ModuleId) -> impl Iterator<Item = (DefId, &Item)> {
        let items = self[module].items.iter().enumerate();
        items.map(move |(index, item)| (DefId { module, index }, item))
    }

    /// Returns the items of `module` that define `name`, in their order in the source. There are
    /// several if they are for different `cfg`s.
    pub(crate) fn items_named<'a>(
        &'a self,
        module: ModuleId,
        name: &str,
        namespace: Namespace,
    ) -> impl Iterator<Item = (DefId, &'a Item)> + use<'a> {
        let found = self.names(module).items(name, namespace).iter();
        found.map(move |&index| (DefId { module, index }, &self[module].items[index]))
    }

    /// Returns the API module and the modules below it.
    pub fn api_modules(&self) -> impl Iterator<Item = (ModuleId, &Module)> {
        self.modules().filter(|(_, module)| module.is_api)
    }

    /// Returns the modules that may declare admission webhooks: the API modules, and the webhook
    /// module with every module below it.
    pub fn webhook_modules(&self) -> BTreeSet<ModuleId> {
        self.api_and_below(self.webhooks)
    }

    /// Returns the modules that may declare RBAC rules: the modules that may declare webhooks, and
    /// the controller module with every module below it.
    pub fn rbac_modules(&self) -> BTreeSet<ModuleId> {
        self.api_and_below(self.webhooks.into_iter().chain(self.controllers))
    }

    /// Returns the controller module with every module below it.
    pub fn controller_modules(&self) -> BTreeSet<ModuleId> {
        self.below(self.controllers)
    }

    /// Returns the API modules, and `roots` with every module below them.
    pub(crate) fn api_and_below(
        &self,
        roots: impl IntoIterator<Item = ModuleId>,
    ) -> BTreeSet<ModuleId> {
        let mut found: BTreeSet<_> = self.api_modules().map(|(id, _)| id).collect();
        found.append(&mut self.below(roots));
        found
    }

    /// Returns `roots` with every module below them.
    fn below(&self, roots: impl IntoIterator<Item = ModuleId>) -> BTreeSet<ModuleId> {
        let mut found = BTreeSet::new();
        let mut open: Vec<_> = roots.into_iter().collect();
        while let Some(id) = open.pop() {
            if found.insert(id) {
                open.extend(&self[id].children);
            }
        }
        found
    }

    pub(crate) fn names(&self, module: ModuleId) -> &ModuleNames {
        let module = &self[module];
        module
            .names
            .get_or_init(|| ModuleNames::from_items(&module.items))
    }
}

impl Crate {
    /// Returns the crate of a project, and its path dependencies.
    fn unloaded(project: &Project) -> Vec<Self> {
        // Index 0 is the crate of the project, so path dependencies start at 1.
        let ids = |names: &CrateNames| {
            let local = names.local.iter();
            local
                .map(|(name, at)| (name.clone(), CrateId(at + 1)))
                .collect()
        };
        let own = Self {
            name: "crate".to_owned(),
            file: project.crate_root.clone(),
            foreign: false,
            dependencies: ids(&project.dependencies),
            elsewhere: project.dependencies.elsewhere.clone(),
            features: BTreeSet::new(),
            root: None,
        };
        let local = project.local.iter().map(|krate| Self {
            name: krate.name.clone(),
            file: krate.root.clone(),
            foreign: false,
            dependencies: ids(&krate.dependencies),
            elsewhere: krate.dependencies.elsewhere.clone(),
            features: krate.features.clone(),
            root: None,
        });
        iter::once(own).chain(local).collect()
    }
}

impl Index<ModuleId> for Sources {
    type Output = Module;

    fn index(&self, ModuleId(at): ModuleId) -> &Module {
        &self.modules[at]
    }
}

impl IndexMut<ModuleId> for Sources {
    fn index_mut(&mut self, ModuleId(at): ModuleId) -> &mut Module {
        &mut self.modules[at]
    }
}

impl Index<CrateId> for Sources {
    type Output = Crate;

    fn index(&self, CrateId(at): CrateId) -> &Crate {
        &self.crates[at]
    }
}

impl IndexMut<CrateId> for Sources {
    fn index_mut(&mut self, CrateId(at): CrateId) -> &mut Crate {
        &mut self.crates[at]
    }
}

impl Index<DefId> for Sources {
    type Output = Item;

    fn index(&self, id: DefId) -> &Item {
        &self[id.module].items[id.index]
    }
}

/// Returns whether the attribute is `#[cfg(test)]`.
pub fn is_cfg_test(attr: &Attribute) -> bool {
    attr.path().is_ident("cfg")
        && attr
            .parse_args::<syn::Path>()
            .is_ok_and(|path| path.is_ident("test"))
}

impl Module {
    /// Returns the location of a node in the module's file.
    pub fn locate(&self, node: &impl Spanned) -> Location {
        Location::new(&self.source, node.span())
    }
}
