//! `spec` of a CustomResourceDefinition in the shape of the API server's internal type.

use genclient_apimachinery::go::{json, json_list, json_struct};
use genclient_apimachinery::unstructured::{bool_field, list_field, str_field};
use serde_json::Value;

use super::json_schema_props::{GoFieldType, JsonSchemaProps, KEYWORDS, print_value};

/// A spec. Parts that all versions share are in `shared` instead of in the versions.
pub(super) struct Spec<'d> {
    pub value: &'d Value,
    pub group: &'d str,
    pub names: &'d Value,
    pub scope: &'d str,
    pub preserve_unknown_fields: bool,
    pub versions: Vec<Version<'d>>,
    pub shared: VersionParts<'d>,
}

pub(super) struct Version<'d> {
    pub value: &'d Value,
    pub name: &'d str,
    pub storage: bool,
    pub parts: VersionParts<'d>,
}

/// Schema, subresources, columns and selectable fields: of one version, or shared by all.
#[derive(Clone, Copy, Default)]
pub(super) struct VersionParts<'d> {
    /// `schema` of a version; `validation` in the API server's internal type.
    pub schema: Option<&'d Value>,
    pub subresources: Option<&'d Value>,
    pub columns: Option<&'d Value>,
    pub selectable: Option<&'d Value>,
}

impl<'d> VersionParts<'d> {
    fn from_version(version: &'d Value) -> Self {
        let get = |name: &str| version.get(name).filter(|value| !value.is_null());
        Self {
            schema: get("schema"),
            subresources: get("subresources"),
            columns: get("additionalPrinterColumns").filter(|it| !is_empty_list(it)),
            selectable: get("selectableFields").filter(|it| !is_empty_list(it)),
        }
    }

    pub fn open_api(self) -> Option<JsonSchemaProps<'d>> {
        let schema = self.schema?.get("openAPIV3Schema")?;
        JsonSchemaProps::from_value(schema)
    }

    pub fn has_status(self) -> bool {
        let status = self.subresources.and_then(|it| it.get("status"));
        status.is_some_and(|status| !status.is_null())
    }
}

/// Compares parts of versions as the API server does: an empty value of a keyword equals an absent
/// one.
pub(super) fn are_equal(a: Option<&Value>, b: Option<&Value>) -> bool {
    let stated = |value: Option<&Value>| value.map(|value| stated(value, Holds::Keywords));
    a == b || stated(a) == stated(b)
}

/// Meaning of the members of a JSON object.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Holds {
    Keywords,
    Schemas,
    Json,
}

/// Returns the value without empty keywords.
fn stated(value: &Value, holds: Holds) -> Value {
    match value {
        Value::Object(members) if holds != Holds::Json => {
            let filled = members.iter().filter_map(|(name, value)| {
                let kind = KEYWORDS
                    .into_iter()
                    .find(|(_, keyword, _)| keyword == name)
                    .map(|(.., kind)| kind)
                    .filter(|_| holds == Holds::Keywords);
                let is_empty = match (kind, value) {
                    (_, Value::Null) => true,
                    (Some(GoFieldType::Text), value) => value == "",
                    (Some(GoFieldType::Flag), value) => *value == false,
                    (
                        Some(GoFieldType::List | GoFieldType::Schemas | GoFieldType::Rules),
                        Value::Array(items),
                    ) => items.is_empty(),
                    (
                        Some(GoFieldType::Map | GoFieldType::Dependencies),
                        Value::Object(members),
                    ) => members.is_empty(),
                    _ => false,
                };
                let inside = match kind {
                    Some(GoFieldType::Value | GoFieldType::List) => Holds::Json,
                    Some(GoFieldType::Map | GoFieldType::Dependencies) => Holds::Schemas,
                    _ => Holds::Keywords,
                };
                (!is_empty).then(|| (name.clone(), stated(value, inside)))
            });
            Value::Object(filled.collect())
        }
        Value::Array(items) if holds != Holds::Json => items
            .iter()
            .map(|item| stated(item, Holds::Keywords))
            .collect(),
        value => value.clone(),
    }
}

fn is_empty_list(value: &Value) -> bool {
    value.as_array().is_some_and(Vec::is_empty)
}

impl<'d> Spec<'d> {
    pub fn from_definition(definition: &'d Value) -> Self {
        let value = definition.get("spec").unwrap_or(&Value::Null);
        let versions = list_field(value, "versions").iter().map(|version| Version {
            value: version,
            name: str_field(version, "name"),
            storage: bool_field(version, "storage"),
            parts: VersionParts::from_version(version),
        });
        let mut spec = Self {
            value,
            group: str_field(value, "group"),
            names: value.get("names").unwrap_or(&Value::Null),
            scope: str_field(value, "scope"),
            preserve_unknown_fields: bool_field(value, "preserveUnknownFields"),
            versions: versions.collect(),
            shared: VersionParts::default(),
        };
        spec.hoist(|parts| &mut parts.schema);
        spec.hoist(|parts| &mut parts.subresources);
        spec.hoist(|parts| &mut parts.columns);
        spec.hoist(|parts| &mut parts.selectable);
        spec
    }

    /// Moves a part from the versions to `shared` if all versions share it.
    fn hoist<'s>(
        &'s mut self,
        part: impl for<'p> Fn(&'p mut VersionParts<'d>) -> &'p mut Option<&'d Value>,
    ) {
        let Some(first) = self.versions.first_mut() else {
            return;
        };
        let first = *part(&mut first.parts);
        let mut others = self.versions.iter_mut().map(|it| *part(&mut it.parts));
        if others.all(|other| are_equal(other, first)) {
            *part(&mut self.shared) = first;
            for version in &mut self.versions {
                *part(&mut version.parts) = None;
            }
        }
    }

    /// Returns the schema that all versions share, or the schemas of the versions.
    pub fn schemas(&self) -> impl Iterator<Item = JsonSchemaProps<'d>> {
        let of_versions = self.versions.iter().map(|version| version.parts);
        let parts = [self.shared].into_iter().chain(of_versions);
        parts.filter_map(VersionParts::open_api)
    }

    pub fn any_schema(&self, is: impl Fn(JsonSchemaProps<'d>) -> bool) -> bool {
        self.schemas()
            .flat_map(JsonSchemaProps::all_schemas)
            .any(is)
    }

    /// Returns the version's own schema or the shared one. The outer `Option` is `None` for an
    /// unknown version.
    pub fn schema_of(&self, version: &str) -> Option<Option<&'d Value>> {
        let found = self.versions.iter().find(|it| it.name == version)?;
        Some(found.parts.schema.or(self.shared.schema))
    }
}

pub(super) fn print_versions(spec: &Value, versions: &[Version<'_>]) -> String {
    if !spec.get("versions").is_some_and(Value::is_array) {
        return "null".to_owned();
    }
    let versions: Vec<_> = versions.iter().map(print_version).collect();
    format!("[{}]", versions.join(","))
}

fn print_version(version: &Version<'_>) -> String {
    let (value, parts) = (version.value, version.parts);
    let flag = |name: &str| json(value.get(name).unwrap_or(&false.into()));
    let warning = value.get("deprecationWarning").unwrap_or(&Value::Null);
    let text = |value: &Value, name: &str| json(value.get(name).unwrap_or(&"".into()));
    json_struct([
        ("Name", json(&version.name.into())),
        ("Served", flag("served")),
        ("Storage", flag("storage")),
        ("Deprecated", flag("deprecated")),
        ("DeprecationWarning", json(warning)),
        (
            "Schema",
            parts.schema.map_or("null".to_owned(), |schema| {
                json_struct([(
                    "OpenAPIV3Schema",
                    print_value(schema.get("openAPIV3Schema")),
                )])
            }),
        ),
        (
            "Subresources",
            parts
                .subresources
                .map_or("null".to_owned(), |subresources| {
                    let get = |name: &str| subresources.get(name).filter(|it| it.is_object());
                    let status = get("status").map_or("null", |_| "{}");
                    let scale = get("scale").map_or("null".to_owned(), |scale| {
                        let selector = scale.get("labelSelectorPath").unwrap_or(&Value::Null);
                        json_struct([
                            ("SpecReplicasPath", text(scale, "specReplicasPath")),
                            ("StatusReplicasPath", text(scale, "statusReplicasPath")),
                            ("LabelSelectorPath", json(selector)),
                        ])
                    });
                    json_struct([("Status", status.to_owned()), ("Scale", scale)])
                }),
        ),
        (
            "AdditionalPrinterColumns",
            json_list(parts.columns, |column| {
                let priority = column.get("priority").cloned().unwrap_or(0.into());
                json_struct([
                    ("Name", text(column, "name")),
                    ("Type", text(column, "type")),
                    ("Format", text(column, "format")),
                    ("Description", text(column, "description")),
                    ("Priority", json(&priority)),
                    ("JSONPath", text(column, "jsonPath")),
                ])
            }),
        ),
        (
            "SelectableFields",
            json_list(parts.selectable, |field| {
                json_struct([("JSONPath", text(field, "jsonPath"))])
            }),
        ),
    ])
}
