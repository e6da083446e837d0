//! Texts of error chains, for logs and responses.

use std::error::Error;
use std::iter::successors;

/// Iterates over an error and the chain of its causes.
///
/// An error that an I/O error wraps is not visited: the message of the I/O error is that error's.
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
