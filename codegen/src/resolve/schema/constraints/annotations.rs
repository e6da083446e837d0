//! Keys of `#[crd(…)]` that apply to every type: defaults, examples, titles, external
//! documentation, `nullable` and rules, including the rules of immutable fields.

use genclient_syntax::{ExternalDocs, Spanned, Validation};
use serde_json::{Map, Value};

use super::{Apply, json};
use crate::diagnostic::Location;
use crate::model::{self, Schema, SourceId};
use crate::resolve::cel;
use crate::resolve::schema::union;

impl Apply<'_> {
    pub(super) fn annotate(&mut self, schema: &mut Schema) {
        let attrs = self.attrs;
        if let Some(default) = &attrs.default {
            schema.default = Some(json(default));
        }
        if let Some(example) = &attrs.example {
            schema.example = Some(json(example));
        }
        if let Some(title) = &attrs.title {
            schema.title = Some(title.value.clone());
        }
        if let Some(docs) = &attrs.external_docs {
            schema.external_docs = Some(external_docs(docs));
        }
        if attrs.nullable.is_set() && !schema.nullable {
            schema.nullable = true;
            union::admit_null(schema);
        }
        let stated = attrs.validations.iter();
        let mut rules: Vec<_> = stated.map(|rule| self.validation(rule)).collect();
        if let Some(span) = attrs.immutable.span() {
            rules.push(model::Validation {
                source: Some(self.rule_at(span)),
                ..immutable()
            });
        }
        rules.append(&mut schema.validations);
        schema.validations = rules;
    }

    fn validation(&mut self, rule: &Validation) -> model::Validation {
        let text =
            |value: &Option<Spanned<String>>| value.as_ref().map(|value| value.value.clone());
        let place = |value: &Spanned<String>| Location::of(&self.module.source, value.span);
        let field_path = rule.field_path.as_ref().map(place);
        let message_expression = rule.message_expression.as_ref().map(place);
        let source = self
            .places
            .add(place(&rule.rule), field_path, message_expression);
        model::Validation {
            rule: rule.rule.value.clone(),
            message: text(&rule.message),
            message_expression: text(&rule.message_expression),
            reason: rule
                .reason
                .as_ref()
                .map(|reason| reason.value.as_str().to_owned()),
            field_path: text(&rule.field_path),
            optional_old_self: rule.optional_old_self.is_set().then_some(true),
            source: Some(source),
        }
    }
}

fn external_docs(docs: &ExternalDocs) -> Value {
    let mut object = Map::new();
    object.insert("url".into(), docs.url.value.clone().into());
    if let Some(description) = &docs.description {
        object.insert("description".into(), description.value.clone().into());
    }
    Value::Object(object)
}

pub(super) fn immutable() -> model::Validation {
    model::Validation {
        rule: "self == oldSelf".to_owned(),
        message: Some("field is immutable".to_owned()),
        ..model::Validation::default()
    }
}

/// Returns the rule that an optional immutable field cannot be removed once it is set. The rule
/// belongs to the object with the field.
///
/// `None` if CEL cannot express the field's name.
pub(in crate::resolve::schema) fn once_set(
    name: &str,
    source: Option<SourceId>,
) -> Option<model::Validation> {
    let field = cel::escape(name)?;
    Some(model::Validation {
        rule: format!("!has(oldSelf.{field}) || has(self.{field})"),
        message: Some(format!("field {name} is immutable once set")),
        source,
        ..model::Validation::default()
    })
}

/// True for a rule of [`once_set`] on a field of `schema`. An optional flattened type may have such
/// rules, but no others: a rule must hold for objects that never had the fields of the type, and
/// `!has(oldSelf.field) || …` does.
pub(in crate::resolve::schema) fn is_once_set(rule: &model::Validation, schema: &Schema) -> bool {
    let names = schema.properties.keys();
    rule.source.is_some()
        && names
            .filter_map(|name| once_set(name, None))
            .any(|known| known == *rule)
}

/// Returns the source id of the rule that `immutable` adds to a schema.
pub(in crate::resolve::schema) fn immutable_at(schema: &Schema) -> Option<SourceId> {
    let mut rules = schema.validations.iter();
    rules.find(|rule| **rule == immutable())?.source
}
