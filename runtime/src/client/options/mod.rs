//! [`ClientBuilder`]: settings of a connection that kube's [`Config`] lacks, such as the rate limit
//! and the timeout of client-go's `rest.Config`.

mod defaults;
mod metrics;
mod retries;
mod stack;
mod timeouts;
mod user_agent;
mod warnings;

use std::fmt;
use std::sync::Arc;
use std::time::Duration;

use bytes::Bytes;
use http::header::USER_AGENT;
use http::{HeaderValue, Request, Response};
use k8s_openapi::jiff::Timestamp;
use kube::api::ValidationDirective;
use kube::client::Body;
use kube::{Client, Config};
use tower::{BoxError, Service, ServiceExt};

use super::{Result, transport};
use crate::metrics::Provider;
use metrics::RequestMetrics;
use stack::{Stack, StackSettings, Throttle};
use warnings::Warnings;

pub(crate) use retries::MAX_RETRY_AFTER;
pub use retries::NotRetried;
pub(crate) use stack::RESPONSE_TIMEOUT;
pub use timeouts::RequestTimeoutError;
pub(crate) use timeouts::{RequestLimits, ResponseBody, ResponseDeadline, is_long_running};
use user_agent::field_manager_of;

pub use user_agent::default_kubernetes_user_agent;

/// `valid_until` of clients from a [`ClientBuilder`]. `kube::Client` has no extension slot; this
/// otherwise unused expiry marks clients of ours. The builder's clients never expire: they renew
/// their credentials.
const BUILDER_EXPIRY: Timestamp = Timestamp::MAX;

/// Whether a [`ClientBuilder`] has made `client`, so that its settings limit the time of requests.
pub(crate) fn is_from_builder(client: &Client) -> bool {
    *client.valid_until() == Some(BUILDER_EXPIRY)
}

/// Builder of a connection, made by [`builder`].
///
/// ```no_run
/// use std::time::Duration;
///
/// use genclient::client;
///
/// # fn example(config: genclient::kube::Config) -> client::Result<()> {
/// let client = client::builder(config)
///     .user_agent("gputask-controller/v1.2.0")
///     .rate_limit(20.0, 30)
///     .timeout(Duration::from_secs(30))
///     .field_manager("gputask-controller")
///     .connect()?;
/// # Ok(())
/// # }
/// ```
#[must_use]
pub struct ClientBuilder {
    config: Config,
    user_agent: Option<String>,
    user_agent_suffix: &'static str,
    settings: StackSettings,
}

/// Returns a builder of a connection to the API server of `config`. Without further settings, it
/// connects like [`connect`].
///
/// Generated clientsets are created from the connection:
/// `Clientset::from(client::builder(config).connect()?)`.
pub fn builder(config: Config) -> ClientBuilder {
    ClientBuilder {
        config,
        user_agent: None,
        user_agent_suffix: "",
        settings: StackSettings::default(),
    }
}

/// Connects to the API server of `config`. No request is sent yet. The call blocks while an exec
/// plugin of the kubeconfig runs.
///
/// Requests are retried by client-go's rules
/// ([`ClientBuilder::max_retries`](ClientBuilder::max_retries)), except those of informers, which
/// retry by their own rules. kube's retries (up to 15, up to 1000 s apart) are disabled. If
/// `config` has no `User-Agent`, the connection sets [one](default_kubernetes_user_agent) that
/// starts with the program's name, as in client-go. Warnings of the API server are logged, unless
/// [`on_warning`](ClientBuilder::on_warning) sets a callback. [`builder`] has more settings.
///
/// A request fails if the API server does not answer it within 65 s
/// ([`response_timeout`](ClientBuilder::response_timeout)).
///
/// Over TLS, connections use HTTP/2 if the server supports it. If nothing arrives for 30 s, a ping
/// is sent, and if it is not answered within 15 s, the connection is closed. As in client-go, the
/// environment variables `HTTP2_READ_IDLE_TIMEOUT_SECONDS` and `HTTP2_PING_TIMEOUT_SECONDS` change
/// these times, and zero for the first one disables pings. Without TLS, with the feature
/// `openssl-tls` alone, or if the server or a proxy does not support HTTP/2, HTTP/1.1 is used, and
/// informers open a new watch after 40 s of silence.
///
/// If the API server rejects the credentials (401), they are renewed at most once in five seconds:
/// an exec plugin is run again, token and certificate files are read again. Then the request is
/// sent again. An exec plugin is also run a minute before its credentials expire, and certificate
/// files are also read every five minutes.
///
/// # Errors
///
/// If the credentials cannot be read, the TLS or proxy settings of `config` cannot be used, or the
/// user agent is not a valid header.
///
/// # Panics
///
/// Outside of a Tokio runtime, which runs the connection.
pub fn connect(config: Config) -> Result<Client> {
    builder(config).connect()
}

impl ClientBuilder {
    /// Sets the user agent. Default: the header in the configuration, or else
    /// [`default_kubernetes_user_agent`].
    ///
    /// The part before the first `/` is the field manager of a write if neither the write nor
    /// [`field_manager`](Self::field_manager) sets one.
    pub fn user_agent(mut self, user_agent: impl Into<String>) -> Self {
        self.user_agent = Some(user_agent.into());
        self
    }

    /// Sets a suffix of the user agent, which identifies a part of the program: client-go's
    /// `AddUserAgent`.
    #[cfg(feature = "leader-election")]
    pub(crate) fn user_agent_suffix(mut self, suffix: &'static str) -> Self {
        self.user_agent_suffix = suffix;
        self
    }

    /// Limits the rate of requests, including watches, by a token bucket as in client-go: `burst`
    /// requests at once, and then `qps` each second. Further requests wait in order. Default: no
    /// limit, since API servers have API Priority and Fairness.
    ///
    /// A `qps` of zero or less means no limit. A `burst` of zero counts as 1.
    pub fn rate_limit(mut self, qps: f64, burst: u32) -> Self {
        self.settings.throttle = (qps > 0.0).then(|| Throttle::new(qps, burst.max(1)));
        self
    }

    /// Sets the maximum number of retries of a request, as in client-go. Default: 10. Zero disables
    /// retries.
    ///
    /// If a response is 429 or 5xx with a `Retry-After` of at most 5 minutes, the request is sent
    /// again after that time, provided that its body is in memory. If the connection is lost before
    /// the response, a `GET` is sent again after one second, unless it follows logs. A watch is
    /// also sent again if its connection times out. After the last retry, the response or error is
    /// returned unchanged. Protocol upgrades are not retried, nor are requests of informers, which
    /// have their own rules.
    pub fn max_retries(mut self, retries: u32) -> Self {
        self.settings.max_retries = retries;
        self
    }

    /// Sets the timeout of a request, from the first attempt to send it until the last byte of its
    /// response: that of client-go's `rest.Config`. Default: none, but see
    /// [`response_timeout`](Self::response_timeout).
    ///
    /// Long-running requests (watches, followed logs, protocol upgrades) have no timeout.
    pub fn timeout(mut self, timeout: Duration) -> Self {
        self.settings.timeout = Some(timeout);
        self
    }

    /// Sets how long each attempt to send a request waits for the beginning of its response, and
    /// then for every further part of it. `None`: without a limit, as in client-go. Default: 65 s,
    /// since the API server ends a request after 60 s (`--request-timeout`).
    ///
    /// A request fails with a [`RequestTimeoutError`] after this time. It is not sent again, since
    /// the API server may have executed it. The pauses before retries do not count. A large
    /// response may take longer, as long as it makes progress.
    ///
    /// Long-running requests (watches, followed logs, protocol upgrades) have no timeout.
    pub fn response_timeout(mut self, timeout: Option<Duration>) -> Self {
        self.settings.response_timeout = timeout;
        self
    }

    /// Sets the field manager of writes that set none. Default: none; the API server uses the
    /// [user agent](Self::user_agent).
    ///
    /// The API server rejects a server-side apply without a field manager. So
    /// [`TypedClient::apply`](super::TypedClient::apply) sends the user agent up to the first `/`
    /// if no field manager is set. A program that applies should set one, since otherwise the owner
    /// of a field depends on the name of the executable.
    pub fn field_manager(mut self, field_manager: impl Into<String>) -> Self {
        self.settings.defaults.field_manager = Some(field_manager.into());
        self
    }

    /// Sets how the API server handles unknown and duplicate fields, for writes that do not set
    /// this parameter. Default: not set; the API server warns.
    pub fn field_validation(mut self, field_validation: ValidationDirective) -> Self {
        self.settings.defaults.field_validation = Some(field_validation);
        self
    }

    /// Makes every write a dry run: the API server validates it and returns the object, but stores
    /// nothing.
    pub fn dry_run(mut self) -> Self {
        self.settings.defaults.dry_run = true;
        self
    }

    /// Sets a callback that gets every `Warning` of the API server. Default: warnings are logged by
    /// `tracing` at level `WARN`, each text once. After 1000 different texts, all of them are
    /// forgotten and can be logged again.
    ///
    /// The callback runs before the response is returned, and must not block. If it panics, the
    /// panic is logged.
    pub fn on_warning(mut self, on_warning: impl Fn(&str) + Send + Sync + 'static) -> Self {
        self.settings.warnings = Warnings::To(Box::new(on_warning));
        self
    }

    /// Enables the metrics `rest_client_*` of [`metrics`](crate::metrics). Default: no metrics.
    ///
    /// As in client-go, response bodies of long-running requests, such as watches, are not
    /// measured, and the duration of a request ends with the headers of its response.
    pub fn metrics(mut self, provider: Arc<dyn Provider>) -> Self {
        let host = self
            .config
            .cluster_url
            .authority()
            .map(ToString::to_string)
            .unwrap_or_default();
        self.settings.metrics = Some(RequestMetrics::new(provider, host));
        self
    }

    /// Connects. No request is sent yet. The call blocks while an exec plugin of the kubeconfig
    /// runs.
    ///
    /// # Errors
    ///
    /// If the credentials cannot be read, the TLS or proxy settings of the configuration cannot be
    /// used, or the user agent is not a valid header.
    ///
    /// # Panics
    ///
    /// Outside of a Tokio runtime, which runs the connection.
    pub fn connect(self) -> Result<Client> {
        let Resolved {
            mut config,
            user_agent,
            settings,
        } = self.resolve()?;
        config.headers.retain(|(name, _)| name != USER_AGENT);
        config.headers.push((USER_AGENT, user_agent));
        let namespace = config.default_namespace.clone();
        let service = Stack::new(transport::build_service(config)?, settings);
        Ok(Client::new(service, namespace).with_valid_until(Some(BUILDER_EXPIRY)))
    }

    /// Connects to a service instead of a network address, for example to an in-process API server
    /// in tests. Of the configuration, only the default namespace, the `User-Agent` and (in
    /// metrics) the host are used.
    ///
    /// # Errors
    ///
    /// If the user agent is not a valid header.
    ///
    /// # Panics
    ///
    /// Outside of a Tokio runtime, which runs the connection.
    pub fn connect_to<S, B>(self, service: S) -> Result<Client>
    where
        S: Service<Request<Body>, Response = Response<B>> + Send + 'static,
        S::Future: Send + 'static,
        S::Error: Into<BoxError>,
        B: http_body::Body<Data = Bytes> + Send + Unpin + 'static,
        B::Error: Into<BoxError>,
    {
        let Resolved {
            config,
            user_agent,
            settings,
        } = self.resolve()?;
        let service = service.map_request(move |mut request: Request<Body>| {
            let headers = request.headers_mut();
            headers.insert(USER_AGENT, user_agent.clone());
            request
        });
        let service = Stack::new(service, settings);
        Ok(Client::new(service, config.default_namespace).with_valid_until(Some(BUILDER_EXPIRY)))
    }

    /// Resolves the user agent: that of the builder, that of `config`, or the default one.
    fn resolve(self) -> Result<Resolved> {
        let Self {
            mut config,
            user_agent,
            user_agent_suffix,
            mut settings,
        } = self;
        config.default_retry = false;
        let configured = config
            .headers
            .iter()
            .rfind(|(name, _)| name == USER_AGENT)
            .map(|(_, agent)| String::from_utf8_lossy(agent.as_bytes()).into_owned());
        let user_agent = user_agent
            .or(configured)
            .unwrap_or_else(default_kubernetes_user_agent)
            + user_agent_suffix;
        settings.defaults.applier = field_manager_of(&user_agent);
        Ok(Resolved {
            config,
            user_agent: HeaderValue::from_str(&user_agent)
                .map_err(|error| kube::Error::HttpError(error.into()))?,
            settings: Arc::new(settings),
        })
    }
}

/// Settings of a connection, with their defaults.
struct Resolved {
    /// kube's own retries are disabled.
    config: Config,
    user_agent: HeaderValue,
    /// They have the field manager that an apply gets by default.
    settings: Arc<StackSettings>,
}

impl fmt::Debug for ClientBuilder {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter
            .debug_struct("ClientBuilder")
            .field("cluster_url", &self.config.cluster_url)
            .field("user_agent", &self.user_agent)
            .finish_non_exhaustive()
    }
}

#[cfg(test)]
mod tests;
