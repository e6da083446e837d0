//! [`Pings`]: health checks of HTTP/2 connections.

use std::env;
use std::time::Duration;

/// Settings of HTTP/2 pings. They find dead connections while watches are idle.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Pings {
    /// Silence after which a ping is sent. `None` disables pings.
    pub(super) idle: Option<Duration>,
    /// Time in which the response has to arrive. Otherwise, all requests of the connection fail.
    pub(super) timeout: Duration,
}

impl Pings {
    /// Returns the settings of apimachinery's `util/net/http.go`: by default, a ping after 30 s of
    /// silence, and 15 s for its response.
    pub(super) fn from_env() -> Self {
        Self::new(|name| env::var(name).ok())
    }

    fn new(variable: impl Fn(&str) -> Option<String>) -> Self {
        let seconds = |name: &str, default: u64| {
            let text = variable(name).filter(|text| !text.is_empty());
            let seconds = text.as_ref().map_or(Ok(default), |text| text.parse());
            Duration::from_secs(seconds.unwrap_or_else(|_| {
                tracing::warn!(value = text, "invalid {name}; using the default, {default}");
                default
            }))
        };
        let idle = seconds("HTTP2_READ_IDLE_TIMEOUT_SECONDS", 30);
        Self {
            idle: (!idle.is_zero()).then_some(idle),
            timeout: seconds("HTTP2_PING_TIMEOUT_SECONDS", 15),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn pings_are_set_by_the_variables_of_client_go() {
        let seconds = Duration::from_secs;
        for (idle, timeout, expected) in [
            ("", "", (Some(30), 15)),
            ("10", "5", (Some(10), 5)),
            ("0", "1", (None, 1)),
            ("ten", "-1", (Some(30), 15)),
        ] {
            let pings = Pings::new(|name| match name {
                "HTTP2_READ_IDLE_TIMEOUT_SECONDS" => Some(idle.to_owned()),
                _ => Some(timeout.to_owned()),
            });
            let expected = Pings {
                idle: expected.0.map(seconds),
                timeout: seconds(expected.1),
            };
            assert_eq!(pings, expected, "{idle} {timeout}");
        }
    }
}
