//! Deployment settings of a package: `[package.metadata.genclient.deploy]`.

use std::collections::BTreeMap;
use std::ops::Range;
use std::sync::Arc;

use serde::de::IntoDeserializer as _;
use serde::{Deserialize, Deserializer};
use toml::Spanned;

use super::toml_errors::{self, HELP_SEPARATOR};
use crate::diagnostic::{Diagnostic, Diagnostics, Location, Sink, SourceText};

/// Maximum length of `name`: the Service `<name>-webhook-service` has at most 63 characters.
const MAX_NAME_LENGTH: usize = 63 - "-webhook-service".len();

const MAX_NAMESPACE_LENGTH: usize = 63;

/// Deployment settings of a package.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Deploy {
    /// The prefix of the names that genclient chooses for objects: `gpu` in `gpu-manager-role`.
    pub name: String,
    /// The namespace of the program.
    pub namespace: String,
    /// Whether the program is limited to its own namespace.
    pub namespaced: bool,
    /// The number of Pods.
    pub replicas: u32,
    /// The key by which the Pods share the objects; `None` if one Pod leads.
    pub shard_by: Option<ShardBy>,
    /// The issuer of the program's certificates.
    pub certificates: Certificates,
    /// Whether metrics are served.
    pub metrics: bool,
    /// Whether a `ServiceMonitor` makes Prometheus scrape the metrics.
    pub prometheus: bool,
    /// Whether network policies restrict who may connect.
    pub network_policy: bool,
}

/// Issuer of the certificates for webhooks and metrics.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Certificates {
    /// The program issues them.
    #[default]
    Own,
    /// cert-manager issues them.
    CertManager,
}

/// Key whose hash decides which Pod works on an object: the values of `--shard-by`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum ShardBy {
    /// The namespace.
    Namespace,
    /// The namespace and the name.
    Name,
}

impl ShardBy {
    /// Returns the value of `--shard-by`.
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Namespace => "namespace",
            Self::Name => "name",
        }
    }
}

impl Deploy {
    /// Returns the default settings for a name.
    pub fn new(name: &str) -> Self {
        Self {
            name: name.to_owned(),
            namespace: format!("{name}-system"),
            namespaced: false,
            replicas: 1,
            shard_by: None,
            certificates: Certificates::Own,
            metrics: true,
            prometheus: false,
            network_policy: false,
        }
    }

    /// Returns the name of an object, which ends in `what`: `gpu-manager-role`.
    pub fn named(&self, what: &str) -> String {
        format!("{}-{what}", self.name)
    }

    /// Returns the name of the Service by which the API server calls webhooks.
    pub fn webhook_service(&self) -> String {
        self.named("webhook-service")
    }
}

/// The table in Cargo.toml, with the spans of its keys and values.
#[derive(Clone, Debug, Default, Deserialize)]
pub(super) struct DeployTable(BTreeMap<Spanned<String>, Spanned<toml::Value>>);

impl DeployTable {
    /// Reads the keys one by one, so that every error is reported.
    fn parse_settings(&self, source: &Arc<SourceText>) -> Result<DeploySettings, Diagnostics> {
        let mut sink = Sink::new();
        let mut report = |message: &str, span: Range<usize>| {
            let source = Arc::clone(source);
            sink.push(toml_errors::serde_finding(message).at(Location { source, span }));
        };
        for (key, value) in &self.0 {
            let alone = toml::Table::from_iter([(key.get_ref().clone(), value.get_ref().clone())]);
            if let Err(error) = alone.try_into::<DeploySettings>() {
                let span = if error.message().starts_with("unknown field") {
                    key.span()
                } else {
                    value.span()
                };
                report(error.message(), span);
            }
        }
        let is_false = |value: &Spanned<toml::Value>| value.get_ref().as_bool() == Some(false);
        if let (Some((key, value)), Some(metrics)) =
            (self.0.get_key_value("prometheus"), self.0.get("metrics"))
            && value.get_ref().as_bool() == Some(true)
            && is_false(metrics)
        {
            let what = "`prometheus = true` conflicts with `metrics = false`";
            let help = "remove `metrics = false` or `prometheus = true`";
            report(&format!("{what}{HELP_SEPARATOR}{help}"), key.span());
        }
        if let (Some((key, value)), Some(namespaced)) =
            (self.0.get_key_value("shard-by"), self.0.get("namespaced"))
            && value.get_ref().as_str() == Some(ShardBy::Namespace.as_str())
            && namespaced.get_ref().as_bool() == Some(true)
        {
            let what =
                "`shard-by = \"namespace\"` gives all objects to one Pod with `namespaced = true`";
            let help = "write `shard-by = \"name\"`";
            report(&format!("{what}{HELP_SEPARATOR}{help}"), key.span());
        }
        sink.finish(())?;
        let all: toml::Table = self
            .0
            .iter()
            .map(|(key, value)| (key.get_ref().clone(), value.get_ref().clone()))
            .collect();
        let written = all.try_into::<DeploySettings>();
        written.map_err(|error| toml_errors::serde_finding(error.message()).into())
    }
}

#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields, default, rename_all = "kebab-case")]
struct DeploySettings {
    #[serde(deserialize_with = "deserialize_name")]
    name: Option<String>,
    #[serde(deserialize_with = "deserialize_namespace")]
    namespace: Option<String>,
    namespaced: bool,
    #[serde(deserialize_with = "deserialize_replicas")]
    replicas: u32,
    #[serde(deserialize_with = "deserialize_shard_by")]
    shard_by: Option<ShardBy>,
    #[serde(deserialize_with = "deserialize_certificates")]
    certificates: Certificates,
    metrics: bool,
    prometheus: bool,
    network_policy: bool,
}

impl Default for DeploySettings {
    fn default() -> Self {
        Self {
            name: None,
            namespace: None,
            namespaced: false,
            replicas: 1,
            shard_by: None,
            certificates: Certificates::Own,
            metrics: true,
            prometheus: false,
            network_policy: false,
        }
    }
}

/// Returns the deployment settings of a package, if its manifest has the table.
pub(super) fn read_deploy(
    table: Option<&DeployTable>,
    package: &str,
    source: &Arc<SourceText>,
) -> Result<Option<Deploy>, Diagnostics> {
    let Some(table) = table else {
        return Ok(None);
    };
    let written = table.parse_settings(source)?;
    let name = match written.name {
        Some(name) => name,
        None => name_from_package(package)?,
    };
    let namespace = written.namespace;
    Ok(Some(Deploy {
        namespace: namespace.unwrap_or_else(|| format!("{name}-system")),
        namespaced: written.namespaced,
        replicas: written.replicas,
        shard_by: written.shard_by,
        certificates: written.certificates,
        metrics: written.metrics,
        prometheus: written.prometheus,
        network_policy: written.network_policy,
        name,
    }))
}

/// Turns the name of a package into the prefix of the names of objects.
fn name_from_package(package: &str) -> Result<String, Diagnostics> {
    let name = package.to_lowercase().replace('_', "-");
    if is_label(&name, MAX_NAME_LENGTH) {
        return Ok(name);
    }
    let finding = Diagnostic::error(format!(
        "the package name `{package}` is not a valid prefix for names of objects"
    ));
    let help = format!(
        "write a name of at most {MAX_NAME_LENGTH} characters: `name = \"..\"` in `[package.metadata.genclient.deploy]`"
    );
    Err(finding.help(help).into())
}

fn deserialize_name<'de, D: Deserializer<'de>>(
    deserializer: D,
) -> Result<Option<String>, D::Error> {
    deserialize_label(deserializer, MAX_NAME_LENGTH)
}

fn deserialize_namespace<'de, D: Deserializer<'de>>(
    deserializer: D,
) -> Result<Option<String>, D::Error> {
    deserialize_label(deserializer, MAX_NAMESPACE_LENGTH)
}

/// Reads the number of Pods, which is at least 1.
fn deserialize_replicas<'de, D: Deserializer<'de>>(deserializer: D) -> Result<u32, D::Error> {
    match u32::deserialize(deserializer)? {
        0 => Err(serde::de::Error::custom(format!(
            "`replicas` must be at least 1{HELP_SEPARATOR}write `replicas = 1`; \
             to stop a deployed program, use `kubectl scale`"
        ))),
        replicas => Ok(replicas),
    }
}

fn deserialize_shard_by<'de, D: Deserializer<'de>>(
    deserializer: D,
) -> Result<Option<ShardBy>, D::Error> {
    deserialize_choice(deserializer, "`\"namespace\"` or `\"name\"`").map(Some)
}

fn deserialize_certificates<'de, D: Deserializer<'de>>(
    deserializer: D,
) -> Result<Certificates, D::Error> {
    deserialize_choice(deserializer, "`\"own\"` or `\"cert-manager\"`")
}

/// Reads a value that is written as a string, one of `values`.
fn deserialize_choice<'de, D: Deserializer<'de>, T: Deserialize<'de>>(
    deserializer: D,
    values: &str,
) -> Result<T, D::Error> {
    match toml::Value::deserialize(deserializer)? {
        toml::Value::String(text) => T::deserialize(text.into_deserializer()),
        other => Err(serde::de::Error::custom(format!(
            "invalid type: {}, expected {values}",
            other.type_str()
        ))),
    }
}

/// Reads a name that the API server accepts, of at most `longest` characters.
fn deserialize_label<'de, D: Deserializer<'de>>(
    deserializer: D,
    longest: usize,
) -> Result<Option<String>, D::Error> {
    let text = String::deserialize(deserializer)?;
    if is_label(&text, longest) {
        return Ok(Some(text));
    }
    Err(serde::de::Error::custom(format!(
        "invalid object name `{text}`{HELP_SEPARATOR}use at most {longest} lower-case letters, digits and `-`, with a letter \
         first and no `-` last"
    )))
}

/// Returns whether a Service may have the name (`IsDNS1035Label` in `k8s.io/apimachinery`).
fn is_label(text: &str, longest: usize) -> bool {
    let is_inner = |c: char| c.is_ascii_lowercase() || c.is_ascii_digit() || c == '-';
    text.len() <= longest
        && text.starts_with(|c: char| c.is_ascii_lowercase())
        && !text.ends_with('-')
        && text.chars().all(is_inner)
}
