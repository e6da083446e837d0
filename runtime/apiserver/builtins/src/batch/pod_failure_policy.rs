//! Validation of failure, success and replacement policies of Jobs (pkg/apis/batch/validation).

use genclient_apimachinery::field;
use genclient_apimachinery::go::json_list;
use genclient_apimachinery::unstructured::{list_field, str_field};
use genclient_apimachinery::validation;
use serde_json::Value;

use crate::accessors::set_default;
use crate::field::ObjectField;
use crate::findings::go_struct;
use crate::types::{Object, quoted};

const MAX_RULES: usize = 20;
const MAX_EXIT_CODES: usize = 255;

/// Validates `podFailurePolicy`, `successPolicy` and `podReplacementPolicy` of a Job.
pub(crate) fn validate_policies(spec: &ObjectField<'_>, out: &mut field::ErrorList) {
    let failure = spec.at("podFailurePolicy");
    if failure.is_set() {
        validate_item_count(&failure.at("rules"), MAX_RULES, out);
        for rule in failure.at("rules").items() {
            validate_failure_rule(&rule, spec, out);
        }
    }
    let success = spec.at("successPolicy");
    if success.is_set() {
        validate_success_policy(&success, spec, out);
    }
    let replacement = spec.at("podReplacementPolicy");
    if failure.is_set() {
        replacement.supported_if_set(&["Failed"], out);
    } else {
        replacement.supported_if_set(&["Failed", "TerminatingOrFailed"], out);
    }
}

fn validate_item_count(list: &ObjectField<'_>, most: usize, out: &mut field::ErrorList) {
    let count = list.items().len();
    if count > most {
        out.push(field::Error::too_many(&list.path, count, most as u64));
    }
}

/// Validates a rule of `podFailurePolicy` (`validatePodFailurePolicyRule`).
fn validate_failure_rule(
    rule: &ObjectField<'_>,
    spec: &ObjectField<'_>,
    out: &mut field::ErrorList,
) {
    let action = rule.at("action");
    match action.text() {
        "FailIndex" if !spec.at("backoffLimitPerIndex").is_set() => {
            action.invalid("requires the backoffLimitPerIndex to be set", out);
        }
        _ => validate_listed(&action, &["Count", "FailIndex", "FailJob", "Ignore"], out),
    }
    let (codes, conditions) = (rule.at("onExitCodes"), rule.at("onPodConditions"));
    if codes.is_set() {
        validate_exit_codes(&codes, spec.value, out);
    }
    validate_item_count(&conditions, MAX_RULES, out);
    for condition in conditions.items() {
        condition.at("type").named(validation::label_key, out);
        validate_listed(&condition.at("status"), &["False", "True", "Unknown"], out);
    }
    let detail = match (codes.is_set(), conditions.has_none()) {
        (true, false) => "specifying both OnExitCodes and OnPodConditions is not supported",
        (false, true) => "specifying one of OnExitCodes and OnPodConditions is required",
        _ => return,
    };
    out.push(field::Error::invalid_part(&rule.path, detail));
}

/// Checks that a string is set and one of the known values. The error about an absent string lists
/// the known values in Go's format.
fn validate_listed(field: &ObjectField<'_>, known: &[&str], out: &mut field::ErrorList) {
    let quoted: Vec<_> = known.iter().map(|one| format!("{one:?}")).collect();
    let detail = format!("valid values: [{}]", quoted.join(" "));
    field.required_one_of(known, &detail, out);
}

/// Validates a requirement on exit codes (`validatePodFailurePolicyRuleOnExitCodes`).
fn validate_exit_codes(codes: &ObjectField<'_>, spec: &Value, out: &mut field::ErrorList) {
    validate_listed(&codes.at("operator"), &["In", "NotIn"], out);
    let name = codes.at("containerName");
    let pod = &spec["template"]["spec"];
    let mut containers = list_field(pod, "containers")
        .iter()
        .chain(list_field(pod, "initContainers"));
    if name.is_set() && !containers.any(|container| str_field(container, "name") == name.text()) {
        let detail = "must be one of the container or initContainer names in the pod template";
        name.invalid(detail, out);
    }
    let values = codes.at("values");
    if values.has_none() {
        out.push(field::Error::invalid_text(
            &*values.path,
            "[]",
            "at least one value is required",
        ));
    }
    validate_item_count(&values, MAX_EXIT_CODES, out);
    let numbers = list_field(codes.value, "values");
    for (at, value) in values.items().iter().enumerate() {
        if codes.at("operator").text() == "In" && value.number() == 0 {
            value.invalid("must not be 0 for the In operator", out);
        }
        if numbers[..at].contains(value.value) {
            value.duplicate(out);
        }
    }
    if !numbers.iter().is_sorted_by_key(|number| number.as_i64()) {
        values.invalid("must be ordered", out);
    }
}

/// Validates `successPolicy`, which only an indexed Job may have (`validateSuccessPolicy`).
fn validate_success_policy(
    policy: &ObjectField<'_>,
    spec: &ObjectField<'_>,
    out: &mut field::ErrorList,
) {
    if spec.at("completionMode").text() != "Indexed" {
        let printed = format_job_field("successPolicy", policy.value);
        let detail = "requires indexed completion mode";
        return out.push(field::Error::invalid_text(&*policy.path, &printed, detail));
    }
    let rules = policy.at("rules");
    if rules.has_none() {
        let detail = "at least one rules must be specified when the successPolicy is specified";
        rules.required(detail, out);
    }
    validate_item_count(&rules, MAX_RULES, out);
    for rule in rules.items() {
        validate_success_rule(&rule, spec.at("completions").number(), out);
    }
}

/// Validates a rule of `successPolicy` (`validateSuccessPolicyRule`).
fn validate_success_rule(rule: &ObjectField<'_>, completions: i64, out: &mut field::ErrorList) {
    let (count, indexes) = (rule.at("succeededCount"), rule.at("succeededIndexes"));
    if !count.is_set() && !indexes.is_set() {
        let detail = "at least one of succeededCount or succeededIndexes must be specified";
        rule.required(detail, out);
    }
    let total = count_indexes(indexes.text(), completions).unwrap_or_else(|error| {
        indexes.invalid(&format!("error parsing succeededIndexes: {error}"), out);
        0
    });
    count.not_negative(out);
    if count.number() > completions {
        let detail = format!(
            "must be less than or equal to {completions} (the number of specified completions)"
        );
        count.invalid(&detail, out);
    }
    if indexes.is_set() && count.number() > total {
        let detail = format!(
            "must be less than or equal to {total} (the number of indexes in the specified \
             succeededIndexes field)"
        );
        count.invalid(&detail, out);
    }
}

/// Returns the number of indexes in a text such as `1,3-5`, or an error if it is invalid
/// (`validateIndexesFormat`).
fn count_indexes(text: &str, completions: i64) -> Result<i64, String> {
    let mut total = 0;
    let mut last = None;
    for interval in text.split(',').filter(|_| !text.is_empty()) {
        let (first, end) = parse_index_interval(interval, completions)?;
        if let Some(last) = last.filter(|last| *last >= first) {
            return Err(format!(
                "non-increasing order, previous: {last}, current: {first}"
            ));
        }
        total += end - first + 1;
        last = Some(end);
    }
    Ok(total)
}

/// Parses an interval of indexes, such as `1-3` or `5` (`parseIndexInterval`).
fn parse_index_interval(interval: &str, completions: i64) -> Result<(i64, i64), String> {
    let index = |text: &str| match text.parse::<i64>() {
        Err(_) => Err(format!(
            "cannot convert string to integer for index: {}",
            quoted(text)
        )),
        Ok(index) if index >= completions => Err(format!("too large index: {}", quoted(text))),
        Ok(index) => Ok(index),
    };
    match interval.split('-').collect::<Vec<_>>()[..] {
        [first, last] => match (index(first)?, index(last)?) {
            (first, last) if first >= last => Err(format!(
                "non-increasing order, previous: {first}, current: {last}"
            )),
            ends => Ok(ends),
        },
        [one] => index(one).map(|index| (index, index)),
        _ => Err(format!(
            "the fragment {} violates the requirement that an index interval can have at most two \
             parts separated by '-'",
            quoted(interval)
        )),
    }
}

/// Formats a field of a Job's spec as Go prints Kubernetes' internal type.
pub(crate) fn format_job_field(name: &str, value: &Value) -> String {
    let rules = |rule: fn(&Value) -> String| {
        let rules = json_list(&value["rules"], rule);
        format!("{{\"Rules\":{rules}}}")
    };
    match name {
        _ if value.is_null() => "null".to_owned(),
        "podFailurePolicy" => rules(|rule| {
            let codes = go_struct(
                &rule["onExitCodes"],
                &["ContainerName", "Operator", "Values"],
            );
            let conditions = json_list(&rule["onPodConditions"], |condition| {
                go_struct(condition, &["Type", "Status"])
            });
            let action = &rule["action"];
            format!(
                "{{\"Action\":{action},\"OnExitCodes\":{codes},\"OnPodConditions\":{conditions}}}"
            )
        }),
        "successPolicy" => rules(|rule| go_struct(rule, &["SucceededIndexes", "SucceededCount"])),
        _ => value.to_string(),
    }
}

/// Sets the defaults of a pattern of Pod conditions.
pub(crate) fn set_condition_defaults(pattern: &mut Object) {
    set_default(pattern, "status", "True");
}
