//! `#[serde(flatten)]`: merging the fields of a type into the containing object.

use std::collections::BTreeSet;

use genclient_syntax::{SchemaAttrs, Shape};
use syn::Field;

use super::serde_attrs::SerdeAttrs;
use super::{Resolver, Slot, constraints, keys};
use crate::model::{JsonType, Schema, Validation};

impl<'a> Resolver<'a, '_> {
    pub(super) fn flatten(
        &mut self,
        field: &Field,
        attrs: &SchemaAttrs,
        serde: &SerdeAttrs,
        is_alone: bool,
        parent: &mut Schema,
    ) {
        let open = attrs.preserve_unknown_fields.is_set();
        let about_the_type = is_about_the_type(attrs);
        if open && about_the_type {
            parent.preserve_unknown_fields = true;
            return;
        }
        let slot = self.field_slot(field, attrs, serde);
        if !about_the_type {
            let refusal = refusal(&slot).filter(|_| !open && !slot.schema.is_unknown());
            let help = match (
                attrs.min_properties.is_some(),
                attrs.max_properties.is_some(),
            ) {
                (true, true) => "remove `min_properties` and `max_properties`",
                (true, false) => "remove `min_properties`",
                (false, true) => "remove `max_properties`",
                (false, false) => "move the constraint to the type, or to its fields",
            };
            let message = "constraints are not allowed on a flattened field";
            let (message, help) = refusal.unwrap_or((message, help));
            self.report(&field.ty, message, help);
            return;
        }
        let schema = self.constrain(attrs, slot.schema, &Shape::Unknown);
        if schema.is_unknown() {
            // The fields of the type are unknown, so the schema of the whole object is unknown.
            parent.type_ = None;
            return;
        }
        let slot = Slot { schema, ..slot };
        let is_map = slot.schema.additional_properties.is_some();
        if is_alone && is_map && !slot.optional {
            // The map has no sibling fields, so the object is a map.
            *parent = slot.schema;
            return;
        }
        if is_typed_map(&slot) && self.is_of_schemars() {
            self.take_open_map(field, parent);
            return;
        }
        if let Some((message, help)) = refusal(&slot) {
            self.report(&field.ty, message, help);
            return;
        }
        let twice = slot
            .schema
            .properties
            .keys()
            .find(|name| parent.properties.contains_key(*name));
        if let Some(name) = twice {
            let message = format!(
                "duplicate field `{name}`: in the flattened type and in the type that contains it"
            );
            self.report(
                &field.ty,
                message,
                "rename one of the two, or remove `flatten`",
            );
            return;
        }
        self.warn_of_keys(&field.ty, &slot.schema, keys::EntryPosition::Shared);
        take_in(parent, slot);
    }

    /// Admits any field beside the named ones for a flattened map, as kube does (kube-rs/kube#844),
    /// and warns that the values are not validated.
    fn take_open_map(&mut self, field: &Field, parent: &mut Schema) {
        parent.preserve_unknown_fields = true;
        self.warn(
            &field.ty,
            "values of the flattened map are not validated: a structural schema cannot combine a map with named fields",
            "give the map a field of its own to validate its values",
        );
    }
}

/// True if the attributes only replace the type or add rules.
fn is_about_the_type(attrs: &SchemaAttrs) -> bool {
    *attrs
        == SchemaAttrs {
            schema: attrs.schema.clone(),
            schemaless: attrs.schemaless,
            with: attrs.with.clone(),
            schema_with: attrs.schema_with.clone(),
            json_type: attrs.json_type,
            preserve_unknown_fields: attrs.preserve_unknown_fields,
            validations: attrs.validations.clone(),
            ..SchemaAttrs::default()
        }
}

/// True for a map whose values have a schema.
fn is_typed_map(slot: &Slot) -> bool {
    let values = slot.schema.additional_properties.as_ref();
    values.is_some_and(|values| !values.is_any())
}

/// Message and help for a type that cannot be flattened.
fn refusal(slot: &Slot) -> Option<(&'static str, &'static str)> {
    let schema = &slot.schema;
    if is_typed_map(slot) {
        return Some((
            "a flattened map accepts any key, which a structural schema cannot combine with named fields",
            "give the map a field of its own, or accept any value: `#[crd(preserve_unknown_fields)]`, without constraints",
        ));
    }
    if schema.type_ != Some(JsonType::Object) && !schema.is_any() {
        return Some((
            "only a type that serializes as an object can be flattened",
            "remove `flatten`",
        ));
    }
    if schema.min_properties.is_some() || schema.max_properties.is_some() {
        return Some((
            "`min_properties` and `max_properties` are not allowed on a flattened type",
            "remove its `min_properties` and `max_properties`",
        ));
    }
    let holds_without = |rule: &Validation| constraints::is_once_set(rule, schema);
    if slot.optional && !schema.validations.iter().all(holds_without) {
        return Some((
            "validation rules are not allowed on an optional flattened type",
            "move them to the type that contains it, with `has(…)`",
        ));
    }
    None
}

fn take_in(parent: &mut Schema, slot: Slot) {
    let Slot {
        schema, optional, ..
    } = slot;
    parent.preserve_unknown_fields |=
        schema.preserve_unknown_fields || schema.additional_properties.is_some();
    let demands = Schema {
        all_of: schema.all_of,
        any_of: schema.any_of,
        one_of: schema.one_of,
        not: schema.not,
        ..Schema::default()
    };
    if optional {
        // A field with a default does not count as a member: the API server fills it in even if all
        // other fields of the type are absent.
        let members: Vec<&String> = schema
            .properties
            .iter()
            .filter(|(_, property)| property.default.is_none())
            .map(|(name, _)| name)
            .collect();
        // A required immutable field needs a rule here: an update could remove it together with all
        // other fields of the type.
        let kept = schema.required.iter().filter_map(|name| {
            let source = constraints::immutable_at(schema.properties.get(name)?)?;
            constraints::once_set(name, Some(source))
        });
        parent.validations.extend(kept);
        if let Some(group) = all_required_or_none(demands, schema.required, &members) {
            demand(parent, group);
        }
    } else {
        parent.required.extend(schema.required);
        demand(parent, demands);
    }
    parent.validations.extend(schema.validations);
    parent.properties.extend(schema.properties);
}

/// Returns a condition with two alternatives: all `required` fields are present and `demands` hold,
/// or no field of `members` is present. `None` if no condition is needed.
fn all_required_or_none(
    demands: Schema,
    required: BTreeSet<String>,
    members: &[&String],
) -> Option<Schema> {
    let alone = members.len() == 1 && required.len() == 1 && demands == Schema::default();
    let present = Schema {
        required,
        ..demands
    };
    if alone || present == Schema::default() || members.is_empty() {
        return None;
    }
    let branches_only = Schema {
        one_of: Vec::new(),
        required: BTreeSet::new(),
        ..present.clone()
    } == Schema::default();
    let implied = !present.one_of.is_empty()
        && present.one_of.iter().all(|branch| {
            branch.required.is_superset(&present.required) && !branch.required.is_empty()
        });
    let nothing = absent(members);
    if branches_only && implied {
        let mut one_of = present.one_of;
        one_of.push(nothing);
        return Some(Schema {
            one_of,
            ..Schema::default()
        });
    }
    Some(Schema {
        any_of: vec![present, nothing],
        ..Schema::default()
    })
}

/// Returns the condition that none of these fields is present.
pub(super) fn absent(names: &[&String]) -> Schema {
    let mut each: Vec<Schema> = names
        .iter()
        .map(|name| Schema {
            required: [(*name).clone()].into(),
            ..Schema::default()
        })
        .collect();
    let any = match each.len() {
        1 => each.remove(0),
        _ => Schema {
            any_of: each,
            ..Schema::default()
        },
    };
    Schema {
        not: Some(Box::new(any)),
        ..Schema::default()
    }
}

/// Adds a condition to a schema. A keyword of the condition that the schema already has, such as
/// `oneOf`, goes into `allOf`.
pub(super) fn demand(schema: &mut Schema, condition: Schema) {
    let none = Schema::default;
    schema.all_of.extend(condition.all_of);
    let parts = [
        Schema {
            one_of: condition.one_of,
            ..none()
        },
        Schema {
            any_of: condition.any_of,
            ..none()
        },
        Schema {
            not: condition.not,
            ..none()
        },
    ];
    for part in parts.into_iter().filter(|part| *part != none()) {
        let taken = (!part.one_of.is_empty() && !schema.one_of.is_empty())
            || (!part.any_of.is_empty() && !schema.any_of.is_empty())
            || (part.not.is_some() && schema.not.is_some());
        if taken {
            schema.all_of.push(part);
        } else {
            schema.one_of.extend(part.one_of);
            schema.any_of.extend(part.any_of);
            schema.not = part.not.or(schema.not.take());
        }
    }
}
