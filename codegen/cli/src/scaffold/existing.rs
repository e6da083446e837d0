//! [`ExistingProject`]: settings, kinds and module paths of a project that a command adds files to;
//! and the lookup of built-in kinds.

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};

use genclient_codegen::paths::{normalize, relative};
use genclient_codegen::project::may_have_kind;
use genclient_codegen::{
    Artefact, BuiltinKind, Diagnostic, Diagnostics, Group, Model, Project, Resource, Schema,
    Version, WebhookEndpoint, file_system, group_module,
};
use genclient_syntax::{closest, names};

use super::RequestedKind;
use super::files::Scaffold;
use super::names::module_names;

#[derive(Debug)]
pub(crate) struct ExistingProject {
    pub(crate) project: Project,
    model: Model,
}

/// A kind of the project in one version.
pub(super) type ServedKind<'a> = (&'a Group, &'a Version, &'a Resource);

impl ExistingProject {
    /// Reads the kinds of a project that a command adds code for the kind `typed` to. `controller`
    /// is the name of the controller, if set on the command line.
    ///
    /// The file of the type and those of its controller and webhooks may be missing, although `mod`
    /// lines declare them. Once it is known which of them the command creates, call
    /// [`Self::check_with`].
    ///
    /// # Errors
    ///
    /// The kinds have errors, the clients are in another package, or the package has no library.
    pub(crate) fn load(
        project: Project,
        typed: &RequestedKind,
        controller: Option<&str>,
    ) -> Result<Self, Diagnostics> {
        if !project.has_clients() {
            let message = format!("the clients of `{}` are in another package", project.name);
            return Err(Diagnostic::error(message)
                .help("remove `client` from `[package.metadata.genclient]`, or write the files by hand")
                .into());
        }
        if project.client.in_program {
            let message = format!("`{}` is a program and has no library", project.name);
            return Err(Diagnostic::error(message)
                .help("move the modules of src/main.rs to src/lib.rs: tests can only use modules of a library")
                .into());
        }
        let is_empty = is_empty(&project);
        let mut existing = Self {
            project,
            model: Model::default(),
        };
        if !is_empty {
            existing.project.versions.forget_missing();
            existing.project.optional = existing.optional_files(typed, controller);
            existing.model =
                genclient_codegen::understand(&existing.project, &Artefact::ALL.into())?.0;
        }
        Ok(existing)
    }

    /// Checks that the generator accepts the package with the files of the command, and that no
    /// other file is missing.
    ///
    /// # Errors
    ///
    /// The generator refuses the package, for example because a `mod` line declares another file
    /// that is missing.
    pub(crate) fn check_with(&self, created: &Scaffold) -> Result<(), Diagnostics> {
        if self.project.optional.is_empty() {
            return Ok(());
        }
        let files = created.files().into_iter();
        let project = Project {
            pending: files.map(|(path, text)| (normalize(&path), text)).collect(),
            optional: BTreeSet::new(),
            ..self.project.clone()
        };
        genclient_codegen::understand(&project, &Artefact::ALL.into())?;
        Ok(())
    }

    /// Returns the files of types, controllers and webhooks that commands create for a kind.
    fn optional_files(&self, typed: &RequestedKind, controller: Option<&str>) -> BTreeSet<PathBuf> {
        let group = self.complete_group(&typed.group);
        let group = group_module::group_module_name(
            &group,
            &self.project.group_aliases,
            &self.project.types,
        );
        let (version, file) = (&typed.version, names::snake_case(&typed.kind));
        // The module of a group may have any name.
        let of_type = PathBuf::from(names::version_module(version)).join(format!("{file}.rs"));
        let mut modules = Vec::from(module_names(&file, &group, version));
        modules.extend(controller.map(names::snake_case));
        let controllers = self.folder_or_default(self.project.controllers.as_deref(), "controller");
        let webhooks = self.folder_or_default(self.project.webhooks.as_deref(), "webhook");
        let mut optional = BTreeSet::from([of_type]);
        for folder in [controllers, webhooks] {
            let folder = normalize(&self.project.dir.join(folder));
            optional.extend(modules.iter().map(|file| folder.join(format!("{file}.rs"))));
        }
        optional
    }

    pub(super) fn scaffold(&self) -> Scaffold {
        Scaffold::new(&self.project.dir, &self.project.edition)
    }

    /// Completes the group that the user typed: `webapp` becomes `webapp.example.com` in the domain
    /// `example.com`. A group that has kinds or an alias is complete.
    pub(super) fn complete_group(&self, typed: &str) -> String {
        let has_alias = self.project.group_aliases.contains_key(typed);
        if has_alias || self.groups().any(|(name, _)| name == typed) {
            return typed.to_owned();
        }
        match &self.project.domain {
            Some(domain) if typed.is_empty() => domain.clone(),
            Some(domain) if !in_domain(typed, domain) => format!("{typed}.{domain}"),
            _ => typed.to_owned(),
        }
    }

    /// Returns the versions of a kind, by ascending version priority.
    pub(super) fn versions<'a>(
        &'a self,
        group: &'a str,
        kind: &'a str,
    ) -> impl Iterator<Item = ServedKind<'a>> {
        let served = self.model.resources();
        served.filter(move |(of, _, resource)| of.name == group && resource.kind == kind)
    }

    /// Returns the kind that the user typed, if the project serves it.
    pub(super) fn find_kind(&self, typed: &RequestedKind) -> Option<ServedKind<'_>> {
        let group = self.complete_group(&typed.group);
        self.model.resources().find(|(of, version, resource)| {
            of.name == group && version.name == typed.version && resource.kind == typed.kind
        })
    }

    /// Returns whether a group of the project other than `group` has a kind of this name.
    pub(super) fn has_kind_in_other_group(&self, group: &str, kind: &str) -> bool {
        let mut served = self.model.resources();
        served.any(|(of, _, resource)| of.name != group && resource.kind == kind)
    }

    /// Returns a kind of the group whose name differs from `kind` only in case.
    pub(super) fn kind_in_other_case(&self, group: &str, kind: &str) -> Option<&str> {
        let mut served = self.model.resources().filter(|(of, ..)| of.name == group);
        served.find_map(|(_, _, resource)| {
            let other = resource.kind.as_str();
            (other != kind && other.eq_ignore_ascii_case(kind)).then_some(other)
        })
    }

    /// Returns whether the kind may need a type, and whether it may need a controller. A new
    /// version uses the controller of existing versions.
    pub(crate) fn may_need_type_and_controller(&self, typed: &RequestedKind) -> (bool, bool) {
        let is_served = self.find_kind(typed).is_some();
        let group = self.complete_group(&typed.group);
        let has_other_version = self.versions(&group, &typed.kind).next().is_some();
        (
            !is_served && self.is_own_group(typed),
            is_served || !has_other_version,
        )
    }

    /// Returns whether the group of a new kind is one of the project. As in kubebuilder, `batch` is
    /// `batch.example.com` in the domain `example.com`, even though Kubernetes has a group `batch`.
    /// The group is one of Kubernetes if it is spelled in full (`core`, `networking.k8s.io`), or if
    /// the project has no domain to complete it.
    fn is_own_group(&self, typed: &RequestedKind) -> bool {
        let is_complete = self.complete_group(&typed.group).contains('.');
        !is_group_of_kubernetes(&typed.group) && (is_complete || similar_built_in(typed).is_none())
    }

    /// Returns what the command takes the kind for, if its name is also that of a built-in kind:
    /// a kind of the project, or else of Kubernetes.
    pub(super) fn interpret_kind(&self, typed: &RequestedKind, is_own: bool) -> Option<String> {
        let (_, found) = built_in(typed).filter(|_| self.is_own_group(typed))?;
        let RequestedKind { version, kind, .. } = typed;
        let group = self.complete_group(&typed.group);
        Some(if is_own {
            format!("{kind} of {group}/{version} is a kind of this project")
        } else {
            format!(
                "{kind} of {}/{version} is a kind of Kubernetes",
                match found.group {
                    "" => "core",
                    group => group,
                }
            )
        })
    }

    /// Returns the groups, each with the name of its client module.
    pub(super) fn groups(&self) -> impl Iterator<Item = (&str, &str)> {
        let groups = self.model.groups.iter();
        groups.map(|group| (group.name.as_str(), group.module.as_str()))
    }

    /// Returns the path of the module that holds the version modules of a group, unless it is the
    /// API module.
    pub(super) fn group_path(&self, group: &str) -> Option<&str> {
        let mut kinds = self.model.resources().filter(|(of, ..)| of.name == group);
        kinds.find_map(|(_, version, resource)| {
            let (above, module) = parent_path(&resource.type_path).rsplit_once("::")?;
            let is_of_version = module == names::version_module(&version.name);
            (is_of_version && above != self.project.types).then_some(above)
        })
    }

    /// Returns the storage version of a kind, if a webhook converts the kind.
    pub(super) fn hub(&self, group: &str, kind: &str) -> Option<String> {
        let mut crds = self.model.crds.iter();
        let crd = crds.find(|crd| crd.group == group && crd.kind == kind)?;
        let stored = crd.versions.iter().find(|version| version.storage)?;
        crd.conversion.as_ref().map(|_| stored.name.clone())
    }

    /// Returns group and generated conversion function of each converted kind with this name. The
    /// kind of `group` is included even if no webhook converts it yet.
    pub(super) fn conversions(&self, group: &str, kind: &str) -> Vec<(String, String)> {
        self.model.conversions(group, kind)
    }

    /// Returns the schema of one version of a kind, if the project has its definition.
    pub(super) fn schema(&self, group: &str, version: &str, kind: &str) -> Option<&Schema> {
        let mut crds = self.model.crds.iter();
        let crd = crds.find(|crd| crd.group == group && crd.kind == kind)?;
        let mut versions = crd.versions.iter();
        let version = versions.find(|it| it.name == version)?;
        Some(&version.schema)
    }

    /// Returns the namespace of the deployment, if the program is limited to its own namespace.
    pub(super) fn own_namespace(&self) -> Option<&str> {
        let deploy = self.project.deploy.as_ref()?;
        deploy.namespaced.then_some(deploy.namespace.as_str())
    }

    /// Returns the domain of the project. If none is set, returns `group`, or `example.com` for the
    /// core group.
    pub(super) fn domain(&self, group: &str) -> String {
        let domain = self.project.domain.clone();
        domain.unwrap_or_else(|| match group {
            "" => "example.com".to_owned(),
            group => group.to_owned(),
        })
    }

    /// Returns key and value of the label by which scaffolded code selects objects of built-in
    /// kinds.
    pub(super) fn selector_label(&self) -> (String, &'static str) {
        let key = format!("{}/{}", self.domain(""), self.project.name);
        (key, "enabled")
    }

    /// Returns the path by which a test of the package refers to a client module.
    pub(super) fn client_outside(&self, module: &str) -> String {
        let client = &self.project.client.path;
        let client = match client.strip_prefix("crate") {
            Some(below) => format!("{}{below}", self.project.library),
            None => client.clone(),
        };
        format!("{client}::{module}")
    }

    /// Returns namespace and name of the Service that converts a kind, if its CRD names one.
    pub(super) fn conversion_service(&self, group: &str, kind: &str) -> Option<(String, String)> {
        let mut crds = self.model.crds.iter();
        let crd = crds.find(|crd| crd.group == group && crd.kind == kind)?;
        match &crd.conversion.as_ref()?.endpoint {
            WebhookEndpoint::Service {
                namespace, name, ..
            } => Some((namespace.clone(), name.clone())),
            WebhookEndpoint::Url(_) => None,
        }
    }

    /// Returns namespace and name of the webhook Service.
    pub(super) fn webhook_service(&self) -> (String, String) {
        let admission = self.model.webhooks.iter().flat_map(|all| &all.webhooks);
        let mut services = admission.filter_map(|webhook| match &webhook.endpoint {
            WebhookEndpoint::Service {
                namespace, name, ..
            } => Some((namespace.clone(), name.clone())),
            WebhookEndpoint::Url(_) => None,
        });
        services
            .next()
            .unwrap_or_else(|| match &self.project.deploy {
                Some(deploy) => (deploy.namespace.clone(), deploy.webhook_service()),
                None => ("system".to_owned(), "webhook-service".to_owned()),
            })
    }

    /// Returns the folder of the API types, relative to the project's folder.
    pub(super) fn apis(&self) -> String {
        self.relative_path(&self.project.apis)
    }

    /// Returns whether the folder of the API types is that of the crate's root file.
    pub(super) fn has_apis_in_root(&self) -> bool {
        Some(self.project.apis.as_path()) == self.project.crate_root.parent()
    }

    /// Returns a folder relative to the project's folder: `setting`, or else `name` beside the API
    /// types.
    pub(super) fn folder_or_default(&self, setting: Option<&Path>, name: &str) -> String {
        match setting {
            Some(folder) => self.relative_path(folder),
            None if self.has_apis_in_root() => self.relative_path(&self.project.apis.join(name)),
            None => self.relative_path(&self.project.apis.with_file_name(name)),
        }
    }

    /// Returns a path relative to the project's folder.
    pub(super) fn relative_path(&self, path: &Path) -> String {
        relative(path, &self.project.dir).display().to_string()
    }
}

/// Returns whether a package has no webhooks, controllers or kinds yet.
fn is_empty(project: &Project) -> bool {
    let mut files = file_system::list_rust_files(&project.apis);
    files.extend([
        project.apis.with_extension("rs"),
        project.crate_root.clone(),
    ]);
    let has_kinds =
        |file: &PathBuf| file_system::read_text_file(file).is_ok_and(|text| may_have_kind(&text));
    !project.has_modules_beside() && !files.iter().any(has_kinds)
}

fn in_domain(group: &str, domain: &str) -> bool {
    let rest = group.strip_suffix(domain);
    rest.is_some_and(|rest| rest.is_empty() || rest.ends_with('.'))
}

/// Returns a path without its last segment, or the whole path if it has only one segment.
pub(super) fn parent_path(path: &str) -> &str {
    path.rsplit_once("::").map_or(path, |(module, _)| module)
}

/// The Rust path of the built-in kind that the user typed, and the kind.
pub(super) fn built_in(typed: &RequestedKind) -> Option<(String, BuiltinKind)> {
    let group = match typed.group.as_str() {
        "" => "core",
        group => group,
    };
    let module = names::group_module(group);
    let (version, kind) = (&typed.version, &typed.kind);
    let path = format!("k8s_openapi::api::{module}::{version}::{kind}");
    let segments: Vec<_> = path.split("::").map(str::to_owned).collect();
    let found = BuiltinKind::at(&segments)?;
    has_group_name(&found, group).then_some((path, found))
}

/// True if `group` can only be one of Kubernetes: `core`, or a full name such as
/// `networking.k8s.io`.
pub(super) fn is_group_of_kubernetes(group: &str) -> bool {
    let is_full = group.contains('.') && BuiltinKind::all().any(|kind| kind.group == group);
    group == "core" || is_full
}

/// The built-in kind of the typed group with the nearest name, preferably in the typed version.
pub(super) fn similar_built_in(typed: &RequestedKind) -> Option<BuiltinKind> {
    let of_group = BuiltinKind::all().filter(|kind| has_group_name(kind, &typed.group));
    let mut kinds: Vec<_> = of_group.collect();
    let names = kinds.iter().map(|kind| kind.kind.as_str());
    let similar = closest(&typed.kind, names)?.to_owned();
    kinds.retain(|kind| kind.kind == similar);
    kinds.sort_by_key(|kind| (kind.version != typed.version, kind.version.len()));
    kinds.into_iter().next()
}

/// True if `group` is the name of the kind's group or of its module.
fn has_group_name(kind: &BuiltinKind, group: &str) -> bool {
    match kind.group {
        "" => group == "core" || group.is_empty(),
        full => group == full || names::group_module(full) == group,
    }
}
