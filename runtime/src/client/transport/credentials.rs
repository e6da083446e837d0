//! [`Credentials`]: the source of credentials of a connection, read again when they expire, change
//! or are rejected.

use std::fs;
use std::sync::Arc;
use std::time::{Duration, SystemTime};

use http::header::AUTHORIZATION;
use http::{HeaderValue, Request, Response};
use kube::client::{AuthError, Body, ConfigExt};
use kube::config::AuthInfo;
use kube::{Config, Error};
use parking_lot::RwLock;
use tokio::sync::{Mutex, OwnedMutexGuard};
use tokio::time::Instant;
use tower::util::BoxCloneSyncService;
use tower::{BoxError, Layer, ServiceExt, service_fn};

use super::exec;
use super::pings::Pings;
use super::pool::Pool;
use crate::client::Result;

/// Minimum time between two attempts to renew credentials, so that a plugin is not run for every
/// request if the API server rejects its credentials.
const MIN_RENEWAL_INTERVAL: Duration = Duration::from_secs(5);
/// Interval at which certificate files are read: client-go's `CertCallbackRefreshDuration`
/// (`transport/cert_rotation.go`).
const FILE_RELOAD_INTERVAL: Duration = Duration::from_secs(5 * 60);
/// Time before their expiry at which credentials are renewed: kube's margin for tokens.
const EXPIRY_MARGIN: Duration = Duration::from_secs(60);

/// Credentials of kube's [`Config`]. Their sources are an exec plugin, token and certificate files,
/// and commands of kube's auth providers. They are read again
///
/// - before they expire, if an exec plugin returns an `expirationTimestamp`;
/// - every five minutes, if there are certificate files. kube reads token files every minute;
/// - if the API server rejects them, at most once in five seconds. OIDC is the exception.
///
/// If this fails, the old ones stay in use.
pub(super) struct Credentials {
    config: Config,
    pings: Pings,
    session: RwLock<Arc<Session>>,
    /// Time of the last attempt to renew them. Locked during an attempt, so that there is one at a
    /// time.
    renewed: Arc<Mutex<Option<Instant>>>,
}

/// Credentials, and the connections that present them.
pub(super) struct Session {
    /// Service that adds a header to a request; `None` if there is no header.
    authorizer: Option<Authorizer>,
    pool: Arc<Pool>,
    identity: ClientIdentity,
    /// Time at which the credentials are read again.
    due: Option<SystemTime>,
    /// Time from which the API server rejects them.
    expires: Option<SystemTime>,
}

type Authorizer = BoxCloneSyncService<Request<Body>, Response<Body>, BoxError>;

/// Client certificate that connections present.
#[derive(Debug, PartialEq, Eq)]
struct ClientIdentity {
    data: Option<String>,
    file: Option<Vec<u8>>,
}

impl Credentials {
    /// Reads the credentials of `config` for the first time. May block on an exec plugin.
    pub(super) fn new(config: Config, pings: Pings) -> Result<Self> {
        let session = Session::open(&config, pings, None)?;
        Ok(Self {
            config,
            pings,
            session: RwLock::new(Arc::new(session)),
            renewed: Arc::default(),
        })
    }

    /// Whether the source of the credentials may have new ones.
    pub(super) fn is_renewable(&self) -> bool {
        let auth = &self.config.auth_info;
        // A provider that is no command, such as OIDC, renews its token itself. To begin again with
        // the kubeconfig would lose a refresh token that has been replaced since.
        let provider = auth.auth_provider.as_ref();
        auth.exec.is_some()
            || auth.token_file.is_some()
            || provider.is_some_and(|provider| provider.config.contains_key("cmd-path"))
            || has_certificate_file(auth)
    }

    /// Returns the current credentials. If they are due, starts to renew them. Waits for the new
    /// ones only if the current ones have expired.
    pub(super) async fn session(self: &Arc<Self>) -> Arc<Session> {
        let session = Arc::clone(&self.session.read());
        let now = SystemTime::now();
        if session.due.is_none_or(|due| now < due) {
            return session;
        }
        if session.expires.is_some_and(|expires| expires <= now) {
            let renewed = self.renew(Arc::clone(&session)).await;
            return renewed.unwrap_or(session);
        }
        if let Ok(turn) = Arc::clone(&self.renewed).try_lock_owned() {
            let (credentials, old) = (Arc::clone(self), Arc::clone(&session));
            tokio::spawn(async move { credentials.renew_in_turn(turn, &old).await });
        }
        session
    }

    /// Returns newer credentials than `old`. `None` if there are none, or if the last attempt was
    /// just before.
    ///
    /// # Cancel safety
    ///
    /// An attempt is finished even if the future is dropped.
    pub(super) async fn renew(self: &Arc<Self>, old: Arc<Session>) -> Option<Arc<Session>> {
        let credentials = Arc::clone(self);
        tokio::spawn(async move {
            let turn = Arc::clone(&credentials.renewed).lock_owned().await;
            credentials.renew_in_turn(turn, &old).await
        })
        .await
        .ok()
        .flatten()
    }

    /// Lets the credentials be read again before the next request.
    #[cfg(test)]
    pub(super) fn make_due(&self) {
        let mut session = self.session.write();
        let session = Arc::get_mut(&mut session).expect("no request is being sent");
        session.due = Some(SystemTime::UNIX_EPOCH);
    }

    /// Waits for the end of a renewal that is running.
    #[cfg(test)]
    pub(super) async fn settled(&self) {
        drop(self.renewed.lock().await);
    }

    async fn renew_in_turn(
        &self,
        mut turn: OwnedMutexGuard<Option<Instant>>,
        old: &Arc<Session>,
    ) -> Option<Arc<Session>> {
        let current = Arc::clone(&self.session.read());
        if !Arc::ptr_eq(&current, old) {
            return Some(current);
        }
        if turn.is_some_and(|last| last.elapsed() < MIN_RENEWAL_INTERVAL) {
            return None;
        }
        let (config, pings) = (self.config.clone(), self.pings);
        let opened =
            tokio::task::spawn_blocking(move || Session::open(&config, pings, Some(&current)))
                .await
                .ok()?;
        *turn = Some(Instant::now());
        match opened {
            Ok(session) => {
                let session = Arc::new(session);
                *self.session.write() = Arc::clone(&session);
                Some(session)
            }
            Err(error) => {
                let error: &dyn std::error::Error = &error;
                tracing::warn!(
                    error,
                    "failed to renew the credentials; keeping the old ones"
                );
                None
            }
        }
    }
}

impl Session {
    /// Reads the credentials, and connects with them. The connections of `previous` are kept if the
    /// client certificate is the same.
    fn open(config: &Config, pings: Pings, previous: Option<&Self>) -> Result<Self> {
        let mut config = config.clone();
        let auth = &mut config.auth_info;
        // Other credentials cancel the plugin, as in client-go (`UpdateTransportConfig` of its
        // `exec.go`, which refuses a provider). kube would run it beside a client certificate.
        if auth.auth_provider.is_some()
            || (auth.username.is_some() && auth.password.is_some())
            || auth.token.is_some()
            || auth.token_file.is_some()
            || auth.client_certificate.is_some()
            || auth.client_certificate_data.is_some()
        {
            auth.exec = None;
        }
        let expires = exec::resolve_plugin(auth).map_err(Error::Auth)?;
        let due = expires.map(renewal_time).or_else(|| {
            has_certificate_file(auth).then(|| SystemTime::now() + FILE_RELOAD_INTERVAL)
        });
        let identity = ClientIdentity::from_auth_info(auth);
        let reused = previous.filter(|previous| previous.identity == identity);
        let authorizer = build_authorizer(&config)?;
        // kube looks for a client certificate in all sources, and would run a command again.
        config.auth_info.auth_provider = None;
        config.auth_info.token_file = None;
        let pool = match reused {
            Some(previous) => Arc::clone(&previous.pool),
            None => Pool::new(&config, pings)?,
        };
        Ok(Self {
            authorizer,
            pool,
            identity,
            due,
            expires,
        })
    }

    /// Returns the value of the header `Authorization`, if there is one. kube reads a token file
    /// and asks an auth provider here.
    pub(super) async fn authorization(&self) -> Result<Option<HeaderValue>, BoxError> {
        let Some(authorizer) = &self.authorizer else {
            return Ok(None);
        };
        let authorized = authorizer
            .clone()
            .oneshot(Request::new(Body::empty()))
            .await
            .map_err(remove_output)?;
        Ok(authorized.headers().get(AUTHORIZATION).cloned())
    }

    pub(super) fn pool(&self) -> &Arc<Pool> {
        &self.pool
    }
}

impl ClientIdentity {
    fn from_auth_info(auth: &AuthInfo) -> Self {
        let file = auth.client_certificate.as_ref();
        let data = auth.client_certificate_data.clone();
        // Data takes precedence. If the file cannot be read, kube returns the error.
        let file = file.filter(|_| data.is_none());
        Self {
            file: file.and_then(|path| fs::read(path).ok()),
            data,
        }
    }
}

/// Wraps kube's layer around a service that returns the header which the layer has added.
fn build_authorizer(config: &Config) -> Result<Option<Authorizer>> {
    let echo = service_fn(|request: Request<Body>| async move {
        let mut response = Response::new(Body::empty());
        *response.headers_mut() = request.into_parts().0.headers;
        Ok::<_, BoxError>(response)
    });
    let layer = config.auth_layer().map_err(|error| match error {
        Error::Auth(error) => Error::Auth(remove_secrets(error)),
        error => error,
    })?;
    Ok(layer.map(|layer| BoxCloneSyncService::new(layer.layer(echo))))
}

fn remove_output(error: BoxError) -> BoxError {
    match error.downcast::<AuthError>() {
        Ok(error) => remove_secrets(*error).into(),
        Err(error) => error,
    }
}

/// Removes the output of a command, which may contain a token, from an error of kube.
fn remove_secrets(error: AuthError) -> AuthError {
    match error {
        AuthError::AuthExecRun { cmd, mut out } => {
            out.stdout.clear();
            AuthError::AuthExecRun { cmd, out }
        }
        AuthError::AuthExecParse(_) | AuthError::ParseTokenKey(_) => {
            AuthError::AuthExec("the output of the command cannot be read".to_owned())
        }
        error => error,
    }
}

/// Returns the time at which credentials are renewed: [`EXPIRY_MARGIN`] before they expire, or
/// after half of their time if they are shorter-lived.
fn renewal_time(expires: SystemTime) -> SystemTime {
    let left = expires.duration_since(SystemTime::now());
    let margin = left.map_or(Duration::ZERO, |left| EXPIRY_MARGIN.min(left / 2));
    expires - margin
}

fn has_certificate_file(auth: &AuthInfo) -> bool {
    auth.client_certificate.is_some() && auth.client_certificate_data.is_none()
}
