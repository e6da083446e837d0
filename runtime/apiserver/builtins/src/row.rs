//! [`Row`]: one object of a table (pkg/printers/internalversion, printers.go).

use genclient_apimachinery::unstructured::str_or_empty;
use genclient_schema::object::human_duration;
use serde_json::{Value, json};

use crate::cells::{UNKNOWN, parse_seconds};

/// Object of a row, and the current time in seconds since 1970.
#[derive(Clone, Copy)]
pub struct Row<'a> {
    /// The object.
    pub object: &'a Value,
    /// The current time in seconds since 1970.
    pub now: i64,
}

impl<'a> Row<'a> {
    pub(crate) fn spec(self) -> &'a Value {
        &self.object["spec"]
    }

    pub(crate) fn status(self) -> &'a Value {
        &self.object["status"]
    }

    pub(crate) fn metadata(self) -> &'a Value {
        &self.object["metadata"]
    }

    /// Returns the cell of the name.
    pub fn name(self) -> Value {
        json!(str_or_empty(&self.metadata()["name"]))
    }

    /// Returns the cell of the age.
    pub fn age(self) -> Value {
        json!(self.since(&self.metadata()["creationTimestamp"]))
    }

    /// Formats the time since a timestamp, such as `5m` (`translateTimestampSince`).
    pub(crate) fn since(self, timestamp: &Value) -> String {
        match parse_seconds(timestamp) {
            Some(seconds) => human_duration(self.now - seconds),
            None => UNKNOWN.to_owned(),
        }
    }

    pub(crate) fn is_deleting(self) -> bool {
        !self.metadata()["deletionTimestamp"].is_null()
    }

    pub(crate) fn annotation(self, key: &str) -> Option<&'a str> {
        self.metadata()["annotations"][key].as_str()
    }
}
