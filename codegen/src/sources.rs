//! Module trees of syntax trees: what `load` has read, and what is known of the rest.

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
pub(crate) use names::{Import, ModuleNames, Namespace, named};

/// A module of [`Sources`].
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct ModuleId(usize);

impl ModuleId {
    /// The API module.
    pub const API: Self = Self(0);
}

/// A crate of [`Sources`].
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct CrateId(usize);

impl CrateId {
    /// The crate with the API types.
    pub const OWN: Self = Self(0);
}

/// The module of the API types and everything below it, and what else their types have led to.
pub struct Sources {
    /// The first is the API module, and a parent stands before its children.
    modules: Vec<Module>,
    /// Every file of the API types that was read at once.
    pub files: Vec<Arc<SourceText>>,
    /// The crates that are known of; the first is the one with the API types.
    crates: Vec<Crate>,
    /// What cargo said of the packages.
    pub packages: CargoAnswer,
    /// The module of the crate that the API module stands in, and its name there, once that is
    /// known.
    pub above_api: Option<(ModuleId, String)>,
    /// What the package knows of Kubernetes' types.
    pub kubernetes: Release,
    /// True for schemars 0.8, which has fewer attributes.
    pub has_old_schemars: bool,
    /// Schemas that the package states for types, by path.
    pub stated: BTreeMap<String, Schema>,
    /// Whose `nullable` the schemas of kube's kinds have, if not ours.
    pub nullable: Option<Nullable>,
    /// The module of the admission webhooks, if there is one.
    pub webhooks: Option<ModuleId>,
    /// The module of the controllers, if there is one.
    pub controllers: Option<ModuleId>,
    /// True if a module of the API types was passed over, which may have had kinds before.
    pub is_partial: bool,
    /// Where the files of modules for tests may be, which are not read.
    pub(crate) tests: Vec<PathBuf>,
    /// Modules of the package beside the API types that have kinds of kube, or call macros, and are
    /// not searched for kinds.
    pub hidden: Vec<ModuleId>,
    /// The name under which other crates know the one with the API types.
    pub library: String,
    /// Where the API module is, to know it from within its crate.
    pub(crate) api: ApiRoot,
}

/// A crate whose modules may be read.
#[derive(Debug)]
pub struct Crate {
    /// The name of its library; `crate` for the one with the API types.
    pub name: String,
    /// Its root file.
    pub file: PathBuf,
    /// True if it comes from a registry, so that its source is nobody's to change here.
    pub foreign: bool,
    /// The crates that it depends on, by the names it has for them.
    pub dependencies: BTreeMap<String, CrateId>,
    /// Its names for crates that only cargo can find, and of which it did not tell.
    pub elsewhere: BTreeSet<String>,
    /// Its features that are on.
    pub features: BTreeSet<String>,
    /// Its root module, once something has led into it.
    pub root: Option<ModuleId>,
}

/// What cargo said of the packages.
#[derive(Debug)]
pub enum CargoAnswer {
    /// It was not asked.
    Unasked,
    /// It told of those that the package needs with its default features.
    OfDefaultFeatures,
    /// It told of all.
    OfAllFeatures,
    /// It could not tell.
    Failed(Diagnostic),
}

/// One module.
pub struct Module {
    /// Its name; empty for a root.
    pub name: String,
    /// The crate that it is part of.
    pub krate: CrateId,
    /// The module it stands in.
    pub parent: Option<ModuleId>,
    /// Its child modules.
    pub children: Vec<ModuleId>,
    /// True for the API module and the modules below it, which are searched for kinds.
    pub is_api: bool,
    /// Its visibility.
    pub visibility: Visibility,
    /// Its `mod` line; none for a root.
    pub declared: Option<Location>,
    /// The attributes on it.
    pub attrs: Vec<Attribute>,
    /// The file that its items are in.
    pub source: Arc<SourceText>,
    /// What stands in it, modules excepted.
    pub items: Vec<Item>,
    /// Those of its items that are an `impl` of `Serialize` or of `JsonSchema`.
    pub trait_impls: Vec<usize>,
    /// The names of its items, once one was looked up.
    pub(crate) names: OnceCell<ModuleNames>,
    /// Whether it was read.
    pub content: ModuleContent,
}

/// Whether a module was read.
pub enum ModuleContent {
    /// It was.
    Read,
    /// Nothing has led into it yet.
    Unread(ModuleFile),
    /// It cannot be read.
    Unreadable(Diagnostic),
}

/// A file that a module is in.
pub struct ModuleFile {
    /// The places where it may be.
    pub(crate) candidates: Vec<PathBuf>,
    /// True if its children are beside it, whatever its name is: a crate's root, or one named by
    /// `#[path]`.
    pub(crate) beside: bool,
}

/// Where the API module is.
pub(crate) struct ApiRoot {
    pub(crate) file: PathBuf,
    /// The names from the crate's root down to it, if it is an inline module.
    pub(crate) inline: Vec<String>,
}

impl Sources {
    /// The sources of a project before anything is read.
    pub fn unread(project: &Project) -> Self {
        Self {
            modules: Vec::new(),
            files: Vec::new(),
            crates: Crate::unread(project),
            packages: CargoAnswer::Unasked,
            above_api: None,
            kubernetes: project.versions.release(),
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

    /// Returns every crate that is known of.
    pub fn crates(&self) -> impl Iterator<Item = (CrateId, &Crate)> {
        let crates = self.crates.iter().enumerate();
        crates.map(|(at, krate)| (CrateId(at), krate))
    }

    /// Returns every module that is known of.
    pub fn modules(&self) -> impl Iterator<Item = (ModuleId, &Module)> {
        let modules = self.modules.iter().enumerate();
        modules.map(|(at, module)| (ModuleId(at), module))
    }

    /// Returns the API module and the modules below it.
    pub fn api_modules(&self) -> impl Iterator<Item = (ModuleId, &Module)> {
        self.modules().filter(|(_, module)| module.is_api)
    }

    /// Returns the modules that may have admission webhooks: those of the API types, and the module
    /// of the webhooks with everything below it.
    pub fn webhook_modules(&self) -> BTreeSet<ModuleId> {
        self.api_and_below(self.webhooks)
    }

    /// Returns the modules that may have rules of roles: those that may have admission webhooks,
    /// and the module of the controllers with everything below it.
    pub fn rbac_modules(&self) -> BTreeSet<ModuleId> {
        self.api_and_below(self.webhooks.into_iter().chain(self.controllers))
    }

    /// Returns the module of the controllers with everything below it.
    pub fn controller_modules(&self) -> BTreeSet<ModuleId> {
        self.below(self.controllers)
    }

    /// Returns the modules of the API types, and some others with everything below them.
    pub(crate) fn api_and_below(
        &self,
        roots: impl IntoIterator<Item = ModuleId>,
    ) -> BTreeSet<ModuleId> {
        let mut found: BTreeSet<_> = self.api_modules().map(|(id, _)| id).collect();
        found.append(&mut self.below(roots));
        found
    }

    /// Returns some modules with everything below them.
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

    /// The names that stand in a module.
    pub(crate) fn names(&self, module: ModuleId) -> &ModuleNames {
        let module = &self[module];
        module.names.get_or_init(|| ModuleNames::of(&module.items))
    }
}

impl Crate {
    /// The crate of a project, and those at a path that it depends on.
    fn unread(project: &Project) -> Vec<Self> {
        // The first is that of the project.
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

/// True for `#[cfg(test)]`.
pub fn is_cfg_test(attr: &Attribute) -> bool {
    attr.path().is_ident("cfg")
        && attr
            .parse_args::<syn::Path>()
            .is_ok_and(|path| path.is_ident("test"))
}

impl Module {
    /// A place in the module's file.
    pub fn locate(&self, node: &impl Spanned) -> Location {
        Location::of(&self.source, node.span())
    }
}
