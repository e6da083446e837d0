//! StatefulSets (pkg/apis/apps/validation).

use genclient_apimachinery::field;
use genclient_apimachinery::unstructured::list_field;
use genclient_apimachinery::validation;
use serde_json::{Value, json};

use crate::accessors::{
    as_integer, change_member, has_member, items_mut, member_text, set_default,
};
use crate::apps::status::StatusCounts;
use crate::apps::{rolling_update, workload};
use crate::cells::container_cells;
use crate::core::{persistent_volume_claim, pod_spec};
use crate::field::ObjectField;
use crate::findings::go_struct;
use crate::row::Row;
use crate::strategy::{Creation, Strategy};
use crate::types::Object;
use crate::warnings::{Warnings, bumps_generation};

const STATUS: StatusCounts = StatusCounts {
    not_negative: &[
        "replicas",
        "readyReplicas",
        "currentReplicas",
        "updatedReplicas",
        "availableReplicas",
        "observedGeneration",
        "collisionCount",
    ],
    parts: &[
        "readyReplicas",
        "currentReplicas",
        "updatedReplicas",
        "availableReplicas",
    ],
    ready: "status.readyReplicas",
    collisions: true,
};

/// Fields of a StatefulSet's spec that an update may change.
const CHANGEABLE: [&str; 7] = [
    "replicas",
    "ordinals",
    "template",
    "updateStrategy",
    "revisionHistoryLimit",
    "persistentVolumeClaimRetentionPolicy",
    "minReadySeconds",
];

/// Strategy of StatefulSets (pkg/registry/apps/statefulset, strategy.go).
#[derive(Debug)]
pub(crate) struct StatefulSetStrategy;

impl Strategy for StatefulSetStrategy {
    fn prepare_for_create(&self, object: &mut Value, _creation: &mut Creation<'_>) {
        drop_max_unavailable(object);
    }

    fn prepare_for_update(&self, new: &mut Value, _old: &Value) {
        drop_max_unavailable(new);
    }

    fn validate(&self, object: &Value, out: &mut field::ErrorList) {
        let spec = ObjectField::spec(object);
        let policy = spec.at("podManagementPolicy");
        if !matches!(policy.text(), "OrderedReady" | "Parallel") {
            policy.invalid("must be 'OrderedReady' or 'Parallel'", out);
        }
        validate_update_strategy(&spec.at("updateStrategy"), out);
        let retention = spec.at("persistentVolumeClaimRetentionPolicy");
        for name in ["whenDeleted", "whenScaled"] {
            if retention.is_set() {
                retention.at(name).supported(&["Retain", "Delete"], out);
            }
        }
        let claims = spec.at("volumeClaimTemplates").items();
        for claim in claims.iter().map(|claim| claim.at("spec")) {
            persistent_volume_claim::validate_spec(claim.value, &claim.path, out);
        }
        for count in [
            spec.at("replicas"),
            spec.at("minReadySeconds"),
            spec.at("ordinals").at("start"),
        ] {
            count.not_negative(out);
        }
        spec.at("serviceName")
            .named_if_filled(validation::label, out);
        let running = spec_to_validate(spec.value);
        workload::validate_template(&running, "statefulset", out);
        pod_spec::validate_template_metadata(&running["template"], "spec.template", out);
    }

    fn validate_update(&self, new: &Value, old: &Value, out: &mut field::ErrorList) {
        self.validate(new, out);
        validate_unchanged(new, old, out);
    }

    fn validate_status_update(&self, new: &Value, old: &Value, out: &mut field::ErrorList) {
        STATUS.validate(new, old, out);
    }

    fn warn_on_create(&self, object: &Value, out: &mut Warnings) {
        workload::warn_template(object, out);
        warn_spec(object, "", out);
    }

    fn warn_on_update(&self, new: &Value, old: &Value, out: &mut Warnings) {
        if bumps_generation(new, old) {
            workload::warn_template(new, out);
        }
        warn_spec(new, ".Spec", out);
    }

    fn cells(&self, row: Row<'_>) -> Option<Vec<Value>> {
        let (spec, status) = (row.spec(), row.status());
        let [names, images] = container_cells(&spec["template"]["spec"]);
        let ready = as_integer(&status["readyReplicas"]);
        let ready = format!("{ready}/{}", as_integer(&spec["replicas"]));
        Some(vec![row.name(), json!(ready), row.age(), names, images])
    }
}

/// Removes the field of the feature gate MaxUnavailableStatefulSet, which is off.
fn drop_max_unavailable(object: &mut Value) {
    let update = object.pointer_mut("/spec/updateStrategy/rollingUpdate");
    if let Some(Value::Object(update)) = update {
        update.remove("maxUnavailable");
    }
}

/// Sets the defaults of a StatefulSet.
pub(crate) fn set_defaults(members: &mut Object) {
    change_member(members, "spec", set_spec_defaults);
}

/// Sets the defaults of the spec (`SetDefaults_StatefulSet`).
fn set_spec_defaults(spec: &mut Object) {
    set_default(spec, "podManagementPolicy", "OrderedReady");
    change_member(spec, "updateStrategy", |strategy| {
        if member_text(strategy, "type").is_empty() {
            set_default(strategy, "type", "RollingUpdate");
            set_default(strategy, "rollingUpdate", json!({}));
        }
        if member_text(strategy, "type") == "RollingUpdate" && has_member(strategy, "rollingUpdate")
        {
            change_member(strategy, "rollingUpdate", |update| {
                set_default(update, "partition", 0);
            });
        }
    });
    for template in items_mut(spec, "volumeClaimTemplates") {
        set_default(template, "apiVersion", "v1");
        set_default(template, "kind", "PersistentVolumeClaim");
    }
    change_member(spec, "persistentVolumeClaimRetentionPolicy", |policy| {
        set_default(policy, "whenDeleted", "Retain");
        set_default(policy, "whenScaled", "Retain");
    });
    set_default(spec, "replicas", 1);
    set_default(spec, "revisionHistoryLimit", 10);
}

/// Returns the spec with the Pod template that is validated. The template has a volume for each
/// claim template, and lacks host name and subdomain, which the StatefulSet controller sets.
fn spec_to_validate(spec: &Value) -> Value {
    let mut spec = spec.clone();
    let claims = spec["volumeClaimTemplates"]
        .as_array()
        .cloned()
        .unwrap_or_default();
    let Some(Value::Object(pod)) = spec.pointer_mut("/template/spec") else {
        return spec;
    };
    pod.remove("hostname");
    pod.remove("subdomain");
    if claims.is_empty() {
        return spec;
    }
    let names: Vec<Value> = claims
        .iter()
        .map(|claim| claim["metadata"]["name"].clone())
        .collect();
    let own = pod
        .get("volumes")
        .and_then(Value::as_array)
        .cloned()
        .unwrap_or_default()
        .into_iter()
        .filter(|volume| !names.contains(&volume["name"]));
    let claimed = names.iter().map(|name| {
        // The controller sets the claim's name. Any name works for validation.
        json!({"name": name, "persistentVolumeClaim": {"claimName": name}})
    });
    pod.insert("volumes".to_owned(), claimed.chain(own).collect());
    spec
}

/// Checks that an update changes only the fields in [`CHANGEABLE`].
fn validate_unchanged(new: &Value, old: &Value, out: &mut field::ErrorList) {
    let fixed = |object: &Value| {
        let mut spec = object["spec"].clone();
        if let Value::Object(spec) = &mut spec {
            spec.retain(|name, _| !CHANGEABLE.contains(&name.as_str()));
        }
        spec
    };
    if fixed(new) != fixed(old) {
        let detail = "updates to statefulset spec for fields other than 'replicas', 'ordinals', \
             'template', 'updateStrategy', 'revisionHistoryLimit', \
             'persistentVolumeClaimRetentionPolicy' and 'minReadySeconds' are forbidden";
        out.push(field::Error::forbidden("spec", detail));
    }
}

/// Validates the strategy of a StatefulSet.
fn validate_update_strategy(strategy: &ObjectField<'_>, out: &mut field::ErrorList) {
    const FIELDS: [&str; 2] = ["Partition", "MaxUnavailable"];
    let update = strategy.at("rollingUpdate");
    match strategy.at("type").text() {
        "RollingUpdate" => {
            update.at("partition").not_negative(out);
            let unavailable = update.at("maxUnavailable");
            rolling_update::validate_amount(unavailable.value, &unavailable.path, out);
            if unavailable.is_set() && rolling_update::is_zero(unavailable.value) {
                unavailable.invalid("cannot be 0", out);
            }
            rolling_update::validate_at_most_all(&unavailable, out);
        }
        "OnDelete" if update.is_set() => {
            let printed = go_struct(update.value, &FIELDS);
            let detail = "only allowed for updateStrategy 'RollingUpdate'";
            out.push(field::Error::invalid_text(&*update.path, &printed, detail));
        }
        "OnDelete" => {}
        _ => {
            let printed = rolling_update::format_strategy(strategy.value, &FIELDS);
            let detail = "must be 'RollingUpdate' or 'OnDelete'";
            out.push(field::Error::invalid_text(
                &*strategy.path,
                &printed,
                detail,
            ));
        }
    }
}

/// Warns about the claims and the revision history of a StatefulSet. `below` is appended to the
/// paths of the claims; kube-apiserver's paths differ between creates and updates.
fn warn_spec(set: &Value, below: &str, out: &mut Warnings) {
    let spec = &set["spec"];
    for (index, claim) in list_field(spec, "volumeClaimTemplates").iter().enumerate() {
        let path = format!("spec.volumeClaimTemplates[{index}]{below}");
        persistent_volume_claim::warn_spec(&claim["spec"], &path, out);
    }
    if spec["revisionHistoryLimit"]
        .as_i64()
        .is_some_and(|limit| limit < 0)
    {
        out.push(
            "spec.revisionHistoryLimit: a negative value retains all historical revisions; a \
             value >= 0 is recommended"
                .to_owned(),
        );
    }
}
