//! Texts of error chains and panics, for logs and responses.

use std::any::Any;
use std::error::Error;
use std::iter::successors;

/// Returns the message of a panic.
pub(crate) fn panic_message(panic: &(dyn Any + Send)) -> String {
    let text = panic
        .downcast_ref::<&str>()
        .map(ToString::to_string)
        .or_else(|| panic.downcast_ref::<String>().cloned());
    text.unwrap_or_else(|| "panic payload is not a string".to_owned())
}

/// Iterates over an error and the chain of its causes.
pub(crate) fn error_chain<'a>(
    error: &'a (dyn Error + 'static),
) -> impl Iterator<Item = &'a (dyn Error + 'static)> {
    successors(Some(error), |&error| error.source())
}

/// Returns the messages of an error and its causes, joined by `: `.
pub(crate) fn format_error_chain(error: &(dyn Error + 'static)) -> String {
    let texts: Vec<_> = error_chain(error).map(ToString::to_string).collect();
    texts.join(": ")
}
