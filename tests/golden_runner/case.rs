//! Golden cases: folders `golden/<group>/<case>/` as projects.

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::{Path, PathBuf};

use genclient_codegen::{
    Artefact, ClientModule, CrateVersion, Generated, Model, Project, Schema, Scope, StatedKind,
    Versions,
};
use libtest_mimic::Failed;
use serde::Deserialize;

/// The groups of cases, and the artefacts that a case of each records.
const GROUPS: [(&str, &[Artefact]); 7] = [
    (
        "applyconfiguration",
        &[
            Artefact::Clientset,
            Artefact::ApplyConfiguration,
            Artefact::Crds,
            Artefact::Crd,
        ],
    ),
    ("client", &Artefact::ALL),
    (
        "config",
        &[Artefact::Crd, Artefact::Rbac, Artefact::Webhook],
    ),
    (
        "controller_gen",
        &[Artefact::Crd, Artefact::Rbac, Artefact::Webhook],
    ),
    ("kube", &[Artefact::Crd, Artefact::Crds]),
    ("names", &Artefact::ALL),
    ("schema", &[Artefact::Crd, Artefact::Crds]),
];

const OLD_SCHEMARS: CrateVersion = CrateVersion {
    major: 0,
    minor: Some(8),
    patch: None,
};

/// A folder with API types and their expected output.
#[derive(Clone)]
pub struct Case {
    /// `<group>/<folder>`
    pub name: String,
    pub dir: PathBuf,
    settings: Settings,
    artefacts: BTreeSet<Artefact>,
}

/// Settings of a case: `settings.toml` has keys of `[package.metadata.genclient]`.
#[derive(Clone, Default, Deserialize)]
#[serde(deny_unknown_fields, rename_all = "kebab-case", default)]
pub struct Settings {
    /// Records every artefact, also where the group of the case records fewer.
    every_artefact: bool,
    /// The text itself; Cargo.toml names a file here.
    boilerplate: Vec<String>,
    crd_annotations: BTreeMap<String, String>,
    group_aliases: BTreeMap<String, String>,
    max_desc_len: Option<usize>,
    server_side_apply: bool,
    apply_configurations: bool,
    schemas: BTreeMap<String, Schema>,
    kinds: Vec<StatedTable>,
    /// True for a package with schemars 0.8.
    old_schemars: bool,
}

/// A stated kind, which is namespaced.
#[derive(Clone, Deserialize)]
#[serde(deny_unknown_fields)]
struct StatedTable {
    #[serde(rename = "type")]
    type_path: String,
    group: String,
    version: String,
    kind: String,
    plural: String,
    status: bool,
}

/// A version of a CRD.
pub struct Kind {
    /// The `cfg` conditions of its type.
    pub cfg: Vec<String>,
    pub api_version: String,
    pub name: String,
    /// The path of its type in the crate `compiled`.
    pub path: String,
}

impl Settings {
    /// Reads the settings in `file`; the defaults if it is missing.
    pub fn read(file: &Path) -> Self {
        match fs::read_to_string(file) {
            Ok(text) => toml::from_str(&text).unwrap_or_else(|e| panic!("{}: {e}", file.display())),
            Err(_) => Self::default(),
        }
    }

    /// Returns a project named `name`, with types in `apis` and output below `out`, as part of the
    /// crate `compiled`.
    pub fn project(&self, name: &str, apis: PathBuf, out: &Path) -> Project {
        Project {
            name: name.to_owned(),
            working_dir: PathBuf::new(),
            dir: out.to_owned(),
            apis,
            crate_root: PathBuf::from(crate::listing::FILE),
            types: format!("crate::{name}::apis"),
            client: ClientModule {
                dir: out.join("client"),
                root_file: "mod.rs".into(),
                path: format!("crate::{name}::client"),
                package: out.to_owned(),
                in_program: false,
            },
            edition: "2024".to_owned(),
            library: "compiled".into(),
            config: out.join("config"),
            boilerplate: self.boilerplate.clone(),
            group_aliases: self.group_aliases.clone(),
            crd_annotations: self.crd_annotations.clone(),
            max_description_length: self.max_desc_len,
            server_side_apply: self.server_side_apply,
            apply_configurations: self.apply_configurations,
            schemas: self.schemas.clone(),
            kinds: self.kinds.iter().map(StatedTable::kind).collect(),
            versions: Versions {
                schemars: self.old_schemars.then_some(OLD_SCHEMARS),
                ..Versions::default()
            },
            ..Project::default()
        }
    }
}

impl StatedTable {
    fn kind(&self) -> StatedKind {
        StatedKind {
            type_path: self.type_path.clone(),
            group: self.group.clone(),
            version: self.version.clone(),
            kind: self.kind.clone(),
            plural: self.plural.clone(),
            scope: Scope::Namespaced,
            status: self.status,
            scale: false,
            definition: None,
            place: None,
        }
    }
}

impl Case {
    fn read((group, artefacts): (&str, &[Artefact]), dir: PathBuf) -> Self {
        let folder = dir.file_name().unwrap().to_string_lossy();
        let settings = Settings::read(&dir.join("settings.toml"));
        let artefacts = if settings.every_artefact {
            Artefact::ALL.into()
        } else {
            artefacts.iter().copied().collect()
        };
        Self {
            name: format!("{group}/{folder}"),
            settings,
            artefacts,
            dir,
        }
    }

    /// Returns the name of its module in the crate `compiled`.
    pub fn module(&self) -> String {
        self.name.replace('/', "_")
    }

    pub fn expected(&self) -> PathBuf {
        self.dir.join("expected")
    }

    /// Returns the modules beside the API module, which are the rest of its crate.
    pub fn other_modules(&self) -> Vec<String> {
        let files = fs::read_dir(&self.dir).into_iter().flatten().flatten();
        let mut names: Vec<_> = files
            .filter_map(|file| {
                let name = file.file_name();
                let name = name.to_str()?;
                let is_module = file.path().join("mod.rs").is_file().then_some(name);
                name.strip_suffix(".rs").or(is_module).map(str::to_owned)
            })
            .filter(|name| name != "apis")
            .collect();
        names.sort();
        names
    }

    /// Returns whether it records a client module.
    pub fn has_client(&self) -> bool {
        self.artefacts.contains(&Artefact::Crds)
            && self.model().is_ok_and(|model| !model.groups.is_empty())
    }

    pub fn generate(&self) -> Result<Generated, Failed> {
        genclient_codegen::generate(&self.project(), &self.artefacts)
            .map_err(|errors| errors.to_string().into())
    }

    pub fn model(&self) -> Result<Model, Failed> {
        genclient_codegen::understand(&self.project(), &Artefact::ALL.into())
            .map(|(model, _)| model)
            .map_err(|errors| errors.to_string().into())
    }

    /// Returns each kind of each CRD. The type of a kind without a client is in the module of its
    /// version.
    pub fn kinds(&self) -> Result<Vec<Kind>, Failed> {
        let model = self.model()?;
        let with_clients = |group: &str, version: &str, kind: &str| {
            let groups = model.groups.iter().filter(|found| found.name == group);
            let mut resources = groups
                .flat_map(|group| &group.versions)
                .filter(|found| found.name == version)
                .flat_map(|version| &version.resources);
            resources.find(|resource| resource.kind == kind)
        };
        let mut kinds = Vec::new();
        for crd in &model.crds {
            for version in &crd.versions {
                let (group, kind, version) = (&crd.group, &crd.kind, &version.name);
                let resource = with_clients(group, version, kind);
                let path = resource.map_or_else(
                    || format!("{}::apis::{version}::{kind}", self.module()),
                    |resource| resource.type_path.replacen("crate::", "", 1),
                );
                let cfg = resource.map_or_else(Vec::new, |resource| resource.cfg.clone());
                kinds.push(Kind {
                    cfg,
                    api_version: format!("{group}/{version}"),
                    name: kind.clone(),
                    path,
                });
            }
        }
        Ok(kinds)
    }

    fn project(&self) -> Project {
        let beside = |module: &str| {
            let place = self.dir.join(module);
            let is_there = place.is_dir() || place.with_extension("rs").is_file();
            is_there.then_some(place)
        };
        let apis = self.dir.join("apis");
        Project {
            webhooks: beside("webhook"),
            controllers: beside("controller"),
            ..self
                .settings
                .project(&self.module(), apis, &self.expected())
        }
    }
}

/// Returns the cases of every group in `golden`, sorted by name.
pub fn all(golden: &Path) -> Vec<Case> {
    let mut cases = Vec::new();
    for group in folders(golden) {
        let name = group.file_name().unwrap().to_string_lossy();
        if ["errors", "corrected"].contains(&&*name) {
            continue;
        }
        let group_artefacts = GROUPS
            .into_iter()
            .find(|(known, _)| *known == name)
            .unwrap_or_else(|| panic!("unknown group {name}"));
        cases.extend(folders(&group).map(|dir| Case::read(group_artefacts, dir)));
    }
    cases.sort_by(|a, b| a.name.cmp(&b.name));
    cases
}

fn folders(dir: &Path) -> impl Iterator<Item = PathBuf> + use<> {
    let entries = fs::read_dir(dir).expect("a folder of cases");
    entries.flatten().map(|entry| entry.path())
}
