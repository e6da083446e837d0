//! [`ConfiguredWebhook`]: one of the `webhooks` in an admission webhook configuration.

use std::collections::HashMap;

use genclient_apimachinery::unstructured::{list_or_empty, str_or_empty};
use serde_json::Value;

use crate::state::ServerState;
use crate::store::GroupResource;

/// One of the `webhooks` in an admission webhook configuration.
#[derive(Debug)]
pub(super) struct ConfiguredWebhook {
    webhook: Value,
    is_mutating: bool,
    /// `CONFIGURATION/WEBHOOK/INDEX`. The index distinguishes webhooks of the same name.
    pub(super) uid: String,
}

/// Returns all mutating or validating webhooks in call order: by the name of the configuration,
/// then by the position in it.
pub(super) fn configured_webhooks(
    state: &ServerState,
    is_mutating: bool,
) -> Vec<ConfiguredWebhook> {
    let mut found = Vec::new();
    for (_, stored) in state.store.list(&configurations(is_mutating), "").objects {
        let mut names: HashMap<String, usize> = HashMap::new();
        let mut configuration = stored.value();
        let Value::Array(webhooks) = configuration["webhooks"].take() else {
            continue;
        };
        for webhook in webhooks {
            let name = str_or_empty(&webhook["name"]).to_owned();
            let number = names.entry(name.clone()).or_default();
            let uid = format!("{}/{name}/{number}", stored.name);
            *number += 1;
            found.push(ConfiguredWebhook {
                webhook,
                is_mutating,
                uid,
            });
        }
    }
    found
}

/// Returns whether the store has any admission webhook configuration.
pub(in super::super) fn are_configured(state: &ServerState) -> bool {
    let mut kinds = [true, false].into_iter();
    kinds.any(|is_mutating| {
        !state
            .store
            .list(&configurations(is_mutating), "")
            .objects
            .is_empty()
    })
}

fn configurations(is_mutating: bool) -> GroupResource {
    let plural = if is_mutating {
        "mutatingwebhookconfigurations"
    } else {
        "validatingwebhookconfigurations"
    };
    GroupResource::new("admissionregistration.k8s.io", plural)
}

impl ConfiguredWebhook {
    pub(super) fn is_mutating(&self) -> bool {
        self.is_mutating
    }

    pub(super) fn name(&self) -> &str {
        str_or_empty(&self.webhook["name"])
    }

    pub(super) fn client_config(&self) -> &Value {
        &self.webhook["clientConfig"]
    }

    pub(super) fn rules(&self) -> &[Value] {
        list_or_empty(&self.webhook["rules"])
    }

    pub(super) fn conditions(&self) -> &[Value] {
        list_or_empty(&self.webhook["matchConditions"])
    }

    pub(super) fn namespace_selector(&self) -> &Value {
        &self.webhook["namespaceSelector"]
    }

    pub(super) fn object_selector(&self) -> &Value {
        &self.webhook["objectSelector"]
    }

    /// Returns whether a rule also matches if it names the resource in another group or version.
    pub(super) fn matches_equivalents(&self) -> bool {
        self.webhook["matchPolicy"] == "Equivalent"
    }

    /// Returns whether the request continues after a failed call.
    pub(super) fn fails_open(&self) -> bool {
        self.webhook["failurePolicy"] == "Ignore"
    }

    pub(super) fn is_reinvoked(&self) -> bool {
        self.webhook["reinvocationPolicy"] == "IfNeeded"
    }

    pub(super) fn takes_dry_runs(&self) -> bool {
        matches!(
            str_or_empty(&self.webhook["sideEffects"]),
            "None" | "NoneOnDryRun"
        )
    }

    pub(super) fn timeout(&self) -> Option<u64> {
        self.webhook["timeoutSeconds"].as_u64()
    }

    /// Returns the first of `admissionReviewVersions` that the server supports.
    pub(super) fn review_version(&self) -> Option<&str> {
        let mut versions = list_or_empty(&self.webhook["admissionReviewVersions"])
            .iter()
            .filter_map(Value::as_str);
        versions.find(|version| ["v1", "v1beta1"].contains(version))
    }
}
