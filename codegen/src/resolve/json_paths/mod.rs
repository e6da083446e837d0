//! Checks of printer columns, scale and selectable fields. A JSON path in them, such as
//! `.spec.replicas`, must lead to an existing field with a suitable type.

mod suggestions;

use genclient_schema::json_path::{self, FilterLiteral, JsonPathFilter, JsonPathStep, quoted};
use genclient_syntax::{Help, PrintColumn, ResourceAttrs, Scale, Spanned, suggest};
use serde_json::Value;

use crate::diagnostic::{Diagnostic, Location, Sink};
use crate::model::{JsonType, Schema};
use crate::resolve::explanation::Explanation;
use crate::sources::Module;
use suggestions::{METADATA_FIELDS, METADATA_MAPS};

/// Checks every path that a version names. Paths that the API server refuses are errors; paths that
/// it accepts without effect are warnings.
pub(super) fn check_paths(
    attrs: &ResourceAttrs,
    schema: &Schema,
    module: &Module,
    sink: &mut Sink,
) {
    let mut check = Check {
        schema,
        module,
        sink,
    };
    for path in &attrs.selectable_fields {
        check.selectable(path);
    }
    for (at, column) in attrs.printcolumns.iter().enumerate() {
        check.column(column);
        check.heading(column, &attrs.printcolumns[..at]);
    }
    if let Some(scale) = &attrs.scale {
        check.scale(scale, attrs.status_subresource);
    }
}

struct Check<'a> {
    schema: &'a Schema,
    module: &'a Module,
    sink: &'a mut Sink,
}

const STATUS_HELP: &str = "add a `status` field whose type has the field";

impl<'a> Check<'a> {
    fn push(&mut self, finding: Diagnostic, path: &Spanned<String>, help: impl Into<Help>) {
        let at = Location::new(&self.module.source, path.span);
        self.sink.push(finding.at(at).help(help));
    }

    /// Returns the schema of the field at a path, or `None` if the kind's schema does not describe
    /// the field. Reports a path that is invalid or names no field, and then returns `None` as
    /// well. `help` receives the steps of a path that names no field.
    fn field(
        &mut self,
        path: &Spanned<String>,
        help: impl FnOnce(&[JsonPathStep]) -> Help,
    ) -> Option<&'a Schema> {
        if !path.value.starts_with('.') {
            // The attribute grammar has reported the path.
            return None;
        }
        let steps = match json_path::parse(&path.value) {
            Ok(steps) => steps,
            Err(error) => {
                let at = Location::new(&self.module.source, path.span).inside(error.range);
                self.sink
                    .push(Diagnostic::error(error.message).at(at).help(error.help));
                return None;
            }
        };
        if let Some(Explanation { message, help }) = explain_empty_filter(self.schema, &steps) {
            let message = format!("the printer column stays empty: {message}");
            self.push(Diagnostic::warning(message), path, help);
            return None;
        }
        match find_field(self.schema, &steps) {
            FieldLookup::Field(field) => Some(field),
            FieldLookup::Unknown => None,
            FieldLookup::Nothing => {
                let finding = Diagnostic::warning(format!("no such field `{}`", path.value));
                let needs_status = path.value.starts_with(".status.")
                    && !self.schema.properties.contains_key("status");
                let help = if needs_status {
                    STATUS_HELP.into()
                } else {
                    help(&steps)
                };
                self.push(finding, path, help);
                None
            }
            FieldLookup::NothingInFilter { name, items } => {
                let finding = Diagnostic::warning(format!(
                    "no such field `{name}` in the filter of `{}`",
                    path.value
                ));
                let names = items.properties.keys().map(String::as_str);
                self.push(finding, path, suggest::field(&name, names));
                None
            }
        }
    }

    fn selectable(&mut self, path: &Spanned<String>) {
        let steps = json_path::parse(&path.value).unwrap_or_default();
        // The API server accepts no brackets here, not even around a name.
        let plain = !steps.is_empty() && !path.value.contains('[') && is_plain(&steps);
        let (message, help) = match find_field(self.schema, &steps) {
            _ if !plain => (
                format!("`{}` must consist of field names only", path.value),
                suggestions::list_paths_help(self.schema, &steps, is_selectable).into(),
            ),
            FieldLookup::Field(field) if is_selectable(field) || field.is_unknown() => return,
            FieldLookup::Unknown => return,
            FieldLookup::Field(_) => (
                format!(
                    "a selectable field must be a string, integer or boolean, but `{}` is not",
                    path.value
                ),
                suggestions::list_paths_help(self.schema, &steps, is_selectable).into(),
            ),
            FieldLookup::Nothing | FieldLookup::NothingInFilter { .. } => (
                format!("no such field `{}`", path.value),
                suggestions::similar_path_help(self.schema, (&path.value, &steps), is_selectable),
            ),
        };
        self.push(Diagnostic::error(message), path, help);
    }

    /// Warns about columns of the same name. The API server accepts them, and `kubectl` prints
    /// both.
    fn heading(&mut self, column: &PrintColumn, before: &[PrintColumn]) {
        let name = &column.name;
        if before.iter().any(|other| other.name.value == name.value) {
            let finding = Diagnostic::warning(format!("duplicate printer column `{}`", name.value));
            self.push(finding, name, "choose another name");
        }
    }

    /// Checks the path of a column. If the column's type does not fit the field's type, warns that
    /// the column stays empty.
    fn column(&mut self, column: &PrintColumn) {
        let (schema, path) = (self.schema, &column.json_path);
        let help = |steps: &[JsonPathStep]| suggestions::column_help(schema, &path.value, steps);
        let Some(field) = self.field(path, help) else {
            return;
        };
        let Some(type_) = field.type_ else {
            return;
        };
        let wanted = column.column_type.value.as_str();
        if wanted == "date"
            && let Some(format) = field.format.as_deref().filter(|it| *it != "date-time")
        {
            let finding = Diagnostic::warning(format!(
                "the printer column shows `<invalid>`: expected format `date-time` at `{}`, found `{format}`",
                path.value
            ));
            self.push(
                finding,
                &column.column_type,
                Help::write_key("type = \"string\""),
            );
            return;
        }
        let shows = match wanted {
            "integer" | "number" => matches!(type_, JsonType::Integer | JsonType::Number),
            "boolean" => type_ == JsonType::Boolean,
            "date" => type_ == JsonType::String,
            _ => true,
        };
        if !shows {
            let path = &column.json_path.value;
            let finding = Diagnostic::warning(format!(
                "the printer column stays empty: expected type {wanted} at `{path}`, found {type_}"
            ));
            let help = Help::write_key(format!(
                "type = \"{}\"",
                if type_ == JsonType::Integer {
                    "integer"
                } else {
                    "string"
                }
            ));
            self.push(finding, &column.column_type, help);
        }
    }

    fn scale(&mut self, scale: &Scale, has_status: bool) {
        let numbers = [
            (&scale.spec_replicas_path, &["spec"]),
            (&scale.status_replicas_path, &["status"]),
        ];
        for (path, parents) in numbers {
            let wanted = (&parents[..], JsonType::Integer);
            self.scale_path(path, wanted, "make the field an `i32`");
        }
        if let Some(path) = &scale.label_selector_path {
            let field = self.scale_path(
                path,
                (&["spec", "status"], JsonType::String),
                "make the field a `String`, which holds the selector as text: `app=web`",
            );
            if field.is_some_and(|field| field.nullable) {
                let message = format!(
                    "`{}` may be null, and the API server then refuses the object",
                    path.value
                );
                let help =
                    "write `#[serde(skip_serializing_if = \"Option::is_none\")]` on the field";
                self.push(Diagnostic::warning(message), path, help);
            }
        }
        if !has_status && self.schema.properties.contains_key("status") {
            let path = &scale.status_replicas_path;
            let finding = Diagnostic::warning("the scale subresource needs the status subresource");
            self.push(
                finding,
                path,
                "add a `status` field, and remove `no_status`",
            );
        }
    }

    /// Returns the field at a path of the scale subresource. Warns unless the path consists of
    /// field names and leads to a field of the type `wanted`. From any other path, the API server
    /// silently reads no value. Suggests only paths below one of `parents`, since the API server
    /// refuses others.
    fn scale_path(
        &mut self,
        path: &Spanned<String>,
        (parents, wanted): (&[&str], JsonType),
        help: &str,
    ) -> Option<&'a Schema> {
        let mut allowed = self.schema.clone();
        allowed
            .properties
            .retain(|name, _| parents.contains(&name.as_str()));
        let fits = |field: &Schema| field.type_ == Some(wanted);
        let steps = json_path::parse(&path.value).unwrap_or_default();
        if !is_plain(&steps) {
            let finding = Diagnostic::warning(format!(
                "`{}` must consist of field names only: the scale subresource cannot read it",
                path.value
            ));
            let help = suggestions::list_paths_help(&allowed, &steps, fits);
            self.push(finding, path, help);
            return None;
        }
        let meant = |steps: &[JsonPathStep]| {
            suggestions::similar_path_help(&allowed, (&path.value, steps), fits)
        };
        let field = self.field(path, meant)?;
        if field.type_.is_some_and(|type_| type_ != wanted) {
            let finding = Diagnostic::warning(format!(
                "`{}` must be of type {wanted}: the scale subresource cannot read it",
                path.value
            ));
            self.push(finding, path, help);
        }
        Some(field)
    }
}

fn is_plain(steps: &[JsonPathStep]) -> bool {
    steps
        .iter()
        .all(|step| matches!(step, JsonPathStep::Name(_)))
}

enum FieldLookup<'a> {
    Field(&'a Schema),
    /// No such field.
    Nothing,
    /// The items that a filter selects have no field `name`.
    NothingInFilter {
        name: String,
        items: &'a Schema,
    },
    /// The schema does not determine the value at the path.
    Unknown,
}

fn find_field<'a>(schema: &'a Schema, steps: &[JsonPathStep]) -> FieldLookup<'a> {
    if let [JsonPathStep::Name(first), rest @ ..] = steps
        && first == "metadata"
    {
        return in_metadata(rest);
    }
    let mut at = schema;
    for step in steps {
        let next = match step {
            JsonPathStep::Name(name) => at
                .properties
                .get(name)
                .or(at.additional_properties.as_ref()),
            JsonPathStep::Each | JsonPathStep::Filter(_) => {
                at.items.as_ref().or(at.additional_properties.as_ref())
            }
            JsonPathStep::Deep => return FieldLookup::Unknown,
        };
        let is_each = matches!(step, JsonPathStep::Each | JsonPathStep::Filter(_));
        match next {
            Some(next) => at = next,
            None if is_open(at) || is_each && at.type_ == Some(JsonType::Object) => {
                return FieldLookup::Unknown;
            }
            None => return FieldLookup::Nothing,
        }
        if let JsonPathStep::Filter(filter) = step
            && let Some((items, name)) = find_missing_name(at, &filter.steps)
        {
            return FieldLookup::NothingInFilter {
                name: name.to_owned(),
                items,
            };
        }
    }
    FieldLookup::Field(at)
}

/// Returns the first name of a path that is not a field, with the object that lacks it.
fn find_missing_name<'a, 's>(
    schema: &'a Schema,
    steps: &'s [JsonPathStep],
) -> Option<(&'a Schema, &'s str)> {
    let mut at = schema;
    for step in steps {
        at = match step {
            _ if is_open(at) => return None,
            JsonPathStep::Name(name) => {
                let next = at
                    .properties
                    .get(name)
                    .or(at.additional_properties.as_ref());
                match next {
                    Some(next) => next,
                    None => return Some((at, name)),
                }
            }
            JsonPathStep::Each | JsonPathStep::Filter(_) => at.items.as_ref()?,
            JsonPathStep::Deep => return None,
        };
    }
    None
}

/// Looks up a field of `metadata`, whose fields are the same for all kinds and not in their
/// schemas.
fn in_metadata<'a>(steps: &[JsonPathStep]) -> FieldLookup<'a> {
    match steps {
        [JsonPathStep::Name(name), ..] if !METADATA_FIELDS.contains(&name.as_str()) => {
            FieldLookup::Nothing
        }
        [JsonPathStep::Name(map), _, _, ..]
            if METADATA_MAPS.contains(&map.as_str()) && is_plain(steps) =>
        {
            FieldLookup::Nothing
        }
        _ => FieldLookup::Unknown,
    }
}

/// True if the schema admits fields that it does not declare.
fn is_open(schema: &Schema) -> bool {
    schema.preserve_unknown_fields || schema.type_.is_none()
}

fn is_selectable(field: &Schema) -> bool {
    matches!(
        field.type_,
        Some(JsonType::String | JsonType::Integer | JsonType::Boolean)
    )
}

/// Returns the explanation for the first filter of a path that selects nothing.
fn explain_empty_filter(schema: &Schema, steps: &[JsonPathStep]) -> Option<Explanation> {
    let mut at = Some(schema);
    for step in steps {
        at = at.and_then(|schema| schema_after_step(schema, step));
        let JsonPathStep::Filter(filter) = step else {
            continue;
        };
        if let Some(fault) = &filter.fault {
            return Some(Explanation::new(fault.message, fault.help.clone()));
        }
        let field = at.and_then(|items| filter.steps.iter().try_fold(items, schema_after_step));
        if let Some(fault) = explain_misfit(filter, field) {
            return Some(fault);
        }
    }
    None
}

fn schema_after_step<'a>(schema: &'a Schema, step: &JsonPathStep) -> Option<&'a Schema> {
    match step {
        JsonPathStep::Name(name) => {
            let declared = schema.properties.get(name);
            declared.or(schema.additional_properties.as_ref())
        }
        JsonPathStep::Each | JsonPathStep::Filter(_) => schema.items.as_ref(),
        JsonPathStep::Deep => None,
    }
    .map(|schema| &**schema)
}

/// Returns the explanation for a literal that differs from every value of the field. client-go
/// does not compare values of different types (`template.Equal`).
fn explain_misfit(filter: &JsonPathFilter, field: Option<&Schema>) -> Option<Explanation> {
    let literal = filter.literal.as_ref()?;
    let type_ = field.and_then(|field| field.type_);
    let write = |literal: String| format!("write `{literal}`");
    if let FilterLiteral::Word(word) = literal {
        let lower = word.to_lowercase();
        let is_bool = type_ == Some(JsonType::Boolean) && ["true", "false"].contains(&&*lower);
        let help = write(if is_bool { lower } else { quoted(word) });
        return Some(Explanation::new(
            format!("unknown word `{word}` in a filter"),
            help,
        ));
    }
    let (field, type_) = (field?, type_?);
    let (text, found) = match literal {
        FilterLiteral::String(text) => (text, "string"),
        FilterLiteral::Number(text) => (text, "number"),
        FilterLiteral::Boolean(text) | FilterLiteral::Word(text) => (text, "boolean"),
    };
    let help = match (type_, literal) {
        (JsonType::String, FilterLiteral::String(_)) => {
            let values: Vec<_> = field.enum_.iter().filter_map(Value::as_str).collect();
            let is_equal = filter.operator.as_deref() == Some("==");
            if !is_equal
                || values.is_empty()
                || values.contains(&&**text)
                || values.len() < field.enum_.len()
            {
                return None;
            }
            let message = format!("the field of the filter is never `{text}`");
            return Some(Explanation::new(message, suggest::value(text, &values)));
        }
        (JsonType::String, _) => {
            let mut values = field.enum_.iter().filter_map(Value::as_str);
            let meant = values.find(|value| value.eq_ignore_ascii_case(text));
            write(quoted(meant.unwrap_or(text)))
        }
        (JsonType::Integer | JsonType::Number, FilterLiteral::Number(_))
        | (JsonType::Boolean, FilterLiteral::Boolean(_)) => return None,
        (JsonType::Integer, _) if text.parse::<i64>().is_ok() => write(text.clone()),
        (JsonType::Number, _) if text.parse::<f64>().is_ok() => write(text.clone()),
        (JsonType::Boolean, _) if ["true", "false"].contains(&&*text.to_lowercase()) => {
            write(text.to_lowercase())
        }
        (JsonType::Boolean, _) => "write `true` or `false`".to_owned(),
        (JsonType::Integer | JsonType::Number, _) => "write a number without quotes".to_owned(),
        (JsonType::Array | JsonType::Object, _) => return None,
    };
    Some(Explanation::new(
        format!("the filter compares a field of type {type_} with a {found}"),
        help,
    ))
}
