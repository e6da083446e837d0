//! Annotations of a schema: defaults, examples, titles, `nullable` and rules.

use genclient_syntax::{ExternalDocs, Spanned, Validation};
use serde_json::{Map, Value};

use super::immutability::immutable;
use super::{Apply, json};
use crate::diagnostic::Location;
use crate::model::{self, Schema};
use crate::resolve::schema::union;

impl Apply<'_> {
    /// Adds the keys that apply to every type.
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
            union::let_null_pass(schema);
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
