//! Compiled CEL rules of a schema.

use std::collections::BTreeMap;
use std::sync::Arc;

use genclient_cel::declare::{Declared, Objects};
use genclient_cel::evaluate::{Program, Shape};
use genclient_cel::{Environment, Functions, Type};

use super::declare::declare;
use super::field_path;
use super::shape::shape;
use crate::{Schema, Validation};

/// Compiled rules of a schema. Cheap to clone.
#[derive(Clone, Debug)]
pub struct Rules {
    pub(super) schema: Arc<Schema>,
    pub(super) root: Option<Arc<Level>>,
}

impl Rules {
    /// Compiles all rules in the schema of a resource (`cel.NewValidator`).
    ///
    /// A rule that does not compile is no error here: [`Rules::check`] reports it, as the API
    /// server does.
    pub fn compile(schema: &Schema) -> Self {
        Self::of_part(schema, true)
    }

    /// Compiles the rules of any schema, such as that of a property. `is_resource` is true for
    /// objects with `apiVersion`, `kind` and `metadata`.
    pub fn of_part(schema: &Schema, is_resource: bool) -> Self {
        let level = has_rules(schema)
            .then(|| level(schema, schema, is_resource))
            .flatten();
        Self {
            schema: Arc::new(schema.clone()),
            root: level.map(Arc::new),
        }
    }

    /// Returns whether there are no rules.
    pub fn is_empty(&self) -> bool {
        self.root.is_none()
    }
}

/// The rules of a schema and of nested schemas.
#[derive(Debug)]
pub(super) struct Level {
    pub(super) schema: Schema,
    /// Shape of the values. The shape of a resource includes metadata.
    pub(super) shape: Shape,
    /// The rules, or the reason why they cannot be compiled.
    pub(super) rules: Result<Vec<Rule>, &'static str>,
    pub(super) all_of: Vec<Level>,
    pub(super) items: Option<Box<Level>>,
    pub(super) values: Option<Box<Level>>,
    pub(super) properties: BTreeMap<String, Level>,
}

#[derive(Debug)]
pub(super) struct Rule {
    pub(super) validation: Validation,
    /// `None` for an empty rule; otherwise the program, or the compile error.
    pub(super) program: Option<Result<Program, String>>,
    pub(super) message: Option<Program>,
    /// `fieldPath`: path from the value to the field that the error names.
    pub(super) field_path: Option<String>,
}

/// Returns whether the schema or a nested one has rules. As in the API server
/// (`hasXValidations`), rules in branches such as those of `allOf` do not count. If the whole
/// schema of a resource has rules only in branches, they are therefore never evaluated.
fn has_rules(schema: &Schema) -> bool {
    let inner = schema
        .items
        .iter()
        .chain(&schema.additional_properties)
        .chain(schema.properties.values());
    !schema.validations.is_empty() || inner.into_iter().any(|inner| has_rules(inner))
}

/// Compiles the rules in `branch` with the types of `schema`. Outside of `allOf`, both are the same
/// schema. A branch of `allOf` has no types, so `schema` is then the schema around the branch. For
/// `items` of the branch, it is `items` of that schema.
fn level(branch: &Schema, schema: &Schema, resource: bool) -> Option<Level> {
    let inner = |branch: &Option<Arc<Schema>>, schema: &Option<Arc<Schema>>| {
        let (branch, schema) = (branch.as_deref()?, schema.as_deref()?);
        level(branch, schema, schema.embedded_resource).map(Box::new)
    };
    let items = inner(&branch.items, &schema.items);
    let values = inner(&branch.additional_properties, &schema.additional_properties);
    let mut properties = BTreeMap::new();
    for (name, property) in &branch.properties {
        let Some(own) = schema.properties.get(name) else {
            continue;
        };
        if declare(own, own.embedded_resource).is_none() {
            continue;
        }
        let found = level(property, own, own.embedded_resource);
        properties.extend(found.map(|found| (name.clone(), found)));
    }
    let all_of: Vec<_> = branch
        .all_of
        .iter()
        .filter_map(|part| level(part, schema, resource))
        .collect();
    let rules = rules(&branch.validations, schema, resource);
    let empty = rules.as_ref().is_ok_and(Vec::is_empty)
        && items.is_none()
        && values.is_none()
        && properties.is_empty()
        && all_of.is_empty();
    (!empty).then(|| Level {
        schema: schema.clone(),
        shape: shape(schema, resource),
        rules,
        all_of,
        items,
        values,
        properties,
    })
}

fn rules(
    validations: &[Validation],
    schema: &Schema,
    resource: bool,
) -> Result<Vec<Rule>, &'static str> {
    if validations.is_empty() {
        return Ok(Vec::new());
    }
    let Some((declared, objects)) = declare(schema, resource) else {
        return Err("failed to convert to declType for CEL validation rules");
    };
    Ok(validations
        .iter()
        .map(|validation| rule(validation, schema, &declared, &objects))
        .collect())
}

fn rule(validation: &Validation, schema: &Schema, declared: &Declared, objects: &Objects) -> Rule {
    let optional = validation.optional_old_self == Some(true);
    let old_self = if optional {
        Type::optional(declared.type_.clone())
    } else {
        declared.type_.clone()
    };
    let scope = Environment {
        self_: &declared.type_,
        old_self,
        objects,
        functions: Functions::all(),
    };
    let empty = validation.rule.trim().is_empty();
    let program = (!empty).then(|| Program::compile(&validation.rule, &scope, &Type::Bool));
    let message = validation
        .message_expression
        .as_deref()
        .filter(|text| !text.is_empty())
        .and_then(|text| Program::compile(text, &scope, &Type::Text).ok());
    let path = validation
        .field_path
        .as_deref()
        .filter(|path| !path.is_empty());
    Rule {
        validation: validation.clone(),
        program,
        message,
        field_path: path.and_then(|path| field_path::normalized(path, schema)),
    }
}

impl Rule {
    pub(super) fn uses_old_self(&self) -> bool {
        let program = self
            .program
            .as_ref()
            .and_then(|program| program.as_ref().ok());
        program.is_some_and(Program::uses_old_self)
    }
}
