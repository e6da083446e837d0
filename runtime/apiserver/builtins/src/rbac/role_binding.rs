//! RoleBindings and ClusterRoleBindings (pkg/apis/rbac/validation).

use genclient_apimachinery::field;
use genclient_apimachinery::unstructured::{list_field, list_or_empty, str_field, str_or_empty};
use genclient_apimachinery::validation;
use serde_json::{Value, json};

use crate::accessors::{change_member, member_text, set_default};
use crate::findings::supported;
use crate::names;
use crate::row::Row;
use crate::strategy::{FinalizerRule, Strategy};
use crate::types::Object;

const GROUP: &str = "rbac.authorization.k8s.io";

/// Strategy of RoleBindings and ClusterRoleBindings (pkg/registry/rbac/rolebinding and
/// clusterrolebinding, strategy.go).
#[derive(Debug)]
pub(crate) struct RoleBindingStrategy {
    pub(crate) is_namespaced: bool,
}

impl Strategy for RoleBindingStrategy {
    fn finalizer_rule(&self) -> FinalizerRule {
        FinalizerRule::QualifiedTwice
    }

    fn validate(&self, object: &Value, out: &mut field::ErrorList) {
        let role = &object["roleRef"];
        supported(
            "roleRef.apiGroup".to_owned(),
            &role["apiGroup"],
            &[GROUP],
            out,
        );
        let kinds: &[&str] = if self.is_namespaced {
            &["Role", "ClusterRole"]
        } else {
            &["ClusterRole"]
        };
        supported("roleRef.kind".to_owned(), &role["kind"], kinds, out);
        let name = str_field(role, "name");
        if name.is_empty() {
            out.push(field::Error::required("roleRef.name", ""));
        } else {
            names::report_name_errors("roleRef.name", name, validation::path_segment(name), out);
        }
        for (at, one) in list_field(object, "subjects").iter().enumerate() {
            validate_subject(one, self.is_namespaced, &format!("subjects[{at}]"), out);
        }
    }

    /// Checks that an update of a binding does not change its role.
    fn validate_update(&self, new: &Value, old: &Value, out: &mut field::ErrorList) {
        self.validate(new, out);
        let [role, before] = [new, old].map(|object| &object["roleRef"]);
        if role == before {
            return;
        }
        let printed = ["apiGroup", "kind", "name"].map(|name| Value::from(str_field(role, name)));
        let [group, kind, name] = printed;
        let printed = format!("{{\"APIGroup\":{group},\"Kind\":{kind},\"Name\":{name}}}");
        out.push(field::Error::invalid_text(
            "roleRef",
            &printed,
            "cannot change roleRef",
        ));
    }

    fn cells(&self, row: Row<'_>) -> Option<Vec<Value>> {
        Some(binding_cells(row))
    }
}

/// Sets the defaults of a RoleBinding or ClusterRoleBinding.
pub(crate) fn set_defaults(members: &mut Object) {
    change_member(members, "roleRef", |role| {
        set_default(role, "apiGroup", GROUP);
    });
}

/// Sets the defaults of a subject.
pub(crate) fn set_subject_defaults(subject: &mut Object) {
    if matches!(member_text(subject, "kind"), "User" | "Group") {
        set_default(subject, "apiGroup", GROUP);
    }
}

/// Validates a subject of a binding (`ValidateRoleBindingSubject`).
fn validate_subject(subject: &Value, is_namespaced: bool, path: &str, out: &mut field::ErrorList) {
    let name = str_field(subject, "name");
    if name.is_empty() {
        out.push(field::Error::required(format!("{path}.name"), ""));
    }
    let group = format!("{path}.apiGroup");
    match str_field(subject, "kind") {
        "ServiceAccount" => {
            if !name.is_empty() {
                names::report_name_errors(
                    &format!("{path}.name"),
                    name,
                    validation::subdomain(name),
                    out,
                );
            }
            supported(group, &subject["apiGroup"], &[""], out);
            if !is_namespaced && str_field(subject, "namespace").is_empty() {
                out.push(field::Error::required(format!("{path}.namespace"), ""));
            }
        }
        "User" | "Group" => supported(group, &subject["apiGroup"], &[GROUP], out),
        _ => {
            let kinds = ["ServiceAccount", "User", "Group"];
            supported(format!("{path}.kind"), &subject["kind"], &kinds, out);
        }
    }
}

/// Returns the cells of a binding (`printRoleBinding`).
fn binding_cells(row: Row<'_>) -> Vec<Value> {
    let role = &row.object["roleRef"];
    let role = format!(
        "{}/{}",
        str_or_empty(&role["kind"]),
        str_or_empty(&role["name"])
    );
    let subjects = |kind: &str| {
        let subjects = list_or_empty(&row.object["subjects"]).iter();
        let names = subjects
            .filter(|subject| subject["kind"] == kind)
            .map(|subject| {
                let name = str_or_empty(&subject["name"]);
                match kind {
                    "ServiceAccount" => format!("{}/{name}", str_or_empty(&subject["namespace"])),
                    _ => name.to_owned(),
                }
            });
        json!(names.collect::<Vec<_>>().join(", "))
    };
    let (users, groups) = (subjects("User"), subjects("Group"));
    vec![
        row.name(),
        json!(role),
        row.age(),
        users,
        groups,
        subjects("ServiceAccount"),
    ]
}
