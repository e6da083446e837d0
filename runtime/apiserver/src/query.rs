//! Query parameters of a request, and the options of writes and deletions.

use std::collections::HashMap;

use genclient_apimachinery::field;
use genclient_schema::meta;
use serde_json::{Value, json};

use crate::route::{Verb, percent_decode};
use crate::status_error::StatusError;

/// Decoded query parameters. If a parameter is repeated, `texts` returns all its values, and the
/// other methods use the first.
#[derive(Clone, Debug, Default)]
pub(crate) struct Query(HashMap<String, Vec<String>>);

impl Query {
    pub(crate) fn parse(query: &str) -> Self {
        let mut parameters: HashMap<_, Vec<_>> = HashMap::new();
        for part in query.split('&').filter(|part| !part.is_empty()) {
            let (name, value) = part.split_once('=').unwrap_or((part, ""));
            let plain = |text: &str| percent_decode(&text.replace('+', " "));
            parameters
                .entry(plain(name))
                .or_default()
                .push(plain(value));
        }
        Self(parameters)
    }

    pub(crate) fn text(&self, name: &str) -> &str {
        let values = self.0.get(name).and_then(|values| values.first());
        values.map_or("", String::as_str)
    }

    /// Returns whether the query has a parameter, even without a value.
    pub(crate) fn is_given(&self, name: &str) -> bool {
        self.0.contains_key(name)
    }

    pub(crate) fn texts(&self, name: &str) -> &[String] {
        self.0.get(name).map_or(&[], Vec::as_slice)
    }

    /// Returns a boolean parameter as Kubernetes converts it: false if it is absent or has the
    /// value `false` or `0`, otherwise true.
    pub(crate) fn is_set(&self, name: &str) -> bool {
        let text = self.text(name);
        self.0.contains_key(name) && text != "0" && !text.eq_ignore_ascii_case("false")
    }

    fn boolean(&self, name: &str) -> Option<bool> {
        self.0.contains_key(name).then(|| self.is_set(name))
    }

    pub(crate) fn number(&self, name: &str) -> Result<Option<i64>, StatusError> {
        match self.text(name) {
            "" => Ok(None),
            text => text.parse().map(Some).map_err(|_| {
                StatusError::bad_request(format!(
                    "strconv.ParseInt: parsing \"{text}\": invalid syntax"
                ))
            }),
        }
    }
}

/// Treatment of unknown and duplicate fields in a write: the parameter `fieldValidation`.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) enum FieldValidation {
    Ignore,
    #[default]
    Warn,
    Strict,
}

/// Options of a write: `CreateOptions`, `UpdateOptions` or `PatchOptions`.
#[derive(Clone, Debug, Default)]
pub(crate) struct WriteOptions {
    pub(crate) dry_run: bool,
    pub(crate) field_manager: String,
    pub(crate) field_validation: FieldValidation,
    pub(crate) force: bool,
}

impl WriteOptions {
    /// Reads the options of a write from the query.
    pub(crate) fn from_query(
        query: &Query,
        verb: Verb,
        is_apply: bool,
    ) -> Result<Self, StatusError> {
        let mut causes = Vec::new();
        let field_manager = query.text("fieldManager").to_owned();
        let force = query.boolean("force");
        if verb == Verb::Patch && is_apply {
            if field_manager.is_empty() {
                causes.push(field::Error::required(
                    "fieldManager",
                    "is required for apply patch",
                ));
            }
        } else if verb == Verb::Patch && force.is_some() {
            let detail = "may not be specified for non-apply patch";
            causes.push(field::Error::forbidden("force", detail));
        }
        causes.extend(meta::validate_manager(&field_manager, "fieldManager"));
        let dry_run = validate_dry_run(query, &mut causes);
        let field_validation = match query.text("fieldValidation") {
            "" | "Warn" => FieldValidation::Warn,
            "Ignore" => FieldValidation::Ignore,
            "Strict" => FieldValidation::Strict,
            other => {
                let supported = ["", "Ignore", "Strict", "Warn"];
                let cause =
                    field::Error::not_supported("fieldValidation", &json!(other), &supported);
                causes.push(cause);
                // The request fails.
                FieldValidation::Ignore
            }
        };
        let kind = match verb {
            Verb::Create => "CreateOptions",
            Verb::Update => "UpdateOptions",
            _ => "PatchOptions",
        };
        if causes.is_empty() {
            Ok(Self {
                dry_run,
                field_manager,
                field_validation,
                force: force.unwrap_or_default(),
            })
        } else {
            Err(StatusError::invalid_options(kind, causes))
        }
    }
}

fn validate_dry_run(query: &Query, causes: &mut field::ErrorList) -> bool {
    let stages = query.texts("dryRun");
    validate_stages(stages, causes);
    !stages.is_empty()
}

fn validate_stages(stages: &[String], causes: &mut field::ErrorList) {
    if stages.iter().any(|stage| stage != "All") {
        causes.push(field::Error::not_supported(
            "dryRun",
            &json!(stages),
            &["All"],
        ));
    }
}

/// Propagation policy of a deletion: what happens to the dependents of the object.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Propagation {
    Background,
    Foreground,
    Orphan,
}

/// Options of a deletion: `DeleteOptions`.
#[derive(Clone, Debug, Default)]
pub(crate) struct DeleteOptions {
    pub(crate) dry_run: bool,
    pub(crate) uid: Option<String>,
    pub(crate) resource_version: Option<String>,
    pub(crate) propagation: Option<Propagation>,
    pub(crate) grace_period: Option<i64>,
    /// Whether the request has `orphanDependents: false`. If so, and the object still exists after
    /// the request, the response has the code 202 instead of 200.
    pub(crate) is_not_orphaning: bool,
    /// The options as a JSON `DeleteOptions`, for admission.
    pub(crate) json: Value,
}

impl DeleteOptions {
    /// Reads the options from the body of a request or, without a body, from the query.
    pub(crate) fn from_request(query: &Query, body: Option<&Value>) -> Result<Self, StatusError> {
        let mut causes = Vec::new();
        let stages: Vec<String> = match body {
            Some(body) => {
                let stages = body["dryRun"].as_array().into_iter().flatten();
                stages
                    .map(|stage| stage.as_str().unwrap_or_default().to_owned())
                    .collect()
            }
            None => query.texts("dryRun").to_vec(),
        };
        validate_stages(&stages, &mut causes);
        let (policy, orphan, grace_period) = match body {
            Some(body) => (
                body["propagationPolicy"].as_str().map(str::to_owned),
                body["orphanDependents"].as_bool(),
                body["gracePeriodSeconds"].as_i64(),
            ),
            None => {
                let policy = non_empty(query.text("propagationPolicy"));
                let grace = query.number("gracePeriodSeconds")?;
                (policy, query.boolean("orphanDependents"), grace)
            }
        };
        if orphan.is_some() && policy.is_some() {
            let detail = "orphanDependents and deletionPropagation cannot be both set";
            let value = json!(policy);
            causes.push(field::Error::invalid("propagationPolicy", &value, detail));
        }
        let propagation = match policy.as_deref() {
            None => match orphan {
                Some(true) => Some(Propagation::Orphan),
                Some(false) => Some(Propagation::Background),
                None => None,
            },
            Some("Background") => Some(Propagation::Background),
            Some("Foreground") => Some(Propagation::Foreground),
            Some("Orphan") => Some(Propagation::Orphan),
            Some(other) => {
                let supported = ["Foreground", "Background", "Orphan", "nil"];
                let cause =
                    field::Error::not_supported("propagationPolicy", &json!(other), &supported);
                causes.push(cause);
                None
            }
        };
        if !causes.is_empty() {
            return Err(StatusError::invalid_options("DeleteOptions", causes));
        }
        let precondition = |field: &str| match body {
            Some(body) => body["preconditions"][field].as_str().map(str::to_owned),
            None => non_empty(query.text(field)),
        };
        Ok(Self {
            dry_run: !stages.is_empty(),
            uid: precondition("uid"),
            resource_version: precondition("resourceVersion"),
            propagation,
            grace_period,
            is_not_orphaning: orphan == Some(false),
            json: to_delete_options(query, body),
        })
    }
}

/// Returns the options as a `DeleteOptions` of `meta.k8s.io/v1`.
fn to_delete_options(query: &Query, body: Option<&Value>) -> Value {
    let mut options = match body {
        Some(body) if body.is_object() => body.clone(),
        _ => {
            let mut options = json!({});
            let grace: Option<i64> = query.text("gracePeriodSeconds").parse().ok();
            if let Some(seconds) = grace {
                options["gracePeriodSeconds"] = seconds.into();
            }
            if let Some(orphan) = query.boolean("orphanDependents") {
                options["orphanDependents"] = orphan.into();
            }
            if let Some(policy) = non_empty(query.text("propagationPolicy")) {
                options["propagationPolicy"] = policy.into();
            }
            if query.is_given("dryRun") {
                options["dryRun"] = json!(query.texts("dryRun"));
            }
            options
        }
    };
    options["kind"] = "DeleteOptions".into();
    options["apiVersion"] = "meta.k8s.io/v1".into();
    options
}

fn non_empty(text: &str) -> Option<String> {
    (!text.is_empty()).then(|| text.to_owned())
}
