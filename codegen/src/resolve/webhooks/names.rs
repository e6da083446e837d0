//! Names and paths of webhooks where none are written, and names that two would have.

use genclient_syntax::{WebhookAttrs, WebhookRole};

use crate::diagnostic::{Diagnostic, Location, Sink};
use crate::model::Webhook;
use crate::project::Deploy;
use crate::resolve::object::Object;

/// A webhook, and where its name comes from.
pub(super) struct NamedWebhook {
    pub(super) webhook: Webhook,
    pub(super) place: Location,
}

/// The configuration that a webhook is in: as written, or controller-gen's, with the name of the
/// deployment in front as in kubebuilder's projects.
pub(super) fn configuration(attrs: &WebhookAttrs, deploy: Option<&Deploy>) -> String {
    let default = match attrs.role {
        WebhookRole::Mutating => "mutating-webhook-configuration",
        WebhookRole::Validating => "validating-webhook-configuration",
    };
    match (&attrs.configuration, deploy) {
        (Some(written), _) => written.clone(),
        (None, Some(deploy)) => deploy.named(default),
        (None, None) => default.to_owned(),
    }
}

/// `validation.gputask.falldio.com`: the API server asks for three parts.
pub(super) fn webhook(role: WebhookRole, object: &Object) -> String {
    let first = match role {
        WebhookRole::Mutating => "default",
        WebhookRole::Validating => "validation",
    };
    let group = match object.group.as_str() {
        "" => "core",
        group => group,
    };
    format!("{first}.{}.{group}", object.kind.to_lowercase())
}

/// `/validate-falldio-com-v1-gputask`, and `/mutate--v1-pod` in the core group:
/// controller-runtime's `generateValidatePath` and `generateMutatePath` (`pkg/builder/webhook.go`).
pub(super) fn path(role: WebhookRole, object: &Object) -> String {
    let verb = match role {
        WebhookRole::Mutating => "mutate",
        WebhookRole::Validating => "validate",
    };
    let group = object.group.replace('.', "-");
    let (version, kind) = (&object.version, object.kind.to_lowercase());
    format!("/{verb}-{group}-{version}-{kind}")
}

/// The API server refuses a configuration with two webhooks of one name. They are sorted by it.
pub(super) fn check_unique(configuration: &str, found: &[NamedWebhook], sink: &mut Sink) {
    for pair in found.windows(2) {
        let [first, second] = pair else { continue };
        let name = &second.webhook.name;
        if first.webhook.name == *name {
            sink.push(
                Diagnostic::error(format!(
                    "two webhooks of `{configuration}` have the name `{name}`"
                ))
                .at(second.place.clone())
                .label(first.place.clone(), "the other one")
                .help(format!(
                    "write `name = \"second.{name}\"` in `#[webhook(..)]`"
                )),
            );
        }
    }
}
