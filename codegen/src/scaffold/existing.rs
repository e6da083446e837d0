//! A project as it is: its settings, the kinds that it serves, and where its modules are.

use std::fs;
use std::path::{Path, PathBuf};

use genclient_syntax::names;

use super::files::Scaffold;
use super::{Typed, built_in};
use crate::diagnostic::{Diagnostic, Diagnostics};
use crate::folder;
use crate::model::{Artefact, Group, Model, Resource, Schema, Version, WebhookEndpoint};
use crate::paths::relative;
use crate::project::{Project, states_kind};

/// A project that something is added to.
#[derive(Debug)]
pub(crate) struct Existing {
    pub(crate) project: Project,
    model: Model,
}

/// A kind of the project.
pub(super) type Served<'a> = (&'a Group, &'a Version, &'a Resource);

impl Existing {
    /// Reads the kinds of a project.
    ///
    /// # Errors
    ///
    /// Everything that is wrong with them, or a package that is laid out in another way than
    /// `init` does, so that scaffolded code would not compile in it.
    pub(crate) fn read(project: Project) -> Result<Self, Diagnostics> {
        if !project.client.path.starts_with("crate::") {
            let message = format!("the clients of `{}` are in another package", project.name);
            return Err(Diagnostic::error(message)
                .help("remove `client` from `[package.metadata.genclient]`, or write the files by hand")
                .into());
        }
        if project.client.in_program {
            let message = format!("`{}` is a program without a library", project.name);
            return Err(Diagnostic::error(message)
                .help("move the modules of src/main.rs to src/lib.rs: tests reach only those of a library")
                .into());
        }
        let model = match is_begun(&project) {
            true => Model::default(),
            false => crate::understand(&project, &Artefact::ALL.into())?.0,
        };
        Ok(Self { project, model })
    }

    /// No changes yet.
    pub(super) fn scaffold(&self) -> Scaffold {
        Scaffold::new(&self.project.dir, &self.project.edition)
    }

    /// The group of what was typed: `webapp` is `webapp.example.com` in the domain `example.com`.
    pub(super) fn group(&self, typed: &str) -> String {
        if self.groups().any(|(name, _)| name == typed) {
            return typed.to_owned();
        }
        match &self.project.domain {
            Some(domain) if typed.is_empty() => domain.clone(),
            Some(domain) if !in_domain(typed, domain) => format!("{typed}.{domain}"),
            _ => typed.to_owned(),
        }
    }

    /// The kind of a group in each of its versions, the oldest first.
    pub(super) fn versions<'a>(
        &'a self,
        group: &'a str,
        kind: &'a str,
    ) -> impl Iterator<Item = Served<'a>> {
        let served = self.model.resources();
        served.filter(move |(of, _, resource)| of.name == group && resource.kind == kind)
    }

    /// The kind that was typed, if it is one of the project.
    pub(super) fn find(&self, typed: &Typed) -> Option<Served<'_>> {
        let group = self.group(&typed.group);
        self.model.resources().find(|(of, version, resource)| {
            of.name == group && version.name == typed.version && resource.kind == typed.kind
        })
    }

    /// The kind of a group whose name differs in case alone.
    pub(super) fn kind_in_other_case(&self, group: &str, kind: &str) -> Option<&str> {
        let mut served = self.model.resources().filter(|(of, ..)| of.name == group);
        served.find_map(|(_, _, resource)| {
            let other = resource.kind.as_str();
            (other != kind && other.eq_ignore_ascii_case(kind)).then_some(other)
        })
    }

    /// Whether a type and a controller are missing, as far as can be seen.
    pub(crate) fn what_it_may_need(&self, typed: &Typed) -> (bool, bool) {
        let is_served = self.find(typed).is_some();
        let is_built_in = built_in::find(typed).is_some();
        let group = self.group(&typed.group);
        let has_other_version = self.versions(&group, &typed.kind).next().is_some();
        (!is_served && !is_built_in, is_served || !has_other_version)
    }

    /// The groups, each with its name among the clients.
    pub(super) fn groups(&self) -> impl Iterator<Item = (&str, &str)> {
        let groups = self.model.groups.iter();
        groups.map(|group| (group.name.as_str(), group.module.as_str()))
    }

    /// The path of the module that has the versions of a group, if there is one.
    pub(super) fn group_path(&self, group: &str) -> Option<&str> {
        let mut kinds = self.model.resources().filter(|(of, ..)| of.name == group);
        kinds.find_map(|(_, version, resource)| {
            let (above, module) = parent(&resource.type_path).rsplit_once("::")?;
            let is_of_version = module == names::version_module(&version.name);
            (is_of_version && above != self.project.types).then_some(above)
        })
    }

    /// The stored version of a kind that a webhook converts.
    pub(super) fn hub(&self, group: &str, kind: &str) -> Option<String> {
        let mut crds = self.model.crds.iter();
        let crd = crds.find(|crd| crd.group == group && crd.kind == kind)?;
        let stored = crd.versions.iter().find(|version| version.storage)?;
        crd.conversion.as_ref().map(|_| stored.name.clone())
    }

    /// The functions of generated clients that have the versions of a kind and of those of its
    /// name, each with its group, once a webhook converts it.
    pub(super) fn conversions(&self, group: &str, kind: &str) -> Vec<(String, String)> {
        self.model.conversions(group, kind)
    }

    /// The schema of a version of a kind, if the project has its definition.
    pub(super) fn schema(&self, group: &str, version: &str, kind: &str) -> Option<&Schema> {
        let mut crds = self.model.crds.iter();
        let crd = crds.find(|crd| crd.group == group && crd.kind == kind)?;
        let mut versions = crd.versions.iter();
        let version = versions.find(|it| it.name == version)?;
        Some(&version.schema)
    }

    /// The namespace that the program is deployed for, if it is for one alone.
    pub(super) fn own_namespace(&self) -> Option<&str> {
        let deploy = self.project.deploy.as_ref()?;
        deploy.namespaced.then_some(deploy.namespace.as_str())
    }

    /// The domain of the project; else the group of a kind.
    pub(super) fn domain(&self, group: &str) -> String {
        let domain = self.project.domain.clone();
        domain.unwrap_or_else(|| match group {
            "" => "example.com".to_owned(),
            group => group.to_owned(),
        })
    }

    /// The label by which objects of Kubernetes' kinds are chosen.
    pub(super) fn selected(&self) -> (String, &'static str) {
        let key = format!("{}/{}", self.domain(""), self.project.name);
        (key, "enabled")
    }

    /// A module of the clients, as a test of the package reaches it.
    pub(super) fn client_outside(&self, module: &str) -> String {
        let client = &self.project.client.path;
        let client = match client.strip_prefix("crate") {
            Some(below) => format!("{}{below}", self.project.library),
            None => client.clone(),
        };
        format!("{client}::{module}")
    }

    /// Namespace and name of the Service of the webhooks.
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

    /// The folder of the API types, below that of the project.
    pub(super) fn apis(&self) -> String {
        self.below(&self.project.apis)
    }

    /// Whether the API types are in the root of the crate.
    pub(super) fn has_apis_in_root(&self) -> bool {
        Some(self.project.apis.as_path()) == self.project.crate_root.parent()
    }

    /// A folder beside the API types, below that of the project.
    pub(super) fn beside(&self, stated: Option<&Path>, name: &str) -> String {
        match stated {
            Some(folder) => self.below(folder),
            None if self.has_apis_in_root() => self.below(&self.project.apis.join(name)),
            None => self.below(&self.project.apis.with_file_name(name)),
        }
    }

    /// A path below the folder of the project.
    pub(super) fn below(&self, path: &Path) -> String {
        relative(path, &self.project.dir).display().to_string()
    }
}

/// Whether a package has nothing yet that could be read: no modules of its own, and no types in the
/// module of the API types.
fn is_begun(project: &Project) -> bool {
    let mut files = folder::rust_files(&project.apis);
    files.extend([
        project.apis.with_extension("rs"),
        project.crate_root.clone(),
    ]);
    let has_kinds = |file: &PathBuf| fs::read_to_string(file).is_ok_and(|text| states_kind(&text));
    !project.has_modules_beside() && !files.iter().any(has_kinds)
}

fn in_domain(group: &str, domain: &str) -> bool {
    let rest = group.strip_suffix(domain);
    rest.is_some_and(|rest| rest.is_empty() || rest.ends_with('.'))
}

/// The module of a path.
pub(super) fn parent(path: &str) -> &str {
    path.rsplit_once("::").map_or(path, |(module, _)| module)
}
