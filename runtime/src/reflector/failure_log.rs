//! Log level of repeated failures: only the first one of a cause is a warning.

use super::error::ListWatchError;
use crate::causes::causes;

/// The last failure that a reflector logged.
#[derive(Debug, Default)]
pub(super) struct FailureLog {
    cause: String,
    /// Number of consecutive failures with this cause.
    times: u32,
}

impl FailureLog {
    /// Resets the count, since a watch is healthy.
    pub(super) fn end(&mut self) {
        self.times = 0;
    }

    /// Records a failure. Returns whether it is worth a warning: it is the first one of its cause,
    /// or the second one while the API server is about to serve the kind.
    pub(super) fn is_news(&mut self, error: &ListWatchError) -> bool {
        let texts: Vec<_> = causes(error).map(ToString::to_string).collect();
        let cause = texts.join(": ");
        if cause != self.cause {
            self.cause = cause;
            self.times = 0;
        }
        self.times = self.times.saturating_add(1);
        self.times == if error.is_initializing() { 2 } else { 1 }
    }
}

#[cfg(test)]
mod tests {
    use kube::core::Status;

    use super::*;

    fn failed(code: u16, message: &str) -> ListWatchError {
        let mut status = Status::failure(message, "Some");
        status.code = code;
        ListWatchError::Status(Box::new(status))
    }

    #[test]
    fn same_cause_is_news_once() {
        let mut log = FailureLog::default();
        for (code, message, expected) in [
            (403, "forbidden", true),
            (403, "forbidden", false),
            (403, "forbidden", false),
            (404, "not found", true),
            (403, "forbidden", true),
            (429, "storage is (re)initializing", false),
            (429, "storage is (re)initializing", true),
            (429, "storage is (re)initializing", false),
        ] {
            assert_eq!(log.is_news(&failed(code, message)), expected, "{message}");
        }
        log.end();
        assert!(log.is_news(&failed(403, "forbidden")));
    }
}
