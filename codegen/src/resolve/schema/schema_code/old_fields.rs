//! Fields of `SchemaObject` in schemars 0.8, with their JSON keywords.

/// Form of a field in JSON.
pub(super) enum OldField {
    /// A member of the schema.
    Key(&'static str),
    /// A struct or map of further members of the schema.
    Group,
    /// A keyword that CRDs do not have.
    Ignored,
}

/// Returns the form of a field; `None` for a field that cannot be converted for a CRD.
pub(super) fn of(name: &str) -> Option<OldField> {
    Some(match name {
        "array" | "extensions" | "metadata" | "number" | "object" | "string" | "subschemas" => {
            OldField::Group
        }
        "deprecated" | "examples" | "id" | "read_only" | "unique_items" | "write_only" => {
            OldField::Ignored
        }
        name => OldField::Key(KEYS.iter().find(|(field, _)| *field == name)?.1),
    })
}

const KEYS: [(&str, &str); 23] = [
    ("additional_properties", "additionalProperties"),
    ("all_of", "allOf"),
    ("any_of", "anyOf"),
    ("const_value", "const"),
    ("default", "default"),
    ("description", "description"),
    ("enum_values", "enum"),
    ("format", "format"),
    ("instance_type", "type"),
    ("items", "items"),
    ("max_items", "maxItems"),
    ("max_length", "maxLength"),
    ("maximum", "maximum"),
    ("min_items", "minItems"),
    ("min_length", "minLength"),
    ("minimum", "minimum"),
    ("multiple_of", "multipleOf"),
    ("not", "not"),
    ("one_of", "oneOf"),
    ("pattern", "pattern"),
    ("properties", "properties"),
    ("required", "required"),
    ("title", "title"),
];
