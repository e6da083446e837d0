//! What `#[crd(…)]` adds to the schema of a type.
//!
//! What a type says of itself and what a field says of it hold both: bounds are drawn together, and what cannot be is kept side by
//! side in `allOf`. Rules of the field stand before those of the type, and its texts and default in place of the type's.

mod annotations;
mod checks;
mod extend;
mod immutability;
mod junctors;
mod lists;
mod map_keys;
mod one_of;
mod overrides;
mod stated_values;
mod tighten;
mod types;
mod written;

use std::sync::Arc;

use genclient_syntax::{SchemaAttrs, Shape};
use proc_macro2::Span;

use crate::diagnostic::{Diagnostic, Location, Sink};
use crate::model::{Schema, SourceId};
pub(super) use crate::resolve::json_values::{json, number};
use crate::resolve::rule_places::RulePlaces;
use crate::sources::Module;
pub(super) use immutability::{immutable_at, is_once_set, once_set};
pub(super) use map_keys::names_of_key_formats;

/// Lays constraints over a schema; one that does not fit its type is reported.
///
/// `shape` is what the grammar could see of the type, and has checked already.
pub(super) fn apply(
    attrs: &SchemaAttrs,
    schema: Schema,
    shape: &Shape,
    module: &Module,
    places: &mut RulePlaces,
    sink: &mut Sink,
) -> Schema {
    let mut apply = Apply {
        attrs,
        shape,
        module,
        places,
        sink,
    };
    let mut schema = apply.replaced(schema);
    apply.tighten(&mut schema);
    apply.nested(&mut schema);
    apply.annotate(&mut schema);
    apply.map_keys(&mut schema);
    apply.one_of(&mut schema);
    apply.junctors(&mut schema);
    apply.lay_over(&mut schema);
    apply.check(&schema);
    schema
}

/// What to type where CEL cannot write the name of a field.
pub(super) const RENAME: &str =
    "rename it: letters, digits, `_`, `-`, `.` and `/`, and no digit first";

/// Everything that one attribute's keys are laid over.
struct Apply<'a> {
    attrs: &'a SchemaAttrs,
    shape: &'a Shape,
    module: &'a Module,
    places: &'a mut RulePlaces,
    sink: &'a mut Sink,
}

impl Apply<'_> {
    fn error(&mut self, span: Span, message: impl Into<String>, help: impl Into<String>) {
        let at = Location::of(&self.module.source, span);
        self.sink.push(Diagnostic::error(message).at(at).help(help));
    }

    /// The id of a rule that stands for what is written at `span`.
    fn rule_at(&mut self, span: Span) -> SourceId {
        let rule = Location::of(&self.module.source, span);
        self.places.add(rule, None, None)
    }

    fn nested(&mut self, schema: &mut Schema) {
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
            // One of any JSON values is `null`; of those that the keys say, only if they say so.
            schema.nullable &= !(attrs.restricts_any() && schema.is_any());
            *schema = apply(
                attrs,
                std::mem::take(schema),
                inner,
                self.module,
                self.places,
                self.sink,
            );
        }
    }
}
