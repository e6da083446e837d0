//! Schemas that the package states for types by path, in `[package.metadata.genclient.schemas]`.

use std::collections::{BTreeMap, BTreeSet};

use genclient_schema::definition::{keyword_errors, structural_errors};
use genclient_syntax::suggest;

use super::messages;
use crate::diagnostic::{Diagnostic, Sink};
use crate::model::Schema;

/// Paths for which a stated schema was looked up.
#[derive(Default)]
pub(in crate::resolve) struct StatedPaths {
    pub(super) asked: BTreeSet<String>,
}

impl StatedPaths {
    /// Warns about stated schemas that no field uses.
    pub(in crate::resolve) fn warn_of_idle(
        &self,
        stated: &BTreeMap<String, Schema>,
        sink: &mut Sink,
    ) {
        let idle = stated.keys().filter(|path| !self.asked.contains(*path));
        for path in idle {
            let name = last(path);
            let close = self
                .asked
                .iter()
                .filter(|other| last(other) == name)
                .map(String::as_str)
                .next();
            let all = || self.asked.iter().map(String::as_str);
            let help = match close.or_else(|| suggest::closest(path, all())) {
                Some(meant) => format!("did you mean `{meant}`?"),
                None => "remove it, or write the path by which fields name the type".to_owned(),
            };
            let message = format!(
                "unused schema for `{path}` in `[package.metadata.genclient.schemas]`: no field has this type"
            );
            sink.push(Diagnostic::warning(message).help(help));
        }
    }
}

/// Reports stated schemas that the API server refuses.
pub(in crate::resolve) fn check(stated: &BTreeMap<String, Schema>, sink: &mut Sink) {
    for (path, schema) in stated {
        let mut errors = structural_errors(schema);
        errors.extend(keyword_errors(schema));
        for error in errors {
            let (message, help) = messages::schema_error(&error, true);
            let message = format!("`{path}` in `[package.metadata.genclient.schemas]`: {message}");
            sink.push(Diagnostic::error(message).help(help));
        }
    }
}

fn last(path: &str) -> &str {
    path.rsplit("::").next().unwrap_or(path)
}
