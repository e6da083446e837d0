//! Rules for the keywords of a schema, beyond its structure.

use super::bounds;
use super::error::{KeywordRule, SchemaError, SchemaErrorKind};
use crate::re2::Pattern;
use crate::{ListType, Schema, formats, values};

/// Returns what else the API server refuses in a schema: patterns, formats, bounds, defaults and
/// list types.
pub fn keyword_errors(schema: &Schema) -> Vec<SchemaError> {
    let mut keywords = Keywords::default();
    keywords.value(schema);
    keywords.errors
}

#[derive(Default)]
struct Keywords {
    path: String,
    errors: Vec<SchemaError>,
}

impl Keywords {
    fn report(&mut self, rule: KeywordRule) {
        self.errors.push(SchemaError {
            path: self.path.clone(),
            kind: SchemaErrorKind::Keyword(rule),
        });
    }

    fn at(&mut self, step: &str, schema: &Schema) {
        let length = self.path.len();
        self.path.push('.');
        self.path.push_str(step);
        self.value(schema);
        self.path.truncate(length);
    }

    fn value(&mut self, schema: &Schema) {
        self.pattern(schema);
        self.format(schema);
        self.bounds(schema);
        self.default_value(schema);
        self.topology(schema);
        for (name, property) in &schema.properties {
            self.at(name, property);
        }
        let inside = [
            ("items", schema.items.as_deref()),
            (
                "additionalProperties",
                schema.additional_properties.as_deref(),
            ),
            ("not", schema.not.as_deref()),
        ];
        for (step, schema) in inside {
            schema.iter().for_each(|schema| self.at(step, schema));
        }
        let branches = [
            ("allOf", &schema.all_of),
            ("anyOf", &schema.any_of),
            ("oneOf", &schema.one_of),
        ];
        for (step, branches) in branches {
            branches.iter().for_each(|branch| self.at(step, branch));
        }
    }

    fn pattern(&mut self, schema: &Schema) {
        let read = schema.pattern.as_deref().map(Pattern::parse);
        if let Some(Err(error)) = read {
            self.report(KeywordRule::Pattern(error));
        }
    }

    fn format(&mut self, schema: &Schema) {
        let unknown = |format: &&String| !formats::KNOWN.contains(&format.as_str());
        if let Some(format) = schema.format.as_ref().filter(unknown) {
            self.report(KeywordRule::UnknownFormat(format.clone()));
        }
    }

    fn bounds(&mut self, schema: &Schema) {
        let passed = |least: Option<u64>, most: Option<u64>| {
            least.zip(most).is_some_and(|(least, most)| most < least)
        };
        let numbers = schema.minimum.as_ref().zip(schema.maximum.as_ref());
        let crossed = numbers.is_some_and(|(minimum, maximum)| values::less(maximum, minimum))
            || passed(schema.min_length, schema.max_length)
            || passed(schema.min_items, schema.max_items)
            || passed(schema.min_properties, schema.max_properties);
        if crossed {
            self.report(KeywordRule::CrossedBounds);
        }
        for (_, trap) in bounds::traps(schema) {
            if trap.refuses_every_value() {
                self.report(KeywordRule::Bound(trap));
            }
        }
        let twice = |(at, value)| schema.enum_[..at].contains(value);
        if schema.enum_.iter().enumerate().any(twice) {
            self.report(KeywordRule::DuplicateEnumValue);
        }
    }

    fn default_value(&mut self, schema: &Schema) {
        let Some(default) = &schema.default else {
            return;
        };
        for violation in values::mistakes(schema, default) {
            self.report(KeywordRule::Default {
                value: default.clone(),
                violation,
            });
        }
    }

    fn topology(&mut self, schema: &Schema) {
        let Some(items) = &schema.items else {
            return;
        };
        if schema.list_type == Some(ListType::Set) && items.nullable {
            self.report(KeywordRule::NullableSetItems);
        }
        for key in &schema.list_map_keys {
            let always_there = items.required.contains(key)
                || items
                    .properties
                    .get(key)
                    .is_some_and(|key| key.default.is_some());
            if !items.properties.contains_key(key) {
                self.report(KeywordRule::UnknownListMapKey(key.clone()));
            } else if !always_there {
                self.report(KeywordRule::OptionalListMapKey(key.clone()));
            }
        }
    }
}
