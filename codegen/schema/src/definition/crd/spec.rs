//! `spec` of a definition, as the API server's internal type has it.

use serde_json::Value;

use super::dump::{self, KEYWORDS, Kind};
use super::names::{self, is_set, list, text};
use super::options::Options;
use super::props::Props;
use super::{columns, conversion, root, versions};
use crate::cause::Cause;
use crate::meta::names::subdomain;

/// A spec, whose versions keep only what differs between them.
pub(super) struct Spec<'d> {
    pub(super) value: &'d Value,
    pub(super) group: &'d str,
    pub(super) names: &'d Value,
    pub(super) scope: &'d str,
    pub(super) preserve_unknown_fields: bool,
    pub(super) versions: Vec<Version<'d>>,
    /// What all versions have in common.
    pub(super) common: Parts<'d>,
}

pub(super) struct Version<'d> {
    pub(super) value: &'d Value,
    pub(super) name: &'d str,
    pub(super) storage: bool,
    pub(super) parts: Parts<'d>,
}

/// What stands in a version, or in `spec` if all versions have it.
#[derive(Clone, Copy, Default)]
pub(super) struct Parts<'d> {
    /// `schema` of a version, `validation` of the internal type.
    pub(super) schema: Option<&'d Value>,
    pub(super) subresources: Option<&'d Value>,
    pub(super) columns: Option<&'d Value>,
    pub(super) selectable: Option<&'d Value>,
}

impl<'d> Parts<'d> {
    fn of(version: &'d Value) -> Self {
        let get = |name: &str| version.get(name).filter(|value| !value.is_null());
        Self {
            schema: get("schema"),
            subresources: get("subresources"),
            columns: get("additionalPrinterColumns").filter(|it| !is_empty_list(it)),
            selectable: get("selectableFields").filter(|it| !is_empty_list(it)),
        }
    }

    pub(super) fn open_api(self) -> Option<Props<'d>> {
        let schema = self.schema?.get("openAPIV3Schema")?;
        Props::of(schema)
    }

    pub(super) fn has_status(self) -> bool {
        let status = self.subresources.and_then(|it| it.get("status"));
        status.is_some_and(|status| !status.is_null())
    }
}

/// Equality to the server: an empty list or map is as good as none.
pub(super) fn are_equal(a: Option<&Value>, b: Option<&Value>) -> bool {
    let stated = |value: Option<&Value>| value.map(|value| stated(value, Holds::Keywords));
    a == b || stated(a) == stated(b)
}

/// What the members of an object are.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Holds {
    Keywords,
    Schemas,
    Json,
}

/// A part without keywords that state nothing.
fn stated(value: &Value, holds: Holds) -> Value {
    match value {
        Value::Object(members) if holds != Holds::Json => {
            let members = members.iter().filter_map(|(name, value)| {
                let kind = KEYWORDS.into_iter().find(|(_, keyword, _)| keyword == name);
                let kind = kind
                    .map(|(.., kind)| kind)
                    .filter(|_| holds == Holds::Keywords);
                let is_empty = match (kind, value) {
                    (_, Value::Null) => true,
                    (Some(Kind::Text), value) => value == "",
                    (Some(Kind::Flag), value) => *value == false,
                    (Some(Kind::List | Kind::Schemas | Kind::Rules), Value::Array(items)) => {
                        items.is_empty()
                    }
                    (Some(Kind::Map | Kind::Dependencies), Value::Object(members)) => {
                        members.is_empty()
                    }
                    _ => false,
                };
                let inside = match kind {
                    Some(Kind::Value | Kind::List) => Holds::Json,
                    Some(Kind::Map | Kind::Dependencies) => Holds::Schemas,
                    _ => Holds::Keywords,
                };
                (!is_empty).then(|| (name.clone(), stated(value, inside)))
            });
            Value::Object(members.collect())
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
    pub(super) fn of(definition: &'d Value) -> Self {
        let value = definition.get("spec").unwrap_or(&Value::Null);
        let versions = list(value, "versions").iter();
        let versions = versions.map(|version| Version {
            value: version,
            name: text(version, "name"),
            storage: is_set(version, "storage"),
            parts: Parts::of(version),
        });
        let mut spec = Self {
            value,
            group: text(value, "group"),
            names: value.get("names").unwrap_or(&Value::Null),
            scope: text(value, "scope"),
            preserve_unknown_fields: is_set(value, "preserveUnknownFields"),
            versions: versions.collect(),
            common: Parts::default(),
        };
        spec.hoist(|parts| &mut parts.schema);
        spec.hoist(|parts| &mut parts.subresources);
        spec.hoist(|parts| &mut parts.columns);
        spec.hoist(|parts| &mut parts.selectable);
        spec
    }

    /// Moves a part that all versions have in common.
    fn hoist<'s>(
        &'s mut self,
        part: impl for<'p> Fn(&'p mut Parts<'d>) -> &'p mut Option<&'d Value>,
    ) {
        let Some(first) = self.versions.first_mut() else {
            return;
        };
        let first = *part(&mut first.parts);
        let mut others = self.versions.iter_mut().map(|it| *part(&mut it.parts));
        if others.all(|other| are_equal(other, first)) {
            *part(&mut self.common) = first;
            for version in &mut self.versions {
                *part(&mut version.parts) = None;
            }
        }
    }

    /// All schemas, each with the name of its version; the common one with that of the first.
    pub(super) fn schemas(&self) -> impl Iterator<Item = Props<'d>> {
        let of_versions = self.versions.iter().map(|version| version.parts);
        let parts = [self.common].into_iter().chain(of_versions);
        parts.filter_map(Parts::open_api)
    }

    pub(super) fn any_schema(&self, is: impl Fn(Props<'d>) -> bool) -> bool {
        self.schemas().flat_map(Props::all).any(is)
    }

    /// The schema of a version, wherever it stands.
    pub(super) fn schema_of(&self, version: &str) -> Option<Option<&'d Value>> {
        let found = self.versions.iter().find(|it| it.name == version)?;
        Some(found.parts.schema.or(self.common.schema))
    }
}

/// `validateCustomResourceDefinitionSpec`
pub(super) fn causes(spec: &Spec<'_>, options: &Options<'_>) -> Vec<Cause> {
    let mut causes = identity(spec);
    let mut options = options.clone();
    options.structural |= !spec.preserve_unknown_fields;
    missing_schemas(spec, &options, &mut causes);
    if spec.any_schema(|schema| schema.get("default").is_some()) {
        options.structural = true;
        if spec.preserve_unknown_fields {
            causes.push(Cause::invalid(
                "spec.preserveUnknownFields",
                &true.into(),
                "must be false in order to use defaults in the schema",
            ));
        }
    }
    options.structural |= spec.any_schema(has_extensions);
    causes.extend(versions::causes(spec, &options));
    causes.extend(names::required(spec.names, "spec.names"));
    causes.extend(names::causes(spec.names, "spec.names"));
    common(spec, &options, &mut causes);
    causes.extend(conversion::causes(spec, &options));
    causes
}

fn identity(spec: &Spec<'_>) -> Vec<Cause> {
    let mut causes = Vec::new();
    let group = spec.group;
    let errors = subdomain(group);
    if group.is_empty() {
        causes.push(Cause::required("spec.group", ""));
    } else if !errors.is_empty() {
        causes.push(Cause::invalid(
            "spec.group",
            &group.into(),
            &errors.join(","),
        ));
    } else if !group.contains('.') {
        let detail = "should be a domain with at least one dot";
        causes.push(Cause::invalid("spec.group", &group.into(), detail));
    }
    let scopes = ["Cluster", "Namespaced"];
    if spec.scope.is_empty() {
        causes.push(Cause::required("spec.scope", ""));
    } else if !scopes.contains(&spec.scope) {
        let scope = spec.scope.into();
        causes.push(Cause::not_supported("spec.scope", &scope, &scopes));
    }
    causes
}

fn missing_schemas(spec: &Spec<'_>, options: &Options<'_>, causes: &mut Vec<Cause>) {
    if spec.common.open_api().is_some() {
        return;
    }
    for (at, version) in spec.versions.iter().enumerate() {
        let field = format!("spec.versions[{at}].schema.openAPIV3Schema");
        let is_missing = version.parts.open_api().is_none();
        let is_served = is_set(version.value, "served");
        if is_missing && options.schema {
            causes.push(Cause::required(field, ""));
        } else if is_missing && !options.schema && !spec.preserve_unknown_fields && is_served {
            causes.push(Cause::required(
                field,
                "because otherwise all fields are pruned",
            ));
        }
    }
}

fn has_extensions(schema: Props<'_>) -> bool {
    let flags = [
        "x-kubernetes-embedded-resource",
        "x-kubernetes-int-or-string",
    ];
    flags.into_iter().any(|name| schema.is_set(name))
        || schema.get("x-kubernetes-preserve-unknown-fields").is_some()
        || !schema.list("x-kubernetes-list-map-keys").is_empty()
        || schema.list_type().is_some()
        || !schema.rules().is_empty()
}

/// What is checked of the parts that all versions have in common.
fn common(spec: &Spec<'_>, options: &Options<'_>, causes: &mut Vec<Cause>) {
    let first = spec.versions.first().map_or("", |version| version.name);
    if spec.common.schema.is_some() {
        let parts = spec.versions.iter().map(|version| version.parts);
        let has_status = [spec.common]
            .into_iter()
            .chain(parts)
            .any(Parts::has_status);
        let options = options.of_version(first);
        let of_schema = root::causes(spec.common, has_status, &options, "spec.validation");
        causes.extend(of_schema);
    }
    causes.extend(columns::subresource_causes(
        spec.common.subresources,
        "spec.subresources",
    ));
    let path = "spec.additionalPrinterColumns";
    causes.extend(columns::column_causes(spec.common.columns, path));
    if let Some(fields) = spec.common.selectable {
        let path = "spec.selectableFields";
        match spec.common.schema {
            None => causes.push(Cause::invalid(
                path,
                &"".into(),
                "may only be set when validations.schema is included",
            )),
            Some(_) => {
                let is_open = options.many_fields.contains("");
                let parts = spec.common;
                causes.extend(columns::selectable_causes(fields, parts, path, is_open));
            }
        }
    }
    version_names(spec, causes);
}

fn version_names(spec: &Spec<'_>, causes: &mut Vec<Cause>) {
    let mut names: Vec<_> = spec.versions.iter().map(|version| version.name).collect();
    let count = names.len();
    names.sort_unstable();
    names.dedup();
    let storages = spec.versions.iter().filter(|version| version.storage);
    let is_one = storages.count() == 1;
    let mut report = |detail| {
        let printed = dump::versions(spec.value, &spec.versions);
        causes.push(Cause::invalid_text("spec.versions", &printed, detail));
    };
    if names.len() < count {
        report("must contain unique version names");
    }
    if !is_one {
        report("must have exactly one version marked as storage version");
    }
    if let Some(first) = spec.versions.first()
        && !first.name.is_empty()
    {
        names::label(first.name, "spec.version".to_owned(), causes);
    }
}
