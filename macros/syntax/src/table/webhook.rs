//! Table entries of `#[webhook]` and its keys.

use super::attribute::{Attribute, Within};
use super::form::{Form, Value};
use super::key::Key;
use crate::{FailurePolicy, MatchPolicy, Operation, ReinvocationPolicy, SideEffects, Site};

pub(super) const ATTRIBUTES: &[Attribute] = &[
    Attribute::new(Within::Item, Key::WEBHOOK, Form::Keys, IMPLS)
        .summary("Makes an `impl Defaulter` or `impl Validator` an entry of config/webhook/manifests.yaml.")
        .details(
            "A Defaulter is a mutating webhook, a Validator a validating one. Group, version, resource and kind follow from \
             its `type Object`. Webhooks are found in the module `webhook` beside the API types, or where `webhooks` in \
             `[package.metadata.genclient]` says, and among the API types.",
        )
        .go("kubebuilder:webhook")
        .example("#[webhook]"),
    webhook(Key::OPERATIONS, Value::Several(Operation::NAMES))
        .summary("The requests that the webhook is asked about.")
        .details("Default: [\"create\", \"update\"].")
        .example("#[webhook(operations = [\"create\", \"update\", \"delete\"])]"),
    webhook(Key::FAILURE_POLICY, Value::OneOf(FailurePolicy::NAMES))
        .summary("What happens to a request if the webhook cannot be asked.")
        .details("Default: \"Fail\", the request is refused.")
        .example("#[webhook(failure_policy = \"Ignore\")]"),
    webhook(Key::TIMEOUT, Value::Count)
        .summary("How long the API server waits for an answer, 1 to 30 seconds.")
        .details("Default: 10.")
        .example("#[webhook(timeout = 5)]"),
    webhook(Key::MATCH_POLICY, Value::OneOf(MatchPolicy::NAMES))
        .summary("Whether the webhook is asked about requests in other versions of the kind.")
        .details("Default: \"Equivalent\", it is, with the object converted.")
        .example("#[webhook(match_policy = \"Exact\")]"),
    webhook(Key::SIDE_EFFECTS, Value::OneOf(SideEffects::NAMES))
        .summary("Whether the webhook changes anything else.")
        .details("Default: \"None\". With \"NoneOnDryRun\" it does not if the request is a dry run.")
        .example("#[webhook(side_effects = \"NoneOnDryRun\")]"),
    webhook(Key::REINVOCATION_POLICY, Value::OneOf(ReinvocationPolicy::NAMES))
        .summary("Whether a Defaulter is asked again after other webhooks have changed the object.")
        .details("Default: \"Never\".")
        .example("#[webhook(reinvocation_policy = \"IfNeeded\")]"),
    webhook(Key::PATH, Value::String)
        .summary("The path that the webhook is served at.")
        .details(
            "Default: `/mutate-` or `/validate-`, then group, version and kind: `/validate-batch-v1-cronjob`, dots of the \
             group as dashes. It becomes the `PATH` of the impl.",
        )
        .example("#[webhook(path = \"/validate-tasks\")]"),
    webhook(Key::SERVICE, Value::String)
        .summary("The service that the API server calls, written \"namespace/name\".")
        .details("Default: that of `[package.metadata.genclient.deploy]`, or \"system/webhook-service\" without it.")
        .example("#[webhook(service = \"gpu-system/webhook\")]"),
    webhook(Key::PORT, Value::Count)
        .summary("The port of the service.")
        .details("Default: 443.")
        .example("#[webhook(port = 9443)]"),
    webhook(Key::URL, Value::String)
        .summary("The URL that the API server calls, in place of a service.")
        .details("It begins with https and has no query. The webhook is served at its path. For one that runs outside of the cluster.")
        .example("#[webhook(url = \"https://localhost:9443/validate-tasks\")]"),
    webhook(Key::NAME, Value::String)
        .summary("The name of the webhook, with at least two dots.")
        .details(
            "Default: `default.` or `validation.`, then kind and group: `validation.cronjob.batch`; for the core group \
             `validation.pod.core`. Webhooks of a configuration are called in the order of their names.",
        )
        .example("#[webhook(name = \"quota.tasks.example.com\")]"),
    webhook(Key::REVIEW_VERSIONS, Value::Strings)
        .summary("The versions of AdmissionReview that the webhook reads, the preferred one first.")
        .details("Default: [\"v1\"].")
        .example("#[webhook(review_versions = [\"v1\"])]"),
    webhook(Key::CONFIGURATION, Value::String)
        .summary("The name of the configuration that the webhook is in.")
        .details("Default: `mutating-webhook-configuration` or `validating-webhook-configuration`, with the name of `[package.metadata.genclient.deploy]` in front if Cargo.toml has that.")
        .go("kubebuilder:webhookconfiguration")
        .example("#[webhook(configuration = \"gpu-defaults\")]"),
    webhook(Key::GROUPS, Value::Strings)
        .summary("The API groups that the webhook is asked about, in place of that of `type Object`.")
        .details("\"\" is the core group, \"*\" every group.")
        .example("#[webhook(groups = [\"apps\"])]"),
    webhook(Key::VERSIONS, Value::Strings)
        .summary("The API versions that the webhook is asked about, in place of that of `type Object`.")
        .details("\"*\" is every version.")
        .example("#[webhook(versions = [\"v1\", \"v1beta1\"])]"),
    webhook(Key::RESOURCES, Value::Strings)
        .summary("The resources that the webhook is asked about, in place of that of `type Object`.")
        .details("\"pods/status\" is a subresource, \"pods/*\" every subresource, \"*/*\" every resource and subresource.")
        .example("#[webhook(resources = [\"pods\", \"pods/ephemeralcontainers\"])]"),
    webhook(Key::NAMESPACE_SELECTOR, Value::JsonObject)
        .summary("The namespaces of the objects that the webhook is asked about: a label selector.")
        .example("#[webhook(namespace_selector = { \"matchLabels\": { \"webhooks\": \"on\" } })]"),
    webhook(Key::OBJECT_SELECTOR, Value::JsonObject)
        .summary("The objects that the webhook is asked about: a label selector.")
        .details("Whoever may set labels can leave the selector.")
        .example("#[webhook(object_selector = { \"matchExpressions\": [{ \"key\": \"tier\", \"operator\": \"Exists\" }] })]"),
    webhook(Key::MATCH_CONDITIONS, Value::JsonList)
        .summary("CEL expressions, of which all have to be true for the webhook to be asked.")
        .details("They know `object`, `oldObject`, `request` and `authorizer`. At most 64, each with a name of its own.")
        .example("#[webhook(match_conditions = [{ \"name\": \"not-nodes\", \"expression\": \"!('system:nodes' in request.userInfo.groups)\" }])]"),
];

const IMPLS: &[Site] = &[Site::Impl];

const fn webhook(key: Key, value: Value) -> Attribute {
    Attribute::new(Within::Webhook, key, Form::Value(value), IMPLS)
}
