//! Authentication: the user of a request's bearer token.

use http::header::AUTHORIZATION;
use http::request::Parts;

use super::Authorization;
use super::user::User;
use crate::failure::Failure;

/// The user of a request: that of `client_as`, that of its token, or the administrator.
pub(super) fn user(authorization: &Authorization, head: &Parts) -> Result<User, Failure> {
    if let Some(user) = head.extensions.get::<User>() {
        return Ok(user.clone().authenticated());
    }
    let header = head.headers.get(AUTHORIZATION);
    let header = header
        .and_then(|value| value.to_str().ok())
        .unwrap_or_default();
    match bearer_token(header) {
        None => Ok(User::administrator()),
        Some(token) => authorization.user(token).ok_or_else(Failure::unauthorized),
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
