//! [`KindNames`]: the names of a kind in scaffolded files.

use genclient_syntax::names::{self, snake_case};

use super::existing::Served;
use crate::known::BuiltInKind;

/// The names of a kind in scaffolded files.
pub(super) struct KindNames {
    pub(super) kind: String,
    /// `webapp.example.com`; empty for the core group.
    pub(super) group: String,
    pub(super) version: String,
    /// `webapp.example.com/v1`.
    pub(super) api_version: String,
    pub(super) plural: String,
    /// `CronJobs`, for comments.
    pub(super) kinds: String,
    /// `cron_job`: the name of its file, and of its modules.
    pub(super) file: String,
    /// `cronjob`, for names of objects.
    pub(super) lower: String,
    /// `crate::apis::webapp::v1`, or a module of another crate.
    pub(super) module_path: String,
    /// `v1::CronJob`
    pub(super) type_name: String,
    pub(super) namespaced: bool,
}

impl KindNames {
    /// A kind that lives in namespaces.
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
            version: version.to_owned(),
            api_version: match group {
                "" => version.to_owned(),
                group => format!("{group}/{version}"),
            },
            plural: plural.to_owned(),
            kinds: names::client_type(kind),
            file: snake_case(kind),
            lower: kind.to_lowercase(),
            type_name: format!("{module}::{kind}"),
            module_path: module_path.to_owned(),
            namespaced: true,
        }
    }

    /// A kind of the project.
    pub(super) fn of_project((group, version, resource): Served<'_>) -> Self {
        let (kind, plural) = (&resource.kind, &resource.plural);
        let module = parent(&resource.type_path);
        Self {
            namespaced: resource.is_namespaced(),
            ..Self::new(&group.name, &version.name, kind, plural, module)
        }
    }

    /// A kind of Kubernetes' own, by the path of its type.
    pub(super) fn of_kubernetes(path: &str, of: &BuiltInKind) -> Self {
        Self {
            namespaced: of.namespaced,
            ..Self::new(of.group, &of.version, &of.kind, &of.plural, parent(path))
        }
    }

    /// Whether another crate has the type.
    pub(super) fn is_foreign(&self) -> bool {
        !self.module_path.starts_with("crate")
    }

    /// The module of its file, as an identifier.
    pub(super) fn module(&self) -> String {
        names::ident(&self.file).to_string()
    }

    /// The module of the type, as another crate reaches it.
    pub(super) fn module_outside(&self, library: &str) -> String {
        match self.module_path.strip_prefix("crate") {
            Some(below) => format!("{library}{below}"),
            None => self.module_path.clone(),
        }
    }

    /// The API of its objects, in a test.
    pub(super) fn objects(&self) -> &'static str {
        match self.namespaced {
            true => "Api::default_namespaced(server.client())",
            false => "Api::all(server.client())",
        }
    }

    /// The name of the file with a sample, as kubebuilder has it: `webapp_v1_guestbook.yaml`.
    pub(super) fn sample(&self) -> String {
        let group = self.group.split('.').next().unwrap_or_default();
        format!(
            "config/samples/{group}_{}_{}.yaml",
            self.version, self.lower
        )
    }

    /// An object of a kind of Kubernetes' own that the API server takes, as JSON for `json!`.
    pub(super) fn object(&self) -> String {
        let (kind, api_version, name) = (&self.kind, &self.api_version, self.lower.as_str());
        let namespace = match self.namespaced {
            true => ", \"namespace\": \"default\"",
            false => "",
        };
        let spec = match kind.as_str() {
            "Pod" => format!("\"spec\": {POD}"),
            "Deployment" | "DaemonSet" | "ReplicaSet" | "StatefulSet" => format!(
                "\"spec\": {{
                    \"selector\": {{ \"matchLabels\": {{ \"app\": \"sample\" }} }},
                    \"template\": {{ \"metadata\": {{ \"labels\": {{ \"app\": \"sample\" }} }}, \"spec\": {POD} }}
                }}"
            ),
            "Job" => format!("\"spec\": {{ \"template\": {{ \"spec\": {TASK} }} }}"),
            "CronJob" => format!(
                "\"spec\": {{
                    \"schedule\": \"0 * * * *\",
                    \"jobTemplate\": {{ \"spec\": {{ \"template\": {{ \"spec\": {TASK} }} }} }}
                }}"
            ),
            "Service" => "\"spec\": { \"ports\": [{ \"port\": 80 }] }".to_owned(),
            _ => String::new(),
        };
        format!(
            "{{
                \"apiVersion\": \"{api_version}\",
                \"kind\": \"{kind}\",
                \"metadata\": {{ \"name\": \"{name}-sample\"{namespace} }},
                {spec}
            }}"
        )
    }
}

const POD: &str = "{ \"containers\": [{ \"name\": \"sample\", \"image\": \"sample\" }] }";

const TASK: &str = "{ \"restartPolicy\": \"Never\", \"containers\": [{ \"name\": \"sample\", \"image\": \"sample\" }] }";

/// The module of a path.
pub(super) fn parent(path: &str) -> &str {
    path.rsplit_once("::").map_or(path, |(module, _)| module)
}
