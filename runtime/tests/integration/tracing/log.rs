//! [`Log`]: a subscriber that records spans and events as text.

use std::collections::BTreeMap;
use std::fmt::{self, Write};
use std::sync::{Arc, Mutex};

use tracing::field::{Field, Visit};
use tracing::span::{Attributes, Id, Record};
use tracing::subscriber::{DefaultGuard, Interest, NoSubscriber, set_default};
use tracing::{Dispatch, Event, Metadata, Subscriber};

/// Subscriber that records the spans and events of this crate at every level:
/// `LEVEL name field=value …`, with sorted fields.
#[derive(Clone, Default)]
pub(super) struct Log {
    pub(super) said: Arc<Mutex<Vec<String>>>,
    /// Whether spans and events of other crates are recorded as well.
    pub(super) of_all: bool,
}

/// Spans are not distinguished; their ids are sequence numbers.
impl Subscriber for Log {
    fn register_callsite(&self, _: &'static Metadata<'static>) -> Interest {
        Interest::sometimes()
    }

    fn enabled(&self, metadata: &Metadata<'_>) -> bool {
        self.of_all || metadata.target().starts_with("genclient")
    }

    fn new_span(&self, span: &Attributes<'_>) -> Id {
        let mut fields = Fields::default();
        span.record(&mut fields);
        let (level, name) = (span.metadata().level(), span.metadata().name());
        let mut said = self.said.lock().unwrap();
        said.push(format!("span {level} {name}{fields}"));
        Id::from_u64(said.len() as u64)
    }

    fn record(&self, _: &Id, values: &Record<'_>) {
        let mut fields = Fields::default();
        values.record(&mut fields);
        self.said.lock().unwrap().push(format!("record{fields}"));
    }

    fn event(&self, event: &Event<'_>) {
        let mut fields = Fields::default();
        event.record(&mut fields);
        let level = event.metadata().level();
        let message = fields.0.remove("message").unwrap_or_default();
        self.said
            .lock()
            .unwrap()
            .push(format!("{level} {message}{fields}"));
    }

    fn record_follows_from(&self, _: &Id, _: &Id) {}
    fn enter(&self, _: &Id) {}
    fn exit(&self, _: &Id) {}
}

impl Log {
    /// Installs the log for this thread until the guards are dropped.
    pub(super) fn listen(&self) -> (Dispatch, DefaultGuard) {
        // A second dispatcher: with a single one, threads without a dispatcher disable events for
        // all threads.
        let second = Dispatch::new(NoSubscriber::new());
        (second, set_default(self.clone()))
    }

    pub(super) fn take(&self) -> Vec<String> {
        std::mem::take(&mut self.said.lock().unwrap())
    }
}

/// Fields by name, without durations.
#[derive(Default)]
struct Fields(BTreeMap<&'static str, String>);

impl Visit for Fields {
    fn record_debug(&mut self, field: &Field, value: &dyn fmt::Debug) {
        if !matches!(field.name(), "elapsed" | "lasted") {
            self.0.insert(field.name(), format!("{value:?}"));
        }
    }

    fn record_str(&mut self, field: &Field, value: &str) {
        self.0.insert(field.name(), value.to_owned());
    }

    fn record_error(&mut self, field: &Field, error: &(dyn std::error::Error + 'static)) {
        let mut text = error.to_string();
        let mut cause = error.source();
        while let Some(error) = cause {
            write!(text, ": {error}").unwrap();
            cause = error.source();
        }
        self.0.insert(field.name(), text);
    }
}

impl fmt::Display for Fields {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let mut fields = self.0.iter();
        fields.try_for_each(|(name, value)| write!(f, " {name}={value}"))
    }
}
