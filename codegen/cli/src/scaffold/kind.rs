//! [`KindNames`]: the names of a kind in scaffolded files.

use genclient_codegen::BuiltinKind;
use genclient_syntax::names::{self, snake_case};

use super::existing::{ServedKind, parent_path};
use super::{ExternalApi, RequestedKind};

#[derive(Clone)]
pub(super) struct KindNames {
    pub(super) kind: String,
    /// `webapp.example.com`; empty for the core group.
    pub(super) group: String,
    /// `webapp`: the group in module and file names.
    pub(super) group_module: String,
    pub(super) version: String,
    /// `webapp.example.com/v1`.
    pub(super) api_version: String,
    pub(super) plural: String,
    /// `CronJobs`, for doc comments.
    pub(super) kinds: String,
    /// `a CronJob`, for doc comments.
    pub(super) a_kind: String,
    /// `cron_job`: the name of its file and modules.
    pub(super) file: String,
    /// `cronjob`, for object names.
    pub(super) lower: String,
    /// `crate::apis::webapp::v1`, or a module of another crate.
    pub(super) module_path: String,
    /// `v1::CronJob`
    pub(super) type_name: String,
    pub(super) namespaced: bool,
    /// True if the kind and the crate with its type belong to another project.
    pub(super) is_external: bool,
}

impl KindNames {
    /// The names of a namespaced kind.
    pub(super) fn new(
        group: &str,
        version: &str,
        kind: &str,
        plural: &str,
        module_path: &str,
    ) -> Self {
        let module = module_path.rsplit("::").next().unwrap_or_default();
        Self {
            kind: kind.to_owned(),
            group: group.to_owned(),
            group_module: names::group_module(group),
            version: version.to_owned(),
            api_version: match group {
                "" => version.to_owned(),
                group => format!("{group}/{version}"),
            },
            plural: plural.to_owned(),
            kinds: names::client_type(kind),
            a_kind: with_article(kind),
            file: snake_case(kind),
            lower: kind.to_lowercase(),
            type_name: format!("{module}::{kind}"),
            module_path: module_path.to_owned(),
            namespaced: true,
            is_external: false,
        }
    }

    pub(super) fn from_project((group, version, resource): ServedKind<'_>) -> Self {
        let (kind, plural) = (&resource.kind, &resource.plural);
        let module = parent_path(&resource.type_path);
        Self {
            namespaced: resource.is_namespaced(),
            group_module: group.module.clone(),
            ..Self::new(&group.name, &version.name, kind, plural, module)
        }
    }

    /// The names of a built-in kind, by the path of its type.
    pub(super) fn from_builtin(path: &str, kind: &BuiltinKind) -> Self {
        Self {
            namespaced: kind.namespaced,
            ..Self::new(
                kind.group,
                &kind.version,
                &kind.kind,
                &kind.plural,
                parent_path(path),
            )
        }
    }

    /// The names of a kind of another project.
    pub(super) fn from_external(typed: &RequestedKind, external: &ExternalApi) -> Self {
        let group = match &external.domain {
            Some(domain) => format!("{}.{domain}", typed.group),
            None => typed.group.clone(),
        };
        let plural = typed
            .plural
            .clone()
            .unwrap_or_else(|| names::pluralize(&typed.kind.to_lowercase()));
        Self {
            is_external: true,
            ..Self::new(&group, &typed.version, &typed.kind, &plural, &external.path)
        }
    }

    /// True if the type is in another crate.
    pub(super) fn is_foreign(&self) -> bool {
        !self.module_path.starts_with("crate")
    }

    /// The name of the module in `file`, as an identifier.
    pub(super) fn module(&self) -> String {
        names::ident(&self.file).to_string()
    }

    /// The module path of the type, as seen from another crate.
    pub(super) fn module_outside(&self, library: &str) -> String {
        match self.module_path.strip_prefix("crate") {
            Some(below) => format!("{library}{below}"),
            None => self.module_path.clone(),
        }
    }
}

/// `a CronJob`, `an Application`.
fn with_article(kind: &str) -> String {
    if kind.starts_with(['A', 'E', 'I', 'O']) {
        format!("an {kind}")
    } else {
        format!("a {kind}")
    }
}
