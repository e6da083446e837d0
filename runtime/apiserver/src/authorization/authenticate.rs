//! Authentication of requests by bearer token.

use std::sync::{Arc, LazyLock};

use http::header::AUTHORIZATION;
use http::request::Parts;

use super::tokens;
use crate::failure::Failure;
use crate::rbac::tokens::AUDIENCE;
use crate::rbac::user::{MASTERS, User};
use crate::state::State;

/// User of requests without credentials.
static ADMINISTRATOR: LazyLock<Arc<User>> =
    LazyLock::new(|| Arc::new(User::new("admin").group(MASTERS).authenticated()));

/// Returns the user of a request: that of `client_as`, that of its token, or the administrator.
///
/// # Errors
///
/// 401 for an unknown token.
pub(crate) fn user(server: &State, head: &Parts) -> Result<Arc<User>, Failure> {
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
            let user = tokens::user(server, token, &[AUDIENCE]);
            let user = user.map(|(user, _)| Arc::new(user));
            user.map_err(|_| Failure::unauthorized())
        }
    }
}

/// Returns the token of a bearer `Authorization` header; other schemes have none.
pub(super) fn bearer_token(header: &str) -> Option<&str> {
    let mut parts = header.trim().splitn(3, ' ');
    let scheme = parts.next()?;
    let token = parts.next()?;
    (scheme.eq_ignore_ascii_case("bearer") && !token.is_empty()).then_some(token)
}
