//! Table entries of `#[rbac]` and its keys.

use super::attribute::{Attribute, Within};
use super::form::{Form, Value};
use super::key::Key;
use crate::Site;

pub(super) const ATTRIBUTES: &[Attribute] = &[
    Attribute::new(Within::Item, Key::RBAC, Form::Keys, ITEMS)
        .repeats()
        .summary("Adds a rule to the role in config/rbac/role.yaml.")
        .details(
            "What it stands on stays as it is: an impl, a function, a module. Rules are found in the module `controller` beside \
             the API types, or where `controllers` in `[package.metadata.genclient]` says, in that of the webhooks, and among \
             the API types. Rules that differ in one list only are joined. Of the controllers, reads need no attribute: `list` and `watch` \
             follow from `Watch::<K>` and `type Object = K`, events from `recorder()`, the finalizers of an owner from `apply_owned`; \
             `genclient model` shows from which line. Writes are stated.",
        )
        .go("kubebuilder:rbac")
        .example("#[rbac(resource = Pod, verbs = [\"create\", \"delete\"])]"),
    rbac(Key::RESOURCE, Value::Type)
        .summary("The type of a kind, for its group and plural.")
        .details("Its subresources are resources of their own: write `resources = [\"pods/status\"]`.")
        .example("#[rbac(resource = Pod, verbs = [\"create\"])]"),
    rbac(Key::GROUP, Value::String)
        .summary("The API group of the resources.")
        .details("\"\" is the core group, \"*\" every group.")
        .example("#[rbac(group = \"apps\", resources = [\"deployments\"], verbs = [\"patch\"])]"),
    rbac(Key::GROUPS, Value::Strings)
        .summary("The API groups of the resources, if they are in several.")
        .example("#[rbac(groups = [\"\", \"events.k8s.io\"], resources = [\"events\"], verbs = [\"create\"])]"),
    rbac(Key::RESOURCES, Value::Strings)
        .summary("The resources, by their plurals.")
        .details("\"deployments/status\" is a subresource, \"*\" every resource, \"*/scale\" that subresource of every resource.")
        .example("#[rbac(group = \"apps\", resources = [\"deployments\", \"deployments/status\"], verbs = [\"patch\"])]"),
    rbac(Key::NAMES, Value::Strings)
        .summary("The names of the objects, if not all are meant.")
        .details("A request for a new object or for a list has no name that could match.")
        .example("#[rbac(group = \"\", resources = [\"configmaps\"], names = [\"settings\"], verbs = [\"get\"])]"),
    rbac(Key::URLS, Value::Strings)
        .summary("Non-resource URLs, in place of resources.")
        .details("\"/healthz/*\" is every path below.")
        .example("#[rbac(urls = [\"/metrics\"], verbs = [\"get\"])]"),
    rbac(Key::VERBS, Value::Strings)
        .summary("What may be done.")
        .details(
            "get, list, watch, create, update, patch, delete, deletecollection; bind and escalate of roles, impersonate of \
             users, use of policies, approve and sign of certificates; \"*\" is everything. A server-side apply is a patch.",
        )
        .example("#[rbac(resource = Pod, verbs = [\"get\", \"list\", \"watch\"])]"),
    rbac(Key::NAMESPACE, Value::String)
        .summary("The namespace in which the rule holds: it is in a Role there.")
        .details("Default: none, the rule is in a ClusterRole.")
        .example("#[rbac(resource = Secret, namespace = \"gpu-system\", verbs = [\"get\"])]"),
    rbac(Key::ROLE, Value::String)
        .summary("The name of the role that the rule is in.")
        .details("Default: \"manager-role\"; with `[package.metadata.genclient.deploy]`, its name in front: \"gpu-manager-role\".")
        .example("#[rbac(resource = Secret, role = \"secret-reader\", verbs = [\"get\"])]"),
];

const ITEMS: &[Site] = &[Site::Item];

const fn rbac(key: Key, value: Value) -> Attribute {
    Attribute::new(Within::Rbac, key, Form::Value(value), ITEMS)
}
