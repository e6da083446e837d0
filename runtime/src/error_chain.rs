//! Causes of an error: its chain of sources, including errors wrapped in I/O errors.

use std::error::Error;
use std::io;

/// Iterates over `error` and its causes, outermost first.
///
/// An I/O error may wrap another error, such as a TLS error. `io::Error::source` skips the wrapped
/// error and returns the source of that error. This iterator visits the wrapped error, too.
pub(crate) fn error_chain<'a>(
    error: &'a (dyn Error + 'static),
) -> impl Iterator<Item = &'a (dyn Error + 'static)> {
    std::iter::successors(Some(error), |&cause| {
        let held = cause.downcast_ref().and_then(io::Error::get_ref);
        held.map(|held| held as &(dyn Error + 'static))
            .or_else(|| cause.source())
    })
}

/// Returns the kind of an I/O error, or `None` for any other error.
pub(crate) fn io_kind(error: &(dyn Error + 'static)) -> Option<io::ErrorKind> {
    error.downcast_ref().map(io::Error::kind)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn errors_within_io_errors_are_visited() {
        let lost = io::Error::from(io::ErrorKind::ConnectionReset);
        let nested = io::Error::other(io::Error::new(io::ErrorKind::InvalidData, lost));
        let found: Vec<_> = error_chain(&nested).filter_map(io_kind).collect();
        use io::ErrorKind::{ConnectionReset, InvalidData, Other};
        assert_eq!(found, [Other, InvalidData, ConnectionReset]);
    }
}
