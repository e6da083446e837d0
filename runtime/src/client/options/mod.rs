//! How a connection sends: client-go's `rest.Config`, as far as kube's [`Config`] has no such settings.

mod answer;
mod defaults;
mod measure;
mod retries;
mod stack;
mod throttle;
mod user_agent;
mod warnings;

use std::fmt;
use std::sync::Arc;
use std::time::Duration;

use bytes::Bytes;
use http::header::USER_AGENT;
use http::{HeaderValue, Request, Response};
use kube::api::ValidationDirective;
use kube::client::Body;
use kube::{Client, Config};
use tower::layer::layer_fn;
use tower::{BoxError, Service, ServiceExt};

use super::Result;
use crate::metrics::Provider;
use measure::RequestMeter;
use stack::{Stack, StackSettings};
use throttle::Throttle;
use warnings::Warnings;

pub(crate) use answer::Moment;
pub use answer::RequestTimeoutError;
pub(crate) use retries::{LONGEST_WISH, NotRetried};
use user_agent::field_manager_of;

pub use user_agent::default_kubernetes_user_agent;

/// Settings of a connection, made by [`builder`].
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

/// Settings for a connection to the API server that `config` names; without any, those of
/// [`connect`].
///
/// A generated clientset is made from what comes out: `Clientset::from(client::builder(config).connect()?)`.
pub fn builder(config: Config) -> ClientBuilder {
    ClientBuilder {
        config,
        user_agent: None,
        user_agent_suffix: "",
        settings: StackSettings::default(),
    }
}

/// Connects to the API server that `config` names. Nothing is sent yet.
///
/// Requests are sent again by client-go's rules
/// ([`ClientBuilder::max_retries`](ClientBuilder::max_retries)), those of informers by their
/// own. kube's retries (up to 15, up to 1000 s apart) are turned off. A `User-Agent` is sent, the
/// program's name first as client-go does, unless `config` has one. What the API server warns of is
/// logged, each text once. [`builder`] has more settings.
///
/// # Errors
///
/// If the TLS or proxy settings of `config` cannot be used.
///
/// # Panics
///
/// Outside of a Tokio runtime, which the connection belongs to.
pub fn connect(config: Config) -> Result<Client> {
    builder(config).connect()
}

impl ClientBuilder {
    /// What the program calls itself. Default: [`default_kubernetes_user_agent`], unless the configuration has a header.
    ///
    /// What stands before the first `/` is what the API server takes for the manager of fields that are written without one.
    pub fn user_agent(mut self, user_agent: impl Into<String>) -> Self {
        self.user_agent = Some(user_agent.into());
        self
    }

    /// What follows the user agent, for a part of the program that the API server may tell
    /// apart: client-go's `AddUserAgent`.
    #[cfg(feature = "leader-election")]
    pub(crate) fn user_agent_suffix(mut self, suffix: &'static str) -> Self {
        self.user_agent_suffix = suffix;
        self
    }

    /// Sends `burst` requests at once and then `qps` each second, watches among them; those that come faster wait in line.
    /// client-go's token bucket. Default: no limit, as API servers share themselves out (API Priority and Fairness).
    ///
    /// A `qps` of zero or less is no limit.
    pub fn rate_limit(mut self, qps: f64, burst: u32) -> Self {
        self.settings.throttle = (qps > 0.0).then(|| Throttle::new(qps, burst.max(1)));
        self
    }

    /// How often a request is sent again at most, as client-go does. Default: 10. Zero is never.
    ///
    /// After 429 or 5xx with a `Retry-After` of at most 5 minutes, any request whose body is in
    /// memory is sent again when that time is over. After a connection that was lost before the
    /// answer, requests that only read (`GET`) are sent again one second later. The last answer is
    /// returned as it is. Requests of informers are not sent again here: they follow rules of their
    /// own.
    pub fn max_retries(mut self, retries: u32) -> Self {
        self.settings.max_retries = retries;
        self
    }

    /// How long an answer may take, from when its request is sent for the first time until its last
    /// byte is here. Default: as long as it takes.
    ///
    /// It does not hold for watches, logs that are followed and what turns into another protocol, which take as long as they do.
    pub fn timeout(mut self, timeout: Duration) -> Self {
        self.settings.timeout = Some(timeout);
        self
    }

    /// Who writes, for writes whose parameters do not say. Default: nobody; the API server takes the
    /// [user agent](Self::user_agent).
    ///
    /// A server-side apply has to name somebody, so [`TypedClient::apply`](super::TypedClient::apply) names what the user agent
    /// begins with if neither its parameters nor this does. As who owns a field should not depend on what a program happens to be
    /// called, one that applies does well to have a name here.
    pub fn field_manager(mut self, field_manager: impl Into<String>) -> Self {
        self.settings.defaults.field_manager = Some(field_manager.into());
        self
    }

    /// What the API server does about fields that it does not know, for writes whose parameters do not say. Default: nothing is
    /// sent, and the server warns.
    pub fn field_validation(mut self, field_validation: ValidationDirective) -> Self {
        self.settings.defaults.field_validation = Some(field_validation);
        self
    }

    /// Lets the API server check every write and store none: what is returned is what would have been.
    pub fn dry_run(mut self) -> Self {
        self.settings.defaults.dry_run = true;
        self
    }

    /// Is told of every `Warning` of the API server. Default: each text is logged once, by `tracing` at level `WARN`.
    ///
    /// It is called before the answer is passed on, and must not block. What it panics with is logged.
    pub fn on_warning(mut self, on_warning: impl Fn(&str) + Send + Sync + 'static) -> Self {
        self.settings.warnings = Warnings::To(Box::new(on_warning));
        self
    }

    /// Measures requests: the metrics `rest_client_*` of [`metrics`](crate::metrics). Default: nothing is measured.
    ///
    /// Bodies of watches are not measured, as in client-go; how long a request took is how long the head of its answer did.
    pub fn metrics(mut self, provider: Arc<dyn Provider>) -> Self {
        let host = self.config.cluster_url.authority();
        let host = host.map(ToString::to_string).unwrap_or_default();
        self.settings.meter = Some(RequestMeter::new(provider, host));
        self
    }

    /// Connects. Nothing is sent yet.
    ///
    /// # Errors
    ///
    /// If the TLS or proxy settings of the configuration cannot be used, or the user agent cannot be sent.
    ///
    /// # Panics
    ///
    /// Outside of a Tokio runtime, which the connection belongs to.
    pub fn connect(self) -> Result<Client> {
        let (mut config, agent, settings) = self.resolved()?;
        config.headers.retain(|(name, _)| name != USER_AGENT);
        config.headers.push((USER_AGENT, agent));
        let stack = layer_fn(|service| Stack::new(service, Arc::clone(&settings)));
        let client = kube::client::ClientBuilder::try_from(config)?;
        Ok(client.with_layer(&stack).build())
    }

    /// Connects to a service in place of the API server that the configuration names, of which only
    /// the default namespace is read: an API server in the process, for tests.
    ///
    /// # Errors
    ///
    /// If the user agent cannot be sent.
    ///
    /// # Panics
    ///
    /// Outside of a Tokio runtime, which the connection belongs to.
    pub fn connect_to<S, B>(self, service: S) -> Result<Client>
    where
        S: Service<Request<Body>, Response = Response<B>> + Send + 'static,
        S::Future: Send + 'static,
        S::Error: Into<BoxError>,
        B: http_body::Body<Data = Bytes> + Send + Unpin + 'static,
        B::Error: Into<BoxError>,
    {
        let (config, agent, settings) = self.resolved()?;
        let service = service.map_request(move |mut request: Request<Body>| {
            request.headers_mut().insert(USER_AGENT, agent.clone());
            request
        });
        let service = Stack::new(service, settings);
        Ok(Client::new(service, config.default_namespace))
    }

    /// The configuration, the user agent and the settings that go with them.
    fn resolved(self) -> Result<(Config, HeaderValue, Arc<StackSettings>)> {
        let Self {
            mut config,
            user_agent,
            user_agent_suffix,
            mut settings,
        } = self;
        config.default_retry = false;
        let stated = config.headers.iter().rfind(|(name, _)| name == USER_AGENT);
        let stated =
            stated.map(|(_, agent)| String::from_utf8_lossy(agent.as_bytes()).into_owned());
        let agent = user_agent.or(stated);
        let agent = agent.unwrap_or_else(default_kubernetes_user_agent) + user_agent_suffix;
        settings.defaults.applier = field_manager_of(&agent);
        let agent = HeaderValue::from_str(&agent);
        let agent = agent.map_err(|error| kube::Error::HttpError(error.into()))?;
        Ok((config, agent, Arc::new(settings)))
    }
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
