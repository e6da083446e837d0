//! Error chains: an error and its causes.

use std::error::Error;
use std::iter::successors;

/// Iterates over an error and the chain of its causes.
pub(crate) fn causes<'a>(
    error: &'a (dyn Error + 'static),
) -> impl Iterator<Item = &'a (dyn Error + 'static)> {
    successors(Some(error), |&error| error.source())
}

/// Returns the messages of an error and its causes, joined by `: `.
pub(crate) fn with_causes(error: &(dyn Error + 'static)) -> String {
    let texts: Vec<_> = causes(error).map(ToString::to_string).collect();
    texts.join(": ")
}
