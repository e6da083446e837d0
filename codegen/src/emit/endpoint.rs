//! `clientConfig` of admission and conversion webhooks.

use super::yaml::Yaml;
use crate::model::WebhookEndpoint;

/// The members of `clientConfig`.
pub(super) fn client_config(endpoint: &WebhookEndpoint, yaml: &mut Yaml) {
    match endpoint {
        WebhookEndpoint::Url(url) => yaml.text("url", url.as_str()),
        WebhookEndpoint::Service {
            namespace,
            name,
            path,
            port,
        } => yaml.map("service", |yaml| {
            yaml.text("name", name.as_str());
            yaml.text("namespace", namespace.as_str());
            yaml.text("path", path.as_str());
            yaml.plain("port", *port);
        }),
    }
}
