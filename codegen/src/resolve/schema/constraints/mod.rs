//! Constraints of `#[crd(…)]` applied to the schema of a type.
//!
//! Constraints of a type and of a field with that type both apply. Of two bounds, the schema has
//! the tighter one. Keywords that cannot be merged, such as two patterns, go into `allOf`. Rules of
//! the field precede those of the type. The field's default, example, title and description replace
//! those of the type.

mod checks;
mod keywords;
mod rules;
mod written;

use std::sync::Arc;

use genclient_syntax::{Help, SchemaAttrs, Shape};
use proc_macro2::Span;

use crate::diagnostic::{Diagnostic, Location, Sink};
use crate::model::{Schema, SourceId};
use crate::resolve::cel::RuleLocations;
use crate::sources::Module;
pub(super) use rules::{immutable_at, is_once_set, names_of_key_formats, once_set_rule};

/// Receivers of findings and of the locations of rules.
pub(super) struct ConstraintOutput<'a> {
    /// The module that contains the attribute.
    pub(super) module: &'a Module,
    pub(super) rule_locations: &'a mut RuleLocations,
    pub(super) sink: &'a mut Sink,
}

/// Applies constraints to a schema, and reports those that do not fit its type.
///
/// `shape` is the type as far as the attribute grammar could determine it from tokens. The grammar
/// has checked the constraints against the shape.
pub(super) fn apply_constraints(
    attrs: &SchemaAttrs,
    schema: Schema,
    shape: &Shape,
    output: ConstraintOutput<'_>,
) -> Schema {
    let applier = ConstraintApplier {
        attrs,
        shape,
        is_unchecked: attrs.overrides_type(),
        module: output.module,
        rule_locations: output.rule_locations,
        sink: output.sink,
    };
    applier.run(schema)
}

/// Help for a field name that CEL cannot express.
pub(super) const RENAME_HELP: &str =
    "rename it: use letters, digits, `_`, `-`, `.` and `/`, not starting with a digit";

/// Applies the keys of one attribute.
struct ConstraintApplier<'a> {
    attrs: &'a SchemaAttrs,
    shape: &'a Shape,
    /// True if the attribute grammar has not checked the keys against the shape, because this
    /// attribute or one around it overrides the type.
    is_unchecked: bool,
    module: &'a Module,
    rule_locations: &'a mut RuleLocations,
    sink: &'a mut Sink,
}

impl ConstraintApplier<'_> {
    fn run(mut self, schema: Schema) -> Schema {
        let mut schema = self.replace_schema(schema);
        self.tighten(&mut schema);
        self.apply_nested(&mut schema);
        self.annotate(&mut schema);
        self.add_key_rules(&mut schema);
        self.add_one_of_rules(&mut schema);
        self.add_applicators(&mut schema);
        self.extend(&mut schema);
        if let Some(length) = &self.attrs.max_desc_len {
            schema.shorten_descriptions(length.value.try_into().unwrap_or(usize::MAX));
        }
        self.check(&schema);
        schema
    }

    fn error(&mut self, span: Span, message: impl Into<String>, help: impl Into<Help>) {
        let at = Location::new(&self.module.source, span);
        self.sink.push(Diagnostic::error(message).at(at).help(help));
    }

    /// Records `span` as the location of a generated rule. Returns the id of the location.
    fn rule_at(&mut self, span: Span) -> SourceId {
        let rule = Location::new(&self.module.source, span);
        self.rule_locations.add(rule, None, None)
    }

    /// Applies `items(…)` and `values(…)` to the schemas of items and values.
    fn apply_nested(&mut self, schema: &mut Schema) {
        let inner = match self.shape {
            Shape::List(inner) | Shape::Map(inner) => inner,
            _ => &Shape::Unknown,
        };
        let items = self.attrs.items.iter().zip(&mut schema.items);
        let values = self
            .attrs
            .values
            .iter()
            .zip(&mut schema.additional_properties);
        for (attrs, schema) in items.chain(values) {
            let schema = Arc::make_mut(schema);
            // The schema of arbitrary JSON admits `null`. If the attribute restricts the value, the
            // schema admits `null` only if the attribute has `nullable`.
            schema.nullable &= !(attrs.restricts_any() && schema.is_any());
            let applier = ConstraintApplier {
                attrs,
                shape: inner,
                is_unchecked: self.is_unchecked || attrs.overrides_type(),
                module: self.module,
                rule_locations: self.rule_locations,
                sink: self.sink,
            };
            *schema = applier.run(std::mem::take(schema));
        }
    }
}
