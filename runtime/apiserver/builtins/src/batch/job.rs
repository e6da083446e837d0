//! Jobs (pkg/apis/batch/validation). CronJobs share their specs.

use genclient_apimachinery::field;
use genclient_apimachinery::labels::label_selector_matches;
use genclient_apimachinery::unstructured::str_field;
use genclient_apimachinery::validation;
use genclient_schema::object::human_duration;
use serde_json::{Value, json};

use crate::accessors::{as_integer, change_member, has_member, member_mut, set_default};
use crate::batch::pod_failure_policy;
use crate::cells::{container_cells, has_condition, parse_seconds, selector_or_none};
use crate::core::pod_spec;
use crate::field::ObjectField;
use crate::findings::IMMUTABLE;
use crate::row::Row;
use crate::selectable::SpecialField;
use crate::selectors;
use crate::strategy::{Creation, Strategy};
use crate::types::Object;
use crate::warnings::{Warnings, bumps_generation, recommend_label};

/// Limit on `parallelism` and `maxFailedIndexes` of an indexed Job.
const MAX_PARALLELISM: i64 = 100_000;

/// Limit on the length of `managedBy`, in bytes.
const MAX_MANAGED_BY: usize = 63;

/// Strategy of Jobs (pkg/registry/batch/job, strategy.go).
#[derive(Debug)]
pub(crate) struct JobStrategy;

impl Strategy for JobStrategy {
    fn prepare_for_create(&self, object: &mut Value, creation: &mut Creation<'_>) {
        generate_selector(object, creation.uid);
    }

    /// Validates a new Job, whose selector the server has already generated.
    fn validate(&self, object: &Value, out: &mut field::ErrorList) {
        let spec = ObjectField::spec(object);
        validate_generated_selector(object, out);
        validate_spec(&spec, out);
        validate_selector(&spec, out);
        let name = str_field(&object["metadata"], "name");
        let completions = spec.at("completions").number();
        if is_indexed(&spec) && completions > 0 {
            let host = format!("{name}-{}", completions - 1);
            if !validation::label(&host).is_empty() {
                let detail = format!("will not able to create pod with invalid DNS label: {host}");
                ObjectField::of(&name.into(), "metadata.name").invalid(&detail, out);
            }
        }
    }

    /// Validates an update of a Job. As in kube-apiserver, the spec is validated twice, so its
    /// findings are reported twice.
    fn validate_update(&self, new: &Value, old: &Value, out: &mut field::ErrorList) {
        self.validate(new, out);
        let was_suspended = old["spec"]["suspend"] == true;
        let [spec, old] = [new, old].map(ObjectField::spec);
        validate_spec(&spec, out);
        validate_selector(&spec, out);
        validate_completions_update(&spec, old.value, out);
        selectors::validate_unchanged(
            "spec.selector",
            &spec.value["selector"],
            &old.value["selector"],
            out,
        );
        validate_template_update(&spec, &old, was_suspended, out);
        for name in [
            "completionMode",
            "podFailurePolicy",
            "backoffLimitPerIndex",
            "managedBy",
            "successPolicy",
        ] {
            let printed = pod_failure_policy::format_job_field(name, &spec.value[name]);
            if spec.value[name] != old.value[name] {
                let detail = IMMUTABLE;
                out.push(field::Error::invalid_text(
                    format!("spec.{name}"),
                    &printed,
                    detail,
                ));
            }
        }
    }

    fn warn_on_create(&self, object: &Value, out: &mut Warnings) {
        recommend_label(object, out);
        warn_spec(&object["spec"], "spec", out);
    }

    fn warn_on_update(&self, new: &Value, old: &Value, out: &mut Warnings) {
        if bumps_generation(new, old) {
            warn_spec(&new["spec"], "spec", out);
        }
    }

    fn cells(&self, row: Row<'_>) -> Option<Vec<Value>> {
        Some(job_cells(row))
    }

    fn special_fields(&self) -> &'static [SpecialField] {
        &[SpecialField {
            name: "status.successful",
            path: "status.succeeded",
            unset: "0",
        }]
    }

    fn unsupported_field(&self, field: &str) -> String {
        format!("field label \"{field}\" not supported for Job")
    }
}

/// Generates the selector of a Job, and adds labels with the Job's name and uid to the template. A
/// Job with `manualSelector: true` is not changed.
fn generate_selector(job: &mut Value, uid: &str) {
    if job.pointer("/spec/manualSelector") == Some(&Value::Bool(true)) {
        return;
    }
    let name = job["metadata"]["name"].clone();
    let labels = member_mut(
        member_mut(member_mut(&mut job["spec"], "template"), "metadata"),
        "labels",
    );
    for (key, value) in [
        ("job-name", name.clone()),
        ("batch.kubernetes.io/job-name", name),
        ("controller-uid", uid.into()),
        ("batch.kubernetes.io/controller-uid", uid.into()),
    ] {
        if labels.get(key).is_none() {
            labels[key] = value;
        }
    }
    let selector = member_mut(member_mut(&mut job["spec"], "selector"), "matchLabels");
    let key = "batch.kubernetes.io/controller-uid";
    if selector.get(key).is_none() {
        selector[key] = uid.into();
    }
}

/// Sets the defaults of a Job, whose labels are those of the template if it has none
/// (`SetDefaults_Job`).
pub(crate) fn set_defaults(members: &mut Object) {
    change_member(members, "spec", |spec| {
        if !has_member(spec, "completions") && !has_member(spec, "parallelism") {
            set_default(spec, "completions", 1);
        }
        set_default(spec, "parallelism", 1);
        let backoff = if has_member(spec, "backoffLimitPerIndex") {
            i32::MAX
        } else {
            6
        };
        set_default(spec, "backoffLimit", backoff);
        set_default(spec, "completionMode", "NonIndexed");
        set_default(spec, "suspend", false);
        let replaced = if has_member(spec, "podFailurePolicy") {
            "Failed"
        } else {
            "TerminatingOrFailed"
        };
        set_default(spec, "podReplacementPolicy", replaced);
        set_default(spec, "manualSelector", false);
    });
    let labels = members
        .get("spec")
        .map(|spec| spec["template"]["metadata"]["labels"].clone());
    if let Some(labels @ Value::Object(_)) = labels {
        change_member(members, "metadata", |metadata| {
            set_default(metadata, "labels", labels);
        });
    }
}

fn is_indexed(spec: &ObjectField<'_>) -> bool {
    str_field(spec.value, "completionMode") == "Indexed"
}

/// Checks that the template has the generated labels, and that the selector matches them. Jobs with
/// `manualSelector: true` or without a selector are skipped.
fn validate_generated_selector(object: &Value, out: &mut field::ErrorList) {
    let spec = &object["spec"];
    if spec["manualSelector"] == true || spec["selector"].is_null() {
        return;
    }
    let [uid, name] = ["uid", "name"].map(|name| &object["metadata"][name]);
    let prefix = "batch.kubernetes.io/";
    let expected = [
        ("controller-uid".to_owned(), uid),
        ("job-name".to_owned(), name),
        (format!("{prefix}controller-uid"), uid),
        (format!("{prefix}job-name"), name),
    ];
    let labels = ObjectField::of(
        &spec["template"]["metadata"]["labels"],
        "spec.template.metadata.labels",
    );
    for (key, value) in &expected {
        let label = ObjectField::of(&labels.value[key], format!("{}[{key}]", labels.path));
        let detail = format!("must be '{}'", value.as_str().unwrap_or_default());
        match label.value {
            Value::Null => label.required(&detail, out),
            found if found != *value => label.invalid(&detail, out),
            _ => {}
        }
    }
    let expected: Value = expected
        .into_iter()
        .map(|(key, value)| (key, value.clone()))
        .collect();
    // The selector must match the generated labels alone, whatever other labels the template has.
    if label_selector_matches(&spec["selector"], &expected) == Ok(false) {
        let printed = selectors::format_selector(&spec["selector"]);
        let detail = "`selector` not auto-generated";
        out.push(field::Error::invalid_text(
            "spec.selector",
            &printed,
            detail,
        ));
    }
}

/// Validates the selector, and checks that it matches the labels of the template.
fn validate_selector(spec: &ObjectField<'_>, out: &mut field::ErrorList) {
    let selector = spec.at("selector");
    if selector.is_set() {
        selectors::validate_selector(selector.value, &selector.path, out);
    } else {
        selector.required("", out);
    }
    let labels = spec.at("template").at("metadata").at("labels");
    if label_selector_matches(selector.value, labels.value) == Ok(false) {
        let detail = "`selector` does not match template `labels`";
        out.push(field::Error::invalid(&labels.path, labels.value, detail));
    }
}

/// Validates the spec of a Job except its selector (`validateJobSpec`).
pub(crate) fn validate_spec(spec: &ObjectField<'_>, out: &mut field::ErrorList) {
    let counts = [
        "parallelism",
        "completions",
        "activeDeadlineSeconds",
        "backoffLimit",
        "ttlSecondsAfterFinished",
        "backoffLimitPerIndex",
        "maxFailedIndexes",
    ];
    spec.none_negative(&counts, out);
    let limit = spec.at("backoffLimitPerIndex");
    if spec.at("maxFailedIndexes").is_set() && !limit.is_set() {
        limit.required("when maxFailedIndexes is specified", out);
    }
    validate_managed_by(&spec.at("managedBy"), out);
    validate_completion_mode(spec, out);
    pod_failure_policy::validate_policies(spec, out);
    let template = spec.at("template");
    pod_spec::validate_template(template.value, &template.path, out);
    validate_restart_policy(spec, out);
}

fn validate_managed_by(manager: &ObjectField<'_>, out: &mut field::ErrorList) {
    if manager.is_set() {
        manager.domain_path(out);
        if manager.text().len() > MAX_MANAGED_BY {
            out.push(field::Error::too_long(&manager.path, MAX_MANAGED_BY as u64));
        }
    }
}

/// Validates the completion mode, and the fields that depend on it.
fn validate_completion_mode(spec: &ObjectField<'_>, out: &mut field::ErrorList) {
    let mode = spec.at("completionMode");
    mode.supported_if_set(&["NonIndexed", "Indexed"], out);
    let [completions, parallelism, failed] =
        ["completions", "parallelism", "maxFailedIndexes"].map(|name| spec.at(name));
    if is_indexed(spec) {
        if !completions.is_set() {
            completions.required("when completion mode is Indexed", out);
        }
        if parallelism.number() > MAX_PARALLELISM {
            let detail = "must be less than or equal to 100000 when completion mode is Indexed";
            parallelism.invalid(detail, out);
        }
        if completions.is_set() && failed.number() > completions.number() {
            failed.invalid("must be less than or equal to completions", out);
        }
        if failed.number() > MAX_PARALLELISM {
            failed.invalid("must be less than or equal to 100000", out);
        }
    } else if matches!(mode.text(), "" | "NonIndexed") {
        for field in [spec.at("backoffLimitPerIndex"), failed] {
            if field.is_set() {
                field.invalid("requires indexed completion mode", out);
            }
        }
    }
}

fn validate_restart_policy(spec: &ObjectField<'_>, out: &mut field::ErrorList) {
    let policy = spec.at("template").at("spec").at("restartPolicy");
    match policy.text() {
        "" | "Always" => policy.required("valid values: \"OnFailure\", \"Never\"", out),
        "OnFailure" if spec.at("podFailurePolicy").is_set() => {
            let detail = "only \"Never\" is supported when podFailurePolicy is specified";
            policy.invalid(detail, out);
        }
        _ => policy.supported(&["OnFailure", "Never"], out),
    }
}

/// Validates a change of `completions`. Only an indexed Job may change `completions`, and the new
/// value must equal `parallelism`.
fn validate_completions_update(spec: &ObjectField<'_>, old: &Value, out: &mut field::ErrorList) {
    let completions = spec.at("completions");
    if !is_indexed(spec) {
        completions.unchanged(&old["completions"], out);
    } else if completions.is_set()
        && *completions.value != old["completions"]
        && *completions.value != spec.value["parallelism"]
    {
        let detail = "can only be modified in tandem with spec.parallelism";
        completions.invalid(detail, out);
    }
}

/// Checks that an update leaves the template unchanged. If the Job was suspended before the update,
/// the metadata, scheduling fields and resources of the template may change.
fn validate_template_update(
    spec: &ObjectField<'_>,
    old: &ObjectField<'_>,
    was_suspended: bool,
    out: &mut field::ErrorList,
) {
    let [template, old] = [spec, old].map(|spec| spec.at("template"));
    let fixed = |template: &Value| {
        let mut template = template.clone();
        if was_suspended {
            template["metadata"] = Value::Null;
            let spec = &mut template["spec"];
            for name in ["nodeSelector", "tolerations", "schedulingGates"] {
                spec[name] = Value::Null;
            }
            spec["affinity"]["nodeAffinity"] = Value::Null;
            for list in ["containers", "initContainers"] {
                let containers = spec[list].as_array_mut();
                for container in containers.into_iter().flatten() {
                    container["resources"] = Value::Null;
                }
            }
        }
        template
    };
    if fixed(template.value) != fixed(old.value) {
        let path = if was_suspended {
            "spec.template.spec"
        } else {
            "spec.template"
        };
        // The error shows the whole template (`ValidateImmutableField`).
        ObjectField::of(template.value, path).unchanged(&Value::Null, out);
    }
}

/// Warns about very large Jobs, and about the Pod template of a Job (`WarningsForJobSpec`).
pub(crate) fn warn_spec(spec: &Value, path: &str, out: &mut Warnings) {
    let number = |name: &str| spec[name].as_i64().unwrap_or_default();
    let is_indexed = str_field(spec, "completionMode") == "Indexed";
    if is_indexed && number("completions") > 100_000 && number("parallelism") > 10_000 {
        out.push(format!(
            "{path}: In Indexed Jobs with a number of completions higher than 10^5 and a \
             parallelism higher than 10^4, Kubernetes might not be able to track \
             completedIndexes when a big number of indexes fail"
        ));
    }
    pod_spec::warnings::warn_template(&spec["template"], &format!("{path}.template"), out);
}

/// Returns the cells of a Job (`printJob`).
fn job_cells(row: Row<'_>) -> Vec<Value> {
    let (spec, status) = (row.spec(), row.status());
    let succeeded = as_integer(&status["succeeded"]);
    let completions = match (
        spec["completions"].as_i64(),
        as_integer(&spec["parallelism"]),
    ) {
        (Some(desired), _) => format!("{succeeded}/{desired}"),
        (None, parallel @ 2..) => format!("{succeeded}/1 of {parallel}"),
        (None, _) => format!("{succeeded}/1"),
    };
    let end = parse_seconds(&status["completionTime"]).unwrap_or(row.now);
    let duration = parse_seconds(&status["startTime"]).map(|start| human_duration(end - start));
    let [names, images] = container_cells(&spec["template"]["spec"]);
    vec![
        row.name(),
        json!(job_state(row)),
        json!(completions),
        json!(duration.unwrap_or_default()),
        row.age(),
        names,
        images,
        json!(selector_or_none(&spec["selector"])),
    ]
}

fn job_state(row: Row<'_>) -> &'static str {
    let is = |type_: &str| has_condition(row.status(), type_);
    match () {
        () if is("Complete") => "Complete",
        () if is("Failed") => "Failed",
        () if row.is_deleting() => "Terminating",
        () if is("Suspended") => "Suspended",
        () if is("FailureTarget") => "FailureTarget",
        () if is("SuccessCriteriaMet") => "SuccessCriteriaMet",
        () => "Running",
    }
}
