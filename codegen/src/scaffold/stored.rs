//! Attributes that mark the storage version of a kind, and its conversion by a webhook.

use crate::insert;

/// The attribute of the storage version.
pub(super) const STORED: &str = "#[crd(storage)]";

/// The argument of the storage version for conversion by a webhook.
pub(super) const CONVERSION: &str = "conversion(webhook)";

/// Marks a version as the storage version, with the given `conversion` argument.
pub(super) fn store(text: &str, kind: &str, conversion: &str) -> Option<String> {
    let (left, stated) = insert::without_arguments(text, kind, "crd", &["storage", "conversion"])?;
    let own = with_settings(&stated);
    if own.is_some() && stated.iter().any(|it| it == "storage") {
        return Some(text.to_owned());
    }
    let (text, conversion) = (left, own.unwrap_or(conversion));
    insert::attribute(&text, kind, &format!("#[crd(storage, {conversion})]"))
}

/// Removes the storage marker. Returns the text, and the removed `conversion` argument.
pub(super) fn unstore(text: &str, kind: &str) -> Option<(String, Option<String>)> {
    let (text, stated) = insert::without_arguments(text, kind, "crd", &["storage", "conversion"])?;
    let conversion = with_settings(&stated).map(str::to_owned);
    Some((text, conversion))
}

fn with_settings(arguments: &[String]) -> Option<&str> {
    let mut arguments = arguments.iter().map(String::as_str);
    arguments.find(|argument| argument.starts_with("conversion"))
}
