//! Keys that narrow a type: bounds, patterns, formats, topology and enum values.

use std::fmt;
use std::sync::Arc;

use genclient_apimachinery::strfmt;
use genclient_schema::values;
use genclient_syntax::{self as syntax, Spanned};
use serde_json::{Number, Value};

use super::stated_values::one_of_values;
use super::{Apply, json, number};
use crate::model::{JsonType, ListType, MapType, Schema};
use crate::resolve::schema::union;

/// Types that a constraint applies to.
#[derive(Clone, Copy)]
enum Wants {
    Number,
    String,
    List,
    Object,
}

impl Wants {
    fn takes(self, schema: &Schema) -> bool {
        match (self, schema.type_) {
            (_, None) => !matches!(self, Self::List | Self::Object) || !schema.int_or_string,
            (Self::Number, Some(type_)) => matches!(type_, JsonType::Integer | JsonType::Number),
            (Self::String, Some(type_)) => type_ == JsonType::String,
            (Self::List, Some(type_)) => type_ == JsonType::Array,
            (Self::Object, Some(type_)) => type_ == JsonType::Object,
        }
    }
}

impl fmt::Display for Wants {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Number => "numbers",
            Self::String => "strings",
            Self::List => "lists",
            Self::Object => "maps and structs",
        })
    }
}

impl Apply<'_> {
    pub(super) fn tighten(&mut self, schema: &mut Schema) {
        self.numbers(schema);
        self.strings(schema);
        self.lengths(schema);
        self.topology(schema);
        self.enumeration(schema);
    }

    /// Returns the value of a constraint if it applies to the type of the schema. Otherwise,
    /// reports the constraint, unless the grammar has reported it or the attribute is lenient.
    /// Attributes of schemars are lenient: schemars ignores constraints that do not fit the type.
    fn take<T: Clone>(
        &mut self,
        key: &str,
        value: &Option<Spanned<T>>,
        wants: Wants,
        schema: &Schema,
    ) -> Option<T> {
        let value = value.as_ref()?;
        let lenient = self.attrs.lenient.is_set();
        // The API server refuses list and map types of values of any type.
        let needs_type = ["list_type", "map_type", "struct_type"].contains(&key);
        let lacks_type = needs_type && schema.is_any();
        if wants.takes(schema) && !(lenient && schema.type_.is_none()) && !lacks_type {
            return Some(value.value.clone());
        }
        // If the grammar can determine the type, it has reported the mismatch.
        if self.has_unknown_shape() && !lenient {
            let untyped = if schema.is_any() {
                "any"
            } else {
                "integer or string"
            };
            let is = schema.type_.map_or(untyped, JsonType::as_str);
            self.error(
                value.span,
                format!("`{key}` applies to {wants}, but the type is {is}"),
                instead(key, wants, schema),
            );
        }
        None
    }

    fn numbers(&mut self, schema: &mut Schema) {
        let attrs = self.attrs;
        if let Some(minimum) = self.take("minimum", &attrs.minimum, Wants::Number, schema) {
            let stated = (number(&minimum), attrs.exclusive_minimum.is_set());
            let known = (&mut schema.minimum, &mut schema.exclusive_minimum);
            tighten_bound(known, stated, values::less);
        }
        if let Some(maximum) = self.take("maximum", &attrs.maximum, Wants::Number, schema) {
            let stated = (number(&maximum), attrs.exclusive_maximum.is_set());
            let known = (&mut schema.maximum, &mut schema.exclusive_maximum);
            tighten_bound(known, stated, |a, b| values::less(b, a));
        }
        if let Some(factor) = self.take("multiple_of", &attrs.multiple_of, Wants::Number, schema) {
            multiple_of(schema, number(&factor));
        }
    }

    fn strings(&mut self, schema: &mut Schema) {
        let attrs = self.attrs;
        let min = self.take("min_length", &attrs.min_length, Wants::String, schema);
        let max = self.take("max_length", &attrs.max_length, Wants::String, schema);
        schema.min_length = schema.min_length.max(min);
        schema.max_length = least(schema.max_length, max);
        if let Some(pattern) = self.take("pattern", &attrs.pattern, Wants::String, schema) {
            beside(schema, pattern, |schema| &mut schema.pattern);
        }
        if let Some(format) = &attrs.format {
            set_format(schema, &format.value);
        }
    }

    fn lengths(&mut self, schema: &mut Schema) {
        let attrs = self.attrs;
        let min = self.take("min_items", &attrs.min_items, Wants::List, schema);
        let max = self.take("max_items", &attrs.max_items, Wants::List, schema);
        schema.min_items = schema.min_items.max(min);
        schema.max_items = least(schema.max_items, max);
        let object = Wants::Object;
        let min = self.take("min_properties", &attrs.min_properties, object, schema);
        let max = self.take("max_properties", &attrs.max_properties, object, schema);
        schema.min_properties = schema.min_properties.max(min);
        schema.max_properties = least(schema.max_properties, max);
    }

    /// Sets list and map types for server-side apply. Those of a field override those of its type.
    fn topology(&mut self, schema: &mut Schema) {
        let attrs = self.attrs;
        if let Some(list_type) = self.take("list_type", &attrs.list_type, Wants::List, schema) {
            schema.list_type = Some(to_list_type(list_type));
            schema.list_map_keys.clear();
        }
        let keys = attrs.list_map_keys.iter().map(|key| key.value.clone());
        schema.list_map_keys.extend(keys);
        let map_type = self.take("map_type", &attrs.map_type, Wants::Object, schema);
        let struct_type = self.take("struct_type", &attrs.struct_type, Wants::Object, schema);
        if let Some(map_type) = map_type.or(struct_type) {
            schema.map_type = Some(to_map_type(map_type));
        }
    }

    /// Narrows the enum values of the type to the stated ones. Reports stated values that the type
    /// does not have.
    fn enumeration(&mut self, schema: &mut Schema) {
        let Some(stated) = &self.attrs.enumeration else {
            return;
        };
        let known = take_values(schema);
        let mut both = Vec::new();
        for written in &stated.value {
            let value = json(written);
            let is_null = schema.nullable && value.is_null();
            let is_known = known.iter().any(|known| values::equal(known, &value));
            if is_null || is_known || known.is_empty() {
                both.push(value);
            } else {
                let message = format!("the value {value} of `enum` is not a value of the type");
                self.error(written.span, message, one_of_values(&value, &known));
            }
        }
        schema.enum_ = both;
        if schema.nullable {
            union::admit_null(schema);
        }
    }
}

/// Help for a constraint that does not apply to the type of the schema.
fn instead(key: &str, wants: Wants, schema: &Schema) -> String {
    let inside =
        |inner: &Option<Arc<Schema>>| inner.as_deref().is_some_and(|inner| wants.takes(inner));
    match (wants, schema.type_) {
        _ if inside(&schema.items) => {
            format!("apply it to the items: `items({key} = ..)`")
        }
        _ if inside(&schema.additional_properties) => {
            format!("apply it to the values: `values({key} = ..)`")
        }
        (Wants::String, Some(JsonType::Integer | JsonType::Number)) => {
            "remove it, or write `minimum` and `maximum`".to_owned()
        }
        (Wants::Number, Some(JsonType::String)) => "remove it, or write a `pattern`".to_owned(),
        (Wants::List, Some(JsonType::String)) if key.ends_with("_items") => {
            "remove it, or write `min_length` and `max_length`".to_owned()
        }
        _ => "remove it".to_owned(),
    }
}

/// Removes and returns the enum values of a schema, except `null`. A nullable schema has them in
/// `allOf`.
fn take_values(schema: &mut Schema) -> Vec<Value> {
    let mut values = std::mem::take(&mut schema.enum_);
    let lists = |branch: &Schema| !branch.enum_.is_empty();
    if schema.nullable
        && let Some(at) = schema.all_of.iter().position(lists)
    {
        values = schema.all_of.remove(at).enum_;
        values.retain(|value| !value.is_null());
    }
    values
}

/// Sets a bound to the tighter of the known and the stated bound. The flag beside a bound is true
/// if the bound is exclusive. `looser(a, b)` is true if `b` is tighter than `a`.
fn tighten_bound(
    (bound, is_excluded): (&mut Option<Number>, &mut bool),
    (stated, excludes): (Number, bool),
    looser: impl Fn(&Number, &Number) -> bool,
) {
    let known = bound.take().map(|known| (known, *is_excluded));
    let (number, excluded) = match known {
        Some(known) if looser(&stated, &known.0) => known,
        Some(known) if !looser(&known.0, &stated) => (stated, excludes || known.1),
        _ => (stated, excludes),
    };
    (*bound, *is_excluded) = (Some(number), excluded);
}

fn least(a: Option<u64>, b: Option<u64>) -> Option<u64> {
    match (a, b) {
        (Some(a), Some(b)) => Some(a.min(b)),
        (a, b) => a.or(b),
    }
}

/// Requires a value to be a multiple of `factor` and of the factor that the schema already has.
fn multiple_of(schema: &mut Schema, factor: Number) {
    match schema.multiple_of.take() {
        Some(known) if values::is_multiple(&known, &factor) => schema.multiple_of = Some(known),
        Some(known) if !values::is_multiple(&factor, &known) => {
            schema.multiple_of = Some(known);
            schema.all_of.push(Schema {
                multiple_of: Some(factor),
                ..Schema::default()
            });
        }
        _ => schema.multiple_of = Some(factor),
    }
}

/// Sets a format. If the schema has another text format, both apply. Of two numeric formats, only
/// the narrower one is kept: `allOf` cannot hold the other, since the API server accepts numeric
/// formats only beside a type.
fn set_format(schema: &mut Schema, format: &str) {
    if !strfmt::is_numeric(format) {
        beside(schema, format.to_owned(), |schema| &mut schema.format);
        return;
    }
    let narrow = matches!(schema.format.as_deref(), Some("int32" | "float"));
    if !narrow {
        schema.format = Some(format.to_owned());
    }
}

/// Sets a keyword that holds a text, such as `pattern`. If the schema already has another text, the
/// new one goes into `allOf`, so that both apply.
fn beside(schema: &mut Schema, text: String, part: impl Fn(&mut Schema) -> &mut Option<String>) {
    let known = part(schema);
    if known.is_none() {
        *known = Some(text);
    } else if known.as_ref() != Some(&text) {
        let mut other = Schema::default();
        *part(&mut other) = Some(text);
        if !schema.all_of.contains(&other) {
            schema.all_of.push(other);
        }
    }
}

fn to_list_type(written: syntax::ListType) -> ListType {
    match written {
        syntax::ListType::Map => ListType::Map,
        syntax::ListType::Set => ListType::Set,
        syntax::ListType::Atomic => ListType::Atomic,
    }
}

fn to_map_type(written: syntax::MapType) -> MapType {
    match written {
        syntax::MapType::Granular => MapType::Granular,
        syntax::MapType::Atomic => MapType::Atomic,
    }
}
