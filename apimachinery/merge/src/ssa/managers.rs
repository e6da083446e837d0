//! Managed field entries: the fields that each manager owns, decoded from and encoded to
//! `metadata.managedFields`.
//!
//! Source: apimachinery, pkg/util/managedfields/internal/managedfields.go.

use std::borrow::Cow;

use genclient_apimachinery::fieldpath::{InvalidElement, Set, decode_set, encode_set};
use genclient_apimachinery::go;
use genclient_apimachinery::meta::{format_time, parse_time};
use serde_json::{Map, Value, json};

use super::time::NEVER;

/// Identity of a managed field entry. No two entries of an object have the same identity.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct ManagerIdentity {
    pub(super) manager: String,
    pub(super) operation: ManagerOperation,
    /// Empty for `Apply`, since a manager has one `Apply` entry whatever the version.
    pub(super) api_version: String,
    pub(super) subresource: String,
}

/// Operation by which a manager owns its fields.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum ManagerOperation {
    Apply,
    Update,
}

impl ManagerOperation {
    fn name(self) -> &'static str {
        match self {
            Self::Apply => "Apply",
            Self::Update => "Update",
        }
    }
}

impl ManagerIdentity {
    pub(super) fn new(
        manager: &str,
        operation: ManagerOperation,
        api_version: &str,
        subresource: &str,
    ) -> Self {
        Self {
            manager: manager.to_owned(),
            operation,
            api_version: match operation {
                ManagerOperation::Apply => String::new(),
                ManagerOperation::Update => api_version.to_owned(),
            },
            subresource: subresource.to_owned(),
        }
    }

    /// Returns the identity as JSON. Conflicts are sorted by this text. When the oldest entries are
    /// merged, entries with the same time are also sorted by it.
    pub(super) fn key(&self) -> String {
        let part = |name: &str, value: &str| match value {
            "" => None,
            value => Some(format!("\"{name}\":{}", go::json(&json!(value)))),
        };
        let parts = [
            part("manager", &self.manager),
            part("operation", self.operation.name()),
            part("apiVersion", &self.api_version),
            part("subresource", &self.subresource),
        ];
        let parts: Vec<_> = parts.into_iter().flatten().collect();
        format!("{{{}}}", parts.join(","))
    }
}

/// Managed field entry without its time.
#[derive(Clone, Debug)]
pub(super) struct Manager {
    pub(super) identity: ManagerIdentity,
    pub(super) set: Set,
    /// API version that the paths of the set refer to.
    pub(super) api_version: String,
}

/// Managed field entries of an object, with their times.
#[derive(Clone, Debug, Default)]
pub(super) struct Managers {
    pub(super) entries: Vec<Manager>,
    /// Kept apart from the entries, since an entry that is removed and added again in one request
    /// keeps its time.
    times: Vec<(ManagerIdentity, Option<String>)>,
}

impl Managers {
    pub(super) fn get(&self, identity: &ManagerIdentity) -> Option<&Manager> {
        self.entries
            .iter()
            .find(|entry| entry.identity == *identity)
    }

    pub(super) fn put(&mut self, entry: Manager) {
        match self
            .entries
            .iter_mut()
            .find(|known| known.identity == entry.identity)
        {
            Some(known) => *known = entry,
            None => self.entries.push(entry),
        }
    }

    pub(super) fn remove(&mut self, identity: &ManagerIdentity) {
        self.entries.retain(|entry| entry.identity != *identity);
    }

    pub(super) fn time(&self, identity: &ManagerIdentity) -> Option<&str> {
        let time = self.times.iter().find(|(known, _)| known == identity);
        time.and_then(|(_, time)| time.as_deref())
    }

    pub(super) fn set_time(&mut self, identity: &ManagerIdentity, time: Option<&str>) {
        let time = time.map(str::to_owned);
        match self.times.iter_mut().find(|(known, _)| known == identity) {
            Some((_, known)) => *known = time,
            None => self.times.push((identity.clone(), time)),
        }
    }

    pub(super) fn drop_empty(&mut self) {
        self.entries.retain(|entry| !entry.set.is_empty());
    }
}

/// Returns the entries of `metadata.managedFields`, or `None` if the list is absent or cannot be
/// decoded.
///
/// Source: apimachinery, pkg/apis/meta/v1/unstructured/unstructured.go, `GetManagedFields`.
pub(super) fn listed_entries(object: &Value) -> Option<Vec<Listed<'_>>> {
    let entries = object.get("metadata")?.get("managedFields")?.as_array()?;
    entries.iter().map(Listed::from_value).collect()
}

/// Entry of `metadata.managedFields` in JSON. Absent text fields are empty.
#[derive(Debug, Default)]
pub(super) struct Listed<'a> {
    manager: &'a str,
    operation: &'a str,
    api_version: &'a str,
    time: Option<String>,
    fields_type: &'a str,
    fields: Option<&'a Value>,
    subresource: &'a str,
}

impl<'a> Listed<'a> {
    /// Reads an entry. Returns `None` if a member has the wrong type.
    fn from_value(entry: &'a Value) -> Option<Self> {
        let entry = entry.as_object()?;
        let text = |name| match entry.get(name) {
            None | Some(Value::Null) => Some(""),
            Some(value) => value.as_str(),
        };
        Some(Self {
            manager: text("manager")?,
            operation: text("operation")?,
            api_version: text("apiVersion")?,
            time: match text("time")? {
                "" if !entry.contains_key("time") || entry["time"].is_null() => None,
                time => Some(parse_time(time).map(format_time).ok()?),
            },
            fields_type: text("fieldsType")?,
            fields: entry.get("fieldsV1").filter(|fields| !fields.is_null()),
            subresource: text("subresource")?,
        })
    }

    fn is_empty(&self) -> bool {
        let texts = [
            self.manager,
            self.operation,
            self.api_version,
            self.fields_type,
            self.subresource,
        ];
        texts.iter().all(|text| text.is_empty()) && self.time.is_none() && self.fields.is_none()
    }
}

/// Returns whether a request asks to drop all entries: its list is empty, or its only entry is
/// empty.
pub(super) fn is_reset(listed: &[Listed<'_>]) -> bool {
    match listed {
        [] => true,
        [only] => only.is_empty(),
        _ => false,
    }
}

/// Decodes managed field entries.
///
/// # Errors
///
/// If an entry is invalid. The message is about the first such entry.
pub(super) fn decode_managers(listed: &[Listed<'_>]) -> Result<Managers, String> {
    let mut managers = Managers::default();
    for (at, entry) in listed.iter().enumerate() {
        let operation = match entry.operation {
            "Apply" => ManagerOperation::Apply,
            "Update" => ManagerOperation::Update,
            _ => return Err("operation must be `Apply` or `Update`".to_owned()),
        };
        if entry.api_version.is_empty() {
            return Err("apiVersion must not be empty".to_owned());
        }
        match entry.fields_type {
            "FieldsV1" => {}
            "" => return Err(format!("missing fieldsType in managed fields entry {at}")),
            other => {
                let other = go::quoted(other);
                return Err(format!(
                    "invalid fieldsType {other} in managed fields entry {at}"
                ));
            }
        }
        let set = entry
            .fields
            .map_or_else(|| Ok(Set::default()), decode_set)
            .map_err(|error| format!("error decoding versioned set: {error}"))?;
        let (manager, subresource) = (entry.manager, entry.subresource);
        let identity = ManagerIdentity::new(manager, operation, entry.api_version, subresource);
        managers.set_time(&identity, entry.time.as_deref());
        managers.put(Manager {
            identity,
            set,
            api_version: entry.api_version.to_owned(),
        });
    }
    Ok(managers)
}

/// Checks `entries`, the value of `metadata.managedFields`. A value that is not a list of entries
/// passes.
///
/// # Errors
///
/// If an entry is invalid.
pub fn check_managers(entries: Option<&Value>) -> Result<(), String> {
    let object = serde_json::json!({ "metadata": { "managedFields": entries } });
    let decoded = listed_entries(&object).map(|listed| decode_managers(&listed));
    decoded.transpose().map(|_managers| ())
}

/// Encodes the entries for `metadata.managedFields`: `Apply` first, then by time, manager, version
/// and subresource. Returns `None` if there are no entries.
///
/// # Errors
///
/// If a path contains [`PathElement::Invalid`].
///
/// [`PathElement::Invalid`]: genclient_apimachinery::fieldpath::PathElement::Invalid
pub(super) fn encode_managers(managers: &Managers) -> Result<Option<Value>, InvalidElement> {
    let mut sorted: Vec<&Manager> = managers.entries.iter().collect();
    sorted.sort_by_key(|entry| {
        let identity = &entry.identity;
        (
            identity.operation,
            managers.time(identity).unwrap_or(NEVER),
            &identity.manager,
            &entry.api_version,
            &identity.subresource,
        )
    });
    let entries = sorted
        .into_iter()
        .map(|entry| encode_entry(entry, managers.time(&entry.identity)))
        .collect::<Result<Vec<_>, _>>()?;
    Ok(Some(entries)
        .filter(|entries| !entries.is_empty())
        .map(Value::Array))
}

/// Encodes an entry. Empty members are omitted.
fn encode_entry(entry: &Manager, time: Option<&str>) -> Result<Value, InvalidElement> {
    let mut written = Map::new();
    let identity = &entry.identity;
    for (name, value) in [
        ("apiVersion", &*entry.api_version),
        ("fieldsType", "FieldsV1"),
        ("manager", &identity.manager),
        ("operation", identity.operation.name()),
        ("subresource", &identity.subresource),
        ("time", time.unwrap_or_default()),
    ] {
        if !value.is_empty() {
            written.insert(name.to_owned(), Value::from(value));
        }
    }
    written.insert("fieldsV1".to_owned(), encode_set(&entry.set)?);
    Ok(Value::Object(written))
}

/// Sets or removes `metadata.managedFields`.
pub(super) fn set_managed_fields(object: &mut Value, entries: Option<Value>) {
    let metadata = object.get_mut("metadata").and_then(Value::as_object_mut);
    match (metadata, entries) {
        (Some(metadata), Some(entries)) => {
            metadata.insert("managedFields".to_owned(), entries);
        }
        (Some(metadata), None) => {
            metadata.remove("managedFields");
        }
        (None, Some(entries)) => {
            if let Value::Object(object) = object {
                object.insert("metadata".to_owned(), json!({"managedFields": entries}));
            }
        }
        (None, None) => {}
    }
}

/// Returns a copy of the object with an empty `managedFields` list, or the object itself if it has
/// no such list. The entries are large, and no manager owns them, so typed operations do not need
/// them.
pub(super) fn without_managed_fields(object: &Value) -> Cow<'_, Value> {
    let (Some(members), Some(Value::Object(metadata))) =
        (object.as_object(), object.get("metadata"))
    else {
        return Cow::Borrowed(object);
    };
    if !metadata
        .get("managedFields")
        .is_some_and(|entries| entries.is_array())
    {
        return Cow::Borrowed(object);
    }
    let metadata = metadata.iter().map(|(name, value)| match &**name {
        "managedFields" => (name.clone(), Value::Array(Vec::new())),
        _ => (name.clone(), value.clone()),
    });
    let mut metadata = Some(Value::Object(metadata.collect()));
    let members = members.iter().map(|(name, value)| {
        let replaced = metadata.take_if(|_| name == "metadata");
        (name.clone(), replaced.unwrap_or_else(|| value.clone()))
    });
    Cow::Owned(Value::Object(members.collect()))
}
