//! Fault injection for requests: error responses, delays, broken connections, missing responses.

use std::fmt;
use std::io;
use std::sync::Arc;
use std::time::Duration;

use parking_lot::Mutex;

use crate::api_response::ApiResponse;
use crate::route::{RequestInfo, Verb};
use crate::status_error::StatusError;

/// Builder of a fault for the requests of a resource ([`ApiServer::fail`](crate::ApiServer::fail))
/// or for all requests ([`ApiServer::outage`](crate::ApiServer::outage)).
///
/// The last method of the chain names the effect, such as `conflict`, and adds the fault to the
/// server:
///
/// ```
/// use genclient_apiserver::{ApiServer, Verb};
///
/// let server = ApiServer::builder().build()?;
/// server.fail(Verb::Update, "gputasks").times(2).conflict();
/// server.fail(Verb::List, "pods").retry_after(1).status(429);
/// server.outage().refuse();
/// # Ok::<(), genclient_apiserver::BuildError>(())
/// ```
#[must_use = "a fault is added only by the method that names its effect, such as `status`"]
pub struct Fault<'a> {
    faults: &'a Faults,
    rule: FaultRule,
}

/// Faults that a test has injected into a server, oldest first.
#[derive(Default)]
pub(crate) struct Faults(Mutex<Vec<FaultRule>>);

struct FaultRule {
    /// Verb and `plural` or `plural/subresource` of the affected requests. `None`: every request.
    requests: Option<(Verb, String)>,
    /// Number of further requests that the fault applies to. `None`: no limit.
    times: Option<usize>,
    has_happened: bool,
    retry_after: Option<u64>,
    condition: Option<RequestCondition>,
    effect: Effect,
}

type RequestCondition = Arc<dyn Fn(&FaultyRequest<'_>) -> bool + Send + Sync>;

/// Request that the condition of a [`Fault`] tests.
#[derive(Clone, Copy, Debug)]
#[non_exhaustive]
pub struct FaultyRequest<'a> {
    /// Namespace in the path, or an empty string.
    pub namespace: &'a str,
    /// Name in the path, or an empty string.
    pub name: &'a str,
}

/// Effect of a fault on a request.
#[derive(Clone, Debug)]
enum Effect {
    Status(u16),
    Conflict,
    Text(u16, String),
    Delay(Duration),
    Hang,
    /// The connection is refused.
    Refuse,
    /// The connection breaks, and the request is not handled.
    Cut,
    /// The request is handled, and the connection breaks before the response is sent.
    Lose,
    /// The request is handled, and no response is sent.
    Stall,
}

/// The fault that applies to one request.
pub(crate) struct TakenFault {
    verb: Option<Verb>,
    effect: Effect,
    retry_after: Option<u64>,
}

impl Faults {
    pub(crate) fn add(&self, requests: Option<(Verb, String)>) -> Fault<'_> {
        Fault {
            faults: self,
            rule: FaultRule {
                requests,
                times: None,
                has_happened: false,
                retry_after: None,
                condition: None,
                effect: Effect::Hang,
            },
        }
    }

    pub(crate) fn clear(&self) {
        self.0.lock().clear();
    }

    /// Returns the pending faults as text, oldest first, for
    /// [`ApiServer::pending_faults`](crate::ApiServer::pending_faults).
    pub(crate) fn pending(&self) -> Vec<String> {
        let rules = self.0.lock();
        let pending = rules.iter().filter(|rule| rule.is_pending());
        pending.map(ToString::to_string).collect()
    }

    /// Returns the oldest fault that applies to a request, and counts the request. `verb` is `None`
    /// for a request for a document, such as discovery.
    pub(crate) fn take(&self, verb: Option<Verb>, target: &RequestInfo) -> Option<TakenFault> {
        let request = FaultyRequest {
            namespace: &target.namespace,
            name: &target.name,
        };
        let mut rules = self.0.lock();
        let at = rules
            .iter()
            .position(|rule| rule.applies_to(verb, target) && rule.meets_condition(&request))?;
        let rule = &mut rules[at];
        rule.has_happened = true;
        let taken = TakenFault {
            verb,
            effect: rule.effect.clone(),
            retry_after: rule.retry_after,
        };
        if let Some(times) = &mut rule.times {
            *times -= 1;
            if *times == 0 {
                rules.remove(at);
            }
        }
        Some(taken)
    }
}

impl FaultRule {
    fn applies_to(&self, verb: Option<Verb>, target: &RequestInfo) -> bool {
        let requests = self.requests.as_ref();
        requests.is_none_or(|(of, resource)| Some(*of) == verb && *resource == target.resource())
    }

    fn is_pending(&self) -> bool {
        self.times.is_some() || !self.has_happened
    }

    fn meets_condition(&self, request: &FaultyRequest<'_>) -> bool {
        let condition = self.condition.as_ref();
        condition.is_none_or(|condition| condition(request))
    }
}

impl TakenFault {
    /// Applies the part of the effect that precedes the handling of the request. If it returns a
    /// response or an error, the request is not handled.
    pub(crate) async fn before(&self, target: &RequestInfo) -> io::Result<Option<ApiResponse>> {
        match &self.effect {
            Effect::Status(_) | Effect::Conflict => {
                return Ok(Some(ApiResponse::from_error(&self.error_response(target))));
            }
            Effect::Text(code, text) => return Ok(Some(ApiResponse::plain(*code, text))),
            Effect::Delay(delay) => tokio::time::sleep(*delay).await,
            Effect::Hang => std::future::pending().await,
            Effect::Refuse => return Err(io::ErrorKind::ConnectionRefused.into()),
            Effect::Cut => return Err(broken_connection()),
            Effect::Lose | Effect::Stall => {}
        }
        Ok(None)
    }

    /// Applies the part of the effect that follows the handling of the request, before its response
    /// is sent.
    pub(crate) async fn after(&self) -> io::Result<()> {
        match &self.effect {
            Effect::Lose => Err(broken_connection()),
            Effect::Stall => std::future::pending().await,
            _ => Ok(()),
        }
    }

    /// Returns the error response for the effect. A request for objects gets the API server's own
    /// Status for 404, 409, 410 and 500. In all other cases, the Status is the one that client-go
    /// would derive from the code.
    fn error_response(&self, target: &RequestInfo) -> StatusError {
        let (group, plural, name) = (&target.group, &target.plural, &target.name);
        let mut error = match self.effect {
            Effect::Status(code) if plural.is_empty() => StatusError::from_code(code),
            Effect::Status(404) => StatusError::not_found(group, plural, name),
            Effect::Status(409) if self.verb == Some(Verb::Create) => {
                StatusError::already_exists(group, plural, name, false)
            }
            Effect::Status(410) => {
                StatusError::expired("The resourceVersion for the provided list is too old.")
            }
            Effect::Status(500) => StatusError::internal("a test injected this fault"),
            Effect::Status(code) if code != 409 => StatusError::from_code(code),
            _ => StatusError::modified(group, plural, name),
        };
        if self.retry_after.is_some() {
            error.details.get_or_insert_default().retry_after = self.retry_after;
        }
        error
    }
}

/// Formats a fault as `update gputasks: conflict, 2 more times`.
impl fmt::Display for FaultRule {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match &self.requests {
            Some((verb, resource)) => write!(f, "{} {resource}", verb.as_str())?,
            None => f.write_str("every request")?,
        }
        if self.condition.is_some() {
            f.write_str(" that meets a condition")?;
        }
        write!(f, ": {}, ", self.effect)?;
        match self.times {
            Some(1) => f.write_str("once more"),
            Some(times) => write!(f, "{times} more times"),
            None => f.write_str("not yet"),
        }
    }
}

/// Formats an effect as the method of [`Fault`] with its argument: `status 500`.
impl fmt::Display for Effect {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Status(code) => write!(f, "status {code}"),
            Self::Conflict => f.write_str("conflict"),
            Self::Text(code, _) => write!(f, "answer {code}"),
            Self::Delay(delay) => write!(f, "delay {delay:?}"),
            Self::Hang => f.write_str("hang"),
            Self::Refuse => f.write_str("refuse"),
            Self::Cut => f.write_str("cut"),
            Self::Lose => f.write_str("lose"),
            Self::Stall => f.write_str("stall"),
        }
    }
}

impl Fault<'_> {
    /// Ends the fault after this number of requests. By default, the fault lasts until
    /// [`ApiServer::heal`](crate::ApiServer::heal).
    ///
    /// Until this number is reached,
    /// [`ApiServer::pending_faults`](crate::ApiServer::pending_faults) lists the fault.
    pub fn times(mut self, times: usize) -> Self {
        self.rule.times = Some(times);
        self
    }

    /// Applies the fault only to requests for which `condition` is true.
    pub fn when(
        mut self,
        condition: impl Fn(&FaultyRequest<'_>) -> bool + Send + Sync + 'static,
    ) -> Self {
        self.rule.condition = Some(Arc::new(condition));
        self
    }

    /// Adds the header `Retry-After`, in seconds, to the response of `status` or `conflict`.
    pub fn retry_after(mut self, seconds: u64) -> Self {
        self.rule.retry_after = Some(seconds);
        self
    }

    /// Responds with this code. A request for objects gets the API server's own Status for 404,
    /// 409, 410 and 500. For 409, the reason is `AlreadyExists` if the request is a create,
    /// otherwise `Conflict`. In all other cases, the Status is the one that client-go would derive
    /// from the code (`NewGenericServerResponse`). For example, 422 has the reason `Invalid`.
    pub fn status(self, code: u16) {
        self.begin(Effect::Status(code));
    }

    /// Responds with this code and a plain text, as a proxy in front of the server does.
    pub fn answer(self, code: u16, text: impl Into<String>) {
        self.begin(Effect::Text(code, text.into()));
    }

    /// Responds with 409, as if another client had modified the object.
    pub fn conflict(self) {
        self.begin(Effect::Conflict);
    }

    /// Delays the request and then handles it.
    pub fn delay(self, delay: Duration) {
        self.begin(Effect::Delay(delay));
    }

    /// Never responds and does not handle the request.
    pub fn hang(self) {
        self.begin(Effect::Hang);
    }

    /// Refuses the connection, as when the server is down.
    pub fn refuse(self) {
        self.begin(Effect::Refuse);
    }

    /// Breaks the connection and does not handle the request.
    pub fn cut(self) {
        self.begin(Effect::Cut);
    }

    /// Handles the request, and breaks the connection before the response is sent.
    pub fn lose(self) {
        self.begin(Effect::Lose);
    }

    /// Handles the request and never responds.
    pub fn stall(self) {
        self.begin(Effect::Stall);
    }

    fn begin(mut self, effect: Effect) {
        self.rule.effect = effect;
        if self.rule.times != Some(0) {
            self.faults.0.lock().push(self.rule);
        }
    }
}

impl fmt::Debug for Fault<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Fault")
            .field("requests", &self.rule.requests)
            .finish_non_exhaustive()
    }
}

pub(crate) fn broken_connection() -> io::Error {
    io::Error::new(
        io::ErrorKind::ConnectionReset,
        "the connection was cut by a fault",
    )
}
