//! Process of an observer: executes its commands.

use std::collections::VecDeque;
use std::error::Error;
use std::io::Write as _;
use std::process::ExitCode;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Instant;

use genclient::informer::{SharedInformer, SharedInformerFactory};
use genclient::{client, config};
use k8s_openapi::api::core::v1::ConfigMap;
use kube::Config;

use super::{FIRST_STATE, Figures, FirstState, KUBECONFIG, NAMESPACE, ObserverCommand, State};
use crate::informer::gate::Gate;
use crate::informer::story::Story;
use crate::informer::versions;

/// Number of recorded failures.
const REMEMBERED: usize = 10;

/// Runs the observer that this process was started as, if any.
pub(crate) fn observer() -> Option<ExitCode> {
    let namespace = std::env::var(NAMESPACE).ok()?;
    Some(match observe(&namespace) {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("observer of {namespace}: {error}");
            ExitCode::FAILURE
        }
    })
}

fn observe(namespace: &str) -> Result<(), Box<dyn Error>> {
    let runtime = tokio::runtime::Runtime::new()?;
    let kubeconfig = std::env::var(KUBECONFIG)?;
    let config = runtime.block_on(config::from_flags(None, Some(kubeconfig.as_ref())))?;
    let _context = runtime.enter();
    let first_state = serde_json::from_str(&std::env::var(FIRST_STATE)?)?;
    let observing = Observing::start(config, namespace, first_state)?;
    // Ends with the input, which ends with the test.
    for line in std::io::stdin().lines() {
        let answer = observing.answer(serde_json::from_str(&line?)?)?;
        let mut output = std::io::stdout();
        writeln!(output, "{answer}")?;
        output.flush()?;
    }
    Ok(())
}

struct Observing {
    gate: Gate,
    informer: SharedInformer<ConfigMap>,
    story: Story,
    failures: Failures,
    _factory: SharedInformerFactory,
}

impl Observing {
    fn start(
        config: Config,
        namespace: &str,
        first_state: FirstState,
    ) -> Result<Self, Box<dyn Error>> {
        let gate = Gate::default();
        let factory = SharedInformerFactory::builder(gate.client(client::connect(config)?));
        let factory = match first_state {
            FirstState::Streamed => factory.watch_list(true),
            FirstState::Listed => factory.watch_list(false),
            FirstState::InPages(objects) => factory.watch_list(false).page_size(objects),
        };
        let factory: SharedInformerFactory = factory.namespace(namespace).build();
        let informer = factory.informer_for::<ConfigMap>();
        let (story, failures) = (Story::default(), Failures::default());
        informer.add_handler(story.clone())?.detach();
        let failing = failures.clone();
        informer.set_watch_error_handler(move |error| failing.push(error))?;
        factory.start();
        Ok(Self {
            gate,
            informer,
            story,
            failures,
            _factory: factory,
        })
    }

    fn answer(&self, said: ObserverCommand) -> serde_json::Result<String> {
        match said {
            ObserverCommand::Figures => serde_json::to_string(&self.figures()),
            ObserverCommand::State => serde_json::to_string(&self.state()),
            ObserverCommand::Cut(pause) => {
                self.gate.close();
                std::thread::sleep(pause);
                self.gate.open();
                Ok(String::new())
            }
        }
    }

    fn figures(&self) -> Figures {
        Figures {
            resident: e2e::memory_without_program("self", "VmRSS"),
            peak: e2e::memory_without_program("self", "VmHWM"),
            objects: self.informer.indexer().len(),
            events: self.story.events(),
        }
    }

    fn state(&self) -> State {
        let objects = self.informer.indexer().list();
        let passed = self.gate.passed().into_iter();
        State {
            cached: versions(objects.iter().map(|map| &**map)),
            told: self.story.present(),
            wrong: self.story.wrong(),
            failures: self.failures.last(),
            queries: passed.map(|it| it.query).collect(),
        }
    }
}

/// The last failures, each with its time. Clones share them.
#[derive(Clone, Default)]
struct Failures(Arc<Mutex<VecDeque<(Instant, String)>>>);

impl Failures {
    fn push(&self, error: &dyn Error) {
        let mut text = error.to_string();
        let mut cause = error.source();
        while let Some(error) = cause {
            text = format!("{text}: {error}");
            cause = error.source();
        }
        let mut failures = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        failures.push_back((Instant::now(), text));
        if failures.len() > REMEMBERED {
            failures.pop_front();
        }
    }

    fn last(&self) -> VecDeque<String> {
        let failures = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        failures
            .iter()
            .map(|(at, text)| format!("{:.1} s ago: {text}", at.elapsed().as_secs_f32()))
            .collect()
    }
}
