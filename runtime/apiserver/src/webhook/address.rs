//! [`WebhookAddress`]: the server and path that a webhook's `clientConfig` refers to.

use std::time::Duration;

use genclient_apimachinery::unstructured::str_or_empty;
use http::Uri;
use serde_json::Value;

/// Default port of a Service in a `clientConfig`.
const DEFAULT_PORT: u64 = 443;

/// Server and path that a `clientConfig` refers to.
#[derive(Debug)]
pub(super) struct WebhookAddress<'a> {
    pub(super) destination: Destination<'a>,
    /// Scheme, host, port and path of the URL.
    base: String,
    /// `caBundle` of the `clientConfig`: base64 of PEM.
    #[cfg(feature = "webhooks")]
    pub(super) authorities: &'a str,
}

/// Destination of a webhook call.
#[derive(Clone, Copy, Debug)]
pub(super) enum Destination<'a> {
    /// Service of the cluster.
    Service(ServiceReference<'a>),
    /// Server that the `url` names.
    Url,
}

/// Service of a `clientConfig`.
#[derive(Clone, Copy, Debug)]
pub(super) struct ServiceReference<'a> {
    pub(super) namespace: &'a str,
    pub(super) name: &'a str,
    pub(super) port: u64,
}

impl<'a> WebhookAddress<'a> {
    /// Parses a `clientConfig` (`ClientManager.hookClientConfig`).
    ///
    /// # Errors
    ///
    /// If it has neither a Service nor a URL, or an invalid URL.
    pub(super) fn parse(config: &'a Value) -> Result<Self, String> {
        #[cfg(feature = "webhooks")]
        let authorities = str_or_empty(&config["caBundle"]);
        let service = &config["service"];
        if service.is_object() {
            let reference = ServiceReference {
                namespace: str_or_empty(&service["namespace"]),
                name: str_or_empty(&service["name"]),
                port: service["port"].as_u64().unwrap_or(DEFAULT_PORT),
            };
            let ServiceReference {
                namespace,
                name,
                port,
            } = reference;
            let path = clean_path(str_or_empty(&service["path"]));
            return Ok(Self {
                destination: Destination::Service(reference),
                base: format!("https://{name}.{namespace}.svc:{port}{path}"),
                #[cfg(feature = "webhooks")]
                authorities,
            });
        }
        let url = str_or_empty(&config["url"]);
        if url.is_empty() {
            return Err("webhook configuration must have either service or URL".to_owned());
        }
        let parsed: Uri = url
            .parse()
            .map_err(|error| format!("Unparsable URL: {error}"))?;
        let authority = parsed.authority().map_or("", |it| it.as_str());
        let path = clean_path(parsed.path());
        Ok(Self {
            destination: Destination::Url,
            base: format!("https://{authority}{path}"),
            #[cfg(feature = "webhooks")]
            authorities,
        })
    }

    /// Returns the URL of a call. Its query is the timeout, rounded up to seconds.
    pub(super) fn url(&self, timeout: Duration) -> String {
        let seconds = timeout.as_secs() + u64::from(timeout.subsec_nanos() > 0);
        format!("{}?timeout={seconds}s", self.base)
    }
}

/// Resolves `.` and `..` in a path and removes empty segments (Go's `path.Join("/", …)`).
fn clean_path(path: &str) -> String {
    let mut segments = Vec::new();
    for segment in path.split('/') {
        match segment {
            "" | "." => {}
            ".." => {
                segments.pop();
            }
            segment => segments.push(segment),
        }
    }
    format!("/{}", segments.join("/"))
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[track_caller]
    fn check(config: Value, expected: &str) {
        let url = WebhookAddress::parse(&config).map(|it| it.url(Duration::from_secs(10)));
        assert_eq!(url.unwrap_or_else(|error| error), expected);
    }

    #[test]
    fn service_references_resolve_to_cluster_dns_names() {
        let service = json!({"namespace": "system", "name": "hooks", "path": "/validate"});
        let expected = "https://hooks.system.svc:443/validate?timeout=10s";
        check(json!({ "service": service }), expected);
        let service = json!({"namespace": "a", "name": "b", "port": 8443});
        let expected = "https://b.a.svc:8443/?timeout=10s";
        check(json!({ "service": service }), expected);
    }

    #[test]
    fn webhook_url_paths_are_normalized() {
        let expected = "https://127.0.0.1:9443/a/b?timeout=10s";
        check(json!({"url": "https://127.0.0.1:9443//a/./b/"}), expected);
        check(
            json!({"url": "https://hooks"}),
            "https://hooks/?timeout=10s",
        );
    }

    #[test]
    fn client_config_requires_service_or_url() {
        let expected = "webhook configuration must have either service or URL";
        check(json!({}), expected);
    }
}
