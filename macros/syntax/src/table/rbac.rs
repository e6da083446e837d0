//! Table entries of `#[rbac]` and its keys.

use super::attribute::{Attribute, Within, attributes};
use super::form::{Form, Value};
use super::key::Key;
use crate::Target;

attributes! {
    RBAC = "rbac" => item_attribute()
        .repeats()
        .summary("Adds a rule to the role in config/rbac/role.yaml.")
        .details(
            "The item stays unchanged; it may be an impl, a function or a module. Rules are read from the API types, \
             the webhooks' module and the controllers' module. The controllers' module is `controller` beside the API types, unless `controllers` \
             in `[package.metadata.genclient]` names another path. Rules that differ in one list only are merged. Some permissions need no \
             attribute: `list` and `watch` follow from `Watch::<K>` and `type Object = K`, writes of events from `recorder()`, \
             `update` of an owner's finalizers from `apply_owned`. `genclient model` shows the line that implies each permission. \
             All other permissions need an attribute.",
        )
        .go("kubebuilder:rbac")
        .example("#[rbac(resource = Pod, verbs = [\"create\", \"delete\"])]"),
    RESOURCE = "resource" => rbac_attribute(Value::Type)
        .summary("Type of a kind, which determines group and plural.")
        .details("Subresources are separate resources: write `resources = [\"pods/status\"]`.")
        .example("#[rbac(resource = Pod, verbs = [\"create\"])]"),
    GROUP => rbac_attribute(Value::String)
        .summary("API group of the resources.")
        .details("\"\" is the core group, \"*\" every group.")
        .example("#[rbac(group = \"apps\", resources = [\"deployments\"], verbs = [\"patch\"])]"),
    GROUPS => rbac_attribute(Value::Strings)
        .summary("API groups of the resources, if there are several.")
        .example("#[rbac(groups = [\"\", \"events.k8s.io\"], resources = [\"events\"], verbs = [\"create\"])]"),
    RESOURCES => rbac_attribute(Value::Strings)
        .summary("Plural names of the resources.")
        .details("\"deployments/status\" is a subresource, \"*\" every resource, \"*/scale\" the subresource `scale` of every resource.")
        .example("#[rbac(group = \"apps\", resources = [\"deployments\", \"deployments/status\"], verbs = [\"patch\"])]"),
    NAMES = "names" => rbac_attribute(Value::Strings)
        .summary("Names of the objects that the rule is limited to.")
        .details("The rule does not allow `create` and `deletecollection` of objects, because these requests state no name. It allows `list` and `watch` only with the field selector `metadata.name`.")
        .example("#[rbac(group = \"\", resources = [\"configmaps\"], names = [\"settings\"], verbs = [\"get\"])]"),
    URLS = "urls" => rbac_attribute(Value::Strings)
        .summary("Non-resource URLs, instead of resources.")
        .details("\"/healthz/*\" matches every path below it.")
        .example("#[rbac(urls = [\"/metrics\"], verbs = [\"get\"])]"),
    VERBS = "verbs" => rbac_attribute(Value::Strings)
        .summary("Verbs that the rule allows.")
        .details(
            "For all kinds: get, list, watch, create, update, patch, delete, deletecollection. For roles also \"bind\" and \"escalate\"; \
             for users \"impersonate\"; for certificate signers \"approve\", \"sign\" and \"attest\". \"*\" is every verb. Server-side \
             apply needs patch.",
        )
        .example("#[rbac(resource = Pod, verbs = [\"get\", \"list\", \"watch\"])]"),
    NAMESPACE = "namespace" => rbac_attribute(Value::String)
        .summary("Namespace of the Role that contains the rule.")
        .details("Default: none; the rule is part of a ClusterRole.")
        .example("#[rbac(resource = Secret, namespace = \"gpu-system\", verbs = [\"get\"])]"),
    ROLE = "role" => rbac_attribute(Value::String)
        .summary("Name of the role that contains the rule.")
        .details("Default: \"manager-role\", prefixed with the name in `[package.metadata.genclient.deploy]` if Cargo.toml has that table: \"gpu-manager-role\".")
        .example("#[rbac(resource = Secret, role = \"secret-reader\", verbs = [\"get\"])]"),
}

const ITEMS: &[Target] = &[Target::Item];

const fn item_attribute(key: Key) -> Attribute {
    Attribute::new(Within::Item, key, Form::Keys, ITEMS)
}

const fn rbac_attribute(key: Key, value: Value) -> Attribute {
    Attribute::new(Within::Rbac, key, Form::Value(value), ITEMS)
}
