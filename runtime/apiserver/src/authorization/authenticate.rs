//! Authentication of requests by `ApiServer::client_as` or bearer token. A TokenRequest issues a
//! token of a service account. The token is valid until it expires, and only while the account and
//! the object in `boundObjectRef` exist (pkg/serviceaccount in Kubernetes' sources).

use std::sync::{Arc, LazyLock};

use genclient::k8s_openapi::jiff::{SignedDuration, Timestamp};
use genclient_apimachinery::go::quoted;
use http::header::AUTHORIZATION;
use http::request::Parts;

use crate::rbac::tokens::{AUDIENCE, BoundKind, ObjectClaim, TokenClaims};
use crate::rbac::user::{MASTERS, User};
use crate::state::ServerState;
use crate::status_error::StatusError;
use crate::store::{GroupResource, Key};
use crate::stored::Stored;

/// Sender of requests without credentials.
static ADMINISTRATOR: LazyLock<Arc<User>> =
    LazyLock::new(|| Arc::new(User::new("admin").group(MASTERS).authenticated()));

/// Time for which a token stays valid after its expiry, or after the deletion timestamp of its
/// account or bound object (`jwt.DefaultLeeway`).
const EXPIRY_LEEWAY: SignedDuration = SignedDuration::from_secs(60);

const TOKEN_INVALIDATED: &str = "service account token has been invalidated";

/// Returns the user of a request: the user of `client_as`, or else the user of the bearer token, or
/// else the administrator.
///
/// # Errors
///
/// 401 if the token is unknown or not valid.
pub(crate) fn authenticate(server: &ServerState, head: &Parts) -> Result<Arc<User>, StatusError> {
    if let Some(user) = head.extensions.get::<User>() {
        return Ok(Arc::new(user.clone().authenticated()));
    }
    let header = head
        .headers
        .get(AUTHORIZATION)
        .and_then(|value| value.to_str().ok())
        .unwrap_or_default();
    match bearer_token(header) {
        None => Ok(Arc::clone(&ADMINISTRATOR)),
        Some(token) => match user_of_token(server, token, &[AUDIENCE]) {
            Ok((user, _)) => Ok(Arc::new(user)),
            // kube-apiserver logs the reason and does not tell it to the client.
            Err(_) => Err(StatusError::unauthorized()),
        },
    }
}

/// Returns the token in an `Authorization` header with the scheme `Bearer`, or `None`
/// (`AuthenticateRequest` in k8s.io/apiserver/pkg/authentication/request/bearertoken).
pub(super) fn bearer_token(header: &str) -> Option<&str> {
    let mut parts = header.trim().splitn(3, ' ');
    let scheme = parts.next()?;
    let token = parts.next()?;
    (scheme.eq_ignore_ascii_case("bearer") && !token.is_empty()).then_some(token)
}

/// Returns the uid of an object of the core group, if it exists.
pub(crate) fn uid_of(
    server: &ServerState,
    plural: &str,
    namespace: &str,
    name: &str,
) -> Option<String> {
    find_object(server, plural, namespace, name).map(|found| found.uid.clone())
}

fn find_object(
    server: &ServerState,
    plural: &str,
    namespace: &str,
    name: &str,
) -> Option<Arc<Stored>> {
    let resource = GroupResource::new("", plural);
    server.store.get(&resource, &Key::new(namespace, name))
}

/// Issues a token with these claims and returns it.
pub(crate) fn issue_token(server: &ServerState, claims: TokenClaims) -> String {
    let signature = format!("{}{}", server.seed.uid(), server.seed.uid());
    let token = claims.encode(&signature);
    let mut issued = server.authorization.issued.0.lock();
    issued.insert(token.clone(), claims);
    token
}

/// Returns the user of a token, and the audiences in `asked` for which the token is valid.
///
/// # Errors
///
/// The reason, if the token is unknown, has expired, or is valid for none of the audiences, or if
/// its account or bound object is gone.
pub(super) fn user_of_token(
    server: &ServerState,
    token: &str,
    asked: &[&str],
) -> Result<(User, Vec<String>), String> {
    let invalid = "invalid bearer token";
    let issued = server.authorization.issued.0.lock().get(token).cloned();
    let Some(claims) = issued else {
        // A token of the builder, as of `--token-auth-file`, is valid for the server only.
        let is_for_server = asked.contains(&AUDIENCE);
        let user = server.authorization.tokens.get(token);
        let user = user
            .filter(|_| is_for_server)
            .ok_or_else(|| invalid.to_owned())?;
        return Ok((user.clone().authenticated(), vec![AUDIENCE.to_owned()]));
    };
    let audiences: Vec<_> = claims
        .audiences
        .iter()
        .filter(|audience| asked.contains(&audience.as_str()))
        .cloned()
        .collect();
    if audiences.is_empty() {
        let own: Vec<_> = claims.audiences.iter().map(String::as_str).collect();
        let (own, asked) = (quote_list(&own), quote_list(asked));
        return Err(format!(
            "[{invalid}, token audiences {own} is invalid for the target audiences {asked}]"
        ));
    }
    match validate_claims(&claims, server) {
        Ok(()) => Ok((claims.user().authenticated(), audiences)),
        Err(error) => Err(format!("[{invalid}, {error}]")),
    }
}

/// Formats strings as Go's `%q` formats a slice: `["a" "b"]`.
fn quote_list(texts: &[&str]) -> String {
    let quoted: Vec<_> = texts.iter().map(|text| quoted(text)).collect();
    format!("[{}]", quoted.join(" "))
}

/// Checks that a token is valid now (`validator.Validate` in claims.go).
fn validate_claims(claims: &TokenClaims, server: &ServerState) -> Result<(), String> {
    let valid_since = server
        .clock
        .now()
        .checked_sub(EXPIRY_LEEWAY)
        .unwrap_or(Timestamp::MIN);
    if claims
        .expires()
        .is_some_and(|expires| valid_since > expires)
    {
        return Err("service account token has expired".to_owned());
    }
    let (namespace, account) = (&claims.namespace, &claims.account);
    let Some(found) = find_object(server, "serviceaccounts", namespace, &account.name) else {
        return Err(format!("serviceaccounts \"{}\" not found", account.name));
    };
    if found.uid != account.uid {
        let (found, claim) = (&found.uid, &account.uid);
        return Err(format!(
            "service account UID ({found}) does not match claim ({claim})"
        ));
    }
    if was_deleted(&found, valid_since) {
        let name = &account.name;
        return Err(format!(
            "service account {namespace}/{name} has been deleted"
        ));
    }
    match &claims.bound {
        Some((kind, object)) => validate_bound_object(claims, *kind, object, valid_since, server),
        None => Ok(()),
    }
}

/// Checks that the object that a token is bound to still exists.
fn validate_bound_object(
    claims: &TokenClaims,
    kind: BoundKind,
    object: &ObjectClaim,
    valid_since: Timestamp,
    server: &ServerState,
) -> Result<(), String> {
    let namespace = match kind {
        BoundKind::Node => "",
        _ => &claims.namespace,
    };
    let found =
        find_object(server, kind.plural(), namespace, &object.name).ok_or(TOKEN_INVALIDATED)?;
    if found.uid != object.uid {
        let (what, claim) = match kind {
            BoundKind::Pod => ("pod UID", "pod"),
            BoundKind::Secret => ("secret UID", "secret"),
            BoundKind::Node => ("node UID", "node"),
        };
        let (found, expected) = (&found.uid, &object.uid);
        return Err(format!(
            "{what} ({found}) does not match service account {claim} ref claim ({expected})"
        ));
    }
    if was_deleted(&found, valid_since) {
        Err(TOKEN_INVALIDATED.to_owned())
    } else {
        Ok(())
    }
}

/// Returns whether an object has a deletion timestamp before the time `before`. Such an object
/// still exists while it has finalizers.
fn was_deleted(found: &Stored, before: Timestamp) -> bool {
    found.is_deleting
        && found.value()["metadata"]["deletionTimestamp"]
            .as_str()
            .and_then(|since| since.parse::<Timestamp>().ok())
            .is_some_and(|since| since < before)
}
