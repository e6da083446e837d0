//! Faults of requests: answers that fail, come late, or do not come.

use std::fmt;
use std::io;
use std::sync::Arc;
use std::time::Duration;

use parking_lot::Mutex;

use crate::answer::Answer;
use crate::failure::Failure;
use crate::route::{Target, Verb};

/// A fault of the requests for a resource, made by [`ApiServer::fail`](crate::ApiServer::fail), or
/// of all requests, made by [`ApiServer::outage`](crate::ApiServer::outage).
///
/// It begins with the call that says what happens:
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
#[must_use = "a fault begins with the call that says what happens, such as `status`"]
pub struct Fault<'a> {
    faults: &'a Faults,
    rule: FaultRule,
}

/// Faults of a server, oldest first.
#[derive(Default)]
pub(crate) struct Faults(Mutex<Vec<FaultRule>>);

struct FaultRule {
    /// A verb, and `plural` or `plural/subresource`; none is every request.
    requests: Option<(Verb, String)>,
    /// How often it happens; none is always.
    times: Option<usize>,
    retry_after: Option<u64>,
    condition: Option<RequestCondition>,
    effect: Effect,
}

type RequestCondition = Arc<dyn Fn(&FaultyRequest<'_>) -> bool + Send + Sync>;

/// The request that a condition of a [`Fault`] decides about.
#[derive(Clone, Copy, Debug)]
#[non_exhaustive]
pub struct FaultyRequest<'a> {
    /// Namespace of the path, or an empty text.
    pub namespace: &'a str,
    /// Name of the path, or an empty text.
    pub name: &'a str,
}

/// What happens to a request.
#[derive(Clone, Debug)]
enum Effect {
    Status(u16),
    Text(u16, String),
    Delay(Duration),
    Hang,
    /// There is no connection.
    Refuse,
    /// The connection breaks before the request is handled.
    Cut,
    /// The request is handled, and the connection breaks before its answer.
    Lose,
    /// The request is handled, and nothing is answered.
    Stall,
}

/// What happens to one request.
pub(crate) struct TakenFault {
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
                retry_after: None,
                condition: None,
                effect: Effect::Hang,
            },
        }
    }

    pub(crate) fn clear(&self) {
        self.0.lock().clear();
    }

    /// What happens to a request, if it is not just answered; one without a verb is for a document.
    pub(crate) fn take(&self, verb: Option<Verb>, target: &Target) -> Option<TakenFault> {
        let request = FaultyRequest {
            namespace: &target.namespace,
            name: &target.name,
        };
        let mut rules = self.0.lock();
        let at = rules
            .iter()
            .position(|rule| rule.is_about(verb, target) && rule.meets_condition(&request))?;
        let rule = &mut rules[at];
        let taken = TakenFault {
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
    fn is_about(&self, verb: Option<Verb>, target: &Target) -> bool {
        let requests = self.requests.as_ref();
        requests.is_none_or(|(of, resource)| Some(*of) == verb && *resource == target.resource())
    }

    fn meets_condition(&self, request: &FaultyRequest<'_>) -> bool {
        let condition = self.condition.as_ref();
        condition.is_none_or(|condition| condition(request))
    }
}

impl TakenFault {
    /// What happens before the request is handled: an answer in place of that, or nothing.
    pub(crate) async fn before(&self, target: &Target) -> io::Result<Option<Answer>> {
        match &self.effect {
            Effect::Status(code) => {
                let failure = failure(*code, target, self.retry_after);
                return Ok(Some(Answer::failure(&failure)));
            }
            Effect::Text(code, text) => return Ok(Some(Answer::plain(*code, text))),
            Effect::Delay(delay) => tokio::time::sleep(*delay).await,
            Effect::Hang => std::future::pending().await,
            Effect::Refuse => return Err(io::ErrorKind::ConnectionRefused.into()),
            Effect::Cut => return Err(broken()),
            Effect::Lose | Effect::Stall => {}
        }
        Ok(None)
    }

    /// What happens in place of the answer.
    pub(crate) async fn after(&self) -> io::Result<()> {
        match &self.effect {
            Effect::Lose => Err(broken()),
            Effect::Stall => std::future::pending().await,
            _ => Ok(()),
        }
    }
}

impl Fault<'_> {
    /// Ends after so many requests. Default: it goes on until
    /// [`ApiServer::heal`](crate::ApiServer::heal).
    pub fn times(mut self, times: usize) -> Self {
        self.rule.times = Some(times);
        self
    }

    /// Only requests for which this is true.
    pub fn when(
        mut self,
        condition: impl Fn(&FaultyRequest<'_>) -> bool + Send + Sync + 'static,
    ) -> Self {
        self.rule.condition = Some(Arc::new(condition));
        self
    }

    /// Sends `Retry-After` with the answer, in seconds.
    pub fn retry_after(mut self, seconds: u64) -> Self {
        self.rule.retry_after = Some(seconds);
        self
    }

    /// Answers with this code, and the reason that belongs to it.
    pub fn status(self, code: u16) {
        self.begin(Effect::Status(code));
    }

    /// Answers with this code and text, as a proxy in front of the server does.
    pub fn answer(self, code: u16, text: impl Into<String>) {
        self.begin(Effect::Text(code, text.into()));
    }

    /// Answers as if the object had been modified: 409.
    pub fn conflict(self) {
        self.status(409);
    }

    /// Handles the request after a delay.
    pub fn delay(self, delay: Duration) {
        self.begin(Effect::Delay(delay));
    }

    /// Never answers, and does not handle the request.
    pub fn hang(self) {
        self.begin(Effect::Hang);
    }

    /// Refuses the connection, as nothing listens: what a server that is down does.
    pub fn refuse(self) {
        self.begin(Effect::Refuse);
    }

    /// Breaks the connection, and does not handle the request.
    pub fn cut(self) {
        self.begin(Effect::Cut);
    }

    /// Handles the request, and breaks the connection before the answer.
    pub fn lose(self) {
        self.begin(Effect::Lose);
    }

    /// Handles the request, and never answers.
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

/// The answer of a fault.
fn failure(code: u16, target: &Target, retry_after: Option<u64>) -> Failure {
    let (group, plural, name) = (&target.group, &target.plural, &target.name);
    let mut failure = match code {
        404 => Failure::not_found(group, plural, name),
        409 => Failure::modified(group, plural, name),
        410 => Failure::expired("The resourceVersion for the provided list is too old."),
        500 => Failure::internal("a fault was asked for"),
        code => Failure::of_code(code),
    };
    if retry_after.is_some() {
        failure.details.get_or_insert_default().retry_after = retry_after;
    }
    failure
}

/// The error of a connection that breaks.
pub(crate) fn broken() -> io::Error {
    io::Error::new(
        io::ErrorKind::ConnectionReset,
        "the connection was cut by a fault",
    )
}
