//! Rules of Jobs and CronJobs (pkg/apis/batch/validation).

use genclient_schema::Cause;
use serde_json::Value;

use super::findings::{Causes, IMMUTABLE, not_negative, supported, text};
use super::{pods, selectors};

pub(super) fn job(spec: &Value, path: &str, out: &mut Causes) {
    let counts = [
        "parallelism",
        "completions",
        "activeDeadlineSeconds",
        "backoffLimit",
        "ttlSecondsAfterFinished",
        "backoffLimitPerIndex",
        "maxFailedIndexes",
    ];
    not_negative(spec, &counts, path, out);
    let selector = &spec["selector"];
    if path == "spec" {
        if selector.is_null() {
            out.push(Cause::required("spec.selector", ""));
        }
        let labels = &spec["template"]["metadata"]["labels"];
        if !selectors::matches(selector, labels) {
            let detail = "`selector` does not match template `labels`";
            out.push(Cause::invalid(
                "spec.template.metadata.labels",
                labels,
                detail,
            ));
        }
    }
    let modes = ["NonIndexed", "Indexed"];
    if !spec["completionMode"].is_null() {
        supported(
            format!("{path}.completionMode"),
            &spec["completionMode"],
            &modes,
            out,
        );
    }
    let mode = text(spec, "completionMode");
    if mode == "Indexed" && spec["completions"].is_null() {
        let detail = "when completion mode is Indexed";
        out.push(Cause::required(format!("{path}.completions"), detail));
    }
    pods::template(&spec["template"], &format!("{path}.template"), out);
    let field = format!("{path}.template.spec.restartPolicy");
    match text(&spec["template"]["spec"], "restartPolicy") {
        "OnFailure" | "Never" => {}
        "" | "Always" => {
            out.push(Cause::required(
                field,
                "valid values: \"OnFailure\", \"Never\"",
            ));
        }
        other => {
            out.push(Cause::not_supported(
                field,
                &other.into(),
                &["OnFailure", "Never"],
            ));
        }
    }
}

/// An update is validated twice, as an object and as a change.
pub(super) fn job_updated(new: &Value, old: &Value, out: &mut Causes) {
    job(&new["spec"], "spec", out);
    let [new, old] = [new, old].map(|object| &object["spec"]);
    selectors::unchanged("spec.selector", &new["selector"], &old["selector"], out);
    for name in [
        "completionMode",
        "podFailurePolicy",
        "backoffLimitPerIndex",
        "managedBy",
    ] {
        if new[name] != old[name] {
            out.push(Cause::invalid(
                format!("spec.{name}"),
                &new[name],
                IMMUTABLE,
            ));
        }
    }
    if new["template"] != old["template"] {
        out.push(Cause::invalid("spec.template", &new["template"], IMMUTABLE));
    }
}

pub(super) fn cron_job(object: &Value, out: &mut Causes) {
    let spec = &object["spec"];
    let counts = [
        "startingDeadlineSeconds",
        "successfulJobsHistoryLimit",
        "failedJobsHistoryLimit",
    ];
    not_negative(spec, &counts, "spec", out);
    schedule(&spec["schedule"], out);
    let known = ["Allow", "Forbid", "Replace"];
    supported(
        "spec.concurrencyPolicy".to_owned(),
        &spec["concurrencyPolicy"],
        &known,
        out,
    );
    job(&spec["jobTemplate"]["spec"], "spec.jobTemplate.spec", out);
}

/// A schedule has five fields, or is a descriptor; what the fields say is not looked at.
fn schedule(schedule: &Value, out: &mut Causes) {
    let text = schedule.as_str().unwrap_or_default();
    if text.is_empty() {
        out.push(Cause::required("spec.schedule", ""));
        return;
    }
    let fields: Vec<&str> = text.split_whitespace().collect();
    if !text.starts_with('@') && fields.len() != 5 {
        let (count, fields) = (fields.len(), fields.join(" "));
        let detail = format!("expected exactly 5 fields, found {count}: [{fields}]");
        out.push(Cause::invalid("spec.schedule", schedule, &detail));
    }
}
