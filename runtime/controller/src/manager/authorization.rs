//! [`DelegatingAuthorizer`]: TokenReview and SubjectAccessReview for clients of the metrics server.

use std::collections::{BTreeMap, HashMap};
use std::hash::Hash;
use std::io;
use std::sync::Arc;
use std::time::Duration;

use futures::FutureExt;
use futures::future::BoxFuture;
use genclient::kube::{self, Client};
use genclient::wait::Backoff;
use http::header::{AUTHORIZATION, CONTENT_TYPE, RETRY_AFTER};
use http::{HeaderValue, Request, StatusCode};
use parking_lot::Mutex;
use ring::digest;
use serde::Deserialize;
use serde::de::DeserializeOwned;
use serde_json::{Value, json};
use tokio::runtime::Handle;
use tokio::sync::{OwnedSemaphorePermit, Semaphore};
use tokio::time::{Instant, sleep, sleep_until, timeout};

use crate::http_listener::{Response, text_response};

/// How long a token review is cached. This duration and the next two are those of
/// controller-runtime's `WithAuthenticationAndAuthorization`.
const TOKEN_TTL: Duration = Duration::from_secs(60);
const ALLOWED_TTL: Duration = Duration::from_secs(5 * 60);
const NOT_ALLOWED_TTL: Duration = Duration::from_secs(30);
/// Maximum time of a call to the API server.
const CALL_TIMEOUT: Duration = Duration::from_secs(10);
/// Pauses between attempts of a call.
const CALL_RETRIES: Backoff = Backoff {
    duration: Duration::from_millis(500),
    factor: 1.5,
    jitter: 0.2,
    steps: 5,
    cap: None,
};
/// Maximum number of reviews at a time, and in each [`MIN_PERMIT_TIME`]. controller-runtime has no
/// such limit: since its clients lost their rate limit, each unknown token costs a review.
const MAX_REVIEWS: usize = 10;
/// Time for which a review counts, at least.
const MIN_PERMIT_TIME: Duration = Duration::from_secs(1);
/// Maximum wait for a permit.
const MAX_PERMIT_WAIT: Duration = Duration::from_secs(1);
/// How long a client that was allowed is known. Reviews of known clients do not wait for those of
/// others, so that guessed tokens do not keep a scraper from the metrics.
const KNOWN_CLIENT_TTL: Duration = Duration::from_secs(60 * 60);
/// Maximum number of responses in each cache. Reviews of unknown clients cannot fill it, since they
/// are limited to [`MAX_REVIEWS`] in each [`MIN_PERMIT_TIME`].
const MAX_CACHED_REVIEWS: usize = 1000;
/// Maximum length of a token. A longer one is refused without a call to the API server.
const MAX_TOKEN_LENGTH: usize = 16 * 1024;
/// Maximum length of a path whose answer is cached.
const MAX_CACHED_PATH_LENGTH: usize = 256;

/// SHA-256 of a token, so that tokens are not stored and cache keys have a fixed size.
type TokenHash = [u8; 32];

pub(super) struct DelegatingAuthorizer {
    client: Client,
    tokens: ExpiringCache<TokenHash, Option<Arc<User>>>,
    permissions: ExpiringCache<Permission, bool>,
    /// Tokens of clients that were allowed.
    allowed: ExpiringCache<TokenHash, ()>,
    known_clients: ReviewLimiter,
    other_clients: ReviewLimiter,
}

/// Limit of concurrent reviews and of their rate.
struct ReviewLimiter(Arc<Semaphore>);

/// Permission to create a review. It counts for a [`MIN_PERMIT_TIME`], even if the review ends
/// sooner.
struct ReviewPermit {
    permit: Option<OwnedSemaphorePermit>,
    until: Instant,
}

/// A request of a client, to be authorized.
struct MetricsRequest {
    token: String,
    path: String,
    verb: String,
}

/// User, path and verb: the key of a cached response to a `SubjectAccessReview`.
#[derive(Clone, PartialEq, Eq, Hash)]
struct Permission {
    user: Arc<User>,
    path: String,
    verb: String,
}

/// A user, as a `TokenReview` describes it.
#[derive(Default, PartialEq, Eq, Hash, Deserialize)]
#[serde(default)]
struct User {
    username: String,
    uid: String,
    groups: Vec<String>,
    extra: BTreeMap<String, Vec<String>>,
}

/// Cached answers of the API server, each with its expiry.
struct ExpiringCache<K, V>(Mutex<HashMap<K, (Instant, V)>>);

enum Refusal {
    Unauthenticated,
    Forbidden,
    Busy,
    Failed(kube::Error),
}

impl DelegatingAuthorizer {
    pub(super) fn new(client: Client) -> Self {
        Self {
            client,
            tokens: ExpiringCache::default(),
            permissions: ExpiringCache::default(),
            allowed: ExpiringCache::default(),
            known_clients: ReviewLimiter::new(),
            other_clients: ReviewLimiter::new(),
        }
    }

    /// Checks whether the client may send the request. The error is the response that refuses it.
    pub(super) fn check<B>(
        self: Arc<Self>,
        request: &Request<B>,
    ) -> BoxFuture<'static, Result<(), Response>> {
        let token = request
            .headers()
            .get(AUTHORIZATION)
            .and_then(|it| bearer_token(it.to_str().ok()?));
        let request = MetricsRequest {
            token: token.map(str::to_owned).unwrap_or_default(),
            path: request.uri().path().to_owned(),
            verb: request.method().as_str().to_lowercase(),
        };
        async move {
            let allowed = self.allow(request).await;
            allowed.map_err(Refusal::into_response)
        }
        .boxed()
    }

    async fn allow(&self, request: MetricsRequest) -> Result<(), Refusal> {
        let MetricsRequest { token, path, verb } = request;
        if token.is_empty() || token.len() > MAX_TOKEN_LENGTH {
            return Err(Refusal::Unauthenticated);
        }
        let hash = hash_token(&token);
        let limiter = match self.allowed.get(&hash) {
            Some(()) => &self.known_clients,
            None => &self.other_clients,
        };
        let user = self
            .authenticate(token, limiter)
            .await?
            .ok_or(Refusal::Unauthenticated)?;
        let permission = Permission { user, path, verb };
        if self.is_allowed(permission, limiter).await? {
            self.allowed.put(hash, (), KNOWN_CLIENT_TTL);
            return Ok(());
        }
        Err(Refusal::Forbidden)
    }

    /// Returns the user of a token; `None` if the token is invalid.
    async fn authenticate(
        &self,
        token: String,
        limiter: &ReviewLimiter,
    ) -> Result<Option<Arc<User>>, Refusal> {
        let hash = hash_token(&token);
        if let Some(user) = self.tokens.get(&hash) {
            return Ok(user);
        }
        let _permit = limiter.acquire().await?;
        // A request with the same token may have been answered during the wait.
        if let Some(user) = self.tokens.get(&hash) {
            return Ok(user);
        }
        #[derive(Default, Deserialize)]
        #[serde(default)]
        struct Status {
            authenticated: bool,
            user: User,
        }
        let spec = json!({ "token": token });
        let status: Status = self
            .create_review("authentication", "TokenReview", &spec)
            .await?;
        let user = status.authenticated.then(|| Arc::new(status.user));
        self.tokens.put(hash, user.clone(), TOKEN_TTL);
        Ok(user)
    }

    async fn is_allowed(
        &self,
        permission: Permission,
        limiter: &ReviewLimiter,
    ) -> Result<bool, Refusal> {
        if let Some(is_allowed) = self.permissions.get(&permission) {
            return Ok(is_allowed);
        }
        let _permit = limiter.acquire().await?;
        if let Some(is_allowed) = self.permissions.get(&permission) {
            return Ok(is_allowed);
        }
        #[derive(Default, Deserialize)]
        #[serde(default)]
        struct Status {
            allowed: bool,
        }
        let User {
            username,
            uid,
            groups,
            extra,
        } = &*permission.user;
        let spec = json!({
            "user": username,
            "uid": uid,
            "groups": groups,
            "extra": extra,
            "nonResourceAttributes": { "path": permission.path, "verb": permission.verb },
        });
        let status: Status = self
            .create_review("authorization", "SubjectAccessReview", &spec)
            .await?;
        let lifetime = if status.allowed {
            ALLOWED_TTL
        } else {
            NOT_ALLOWED_TTL
        };
        if permission.path.len() <= MAX_CACHED_PATH_LENGTH {
            self.permissions.put(permission, status.allowed, lifetime);
        }
        Ok(status.allowed)
    }

    /// Creates a review, and returns its status. Retries if there is no response, or after 429 and
    /// 5xx.
    ///
    /// Reviews are plain JSON, because the fields of k8s-openapi's types depend on the version of
    /// Kubernetes that the program selects.
    async fn create_review<S>(&self, group: &str, kind: &str, spec: &Value) -> kube::Result<S>
    where
        S: DeserializeOwned + Default,
    {
        #[derive(Deserialize)]
        struct Review<S> {
            status: Option<S>,
        }
        let review = json!({
            "apiVersion": format!("{group}.k8s.io/v1"),
            "kind": kind,
            "spec": spec,
        });
        let path = format!("/apis/{group}.k8s.io/v1/{}s", kind.to_lowercase());
        let mut pauses = CALL_RETRIES;
        loop {
            let request = Request::post(&path)
                .header(CONTENT_TYPE, "application/json")
                .body(review.to_string().into_bytes())
                .map_err(kube::Error::HttpError)?;
            let failure =
                match timeout(CALL_TIMEOUT, self.client.request::<Review<S>>(request)).await {
                    Ok(Ok(review)) => return Ok(review.status.unwrap_or_default()),
                    Ok(Err(error)) if is_permanent(&error) => return Err(error),
                    Ok(Err(error)) => error,
                    Err(_) => kube::Error::Service(io::Error::from(io::ErrorKind::TimedOut).into()),
                };
            let pause = pauses.step();
            if pauses.steps == 0 {
                return Err(failure);
            }
            sleep(pause).await;
        }
    }
}

impl ReviewLimiter {
    fn new() -> Self {
        Self(Arc::new(Semaphore::new(MAX_REVIEWS)))
    }

    /// Waits for a permit.
    async fn acquire(&self) -> Result<ReviewPermit, Refusal> {
        match timeout(MAX_PERMIT_WAIT, Arc::clone(&self.0).acquire_owned()).await {
            Ok(Ok(permit)) => Ok(ReviewPermit {
                permit: Some(permit),
                until: Instant::now() + MIN_PERMIT_TIME,
            }),
            _ => Err(Refusal::Busy),
        }
    }
}

impl Drop for ReviewPermit {
    fn drop(&mut self) {
        let (permit, until) = (self.permit.take(), self.until);
        // Without a runtime, the server has ended.
        if let Ok(runtime) = Handle::try_current()
            && until > Instant::now()
        {
            runtime.spawn(async move {
                sleep_until(until).await;
                drop(permit);
            });
        }
    }
}

impl From<kube::Error> for Refusal {
    fn from(error: kube::Error) -> Self {
        Self::Failed(error)
    }
}

impl Refusal {
    fn into_response(self) -> Response {
        match self {
            Self::Unauthenticated => text_response(StatusCode::UNAUTHORIZED, "Unauthorized\n"),
            Self::Forbidden => text_response(StatusCode::FORBIDDEN, "Forbidden\n"),
            Self::Busy => {
                let mut busy = text_response(StatusCode::TOO_MANY_REQUESTS, "Too many requests\n");
                let headers = busy.headers_mut();
                headers.insert(RETRY_AFTER, HeaderValue::from_static("1"));
                busy
            }
            Self::Failed(error) => {
                tracing::error!(%error, "failed to authorize a request for metrics");
                text_response(StatusCode::INTERNAL_SERVER_ERROR, "Authorization failed\n")
            }
        }
    }
}

impl<K: Eq + Hash, V: Clone> ExpiringCache<K, V> {
    fn get(&self, key: &K) -> Option<V> {
        let known = self.0.lock();
        let (until, value) = known.get(key)?;
        (*until > Instant::now()).then(|| value.clone())
    }

    fn put(&self, key: K, value: V, lifetime: Duration) {
        let now = Instant::now();
        let mut known = self.0.lock();
        known.retain(|_, (until, _)| *until > now);
        if known.len() < MAX_CACHED_REVIEWS {
            known.insert(key, (now + lifetime, value));
        }
    }
}

/// Returns the token of an `Authorization` header. The scheme is case-insensitive (RFC 9110).
fn bearer_token(header: &str) -> Option<&str> {
    let (scheme, token) = header.split_once(' ')?;
    scheme
        .eq_ignore_ascii_case("bearer")
        .then_some(token.trim())
}

fn hash_token(token: &str) -> TokenHash {
    let digest = digest::digest(&digest::SHA256, token.as_bytes());
    let mut hash = TokenHash::default();
    hash.copy_from_slice(digest.as_ref());
    hash
}

/// Whether the error is a response of the API server that a retry would not change.
fn is_permanent(error: &kube::Error) -> bool {
    match error {
        kube::Error::Api(status) => status.code != 429 && status.code < 500,
        _ => false,
    }
}

impl<K, V> Default for ExpiringCache<K, V> {
    fn default() -> Self {
        Self(Mutex::default())
    }
}

#[cfg(test)]
mod tests;
