//! The errors behind an error.

use std::error::Error;
use std::io;

/// `error`, and what caused it, step by step.
///
/// The `source` of an I/O error is not the error that it holds, but the source of that.
/// hyper-rustls puts what rustls says into I/O errors, so what they hold is visited, too.
pub(crate) fn causes<'a>(
    error: &'a (dyn Error + 'static),
) -> impl Iterator<Item = &'a (dyn Error + 'static)> {
    std::iter::successors(Some(error), |&cause| {
        let held = cause.downcast_ref().and_then(io::Error::get_ref);
        held.map(|held| held as &(dyn Error + 'static))
            .or_else(|| cause.source())
    })
}

/// The kind of an I/O error.
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
        let found: Vec<_> = causes(&nested).filter_map(io_kind).collect();
        use io::ErrorKind::{ConnectionReset, InvalidData, Other};
        assert_eq!(found, [Other, InvalidData, ConnectionReset]);
    }
}
