//! Validation of Jobs and CronJobs (pkg/apis/batch/validation).

use genclient_schema::Cause;
use serde_json::Value;

use crate::builtins::batch::{pod_failure_policy, schedule};
use crate::builtins::core::pod_spec;
use crate::builtins::field::ObjectField;
use crate::builtins::findings::{Causes, IMMUTABLE, invalid_struct, text};
use crate::builtins::{names, selectors};

/// Limit on `parallelism` and `maxFailedIndexes` of an indexed Job.
const MAX_PARALLELISM: i64 = 100_000;

/// Limit on the length of `managedBy`, in bytes.
const MAX_MANAGED_BY: usize = 63;

/// Validates a new Job, whose selector the server has already generated.
pub(crate) fn job(object: &Value, out: &mut Causes) {
    let spec = ObjectField::spec(object);
    generated_selector(object, out);
    job_spec(&spec, out);
    selected(&spec, out);
    let name = text(&object["metadata"], "name");
    let completions = spec.at("completions").number();
    if is_indexed(&spec) && completions > 0 {
        let host = format!("{name}-{}", completions - 1);
        if !names::label(&host).is_empty() {
            let detail = format!("will not able to create pod with invalid DNS label: {host}");
            ObjectField::of(&name.into(), "metadata.name").invalid(&detail, out);
        }
    }
}

fn is_indexed(spec: &ObjectField<'_>) -> bool {
    text(spec.value, "completionMode") == "Indexed"
}

/// Checks that the template has the generated labels, and that the selector matches them. Jobs with
/// `manualSelector: true` or without a selector are skipped.
fn generated_selector(object: &Value, out: &mut Causes) {
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
    let expected = expected
        .into_iter()
        .map(|(key, value)| (key, value.clone()));
    let expected: Value = expected.collect();
    if !selectors::matches(&spec["selector"], &expected) {
        let printed = selectors::printed(&spec["selector"]);
        let detail = "`selector` not auto-generated";
        out.push(invalid_struct("spec.selector", &printed, detail));
    }
}

/// Validates the selector, and checks that it matches the labels of the template.
fn selected(spec: &ObjectField<'_>, out: &mut Causes) {
    let selector = spec.at("selector");
    match selector.is_set() {
        true => selectors::selector(selector.value, &selector.path, out),
        false => selector.required("", out),
    }
    let labels = spec.at("template").at("metadata").at("labels");
    if !selectors::matches(selector.value, labels.value) {
        let detail = "`selector` does not match template `labels`";
        out.push(Cause::invalid(&labels.path, labels.value, detail));
    }
}

/// Validates the spec of a Job except its selector (`validateJobSpec`).
fn job_spec(spec: &ObjectField<'_>, out: &mut Causes) {
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
    managed_by(&spec.at("managedBy"), out);
    completion_mode(spec, out);
    pod_failure_policy::policies(spec, out);
    let template = spec.at("template");
    pod_spec::template(template.value, &template.path, out);
    restart_policy(spec, out);
}

fn managed_by(manager: &ObjectField<'_>, out: &mut Causes) {
    if manager.is_set() {
        manager.domain_path(out);
        if manager.text().len() > MAX_MANAGED_BY {
            out.push(Cause::too_long(&manager.path, MAX_MANAGED_BY as u64));
        }
    }
}

fn completion_mode(spec: &ObjectField<'_>, out: &mut Causes) {
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

fn restart_policy(spec: &ObjectField<'_>, out: &mut Causes) {
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

/// Validates an update of a Job. As in kube-apiserver, the spec is validated twice, so its findings
/// are reported twice.
pub(crate) fn job_updated(new: &Value, old: &Value, out: &mut Causes) {
    job(new, out);
    let was_suspended = old["spec"]["suspend"] == true;
    let [spec, old] = [new, old].map(ObjectField::spec);
    job_spec(&spec, out);
    selected(&spec, out);
    completions_updated(&spec, old.value, out);
    selectors::unchanged(
        "spec.selector",
        &spec.value["selector"],
        &old.value["selector"],
        out,
    );
    template_updated(&spec, &old, was_suspended, out);
    for name in [
        "completionMode",
        "podFailurePolicy",
        "backoffLimitPerIndex",
        "managedBy",
        "successPolicy",
    ] {
        let printed = pod_failure_policy::printed(name, &spec.value[name]);
        if spec.value[name] != old.value[name] {
            let detail = IMMUTABLE;
            out.push(invalid_struct(&format!("spec.{name}"), &printed, detail));
        }
    }
}

/// Validates a change of `completions`. Only an indexed Job may change `completions`, and the new
/// value must equal `parallelism`.
fn completions_updated(spec: &ObjectField<'_>, old: &Value, out: &mut Causes) {
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
fn template_updated(
    spec: &ObjectField<'_>,
    old: &ObjectField<'_>,
    was_suspended: bool,
    out: &mut Causes,
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
        ObjectField::of(template.value, path).unchanged(&Value::Null, out);
    }
}

pub(crate) fn cron_job(object: &Value, old: Option<&Value>, out: &mut Causes) {
    let spec = ObjectField::spec(object);
    schedule_text(&spec, old, out);
    spec.at("startingDeadlineSeconds").not_negative(out);
    let zone = spec.at("timeZone");
    if zone.is_set() && old.is_none_or(|old| old["spec"]["timeZone"] != *zone.value) {
        names::report(
            &zone.path,
            zone.text(),
            schedule::zone_problems(zone.text()),
            out,
        );
    }
    let policies = ["Allow", "Forbid", "Replace"];
    spec.at("concurrencyPolicy")
        .required_one_of(&policies, "", out);
    job_template(&spec.at("jobTemplate").at("spec"), out);
    spec.at("successfulJobsHistoryLimit").not_negative(out);
    spec.at("failedJobsHistoryLimit").not_negative(out);
    let name = text(&object["metadata"], "name");
    if old.is_none() && name.len() > 52 {
        let detail = "must be no more than 52 characters";
        ObjectField::of(&name.into(), "metadata.name").invalid(detail, out);
    }
}

fn schedule_text(spec: &ObjectField<'_>, old: Option<&Value>, out: &mut Causes) {
    let schedule = spec.at("schedule");
    if schedule.text().is_empty() {
        return schedule.required("", out);
    }
    if let Err(error) = schedule::parse(schedule.text()) {
        schedule.invalid(&error, out);
    }
    if schedule.text().contains("TZ") {
        let had_zone = old.is_some_and(|old| text(&old["spec"], "schedule").contains("TZ"));
        if !had_zone {
            let detail = "cannot use TZ or CRON_TZ in schedule, use timeZone field instead";
            schedule.invalid(detail, out);
        } else if spec.at("timeZone").is_set() {
            let detail = "cannot use both timeZone field and TZ or CRON_TZ in schedule";
            schedule.invalid(detail, out);
        }
    }
}

/// Validates the Job in a CronJob. The server generates the selector, so the Job must have neither
/// a selector nor `manualSelector: true`.
fn job_template(spec: &ObjectField<'_>, out: &mut Causes) {
    job_spec(spec, out);
    let selector = spec.at("selector");
    if selector.is_set() {
        let printed = selectors::printed(selector.value);
        let detail = "`selector` will be auto-generated";
        out.push(invalid_struct(&selector.path, &printed, detail));
    }
    let manual = spec.at("manualSelector");
    if manual.is_true() {
        let known = ["nil", "false"];
        out.push(Cause::not_supported(manual.path, manual.value, &known));
    }
}
