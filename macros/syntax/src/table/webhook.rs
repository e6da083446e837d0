//! Table entries of `#[webhook]` and its keys.

use super::attribute::{Attribute, Within, attributes};
use super::form::{Form, Value};
use super::key::Key;
use crate::{FailurePolicy, MatchPolicy, Operation, ReinvocationPolicy, SideEffects, Target};

attributes! {
    WEBHOOK = "webhook" => item_attribute()
        .summary("Registers an `impl Defaulter` or `impl Validator` in config/webhook/manifests.yaml.")
        .details(
            "A Defaulter is a mutating webhook, a Validator a validating one. Its `type Object` determines group, version, \
             resource and kind. Webhooks are read from the API types and from the module `webhook` beside them. `webhooks` in \
             `[package.metadata.genclient]` names another folder instead of `webhook`.",
        )
        .go("kubebuilder:webhook")
        .example("#[webhook]"),
    OPERATIONS = "operations" => webhook_attribute(Value::Several(Operation::NAMES))
        .summary("Operations that the webhook intercepts.")
        .details("Default: [\"create\", \"update\"].")
        .example("#[webhook(operations = [\"create\", \"update\", \"delete\"])]"),
    FAILURE_POLICY = "failure_policy" => webhook_attribute(Value::OneOf(FailurePolicy::NAMES))
        .summary("How a request is handled if the webhook call fails.")
        .details("Default: \"Fail\", which rejects the request.")
        .example("#[webhook(failure_policy = \"Ignore\")]"),
    TIMEOUT = "timeout" => webhook_attribute(Value::Count)
        .summary("Timeout of the webhook call, 1 to 30 seconds.")
        .details("Default: 10.")
        .example("#[webhook(timeout = 5)]"),
    MATCH_POLICY = "match_policy" => webhook_attribute(Value::OneOf(MatchPolicy::NAMES))
        .summary("Whether the webhook also intercepts requests in other versions of the kind.")
        .details("Default: \"Equivalent\", which intercepts them and converts the object.")
        .example("#[webhook(match_policy = \"Exact\")]"),
    SIDE_EFFECTS = "side_effects" => webhook_attribute(Value::OneOf(SideEffects::NAMES))
        .summary("Side effects of the webhook: changes to anything other than the object.")
        .details("Default: \"None\". \"NoneOnDryRun\" means that dry-run requests have no side effects.")
        .example("#[webhook(side_effects = \"NoneOnDryRun\")]"),
    REINVOCATION_POLICY = "reinvocation_policy" => webhook_attribute(Value::OneOf(ReinvocationPolicy::NAMES))
        .summary("Whether a Defaulter is called again after other webhooks have changed the object.")
        .details("Default: \"Never\".")
        .example("#[webhook(reinvocation_policy = \"IfNeeded\")]"),
    PATH = "path" => webhook_attribute(Value::String)
        .summary("Path that the webhook is served at.")
        .details(
            "Default: `/mutate-` or `/validate-`, then group, version and kind: `/validate-batch-v1-cronjob`. In the \
             group, dots become dashes. With this key, the macro sets the constant `PATH` of the impl to the path.",
        )
        .example("#[webhook(path = \"/validate-tasks\")]"),
    SERVICE = "service" => webhook_attribute(Value::String)
        .summary("Service that the API server calls, as \"namespace/name\".")
        .details("Default: that of `[package.metadata.genclient.deploy]`, or \"system/webhook-service\" without it.")
        .example("#[webhook(service = \"gpu-system/webhook\")]"),
    PORT = "port" => webhook_attribute(Value::Count)
        .summary("Port of the service.")
        .details("Default: 443.")
        .example("#[webhook(port = 9443)]"),
    URL = "url" => webhook_attribute(Value::String)
        .summary("URL that the API server calls instead of a service, for a webhook outside the cluster.")
        .details("Must use https and must not have a query. The webhook is served at the path of the URL.")
        .example("#[webhook(url = \"https://localhost:9443/validate-tasks\")]"),
    NAME = "name" => webhook_attribute(Value::String)
        .summary("Name of the webhook, with at least two dots.")
        .details(
            "Default: `default.` or `validation.`, then kind and group: `validation.cronjob.batch`; for the core group \
             `validation.pod.core`. The webhooks of a configuration are written in the order of their names, and mutating ones are called in this order.",
        )
        .example("#[webhook(name = \"quota.tasks.example.com\")]"),
    REVIEW_VERSIONS = "review_versions" => webhook_attribute(Value::Strings)
        .summary("Versions of AdmissionReview that the webhook accepts, in order of preference.")
        .details("Default: [\"v1\"].")
        .example("#[webhook(review_versions = [\"v1\"])]"),
    CONFIGURATION = "configuration" => webhook_attribute(Value::String)
        .summary("Name of the webhook configuration that contains the webhook.")
        .details("Default: `mutating-webhook-configuration` or `validating-webhook-configuration`, prefixed with the name in `[package.metadata.genclient.deploy]` if Cargo.toml has that table.")
        .go("kubebuilder:webhookconfiguration")
        .example("#[webhook(configuration = \"gpu-defaults\")]"),
    GROUPS = "groups" => webhook_attribute(Value::Strings)
        .summary("API groups that the webhook intercepts, instead of the group of `type Object`.")
        .details("\"\" is the core group, \"*\" every group.")
        .example("#[webhook(groups = [\"apps\"])]"),
    VERSIONS = "versions" => webhook_attribute(Value::Strings)
        .summary("API versions that the webhook intercepts, instead of the version of `type Object`.")
        .details("\"*\" is every version.")
        .example("#[webhook(versions = [\"v1\", \"v1beta1\"])]"),
    RESOURCES = "resources" => webhook_attribute(Value::Strings)
        .summary("Resources that the webhook intercepts, instead of the resource of `type Object`.")
        .details("\"pods/status\" is a subresource, \"pods/*\" every subresource, \"*/*\" every resource and subresource.")
        .example("#[webhook(resources = [\"pods\", \"pods/ephemeralcontainers\"])]"),
    NAMESPACE_SELECTOR = "namespace_selector" => webhook_attribute(Value::JsonObject)
        .summary("Label selector for the namespaces of the intercepted objects.")
        .example("#[webhook(namespace_selector = { \"matchLabels\": { \"webhooks\": \"on\" } })]"),
    OBJECT_SELECTOR = "object_selector" => webhook_attribute(Value::JsonObject)
        .summary("Label selector for the intercepted objects.")
        .details("Users who may set labels can bypass the webhook.")
        .example("#[webhook(object_selector = { \"matchExpressions\": [{ \"key\": \"tier\", \"operator\": \"Exists\" }] })]"),
    MATCH_CONDITIONS = "match_conditions" => webhook_attribute(Value::JsonList)
        .summary("CEL expressions that must all be true for the webhook to be called.")
        .details("At most 64 conditions, each with a unique name. Their variables are `object`, `oldObject`, `request` and `authorizer`.")
        .example("#[webhook(match_conditions = [{ \"name\": \"not-nodes\", \"expression\": \"!('system:nodes' in request.userInfo.groups)\" }])]"),
}

const IMPLS: &[Target] = &[Target::Impl];

const fn item_attribute(key: Key) -> Attribute {
    Attribute::new(Within::Item, key, Form::Keys, IMPLS)
}

const fn webhook_attribute(key: Key, value: Value) -> Attribute {
    Attribute::new(Within::Webhook, key, Form::Value(value), IMPLS)
}
