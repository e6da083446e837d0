//! Validation of a rule's `fieldPath`: the path from the rule's schema to the field that an error
//! names.

use crate::Schema;

/// Error in a field path.
#[derive(Clone, Debug, PartialEq)]
pub enum FieldPathError<'s> {
    /// The path is malformed.
    Syntax,
    /// A schema on the path has no such field.
    NoField {
        /// Name of the missing field.
        name: String,
        /// The schema without the field.
        schema: &'s Schema,
    },
}

/// Checks a path such as `.a.b` or `.labels['x']`.
///
/// # Errors
///
/// Returns the first error: malformed syntax, or a field that does not exist.
pub fn check<'s>(path: &str, schema: &'s Schema) -> Result<(), FieldPathError<'s>> {
    let (mut schema, mut rest) = (schema, path);
    while !rest.is_empty() {
        let (name, after) = step(rest).ok_or(FieldPathError::Syntax)?;
        let found = find(schema, &name);
        (schema, rest) = (
            found.ok_or(FieldPathError::NoField { name, schema })?,
            after,
        );
    }
    Ok(())
}

/// Returns the path in the notation of causes, `a.b[key]`, or `None` if the path is malformed or a
/// field does not exist.
#[cfg(feature = "evaluate")]
pub(super) fn normalized(path: &str, schema: &Schema) -> Option<String> {
    let (mut schema, mut rest, mut out) = (schema, path, String::new());
    while !rest.is_empty() {
        let (name, after) = step(rest)?;
        if schema.properties.is_empty() {
            out.push_str(&format!("[{name}]"));
        } else {
            if !out.is_empty() {
                out.push('.');
            }
            out.push_str(&name);
        }
        (schema, rest) = (find(schema, &name)?, after);
    }
    Some(out)
}

/// Splits a path into its first name and the rest.
fn step(path: &str) -> Option<(String, &str)> {
    if let Some(quoted) = path.strip_prefix("['") {
        let mut escaped = false;
        let end = quoted.find(|c| {
            let found = c == '\'' && !escaped;
            escaped = c == '\\' && !escaped;
            found
        })?;
        let after = quoted[end..].strip_prefix("']")?;
        return Some((
            quoted[..end].replace("\\'", "'").replace("\\\\", "\\"),
            after,
        ));
    }
    let name = path.strip_prefix('.')?;
    let end = name.find(['.', '[', ']']).unwrap_or(name.len());
    (end > 0).then(|| (name[..end].to_owned(), &name[end..]))
}

fn find<'s>(schema: &'s Schema, name: &str) -> Option<&'s Schema> {
    if schema.properties.is_empty() {
        return schema.additional_properties.as_deref();
    }
    schema.properties.get(name).map(|property| &**property)
}
