//! Authentication: the user of a request's bearer token.

use std::sync::{Arc, LazyLock};

use http::header::AUTHORIZATION;
use http::request::Parts;

use super::Authorization;
use super::user::{MASTERS, User};
use crate::failure::Failure;

/// Whoever sends a request without credentials.
static ADMINISTRATOR: LazyLock<Arc<User>> =
    LazyLock::new(|| Arc::new(User::new("admin").group(MASTERS).authenticated()));

/// The user of a request: that of `client_as`, that of its token, or the administrator.
pub(super) fn user(authorization: &Authorization, head: &Parts) -> Result<Arc<User>, Failure> {
    if let Some(user) = head.extensions.get::<User>() {
        return Ok(Arc::new(user.clone().authenticated()));
    }
    let header = head.headers.get(AUTHORIZATION);
    let header = header
        .and_then(|value| value.to_str().ok())
        .unwrap_or_default();
    match bearer_token(header) {
        None => Ok(Arc::clone(&ADMINISTRATOR)),
        Some(token) => {
            let user = authorization.user(token).map(Arc::new);
            user.ok_or_else(Failure::unauthorized)
        }
    }
}

impl Authorization {
    /// The user of a token.
    pub(super) fn user(&self, token: &str) -> Option<User> {
        let user = self.tokens.get(token)?;
        Some(user.clone().authenticated())
    }
}

/// The token of a header; headers of other schemes say nothing.
pub(super) fn bearer_token(header: &str) -> Option<&str> {
    let mut parts = header.trim().splitn(3, ' ');
    let scheme = parts.next()?;
    let token = parts.next()?;
    (scheme.eq_ignore_ascii_case("bearer") && !token.is_empty()).then_some(token)
}
