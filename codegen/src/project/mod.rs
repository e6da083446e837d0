//! Settings of one package: locations of the API types and of the output, and what to generate.

mod deploy;
mod files;
mod image;
mod kind_table;
mod kinds;
mod local;
mod manifest;
mod selection;
mod toml_errors;
mod versions;

use std::collections::{BTreeMap, BTreeSet};
use std::io;
use std::path::{Path, PathBuf};

use crate::diagnostic::{Diagnostic, Diagnostics};
use crate::inputs;
use crate::model::{Artefact, Schema};
use crate::paths::{display_path, normalize, relative};
pub use deploy::{Certificates, Deploy, ShardBy};
pub use files::Files;
pub use image::BuildContext;
pub use kinds::{StatedDefinition, StatedKind};
pub use local::{CrateNames, LocalCrate, path_dependency};
pub(crate) use manifest::{CUSTOM_RESOURCE, RESOURCE, derives_kind};
use manifest::{CargoManifest, Settings};
pub use manifest::{Nullable, may_have_kind};
pub use selection::{
    CrdFolder, SelectedPackages, StatedAllowance, choose_packages, discover, find_untyped_package,
    no_types_error,
};
pub use versions::{CrateVersion, Versions};

/// One package's settings: the location of its types, of its output, and what to generate.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Project {
    /// The package's name.
    pub name: String,
    /// The domain of the groups of new kinds, if it is set.
    pub domain: Option<String>,
    /// The working directory, which paths in messages are relative to.
    pub working_dir: PathBuf,
    /// The folder of the package's `Cargo.toml`.
    pub dir: PathBuf,
    /// The folder of the module that holds the API types. For a module in one file, this is the
    /// file's path without `.rs`.
    pub apis: PathBuf,
    /// True if Cargo.toml sets `apis`.
    pub are_apis_set: bool,
    /// The crate's root file, where `apis` may be an inline module.
    pub crate_root: PathBuf,
    /// The root files of the package's other crates: its programs, or its library.
    pub other_crates: Vec<PathBuf>,
    /// True if the package has a program.
    pub has_program: bool,
    /// True if a run for a whole workspace includes the package only because its files seem to have
    /// kinds.
    pub is_guessed: bool,
    /// The path of the API module in generated code: `crate::apis`, `demo_api::apis`.
    pub types: String,
    /// The client module.
    pub client: ClientModule,
    /// The module of the admission webhooks: its folder, or its file's path without `.rs`.
    pub webhooks: Option<PathBuf>,
    /// The controller module: its folder, or its file's path without `.rs`. `controllers` in
    /// Cargo.toml names it. The default is `controller` beside the types, if that module has RBAC
    /// rules or the package has deployment settings.
    pub controllers: Option<PathBuf>,
    /// The Rust edition of the package.
    pub edition: String,
    /// The crate name of the library.
    pub library: String,
    /// The folder of the manifests, with `crd/`, `rbac/` and `webhook/`.
    pub config: PathBuf,
    /// Text that every generated file starts with, without comment marks.
    pub boilerplate: Vec<String>,
    /// Module names by group, for groups whose first label is no suitable module name.
    pub group_aliases: BTreeMap<String, String>,
    /// Annotations that every CRD gets.
    pub crd_annotations: BTreeMap<String, String>,
    /// Maximum length of a description in a CRD, in characters; `None` keeps all of it.
    pub max_description_length: Option<usize>,
    /// True if CRDs are applied with `kubectl apply --server-side`, which needs no last-applied
    /// annotation.
    pub server_side_apply: bool,
    /// True if the client has apply configurations.
    pub apply_configurations: bool,
    /// Schemas by the path of a type. Every field that has the type gets the schema.
    pub schemas: BTreeMap<String, Schema>,
    /// The tool whose rules decide `nullable` for kinds of kube's derive; `None` for genclient's
    /// own rules.
    pub nullable: Option<Nullable>,
    /// Kinds for which nothing is generated, by kind, by type name or by path.
    pub skip: BTreeSet<String>,
    /// Stated kinds, with types that a macro or a build generates.
    pub kinds: Vec<StatedKind>,
    /// Storage versions by kind, for kinds that do not mark one in the source.
    pub storage: BTreeMap<String, String>,
    /// Settings of the deployment; without them, no deployment manifests are generated.
    pub deploy: Option<Deploy>,
    /// The features that are on by default.
    pub features: BTreeSet<String>,
    /// The names of the dependencies in the manifest, including dev-dependencies, but without
    /// platform-specific dependencies.
    pub all_dependencies: BTreeSet<String>,
    /// The folder of the crate `genclient`, if it is a path dependency. The other crates of the
    /// runtime are then below this folder, and may be in no registry.
    pub genclient_dir: Option<PathBuf>,
    /// The crates that sources may name. A crate that is no path dependency is located by cargo
    /// once one of its types is used.
    pub dependencies: CrateNames,
    /// The direct and indirect path dependencies.
    pub local: Vec<LocalCrate>,
    /// The versions of the crates that the package is built with.
    pub versions: Versions,
    /// Artefacts whose modules exist in the client folder.
    pub present: BTreeSet<Artefact>,
    /// Texts of module files that the command which reads the package is going to write, by
    /// normalized path. They are read instead of the files on disk.
    pub pending: BTreeMap<PathBuf, String>,
    /// Ends of the paths of module files that may be missing, because the command that reads the
    /// package may create them. Until then, their modules are empty.
    pub optional: BTreeSet<PathBuf>,
}

/// The module that clients are generated into.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct ClientModule {
    /// Its folder.
    pub dir: PathBuf,
    /// Its root file: `mod.rs`, or the crate's root file if the module is the crate's root.
    pub root_file: String,
    /// Its path inside its crate: `crate::client`.
    pub path: String,
    /// The folder of its package.
    pub package: PathBuf,
    /// True if the root file of its crate is a `main.rs`. In a program, rustc warns of unused
    /// functions.
    pub in_program: bool,
}

impl Project {
    /// Returns whether there are webhooks or controllers to read.
    pub fn has_modules_beside(&self) -> bool {
        self.webhooks.is_some() || self.controllers.is_some()
    }

    /// Returns whether the API types may be anywhere in the crate.
    pub(crate) fn reads_whole_crate(&self) -> bool {
        self.crate_root.parent() == Some(&*self.apis)
    }

    /// Returns whether the clients are in the package of the API types.
    pub fn has_clients(&self) -> bool {
        self.client.package == self.dir
    }

    /// Returns the files that may define the API module, unless it is inline.
    pub fn root_candidates(&self) -> [PathBuf; 3] {
        [
            self.apis.join("mod.rs"),
            self.apis.with_extension("rs"),
            self.apis.join("lib.rs"),
        ]
    }

    /// Returns whether a source file is pending or on disk.
    pub(crate) fn has_file(&self, file: &Path) -> bool {
        self.pending.contains_key(&normalize(file)) || inputs::is_file(file)
    }

    /// Reads a source file: its pending text, or else the file on disk.
    ///
    /// # Errors
    ///
    /// Those of [`inputs::read_text_file`].
    pub(crate) fn read_file(&self, file: &Path) -> io::Result<String> {
        match self.pending.get(&normalize(file)) {
            Some(text) => Ok(text.clone()),
            None => inputs::read_text_file(file),
        }
    }

    /// Returns a path as messages show it.
    pub fn shown(&self, path: &Path) -> String {
        display_path(path, &self.working_dir)
    }

    /// Reads the settings of a package from its manifest.
    fn from_manifest(
        manifest: &CargoManifest,
        is_guessed: bool,
        working_dir: &Path,
    ) -> Result<Self, Diagnostics> {
        let settings = manifest.settings();
        let name = manifest.name().unwrap_or_default();
        let apis = manifest.apis();
        let dir = match &settings.client {
            Some(client) => normalize(&manifest.dir().join(client)),
            None if apis == manifest.source_dir() => apis.join("client"),
            None => apis.with_file_name("client"),
        };
        let owner = client_owner(manifest, &dir)?;
        let client = locate_client_module(&owner, dir)?;
        let (dependencies, local) = local::find_path_dependencies(manifest);
        let types = match &settings.types {
            Some(path) => parse_types_path(path)?,
            None => types_path(manifest, &owner, &apis)?,
        };
        Ok(Self {
            name: name.to_owned(),
            domain: settings.domain.clone(),
            working_dir: working_dir.to_owned(),
            dir: manifest.dir().to_owned(),
            crate_root: manifest.crate_root(),
            other_crates: manifest.other_crates(),
            has_program: !manifest.programs().is_empty(),
            is_guessed: is_guessed && !manifest.is_set_up(),
            types,
            webhooks: manifest.webhooks(),
            controllers: manifest.controllers(),
            edition: manifest.edition()?,
            library: manifest.crate_name(),
            config: manifest.config(),
            boilerplate: read_boilerplate(manifest, settings)?,
            group_aliases: settings.group_aliases.clone(),
            crd_annotations: settings.crd_annotations.clone(),
            max_description_length: settings.max_desc_len,
            server_side_apply: settings.server_side_apply,
            apply_configurations: settings.apply_configurations,
            schemas: settings.schemas.clone(),
            nullable: settings.nullable,
            skip: settings.skip.clone(),
            kinds: kinds::stated_kinds(manifest, &owner)?,
            storage: settings.storage.clone(),
            deploy: deploy::read_deploy(settings.deploy.as_ref(), name, manifest.source())?,
            features: manifest.default_features(),
            all_dependencies: manifest.all_dependencies(),
            genclient_dir: manifest.genclient_dir(),
            dependencies,
            local,
            versions: Versions::from_manifests(manifest, &owner),
            present: present_artefacts(&client.dir),
            pending: BTreeMap::new(),
            optional: BTreeSet::new(),
            apis,
            are_apis_set: settings.apis.is_some(),
            client,
        })
    }
}

fn parse_types_path(path: &str) -> Result<String, Diagnostics> {
    let bare = path.trim_start_matches("::");
    if syn::parse_str::<syn::Path>(bare).is_ok() {
        return Ok(bare.to_owned());
    }
    Err(Diagnostic::error(format!(
        "expected the path of a module for `types`, found `{path}`"
    ))
    .help("write it like `types = \"crate::apis\"` or `types = \"::demo_api::apis\"`")
    .into())
}

/// Returns the manifest of the package that the client folder belongs to.
fn client_owner(manifest: &CargoManifest, dir: &Path) -> Result<CargoManifest, Diagnostics> {
    CargoManifest::nearest(manifest.files(), dir)?.ok_or_else(|| {
        let shown = manifest.files().shown(dir);
        Diagnostic::error(format!("the client folder {shown} does not belong to a package"))
            .help("choose a folder below a Cargo.toml: `client = \"…\"` in `[package.metadata.genclient]`")
            .into()
    })
}

/// Returns the error for a package in which cargo finds no crate.
fn no_library_error(owner: &CargoManifest, client: &Path) -> Diagnostic {
    let root = client.with_file_name("lib.rs");
    let path = relative(&root, owner.dir());
    let name = owner.name().unwrap_or_default();
    Diagnostic::error(format!("the package `{name}` has no library")).help(format!(
        "add `[lib]` with `path = \"{}\"` to Cargo.toml",
        path.display()
    ))
}

fn locate_client_module(owner: &CargoManifest, dir: PathBuf) -> Result<ClientModule, Diagnostics> {
    let root = owner.crate_root();
    let root_dir = root.parent().unwrap_or_else(|| owner.dir());
    let in_program = root.ends_with("main.rs");
    if dir == root_dir {
        let name = root.file_name().unwrap_or_default();
        return Ok(ClientModule {
            dir,
            root_file: name.to_string_lossy().into_owned(),
            path: "crate".into(),
            package: owner.dir().to_owned(),
            in_program,
        });
    }
    let path = module_path("crate", root_dir, &dir).ok_or_else(|| {
        if !owner.has_crate() {
            return no_library_error(owner, &dir);
        }
        Diagnostic::error(format!(
            "the client folder {} is outside of its crate's sources",
            owner.files().shown(&dir)
        ))
        .help(format!(
            "choose a folder below {}: `client = \"…\"` in `[package.metadata.genclient]`",
            owner.files().shown(root_dir)
        ))
    })?;
    Ok(ClientModule {
        dir,
        root_file: "mod.rs".into(),
        path,
        package: owner.dir().to_owned(),
        in_program,
    })
}

fn types_path(
    manifest: &CargoManifest,
    owner: &CargoManifest,
    apis: &Path,
) -> Result<String, Diagnostics> {
    let root = manifest.crate_root();
    let root_dir = root.parent().unwrap_or_else(|| manifest.dir());
    let krate = if owner.dir() == manifest.dir() {
        "crate".to_owned()
    } else {
        manifest.crate_name()
    };
    module_path(&krate, root_dir, apis).ok_or_else(|| {
        Diagnostic::error(format!(
            "cannot determine the module path of {}",
            manifest.files().shown(apis)
        ))
        .help("set it: `types = \"crate::apis\"` in `[package.metadata.genclient]`")
        .into()
    })
}

/// Returns `crate::a::b` for the folder `a/b` below `root`.
fn module_path(krate: &str, root: &Path, dir: &Path) -> Option<String> {
    let below = dir.strip_prefix(root).ok()?;
    let mut path = krate.to_owned();
    for part in below.components() {
        path.push_str("::");
        path.push_str(part.as_os_str().to_str()?);
    }
    Some(path)
}

fn read_boilerplate(
    manifest: &CargoManifest,
    settings: &Settings,
) -> Result<Vec<String>, Diagnostics> {
    let Some(file) = &settings.boilerplate else {
        return Ok(Vec::new());
    };
    let path = manifest.dir().join(file);
    let text = inputs::read_text_file(&path).map_err(|error| {
        Diagnostic::error(format!(
            "cannot read the boilerplate {}: {error}",
            manifest.files().shown(&path)
        ))
        .help("fix `boilerplate` in `[package.metadata.genclient]`")
    })?;
    let unmarked = |line: &str| {
        let line = line.trim_end();
        let line = line.strip_prefix("//").unwrap_or(line);
        line.strip_prefix(' ').unwrap_or(line).to_owned()
    };
    Ok(text.lines().map(unmarked).collect())
}

fn present_artefacts(client: &Path) -> BTreeSet<Artefact> {
    Artefact::ALL
        .into_iter()
        .filter(|artefact| {
            let module = artefact.module();
            artefact.is_module()
                && (inputs::is_dir(&client.join(module))
                    || inputs::is_file(&client.join(format!("{module}.rs"))))
        })
        .collect()
}
