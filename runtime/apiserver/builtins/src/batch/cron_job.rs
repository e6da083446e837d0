//! CronJobs (pkg/apis/batch/validation).

use genclient_apimachinery::field;
use genclient_apimachinery::unstructured::{list_or_empty, str_field, str_or_empty};
use serde_json::{Value, json};

use crate::accessors::{as_flag, change_member, set_default};
use crate::batch::{job, schedule};
use crate::cells::{NONE, container_cells, selector_or_none};
use crate::field::ObjectField;
use crate::row::Row;
use crate::strategy::Strategy;
use crate::types::Object;
use crate::warnings::{Warnings, bumps_generation, recommend_label};
use crate::{names, selectors};

/// Strategy of CronJobs (pkg/registry/batch/cronjob, strategy.go).
#[derive(Debug)]
pub(crate) struct CronJobStrategy;

impl Strategy for CronJobStrategy {
    fn validate(&self, object: &Value, out: &mut field::ErrorList) {
        validate_cron_job(object, None, out);
    }

    fn validate_update(&self, new: &Value, old: &Value, out: &mut field::ErrorList) {
        validate_cron_job(new, Some(old), out);
    }

    fn warn_on_create(&self, object: &Value, out: &mut Warnings) {
        recommend_label(object, out);
        warn_job(object, out);
    }

    fn warn_on_update(&self, new: &Value, old: &Value, out: &mut Warnings) {
        if bumps_generation(new, old) {
            warn_job(new, out);
        }
        warn_time_zone(new, out);
    }

    fn cells(&self, row: Row<'_>) -> Option<Vec<Value>> {
        Some(cron_job_cells(row))
    }
}

/// Sets the defaults of a CronJob.
pub(crate) fn set_defaults(members: &mut Object) {
    change_member(members, "spec", |spec| {
        set_default(spec, "concurrencyPolicy", "Allow");
        set_default(spec, "suspend", false);
        set_default(spec, "successfulJobsHistoryLimit", 3);
        set_default(spec, "failedJobsHistoryLimit", 1);
    });
}

/// Validates a CronJob. `old` is `None` for a new one (`validateCronJobSpec`).
fn validate_cron_job(object: &Value, old: Option<&Value>, out: &mut field::ErrorList) {
    let spec = ObjectField::spec(object);
    validate_schedule(&spec, old, out);
    spec.at("startingDeadlineSeconds").not_negative(out);
    let zone = spec.at("timeZone");
    if zone.is_set() && old.is_none_or(|old| old["spec"]["timeZone"] != *zone.value) {
        names::report_name_errors(
            &zone.path,
            zone.text(),
            schedule::time_zone_errors(zone.text()),
            out,
        );
    }
    let policies = ["Allow", "Forbid", "Replace"];
    spec.at("concurrencyPolicy")
        .required_one_of(&policies, "", out);
    validate_job_template(&spec.at("jobTemplate").at("spec"), out);
    spec.at("successfulJobsHistoryLimit").not_negative(out);
    spec.at("failedJobsHistoryLimit").not_negative(out);
    let name = str_field(&object["metadata"], "name");
    if old.is_none() && name.len() > 52 {
        let detail = "must be no more than 52 characters";
        ObjectField::of(&name.into(), "metadata.name").invalid(detail, out);
    }
}

/// Validates the schedule. A time zone in it is accepted only if the old schedule has one, too
/// (`validateScheduleFormat`).
fn validate_schedule(spec: &ObjectField<'_>, old: Option<&Value>, out: &mut field::ErrorList) {
    let schedule = spec.at("schedule");
    if schedule.text().is_empty() {
        return schedule.required("", out);
    }
    if let Err(error) = schedule::check_schedule(schedule.text()) {
        schedule.invalid(&error, out);
    }
    if schedule.text().contains("TZ") {
        let had_zone = old.is_some_and(|old| str_field(&old["spec"], "schedule").contains("TZ"));
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
fn validate_job_template(spec: &ObjectField<'_>, out: &mut field::ErrorList) {
    job::validate_spec(spec, out);
    let selector = spec.at("selector");
    if selector.is_set() {
        let printed = selectors::format_selector(selector.value);
        let detail = "`selector` will be auto-generated";
        out.push(field::Error::invalid_text(
            &*selector.path,
            &printed,
            detail,
        ));
    }
    let manual = spec.at("manualSelector");
    if manual.is_true() {
        let known = ["nil", "false"];
        out.push(field::Error::not_supported(
            manual.path,
            manual.value,
            &known,
        ));
    }
}

fn warn_job(cron_job: &Value, out: &mut Warnings) {
    let spec = &cron_job["spec"]["jobTemplate"]["spec"];
    job::warn_spec(spec, "spec.jobTemplate.spec", out);
}

/// Warns about a CronJob whose schedule contains a time zone.
fn warn_time_zone(cron_job: &Value, out: &mut Warnings) {
    if str_field(&cron_job["spec"], "schedule").contains("TZ") {
        out.push(
            "cannot use TZ or CRON_TZ in spec.spec.schedule, use timeZone instead, see \
             https://kubernetes.io/docs/concepts/workloads/controllers/cron-jobs/ for more details"
                .to_owned(),
        );
    }
}

/// Returns the cells of a CronJob (`printCronJob`).
fn cron_job_cells(row: Row<'_>) -> Vec<Value> {
    let (spec, status) = (row.spec(), row.status());
    let last = match &status["lastScheduleTime"] {
        Value::Null => NONE.to_owned(),
        last => row.since(last),
    };
    let suspended = if as_flag(&spec["suspend"]) {
        "True"
    } else {
        "False"
    };
    let job = &spec["jobTemplate"]["spec"];
    let [names, images] = container_cells(&job["template"]["spec"]);
    vec![
        row.name(),
        json!(str_or_empty(&spec["schedule"])),
        json!(spec["timeZone"].as_str().unwrap_or(NONE)),
        json!(suspended),
        json!(list_or_empty(&status["active"]).len()),
        json!(last),
        row.age(),
        names,
        images,
        json!(selector_or_none(&job["selector"])),
    ]
}
