//! Validation of schemas against the rules of structural schemas.
//!
//! Follows `k8s.io/apiextensions-apiserver/pkg/apiserver/schema`. Every schema must have a type, be
//! int-or-string or preserve unknown fields. `allOf`, `anyOf`, `oneOf` and `not` may only constrain
//! values that are declared outside of them.

use super::error::{SchemaError, SchemaErrorKind, SchemaPathStep, StructureRule};
use crate::{JsonType, Schema};

/// Returns the violated rules of structural schemas.
pub fn structural_errors(schema: &Schema) -> Vec<SchemaError> {
    let mut structure = Structure::default();
    structure.value(schema);
    structure.errors
}

#[derive(Default)]
struct Structure {
    path: Vec<SchemaPathStep>,
    errors: Vec<SchemaError>,
}

impl Structure {
    fn report(&mut self, rule: StructureRule) {
        self.errors.push(SchemaError {
            path: self.path.clone(),
            kind: SchemaErrorKind::Structure(rule),
        });
    }

    fn at(&mut self, step: SchemaPathStep, check: impl FnOnce(&mut Self)) {
        self.path.push(step);
        check(self);
        self.path.pop();
    }

    fn value(&mut self, schema: &Schema) {
        match schema.type_ {
            None if !schema.int_or_string && !schema.preserve_unknown_fields => {
                self.report(StructureRule::NoType);
            }
            Some(JsonType::Array) if schema.items.is_none() => {
                self.report(StructureRule::NoItems);
            }
            _ => {}
        }
        self.extensions(schema);
        if !schema.properties.is_empty() && schema.additional_properties.is_some() {
            self.report(StructureRule::PropertiesAndMap);
        }
        for name in &schema.required {
            let known = schema.properties.contains_key(name)
                || schema.additional_properties.is_some()
                || schema.preserve_unknown_fields;
            if !known {
                self.report(StructureRule::RequiredUndeclared(name.clone()));
            }
        }
        for (step, nested) in nested(schema) {
            self.at(step, |structure| structure.value(nested));
        }
        self.branches(schema, schema);
    }

    /// Checks the extensions that only objects may have.
    fn extensions(&mut self, schema: &Schema) {
        let holds_fields = matches!(schema.type_, None | Some(JsonType::Object));
        if schema.embedded_resource && !holds_fields {
            self.report(StructureRule::EmbeddedNotObject);
        } else if schema.embedded_resource
            && schema.properties.is_empty()
            && !schema.preserve_unknown_fields
        {
            self.report(StructureRule::EmbeddedEmpty);
        }
        if schema.preserve_unknown_fields && !holds_fields {
            self.report(StructureRule::PreserveNotObject);
        }
    }

    /// Checks the branches of `around`. They may only use properties of `declared`. That is
    /// `around` itself, or, if `around` is part of a branch, the schema outside of all branches
    /// that describes the same value.
    fn branches(&mut self, around: &Schema, declared: &Schema) {
        for (step, branch) in branches(around) {
            self.at(step, |structure| structure.branch(branch, declared));
        }
    }

    fn branch(&mut self, branch: &Schema, declared: &Schema) {
        // Int-or-string is the only form in which a branch may have a type.
        let of_two_types = declared.int_or_string
            && matches!(branch.type_, Some(JsonType::Integer | JsonType::String));
        let forbidden = [
            ("type", branch.type_.is_some() && !of_two_types),
            ("title", branch.title.is_some()),
            ("description", branch.description.is_some()),
            ("default", branch.default.is_some()),
            ("nullable", branch.nullable),
            (
                "additionalProperties",
                branch.additional_properties.is_some(),
            ),
            ("x-kubernetes-validations", !branch.validations.is_empty()),
            (
                "x-kubernetes-preserve-unknown-fields",
                branch.preserve_unknown_fields,
            ),
            ("x-kubernetes-embedded-resource", branch.embedded_resource),
            ("x-kubernetes-int-or-string", branch.int_or_string),
            ("x-kubernetes-list-type", branch.list_type.is_some()),
            ("x-kubernetes-map-type", branch.map_type.is_some()),
        ];
        for (key, _) in forbidden.iter().filter(|(_, stands)| *stands) {
            self.report(StructureRule::KeywordInBranch(key));
        }
        for (name, property) in &branch.properties {
            match declared.properties.get(name) {
                _ if name == "metadata" => self.report(StructureRule::MetadataInBranch),
                Some(declared) => self.at(SchemaPathStep::Property(name.clone()), |structure| {
                    structure.branch(property, declared);
                }),
                None => self.report(StructureRule::UndeclaredInBranch(name.clone())),
            }
        }
        if let (Some(items), Some(declared)) = (&branch.items, &declared.items) {
            self.at(SchemaPathStep::Items, |structure| {
                structure.branch(items, declared);
            });
        }
        self.branches(branch, declared);
    }
}

/// Returns the schemas of fields, items and values.
pub(super) fn nested(schema: &Schema) -> impl Iterator<Item = (SchemaPathStep, &Schema)> {
    let fields = schema
        .properties
        .iter()
        .map(|(name, field)| (SchemaPathStep::Property(name.clone()), &**field));
    let items = schema.items.as_deref();
    let values = schema.additional_properties.as_deref();
    fields
        .chain(items.map(|items| (SchemaPathStep::Items, items)))
        .chain(values.map(|values| (SchemaPathStep::Values, values)))
}

/// Returns the branches of `allOf`, `anyOf`, `oneOf` and `not`.
pub(super) fn branches(schema: &Schema) -> impl Iterator<Item = (SchemaPathStep, &Schema)> {
    let groups = [
        ("allOf", &schema.all_of),
        ("anyOf", &schema.any_of),
        ("oneOf", &schema.one_of),
    ];
    let listed = groups.into_iter().flat_map(|(keyword, branches)| {
        let branches = branches.iter().enumerate();
        branches.map(move |(at, branch)| (SchemaPathStep::Branch(keyword, at), branch))
    });
    listed.chain(schema.not.as_deref().map(|not| (SchemaPathStep::Not, not)))
}
