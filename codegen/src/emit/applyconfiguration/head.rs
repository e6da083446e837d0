//! Documentation and attributes of apply configurations.

use super::imports::Imports;
use crate::emit::names::cfg;
use crate::emit::package::doc_comments;
use crate::model::ApplyType;
use crate::template::rust;

/// The documentation and the attributes of a configuration.
pub(super) fn type_head(
    type_: &ApplyType,
    serde: &[String],
    has_default: bool,
    imports: &mut Imports<'_>,
) -> String {
    let title = format!("Apply configuration of `{}`.", type_.of);
    let docs = doc_comments(paragraphs([&[title], &*type_.summary]));
    let conditions = cfg(&type_.cfg);
    let mut derives = vec!["Clone".to_owned(), "Debug".to_owned()];
    if has_default {
        derives.push("Default".to_owned());
    }
    if type_.is_comparable {
        derives.push("PartialEq".to_owned());
    }
    derives.extend(
        ["Serialize", "Deserialize"]
            .map(|name| imports.name(&format!("genclient::serde::{name}"), &type_.cfg)),
    );
    let (derives, serde) = (derives.join(", "), serde.join(", "));
    rust!(docs, conditions, derives, serde => "
        $docs
        $conditions
        #[derive($derives)]
        #[serde($serde)]
        #[must_use = \"an apply configuration does nothing until it is applied\"]
        #[non_exhaustive]
    ")
}

/// Lines of documentation, with an empty line between paragraphs that are not empty.
pub(super) fn paragraphs<'a>(paragraphs: impl IntoIterator<Item = &'a [String]>) -> Vec<&'a str> {
    let paragraphs: Vec<Vec<&str>> = paragraphs
        .into_iter()
        .filter(|lines| !lines.is_empty())
        .map(|lines| lines.iter().map(String::as_str).collect())
        .collect();
    paragraphs.join(&"")
}
