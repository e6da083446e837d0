//! Manifests of webhooks: admission webhook configurations, `clientConfig`, and the deployment's
//! Service. Configurations have their keys in the order of controller-gen's `manifests.yaml`.

use std::collections::BTreeSet;
use std::net::{IpAddr, SocketAddr};

use super::certificates;
use super::object::{
    ObjectManifest, is_own_service, namespace_value, namespaced_metadata, pod_labels,
    serves_webhooks,
};
use super::value::{ManifestValue, tree};
use crate::model::{Model, Webhook, WebhookConfiguration, WebhookEndpoint};
use crate::project::Deploy;
use crate::yaml::{Yaml, YamlNode};

/// The file for webhook configurations, below the configuration folder.
pub(crate) const WEBHOOKS_FILE: &str = "webhook/manifests.yaml";

/// The port of a URL without one.
const HTTPS_PORT: u16 = 443;

/// The manifest of a webhook configuration.
pub(crate) fn configuration_manifest(
    configuration: &WebhookConfiguration,
    deploy: Option<&Deploy>,
) -> ObjectManifest {
    let kind = if configuration.mutating {
        "MutatingWebhookConfiguration"
    } else {
        "ValidatingWebhookConfiguration"
    };
    let mut metadata = Vec::new();
    let mut webhooks = configuration.webhooks.iter();
    if let Some(deploy) = deploy
        && webhooks.any(|it| is_own_service(&it.endpoint, deploy))
    {
        let annotations = ManifestValue::Map(vec![certificates::ca_injection_annotation(deploy)]);
        metadata.push(("annotations".to_owned(), annotations));
    }
    metadata.push(("name".to_owned(), ManifestValue::from(&configuration.name)));
    let webhooks: Vec<_> = configuration
        .webhooks
        .iter()
        .map(|it| webhook_entry(it, deploy))
        .collect();
    let tree = tree!({
        "apiVersion": "admissionregistration.k8s.io/v1",
        "kind": (kind),
        "metadata": (ManifestValue::Map(metadata)),
        "webhooks": (webhooks),
    });
    ObjectManifest::new(WEBHOOKS_FILE, kind, tree)
}

/// A webhook of a configuration. Its keys are in alphabetical order, and `clientConfig` is the only
/// one whose value depends on the deployment.
fn webhook_entry(webhook: &Webhook, deploy: Option<&Deploy>) -> ManifestValue {
    let mut before = Yaml::default();
    before.texts("admissionReviewVersions", &webhook.review_versions);
    let mut entries = map_entries(before.finish());
    let client_config = client_config(&webhook.endpoint, deploy);
    entries.push(("clientConfig".to_owned(), client_config));
    entries.extend(map_entries(Yaml::build(|yaml| {
        write_keys_after_client_config(webhook, yaml)
    })));
    ManifestValue::Map(entries)
}

pub(super) fn map_entries(map: YamlNode) -> Vec<(String, ManifestValue)> {
    let YamlNode::Map(entries) = map else {
        return Vec::new();
    };
    let entries = entries.into_iter();
    entries
        .map(|(key, node)| (key, ManifestValue::from(node)))
        .collect()
}

fn write_keys_after_client_config(webhook: &Webhook, yaml: &mut Yaml) {
    yaml.text("failurePolicy", webhook.failure_policy);
    yaml.maps("matchConditions", &webhook.match_conditions, |yaml, one| {
        yaml.text("expression", one.expression.as_str());
        yaml.text("name", one.name.as_str());
    });
    yaml.text("matchPolicy", webhook.match_policy);
    yaml.text("name", webhook.name.as_str());
    yaml.value("namespaceSelector", webhook.namespace_selector.as_ref());
    yaml.value("objectSelector", webhook.object_selector.as_ref());
    yaml.text("reinvocationPolicy", webhook.reinvocation_policy);
    yaml.maps("rules", [webhook], write_rule);
    yaml.text("sideEffects", webhook.side_effects);
    yaml.plain("timeoutSeconds", webhook.timeout);
}

fn write_rule(yaml: &mut Yaml, webhook: &Webhook) {
    yaml.texts("apiGroups", &webhook.groups);
    yaml.texts("apiVersions", &webhook.versions);
    yaml.texts("operations", &webhook.operations);
    yaml.texts("resources", &webhook.resources);
}

/// The Service through which the API server calls the webhooks; `None` if it calls no webhook.
pub(super) fn webhook_service(model: &Model, deploy: &Deploy) -> Option<ObjectManifest> {
    let tree = tree!({
        "apiVersion": "v1",
        "kind": "Service",
        "metadata": (namespaced_metadata(deploy, "webhook-service")),
        "spec": {
            "ports": [{
                "name": "webhook",
                "port": 443,
                "protocol": "TCP",
                "targetPort": "webhook",
            }],
            "selector": (pod_labels(deploy)),
        },
    });
    let service = ObjectManifest::new("webhook/service.yaml", "Service", tree);
    serves_webhooks(model, deploy).then_some(service)
}

/// The `clientConfig` of a webhook.
pub(super) fn client_config(endpoint: &WebhookEndpoint, deploy: Option<&Deploy>) -> ManifestValue {
    match endpoint {
        WebhookEndpoint::Url(url) => tree!({ "url": (url) }),
        WebhookEndpoint::Service {
            namespace: stated,
            name,
            path,
            port,
        } => {
            let mut service = vec![
                ("name".to_owned(), ManifestValue::from(name)),
                ("namespace".to_owned(), namespace_value(stated, deploy)),
                ("path".to_owned(), ManifestValue::from(path)),
            ];
            service
                .extend(port.map(|port| ("port".to_owned(), ManifestValue::from(i32::from(port)))));
            tree!({ "service": (ManifestValue::Map(service)) })
        }
    }
}

/// Returns the model for a program that runs outside of the cluster. In this model, the API server
/// calls the program's webhooks at a URL instead of the deployment's Service.
pub fn call_webhooks_at_url(url: &str, model: &Model, deploy: &Deploy) -> Model {
    let mut changed = model.clone();
    for endpoint in
        webhook_endpoints(&mut changed).filter(|endpoint| is_own_service(endpoint, deploy))
    {
        if let WebhookEndpoint::Service { path, .. } = endpoint {
            *endpoint = WebhookEndpoint::Url(format!("{url}{path}"));
        }
    }
    changed
}

/// Returns the model in which the API server calls the deployment's Service instead of URLs of this
/// machine.
pub fn call_webhooks_by_service(model: &Model, deploy: &Deploy) -> Model {
    let mut changed = model.clone();
    for endpoint in webhook_endpoints(&mut changed) {
        if let WebhookEndpoint::Url(url) = endpoint
            && let Some(local) = LocalUrl::parse(url)
        {
            *endpoint = WebhookEndpoint::Service {
                namespace: deploy.namespace.clone(),
                name: deploy.webhook_service(),
                path: local.path.to_owned(),
                port: None,
            };
        }
    }
    changed
}

fn webhook_endpoints(model: &mut Model) -> impl Iterator<Item = &mut WebhookEndpoint> {
    let webhooks = model.webhooks.iter_mut().flat_map(|it| &mut it.webhooks);
    let crds = model.crds.iter_mut();
    let conversions = crds.filter_map(|crd| crd.conversion.as_mut());
    webhooks
        .map(|webhook| &mut webhook.endpoint)
        .chain(conversions.map(|conversion| &mut conversion.endpoint))
}

/// The addresses of this machine at which the API server calls webhooks by URL.
pub fn local_webhook_addresses(model: &Model) -> BTreeSet<SocketAddr> {
    let mut copy = model.clone();
    let urls = webhook_endpoints(&mut copy).filter_map(|endpoint| match endpoint {
        WebhookEndpoint::Url(url) => Some(LocalUrl::parse(url)?.address),
        WebhookEndpoint::Service { .. } => None,
    });
    urls.collect()
}

/// The URL of a webhook on this machine.
struct LocalUrl<'a> {
    address: SocketAddr,
    path: &'a str,
}

impl<'a> LocalUrl<'a> {
    /// Parses a URL. Returns `None` if its host may be another machine.
    fn parse(url: &'a str) -> Option<Self> {
        let rest = url.strip_prefix("https://")?;
        let (authority, path) = rest.split_at(rest.find('/').unwrap_or(rest.len()));
        let address = match authority.parse() {
            Ok(address) => address,
            Err(_) => {
                let host = authority.trim_matches(['[', ']']);
                SocketAddr::new(host.parse::<IpAddr>().ok()?, HTTPS_PORT)
            }
        };
        address.ip().is_loopback().then_some(Self { address, path })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn urls_of_this_machine_have_an_address_and_a_path() {
        for (url, expected) in [
            (
                "https://127.0.0.1:9443/convert",
                Some(("127.0.0.1:9443", "/convert")),
            ),
            ("https://127.0.0.2/a/b", Some(("127.0.0.2:443", "/a/b"))),
            ("https://[::1]:1", Some(("[::1]:1", ""))),
            ("https://[::1]/", Some(("[::1]:443", "/"))),
            ("https://10.0.0.1:9443/convert", None),
            ("https://example.com/convert", None),
        ] {
            let local = LocalUrl::parse(url).map(|it| (it.address.to_string(), it.path));
            let shown = local.as_ref().map(|(address, path)| (&**address, *path));
            assert_eq!(shown, expected, "{url}");
        }
    }
}
