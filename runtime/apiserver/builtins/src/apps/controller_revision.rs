//! ControllerRevisions (pkg/apis/apps/validation).

use genclient_apimachinery::field;
use genclient_apimachinery::unstructured::{list_or_empty, str_or_empty};
use serde_json::{Value, json};

use crate::accessors::as_flag;
use crate::cells::NONE;
use crate::findings::{NOT_NEGATIVE, unchanged};
use crate::row::Row;
use crate::strategy::Strategy;

/// Strategy of ControllerRevisions (pkg/registry/apps/controllerrevision, strategy.go).
#[derive(Debug)]
pub(crate) struct ControllerRevisionStrategy;

impl Strategy for ControllerRevisionStrategy {
    fn validate(&self, object: &Value, out: &mut field::ErrorList) {
        match &object["data"] {
            Value::Object(_) => {}
            Value::Null => out.push(field::Error::required("data", "data is mandatory")),
            _ => out.push(field::Error::required(
                "data",
                "data must be a valid JSON object",
            )),
        }
        validate_revision(object, out);
    }

    /// Validates an update of a ControllerRevision. Its data is immutable.
    fn validate_update(&self, new: &Value, old: &Value, out: &mut field::ErrorList) {
        validate_revision(new, out);
        unchanged("data", &new["data"], &old["data"], out);
    }

    fn cells(&self, row: Row<'_>) -> Option<Vec<Value>> {
        let revision = row.object["revision"].clone();
        Some(vec![
            row.name(),
            json!(format_controller(row)),
            revision,
            row.age(),
        ])
    }
}

fn validate_revision(object: &Value, out: &mut field::ErrorList) {
    if object["revision"]
        .as_i64()
        .is_some_and(|revision| revision < 0)
    {
        out.push(field::Error::invalid(
            "revision",
            &object["revision"],
            NOT_NEGATIVE,
        ));
    }
}

/// Returns the owner that controls an object, such as `deployment.apps/web`.
fn format_controller(row: Row<'_>) -> String {
    let mut owners = list_or_empty(&row.metadata()["ownerReferences"]).iter();
    let Some(owner) = owners.find(|owner| as_flag(&owner["controller"])) else {
        return NONE.to_owned();
    };
    let kind = str_or_empty(&owner["kind"]).to_lowercase();
    let name = str_or_empty(&owner["name"]);
    match str_or_empty(&owner["apiVersion"]).split_once('/') {
        Some((group, _)) => format!("{kind}.{}/{name}", group.to_lowercase()),
        None => format!("{kind}/{name}"),
    }
}
