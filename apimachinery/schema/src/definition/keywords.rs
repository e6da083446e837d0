//! Validation of schema keywords beyond the structural rules.

use std::collections::HashSet;

use genclient_apimachinery::strfmt;
use genclient_cel::re2::Pattern;
use serde_json::Number;

use super::error::{
    KeywordRule, MergeRule, SchemaError, SchemaErrorKind, SchemaPathStep, ValidationRule,
};
use super::{bounds, structural};
use crate::{JsonType, ListType, MapType, Schema, Validation, values};

/// Returns errors in patterns, formats, bounds, enums, defaults, list types, map types and rule
/// fields. In branches, also returns keywords of another type, such as `minItems` for a string.
///
/// The API server accepts the following errors, which have no effect or reject every value:
/// unknown formats, wrong or repeated `enum` values, keywords of another type, crossed bounds,
/// integer bounds with a fraction or out of range, and factors that are not positive.
pub fn keyword_errors(schema: &Schema) -> Vec<SchemaError> {
    let mut keywords = Keywords::default();
    keywords.value(schema);
    keywords.errors
}

/// Returns the errors of [`keyword_errors`] in defaults.
pub fn default_errors(schema: &Schema) -> Vec<SchemaError> {
    let mut keywords = Keywords::default();
    keywords.defaults(schema);
    keywords.errors
}

/// Reasons that a rule may have, in the order of the API server's message.
pub(super) const REASONS: [&str; 4] = [
    "FieldValueDuplicate",
    "FieldValueForbidden",
    "FieldValueInvalid",
    "FieldValueRequired",
];

pub(super) fn has_line_breaks(text: &str) -> bool {
    text.contains(['\n', '\r'])
}

#[derive(Default)]
struct Keywords {
    path: Vec<SchemaPathStep>,
    errors: Vec<SchemaError>,
}

impl Keywords {
    fn report(&mut self, rule: KeywordRule) {
        self.errors.push(SchemaError {
            path: self.path.clone(),
            kind: SchemaErrorKind::Keyword(rule),
        });
    }

    fn at(&mut self, step: SchemaPathStep, check: impl FnOnce(&mut Self)) {
        self.path.push(step);
        check(self);
        self.path.pop();
    }

    fn value(&mut self, schema: &Schema) {
        self.keywords(schema);
        self.default_value(schema);
        self.merging(schema);
        for rule in &schema.validations {
            self.validation(rule);
        }
        for (step, nested) in structural::nested(schema) {
            self.at(step, |keywords| keywords.value(nested));
        }
        self.branches(schema, schema);
    }

    fn keywords(&mut self, schema: &Schema) {
        self.pattern(schema);
        self.format(schema);
        self.bounds(schema);
        self.enum_(schema);
    }

    fn validation(&mut self, rule: &Validation) {
        let mut found = Vec::new();
        let text = rule.rule.trim();
        let message = rule
            .message
            .as_deref()
            .filter(|message| !message.is_empty())
            .map(str::trim);
        if text.is_empty() {
            found.push(ValidationRule::NoRule);
        }
        if has_line_breaks(text) && message.is_none_or(str::is_empty) {
            found.push(ValidationRule::NoMessage);
        }
        match message {
            Some("") => found.push(ValidationRule::EmptyMessage),
            Some(message) if has_line_breaks(message) => found.push(ValidationRule::MessageLines),
            _ => {}
        }
        if let Some(reason) = rule.reason.as_deref().filter(|it| !REASONS.contains(it)) {
            found.push(ValidationRule::UnknownReason(reason.to_owned()));
        }
        if rule.optional_old_self.is_some() && !text.contains("oldSelf") {
            found.push(ValidationRule::UnusedOldSelf);
        }
        for rule in found {
            self.report(KeywordRule::Validation(rule));
        }
    }

    /// Checks the branches of `around` with the type of `declared`, because branches have no type.
    /// `declared` is `around` itself, or, if `around` is part of a branch, the schema outside of
    /// all branches that describes the same value.
    fn branches(&mut self, around: &Schema, declared: &Schema) {
        for (step, branch) in structural::branches(around) {
            self.at(step, |keywords| keywords.branch(branch, declared));
        }
    }

    fn branch(&mut self, branch: &Schema, declared: &Schema) {
        let typed = Schema {
            type_: declared.type_,
            int_or_string: declared.int_or_string,
            ..branch.clone()
        };
        self.keywords(&typed);
        self.types(&typed);
        for (name, property) in &branch.properties {
            // The structural rules report undeclared properties.
            if let Some(declared) = declared.properties.get(name) {
                self.at(SchemaPathStep::Property(name.clone()), |keywords| {
                    keywords.branch(property, declared);
                });
            }
        }
        if let (Some(items), Some(declared)) = (&branch.items, &declared.items) {
            self.at(SchemaPathStep::Items, |keywords| {
                keywords.branch(items, declared);
            });
        }
        self.branches(branch, declared);
    }

    /// Reports keywords of another type, which the API server accepts and ignores.
    fn types(&mut self, schema: &Schema) {
        let Some(type_) = schema.type_.filter(|_| !schema.int_or_string) else {
            return;
        };
        let stated = [
            ("minimum", schema.minimum.is_some()),
            ("maximum", schema.maximum.is_some()),
            ("multipleOf", schema.multiple_of.is_some()),
            ("minLength", schema.min_length.is_some()),
            ("maxLength", schema.max_length.is_some()),
            ("pattern", schema.pattern.is_some()),
            ("items", schema.items.is_some()),
            ("minItems", schema.min_items.is_some()),
            ("maxItems", schema.max_items.is_some()),
            ("properties", !schema.properties.is_empty()),
            ("required", !schema.required.is_empty()),
            ("minProperties", schema.min_properties.is_some()),
            ("maxProperties", schema.max_properties.is_some()),
        ];
        for (keyword, is_stated) in stated {
            if is_stated && !type_.has_keyword(keyword) {
                self.report(KeywordRule::KeywordOfOtherType { keyword, type_ });
            }
        }
    }

    fn pattern(&mut self, schema: &Schema) {
        let read = schema.pattern.as_deref().map(Pattern::parse);
        if let Some(Err(error)) = read {
            self.report(KeywordRule::Pattern(error));
        }
    }

    fn format(&mut self, schema: &Schema) {
        let is_branch = self.is_branch();
        // The API server recognizes a number format only in a schema with a number type, and a
        // branch has no type.
        let unknown = |format: &&String| {
            !strfmt::KNOWN.contains(&format.as_str()) || is_branch && strfmt::is_numeric(format)
        };
        if let Some(format) = schema.format.as_ref().filter(unknown) {
            self.report(KeywordRule::UnknownFormat(format.clone()));
        }
    }

    fn bounds(&mut self, schema: &Schema) {
        let are_crossed = |least: Option<u64>, most: Option<u64>| {
            least.zip(most).is_some_and(|(least, most)| most < least)
        };
        let numbers = schema.minimum.as_ref().zip(schema.maximum.as_ref());
        let crossed = numbers.is_some_and(|(minimum, maximum)| values::less(maximum, minimum))
            || are_crossed(schema.min_length, schema.max_length)
            || are_crossed(schema.min_items, schema.max_items)
            || are_crossed(schema.min_properties, schema.max_properties);
        if crossed {
            self.report(KeywordRule::CrossedBounds);
        }
        // The API server checks bounds against the type of the schema, and a branch has no type.
        let is_branch = self.is_branch();
        for (_, trap) in bounds::traps(schema) {
            if trap.refuses_every_value() && !is_branch {
                self.report(KeywordRule::Bound(trap));
            }
        }
        let is_positive = |factor: &Number| factor.as_f64().is_some_and(|factor| factor > 0.0);
        if !schema.multiple_of.as_ref().is_none_or(is_positive) {
            self.report(KeywordRule::Factor);
        }
    }

    fn enum_(&mut self, schema: &Schema) {
        let mut seen = HashSet::new();
        if !schema.enum_.iter().all(|value| seen.insert(value)) {
            self.report(KeywordRule::DuplicateEnumValue);
        }
        let Some(type_) = schema.type_.filter(|_| !schema.int_or_string) else {
            return;
        };
        let of_type = Schema {
            nullable: true,
            preserve_unknown_fields: true,
            ..Schema::typed(type_)
        };
        for value in &schema.enum_ {
            if !values::mistakes(&of_type, value).is_empty() {
                self.report(KeywordRule::EnumValue {
                    value: value.clone(),
                    type_,
                });
            }
        }
    }

    fn is_branch(&self) -> bool {
        let is_branch = |step: &SchemaPathStep| {
            matches!(step, SchemaPathStep::Branch(..) | SchemaPathStep::Not)
        };
        self.path.iter().any(is_branch)
    }

    fn default_value(&mut self, schema: &Schema) {
        let Some(default) = &schema.default else {
            return;
        };
        for violation in values::mistakes_of_default(schema, default) {
            self.report(KeywordRule::Default(violation));
        }
    }

    fn defaults(&mut self, schema: &Schema) {
        self.default_value(schema);
        for (step, nested) in structural::nested(schema) {
            self.at(step, |keywords| keywords.defaults(nested));
        }
    }

    fn merging(&mut self, schema: &Schema) {
        let is = |type_| schema.type_ == Some(type_);
        if schema.list_type.is_some() && !is(JsonType::Array) {
            self.merge(MergeRule::ListTypeOnNonArray);
        }
        if schema.map_type.is_some() && !is(JsonType::Object) {
            self.merge(MergeRule::MapTypeOnNonObject);
        }
        let is_map = schema.list_type == Some(ListType::Map);
        if !schema.list_map_keys.is_empty() && !is_map {
            self.merge(MergeRule::KeysWithoutMapType);
        }
        let Some(items) = schema.items.as_deref().filter(|_| is(JsonType::Array)) else {
            return;
        };
        let is_set = schema.list_type == Some(ListType::Set);
        if items.nullable && (is_map || is_set) {
            self.merge(MergeRule::NullableItems);
        }
        let is_granular = match items.type_ {
            Some(JsonType::Object) => items.map_type != Some(MapType::Atomic),
            Some(JsonType::Array) => !matches!(items.list_type, None | Some(ListType::Atomic)),
            _ => false,
        };
        if is_set && is_granular {
            self.merge(MergeRule::GranularItems);
        }
        if is_map {
            self.map_list(schema, items);
        }
    }

    fn map_list(&mut self, schema: &Schema, items: &Schema) {
        let keys = &schema.list_map_keys;
        if keys.is_empty() {
            self.merge(MergeRule::NoKeys);
        }
        if items.type_ != Some(JsonType::Object) {
            return self.merge(MergeRule::NonObjectItems);
        }
        for (at, key) in keys.iter().enumerate() {
            let name = key.clone();
            let Some(property) = items.properties.get(key) else {
                self.merge(MergeRule::UnknownKey(name));
                continue;
            };
            if keys[..at].contains(key) {
                self.merge(MergeRule::DuplicateKey(name));
            } else if matches!(property.type_, Some(JsonType::Object | JsonType::Array)) {
                self.merge(MergeRule::CompoundKey(name));
            } else if property.nullable {
                self.merge(MergeRule::NullableKey(name));
            } else if !items.required.contains(key) && property.default.is_none() {
                self.merge(MergeRule::OptionalKey(name));
            }
        }
    }

    fn merge(&mut self, rule: MergeRule) {
        self.report(KeywordRule::Merge(rule));
    }
}
