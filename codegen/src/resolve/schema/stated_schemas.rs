//! Schemas that the package states for types by path, in `[package.metadata.genclient.schemas]`.

use std::collections::{BTreeMap, BTreeSet};

use genclient_schema::definition::{keyword_errors, structural_errors};
use genclient_syntax::{Help, suggest};

use super::messages;
use crate::diagnostic::{Diagnostic, Sink};
use crate::model::Schema;
use crate::resolve::explanation::Explanation;

/// Warns about stated schemas that no field uses. `looked_up` are the paths for which a pass has
/// looked up a stated schema.
pub(in crate::resolve) fn warn_of_unused_schemas(
    stated: &BTreeMap<String, Schema>,
    looked_up: &BTreeSet<String>,
    sink: &mut Sink,
) {
    let unused = stated.keys().filter(|path| !looked_up.contains(*path));
    for path in unused {
        let name = last_segment(path);
        let same_type = looked_up
            .iter()
            .find(|other| last_segment(other) == name)
            .map(String::as_str);
        let all = || looked_up.iter().map(String::as_str);
        let help = match same_type.or_else(|| suggest::closest(path, all())) {
            Some(meant) => Help::did_you_mean(path, meant),
            None => "remove it, or write the path by which fields name the type".into(),
        };
        let message = format!(
            "unused schema for `{path}` in `[package.metadata.genclient.schemas]`: no field has this type"
        );
        sink.push(Diagnostic::warning(message).help(help));
    }
}

/// Reports stated schemas that the API server refuses.
pub(in crate::resolve) fn check_stated_schemas(stated: &BTreeMap<String, Schema>, sink: &mut Sink) {
    for (path, schema) in stated {
        let mut errors = structural_errors(schema);
        errors.extend(keyword_errors(schema));
        for error in errors {
            let Explanation { message, help } = messages::explain_schema_error(&error, true);
            let message = format!("`{path}` in `[package.metadata.genclient.schemas]`: {message}");
            sink.push(Diagnostic::error(message).help(help));
        }
    }
}

/// Returns the name of the type at the end of a path.
fn last_segment(path: &str) -> &str {
    path.rsplit("::").next().unwrap_or(path)
}
