//! What a connection measures of itself.

use std::collections::HashMap;
use std::hash::Hash;
use std::sync::Arc;
use std::time::Duration;

use http::{Method, StatusCode};
use parking_lot::Mutex;

use crate::metrics::{
    Counter, Histogram, Provider, REST_CLIENT_RATE_LIMITER_DURATION, REST_CLIENT_REQUEST_DURATION,
    REST_CLIENT_REQUEST_RETRIES, REST_CLIENT_REQUEST_SIZE, REST_CLIENT_REQUESTS,
    REST_CLIENT_RESPONSE_SIZE,
};

/// The code of a request that was not answered: client-go's.
const NO_ANSWER: &str = "<error>";

/// Measures the requests to one API server.
pub(super) struct RequestMeter {
    provider: Arc<dyn Provider>,
    host: String,
    /// Instruments are made when they are needed first.
    verbs: Mutex<HashMap<Method, Arc<Verb>>>,
    answers: Mutex<HashMap<Answer, Arc<Answers>>>,
}

/// What counts the answers to one method with one code.
struct Answers {
    all: Arc<dyn Counter>,
    retries: Arc<dyn Counter>,
}

/// A method, and the code of an answer to it, if there was one.
type Answer = (Method, Option<StatusCode>);

/// The instruments of one method.
pub(super) struct Verb {
    /// From when a request is sent for the first time until the head of its last answer is there.
    pub(super) duration: Arc<dyn Histogram>,
    throttled: Arc<dyn Histogram>,
    request_size: Arc<dyn Histogram>,
    pub(super) response_size: Arc<dyn Histogram>,
}

impl RequestMeter {
    pub(super) fn new(provider: Arc<dyn Provider>, host: String) -> Self {
        Self {
            provider,
            host,
            verbs: Mutex::default(),
            answers: Mutex::default(),
        }
    }

    /// A request of so many bytes is sent, after it has waited for the rate limit, if there is one.
    pub(super) fn sent(
        &self,
        method: &Method,
        bytes: Option<u64>,
        throttled: Option<Duration>,
    ) -> Arc<Verb> {
        let verb = self.verb(method);
        if let Some(bytes) = bytes {
            verb.request_size.observe(bytes as f64);
        }
        if let Some(throttled) = throttled {
            verb.throttled.observe(throttled.as_secs_f64());
        }
        verb
    }

    /// The head of an answer is there, or there will be none.
    pub(super) fn answered(&self, method: &Method, code: Option<StatusCode>, is_retry: bool) {
        let answers = get_or_make(&self.answers, (method.clone(), code), || {
            let code = code.as_ref().map_or(NO_ANSWER, StatusCode::as_str);
            let labels = [code, method.as_str(), &self.host];
            Answers {
                all: self.provider.counter(&REST_CLIENT_REQUESTS, &labels),
                retries: self.provider.counter(&REST_CLIENT_REQUEST_RETRIES, &labels),
            }
        });
        answers.all.inc();
        if is_retry {
            answers.retries.inc();
        }
    }

    fn verb(&self, method: &Method) -> Arc<Verb> {
        get_or_make(&self.verbs, method.clone(), || {
            let labels = [method.as_str(), &self.host];
            let histogram = |metric| self.provider.histogram(metric, &labels);
            Verb {
                duration: histogram(&REST_CLIENT_REQUEST_DURATION),
                throttled: histogram(&REST_CLIENT_RATE_LIMITER_DURATION),
                request_size: histogram(&REST_CLIENT_REQUEST_SIZE),
                response_size: histogram(&REST_CLIENT_RESPONSE_SIZE),
            }
        })
    }
}

/// The value of a key. It is made without the lock, and once more if another request needs it then.
fn get_or_make<K: Eq + Hash, V>(
    made: &Mutex<HashMap<K, Arc<V>>>,
    key: K,
    make: impl FnOnce() -> V,
) -> Arc<V> {
    let known = made.lock().get(&key).map(Arc::clone);
    known.unwrap_or_else(|| {
        let new = Arc::new(make());
        Arc::clone(made.lock().entry(key).or_insert(new))
    })
}
