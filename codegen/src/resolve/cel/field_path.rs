//! `fieldPath`: the field that is blamed, as a path from where the rule stands.

use super::lex::Mistake;
use super::suggest::closest;
use crate::model::Schema;

/// What is wrong with a path such as `.a.b` or `.labels['x']`.
pub(super) fn check(path: &str, schema: &Schema) -> Option<Mistake> {
    let mistake = |message: String, help: String| Some(Mistake::new(0..path.len(), message, help));
    let (mut schema, mut rest) = (schema, path);
    while !rest.is_empty() {
        let Some((name, after)) = step(rest) else {
            return mistake(
                format!("`{path}` is not a path to a field"),
                "write it as `.spec.replicas`, and what has other characters as `['a-b']`"
                    .to_owned(),
            );
        };
        match find(schema, &name) {
            Some(found) => (schema, rest) = (found, after),
            None => {
                let help = match closest(&name, schema.properties.keys().map(String::as_str)) {
                    Some(meant) => format!("did you mean `{meant}`?"),
                    None => "the path starts at the value that the rule is for".to_owned(),
                };
                return mistake(
                    format!("`{path}` leads to no field: there is no `{name}`"),
                    help,
                );
            }
        }
    }
    None
}

/// The first name of a path, and what follows.
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
