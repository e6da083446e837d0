//! Default names and paths of webhooks, and duplicate names.

use genclient_syntax::{WebhookAttrs, WebhookRole};

use crate::diagnostic::{Diagnostic, Location, Sink};
use crate::model::Webhook;
use crate::project::Deploy;
use crate::resolve::object::Object;

/// A webhook, with the location of its name.
pub(super) struct NamedWebhook {
    pub(super) webhook: Webhook,
    pub(super) place: Location,
}

/// Name of the configuration that lists a webhook: as written, or controller-gen's default,
/// prefixed with the deployment's name as in kubebuilder's projects.
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

/// Default name of a webhook, such as `validation.gputask.falldio.com`: the API server requires
/// three segments.
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

/// Default path of a webhook, such as `/validate-falldio-com-v1-gputask`, or `/mutate--v1-pod` in
/// the core group: controller-runtime's `generateValidatePath` and `generateMutatePath`
/// (`pkg/builder/webhook.go`).
pub(super) fn path(role: WebhookRole, object: &Object) -> String {
    let verb = match role {
        WebhookRole::Mutating => "mutate",
        WebhookRole::Validating => "validate",
    };
    let group = object.group.replace('.', "-");
    let (version, kind) = (&object.version, object.kind.to_lowercase());
    format!("/{verb}-{group}-{version}-{kind}")
}

/// Reports duplicate names, which the API server refuses in one configuration. `found` is sorted by
/// name.
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
