//! Attributes of a kind by which a version is stored, and converted by a webhook.

use crate::insert;

/// The attribute of the version that is stored.
pub(super) const STORED: &str = "#[crd(storage)]";

/// The argument of the version that is stored where a webhook converts the others.
pub(super) const CONVERSION: &str = "conversion(webhook)";

/// Stores a version, and has a webhook convert the others. `conversion` is the argument for that.
pub(super) fn store(text: &str, kind: &str, conversion: &str) -> Option<String> {
    let (left, stated) = insert::without_arguments(text, kind, "crd", &["storage", "conversion"])?;
    let own = with_settings(&stated);
    if own.is_some() && stated.iter().any(|it| it == "storage") {
        return Some(text.to_owned());
    }
    let (text, conversion) = (left, own.unwrap_or(conversion));
    insert::attribute(&text, kind, &format!("#[crd(storage, {conversion})]"))
}

/// Stores a version no longer. Returns the text, and the argument that had its conversion.
pub(super) fn unstore(text: &str, kind: &str) -> Option<(String, Option<String>)> {
    let (text, stated) = insert::without_arguments(text, kind, "crd", &["storage", "conversion"])?;
    let conversion = with_settings(&stated).map(str::to_owned);
    Some((text, conversion))
}

fn with_settings(arguments: &[String]) -> Option<&str> {
    let mut arguments = arguments.iter().map(String::as_str);
    arguments.find(|argument| argument.starts_with("conversion"))
}
