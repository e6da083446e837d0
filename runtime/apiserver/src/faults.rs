//! Faults of requests: answers that fail, come late, or do not come.

use std::fmt;
use std::io;
use std::sync::Arc;
use std::time::Duration;

use parking_lot::Mutex;

use crate::failure::Failure;
use crate::route::{Target, Verb};

/// A fault of the requests for a resource, made by [`ApiServer::fail`](crate::ApiServer::fail).
///
/// It begins with the call that says what happens:
///
/// ```
/// use genclient_apiserver::{ApiServer, Verb};
///
/// let server = ApiServer::builder().build()?;
/// server.fail(Verb::Update, "gputasks").times(2).conflict();
/// server.fail(Verb::List, "pods").retry_after(1).status(429);
/// # Ok::<(), genclient_apiserver::BuildError>(())
/// ```
#[must_use = "a fault begins with the call that says what happens, such as `status`"]
pub struct Fault<'a> {
    faults: &'a Faults,
    rule: Rule,
}

/// Faults of a server, oldest first.
#[derive(Default)]
pub(crate) struct Faults(Mutex<Vec<Rule>>);

struct Rule {
    verb: Verb,
    /// `plural` or `plural/subresource`.
    resource: String,
    /// How often it happens; none is always.
    times: Option<usize>,
    retry_after: Option<u64>,
    condition: Option<Condition>,
    effect: Effect,
}

type Condition = Arc<dyn Fn(&FaultyRequest<'_>) -> bool + Send + Sync>;

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
pub(crate) enum Effect {
    Answer(u16),
    Delay(Duration),
    Hang,
    /// The connection breaks before the request is handled.
    Cut,
    /// The request is handled, and the connection breaks before its answer.
    Lose,
}

impl Faults {
    pub(crate) fn add(&self, verb: Verb, resource: &str) -> Fault<'_> {
        Fault {
            faults: self,
            rule: Rule {
                verb,
                resource: resource.to_owned(),
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

    /// What happens to a request, if it is not just answered.
    pub(crate) fn take(&self, verb: Verb, target: &Target) -> Option<(Effect, Option<u64>)> {
        let resource = target.resource();
        let request = FaultyRequest {
            namespace: &target.namespace,
            name: &target.name,
        };
        let mut rules = self.0.lock();
        let at = rules.iter().position(|rule| {
            rule.verb == verb
                && rule.resource == resource
                && rule
                    .condition
                    .as_ref()
                    .is_none_or(|condition| condition(&request))
        })?;
        let rule = &mut rules[at];
        let taken = (rule.effect.clone(), rule.retry_after);
        if let Some(times) = &mut rule.times {
            *times -= 1;
            if *times == 0 {
                rules.remove(at);
            }
        }
        Some(taken)
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
        self.begin(Effect::Answer(code));
    }

    /// Answers as if the object had been modified: 409.
    pub fn conflict(self) {
        self.status(409);
    }

    /// Handles the request after a delay.
    pub fn delay(self, delay: Duration) {
        self.begin(Effect::Delay(delay));
    }

    /// Never answers.
    pub fn hang(self) {
        self.begin(Effect::Hang);
    }

    /// Breaks the connection, and does not handle the request.
    pub fn cut(self) {
        self.begin(Effect::Cut);
    }

    /// Handles the request, and breaks the connection before the answer.
    pub fn lose(self) {
        self.begin(Effect::Lose);
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
            .field("verb", &self.rule.verb)
            .field("resource", &self.rule.resource)
            .finish_non_exhaustive()
    }
}

/// The answer of a fault.
pub(crate) fn failure(code: u16, target: &Target, retry_after: Option<u64>) -> Failure {
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
