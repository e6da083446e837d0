//! `[package.metadata.genclient.deploy]`: how the program of a package is deployed.

use serde::{Deserialize, Deserializer};

use super::refused::HELP;
use crate::diagnostic::{Diagnostic, Diagnostics};

/// The longest name: a Service has at most 63 characters, and `-webhook-service` stands behind.
const LONGEST_NAME: usize = 63 - "-webhook-service".len();

/// The longest name of a namespace.
const LONGEST_NAMESPACE: usize = 63;

/// How the program of a package is deployed.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Deploy {
    /// The name that the names of all objects begin with.
    pub name: String,
    /// The namespace of the program.
    pub namespace: String,
    /// Whether the program sees its own namespace alone.
    pub namespaced: bool,
    /// The number of Pods.
    pub replicas: u32,
    /// Where the certificate of webhooks comes from.
    pub certificates: Certificates,
    /// Whether metrics are served.
    pub metrics: bool,
    /// Whether a `ServiceMonitor` has Prometheus read the metrics.
    pub prometheus: bool,
    /// Whether network policies say who may connect.
    pub network_policy: bool,
}

/// Where the certificate of webhooks comes from.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Certificates {
    /// The program issues it.
    #[default]
    Own,
    /// cert-manager issues it.
    CertManager,
}

impl Deploy {
    /// A deployment of that name, with the default settings.
    pub fn new(name: &str) -> Self {
        Self {
            name: name.to_owned(),
            namespace: format!("{name}-system"),
            namespaced: false,
            replicas: 1,
            certificates: Certificates::Own,
            metrics: true,
            prometheus: false,
            network_policy: false,
        }
    }

    /// The name of an object: `gpu-manager-role`.
    pub(crate) fn named(&self, what: &str) -> String {
        format!("{}-{what}", self.name)
    }

    /// The Service that the API server calls webhooks through.
    pub(crate) fn webhook_service(&self) -> String {
        self.named("webhook-service")
    }
}

/// The table as it is written.
#[derive(Clone, Debug, Default, Deserialize)]
#[serde(try_from = "Written")]
pub(super) struct DeployTable(Written);

#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields, default, rename_all = "kebab-case")]
struct Written {
    #[serde(deserialize_with = "name")]
    name: Option<String>,
    #[serde(deserialize_with = "namespace")]
    namespace: Option<String>,
    namespaced: bool,
    replicas: u32,
    certificates: Certificates,
    metrics: bool,
    prometheus: bool,
    network_policy: bool,
}

impl Default for Written {
    fn default() -> Self {
        Self {
            name: None,
            namespace: None,
            namespaced: false,
            replicas: 1,
            certificates: Certificates::Own,
            metrics: true,
            prometheus: false,
            network_policy: false,
        }
    }
}

impl TryFrom<Written> for DeployTable {
    type Error = String;

    fn try_from(written: Written) -> Result<Self, String> {
        if written.prometheus && !written.metrics {
            let what = "`prometheus` needs metrics, and `metrics` is false";
            return Err(format!(
                "{what}{HELP}remove `metrics = false` or `prometheus = true`"
            ));
        }
        Ok(Self(written))
    }
}

/// The deployment of a package, if its manifest has the table.
pub(super) fn of(
    table: Option<&DeployTable>,
    package: &str,
) -> Result<Option<Deploy>, Diagnostics> {
    let Some(DeployTable(written)) = table else {
        return Ok(None);
    };
    let name = match &written.name {
        Some(name) => name.clone(),
        None => from_package(package)?,
    };
    let namespace = written.namespace.clone();
    Ok(Some(Deploy {
        namespace: namespace.unwrap_or_else(|| format!("{name}-system")),
        namespaced: written.namespaced,
        replicas: written.replicas,
        certificates: written.certificates,
        metrics: written.metrics,
        prometheus: written.prometheus,
        network_policy: written.network_policy,
        name,
    }))
}

/// The name of a package, as objects have it.
fn from_package(package: &str) -> Result<String, Diagnostics> {
    let name = package.to_lowercase().replace('_', "-");
    if is_label(&name, LONGEST_NAME) {
        return Ok(name);
    }
    let finding = Diagnostic::error(format!(
        "`{package}`, the name of the package, cannot begin the names of objects"
    ));
    let help = format!(
        "write `name = \"..\"` in `[package.metadata.genclient.deploy]`, of at most {LONGEST_NAME} characters"
    );
    Err(finding.help(help).into())
}

fn name<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Option<String>, D::Error> {
    label(deserializer, LONGEST_NAME)
}

fn namespace<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Option<String>, D::Error> {
    label(deserializer, LONGEST_NAMESPACE)
}

/// A name that the API server takes, of at most so many characters.
fn label<'de, D: Deserializer<'de>>(
    deserializer: D,
    longest: usize,
) -> Result<Option<String>, D::Error> {
    let text = String::deserialize(deserializer)?;
    if is_label(&text, longest) {
        return Ok(Some(text));
    }
    Err(serde::de::Error::custom(format!(
        "`{text}` cannot be the name of an object{HELP}use lower-case letters, digits and `-`, with a letter in \
         front, at most {longest} characters"
    )))
}

/// Whether a Service may have the name (`IsDNS1035Label` in `k8s.io/apimachinery`).
fn is_label(text: &str, longest: usize) -> bool {
    let is_inner = |c: char| c.is_ascii_lowercase() || c.is_ascii_digit() || c == '-';
    text.len() <= longest
        && text.starts_with(|c: char| c.is_ascii_lowercase())
        && !text.ends_with('-')
        && text.chars().all(is_inner)
}
