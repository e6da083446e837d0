//! Service references of webhooks: `"namespace/name"`, path and port.

use super::{Help, Problems, Spanned, dns};
use crate::keys::Keys;
use crate::table::Key;

/// Reference to a service by namespace and name.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ServiceReference {
    /// Namespace of the service.
    pub namespace: String,
    /// Name of the service.
    pub name: String,
}

impl ServiceReference {
    /// Reads `"namespace/name"`.
    pub(crate) fn parse(written: &Spanned<String>, problems: &mut Problems) -> Option<Self> {
        if let Some((namespace, name)) = split_reference(&written.value) {
            return Some(Self {
                namespace: namespace.to_owned(),
                name: name.to_owned(),
            });
        }
        let is_service = |service: &str| split_reference(service).is_some();
        let sample = "write `\"namespace/name\"`";
        problems.report(
            written.span,
            "a service must be given as `namespace/name`, both in lower case",
            dns::suggest_lower_case(&written.value, is_service, sample),
        );
        None
    }
}

fn split_reference(service: &str) -> Option<(&str, &str)> {
    let names = service.split_once('/')?;
    (dns::is_label(names.0) && dns::is_label(names.1)).then_some(names)
}

/// Reads the path of the webhook and checks it as the API server does
/// (`k8s.io/apiserver/pkg/util/webhook`, `ValidateWebhookService`).
pub(crate) fn read_path(keys: &Keys, problems: &mut Problems) -> Option<Spanned<String>> {
    let path = keys.text(Key::PATH)?;
    let Some(below) = path.value.strip_prefix('/') else {
        let help = Help::write_key(format!("path = {:?}", format!("/{}", path.value)));
        problems.report(path.span, "the path of a webhook must start with `/`", help);
        return Some(path);
    };
    if below.is_empty() {
        return Some(path);
    }
    let below = below.strip_suffix('/').unwrap_or(below);
    if below.split('/').any(str::is_empty) {
        let parts: Vec<_> = below.split('/').filter(|part| !part.is_empty()).collect();
        let help = Help::write_key(format!("path = {:?}", format!("/{}", parts.join("/"))));
        problems.report(path.span, "empty segment in the path of a webhook", help);
    } else if let Some(part) = below.split('/').find(|part| !dns::is_subdomain(part)) {
        let is_path = |path: &str| path[1..].split('/').all(dns::is_subdomain);
        let rule = "use lower-case letters, digits, `-` and `.`";
        problems.report(
            path.span,
            format!("invalid segment `{part}` in the path of a webhook"),
            dns::suggest_lower_case(&path.value, is_path, rule),
        );
    }
    Some(path)
}

pub(crate) fn read_port(keys: &Keys, problems: &mut Problems) -> Option<Spanned<u16>> {
    let port = keys.whole::<u16>(Key::PORT, problems);
    if let Some(zero) = port.filter(|port| port.value == 0) {
        problems.report(
            zero.span,
            "a port must be between 1 and 65535",
            Help::write_key("port = 443"),
        );
    }
    port
}
