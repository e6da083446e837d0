//! Warnings about workloads, such as names that are not DNS labels and very large Jobs.

use serde_json::Value;

use crate::builtins::core::claim_warnings;
use crate::builtins::core::pod_spec::warnings;
use crate::builtins::names::label;
use crate::builtins::warnings::{Warnings, items, text};

pub(crate) fn pod(pod: &Value, out: &mut Warnings) {
    recommend(pod, "this is used in the Pod's hostname", out);
    warnings::template(pod, "", out);
}

/// Warns if the name of a workload is not a DNS label. The host names of its Pods begin with the
/// name.
pub(crate) fn recommend_label(object: &Value, out: &mut Warnings) {
    recommend(object, "this is used in Pod names and hostnames", out);
}

fn recommend(object: &Value, use_: &str, out: &mut Warnings) {
    let messages = label(text(&object["metadata"], "name"));
    if !messages.is_empty() {
        let messages = messages.join(" ");
        out.push(format!(
            "metadata.name: {use_}, which can result in surprising behavior; a DNS label is \
             recommended: [{messages}]"
        ));
    }
}

/// Warns about the claims and the revision history of a StatefulSet. `below` is appended to the
/// paths of the claims; kube-apiserver's paths differ between creates and updates.
pub(crate) fn stateful_set(set: &Value, below: &str, out: &mut Warnings) {
    let spec = &set["spec"];
    for (index, claim) in items(spec, "volumeClaimTemplates").iter().enumerate() {
        let path = format!("spec.volumeClaimTemplates[{index}]{below}");
        claim_warnings::claim_spec(&claim["spec"], &path, out);
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

/// Warns about very large Jobs, and about the Pod template of a Job (`WarningsForJobSpec`).
pub(crate) fn job(spec: &Value, path: &str, out: &mut Warnings) {
    let number = |name: &str| spec[name].as_i64().unwrap_or_default();
    let is_indexed = text(spec, "completionMode") == "Indexed";
    if is_indexed && number("completions") > 100_000 && number("parallelism") > 10_000 {
        out.push(format!(
            "{path}: In Indexed Jobs with a number of completions higher than 10^5 and a \
             parallelism higher than 10^4, Kubernetes might not be able to track \
             completedIndexes when a big number of indexes fail"
        ));
    }
    warnings::template(&spec["template"], &format!("{path}.template"), out);
}

pub(crate) fn cron_job(cron_job: &Value, out: &mut Warnings) {
    let spec = &cron_job["spec"]["jobTemplate"]["spec"];
    job(spec, "spec.jobTemplate.spec", out);
}

/// Warns about a CronJob whose schedule contains a time zone.
pub(crate) fn time_zone_in_schedule(cron_job: &Value, out: &mut Warnings) {
    if text(&cron_job["spec"], "schedule").contains("TZ") {
        out.push(
            "cannot use TZ or CRON_TZ in spec.spec.schedule, use timeZone instead, see \
             https://kubernetes.io/docs/concepts/workloads/controllers/cron-jobs/ for more details"
                .to_owned(),
        );
    }
}
