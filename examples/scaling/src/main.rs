//! Program that prints all Scalings every few seconds, from the cache of an informer.

use std::io::{self, IsTerminal as _, Write};
use std::path::PathBuf;
use std::time::Duration;

use clap::Parser;
use genclient::cache::ObjectName;
use genclient::lister::Selector;
use genclient::{config, prelude, rbac, signals};
use scaling::client::clientset::Clientset;
use scaling::client::informers::SharedInformerFactory;
use scaling::client::listers::control::v1::ScalingLister;
use tokio::time::interval;
use tracing_subscriber::EnvFilter;

/// Prints the Scalings of all namespaces periodically
#[derive(Debug, Parser)]
struct Flags {
    /// Path to a kubeconfig; defaults to the Pod's service account, $KUBECONFIG or ~/.kube/config
    #[arg(long, value_name = "FILE")]
    kubeconfig: Option<PathBuf>,

    /// Address of the API server; overrides that of the kubeconfig
    #[arg(long, value_name = "URL")]
    master: Option<String>,

    /// Interval between two prints, such as 5s
    #[arg(long, value_name = "DURATION", default_value = "5s", value_parser = period)]
    interval: Duration,

    /// Log the work of informers; -vv logs the details of all libraries; RUST_LOG takes precedence
    #[arg(short, long, action = clap::ArgAction::Count)]
    verbose: u8,
}

#[rbac(resource = scaling::apis::control::v1::Scaling, verbs = ["list", "watch"])]
#[tokio::main]
async fn main() -> anyhow::Result<()> {
    let flags = Flags::parse();
    log(flags.verbose);
    let stop = signals::shutdown()?;

    let config = config::from_flags(flags.master.as_deref(), flags.kubeconfig.as_deref()).await?;
    let factory = SharedInformerFactory::builder(Clientset::new(config)?).build();
    let lister = factory.control().v1().scalings().lister();

    factory.start();
    if let Some(synced) = stop
        .run_until_cancelled(factory.wait_for_cache_sync())
        .await
    {
        synced?;
        let mut ticks = interval(flags.interval);
        while stop.run_until_cancelled(ticks.tick()).await.is_some() {
            print(&lister, &mut io::stdout().lock())?;
        }
    }
    factory.shutdown().await;
    Ok(())
}

/// Initializes logging to standard error, filtered by `RUST_LOG`, or else by `-v` and `-vv`.
fn log(verbose: u8) {
    let filter = match verbose {
        0 => "info,kube_client=off",
        1 => "info,genclient=debug,kube_client=off",
        _ => "debug",
    };
    tracing_subscriber::fmt()
        .with_env_filter(EnvFilter::try_from_default_env().unwrap_or_else(|_| filter.into()))
        .with_writer(io::stderr)
        .with_ansi(io::stderr().is_terminal())
        .init();
}

/// Prints the number of Scalings, and one line for each, sorted by name.
fn print(lister: &ScalingLister, output: &mut impl Write) -> io::Result<()> {
    let mut scalings = lister.list(&Selector::default());
    scalings.sort_by_cached_key(|scaling| ObjectName::from_object(&**scaling));
    writeln!(output, "{} Scalings", scalings.len())?;
    for scaling in scalings {
        let (name, spec) = (ObjectName::from_object(&*scaling), &scaling.spec);
        writeln!(
            output,
            "{name}: {} has {} to {} replicas, {} more above {}% {}, {} fewer below {}%",
            spec.target_deployment,
            spec.min_replicas,
            spec.max_replicas,
            spec.step,
            spec.scale_up,
            spec.metric_type,
            spec.step,
            spec.scale_down,
        )?;
    }
    output.flush()
}

/// Parses a duration in Go's format: `1h30m`, `10s`.
fn period(text: &str) -> Result<Duration, String> {
    let duration: prelude::Duration = text.parse().map_err(|error| format!("{error}"))?;
    if duration.is_negative() || duration == Duration::ZERO {
        return Err("it must be more than zero".to_owned());
    }
    Ok(duration.into())
}

#[cfg(test)]
mod tests {
    use scaling::apis::control::v1::{Scaling, ScalingSpec};

    use super::*;

    fn scaling(namespace: &str, name: &str) -> Scaling {
        Scaling {
            metadata: prelude::ObjectMeta {
                namespace: Some(namespace.to_owned()),
                name: Some(name.to_owned()),
                ..prelude::ObjectMeta::default()
            },
            spec: ScalingSpec {
                target_deployment: "web".to_owned(),
                min_replicas: 1,
                max_replicas: 5,
                metric_type: "cpu".to_owned(),
                step: 2,
                scale_up: 80,
                scale_down: 30,
            },
        }
    }

    #[test]
    fn scalings_are_printed_in_order() {
        let lister = ScalingLister::from_iter([scaling("b", "web"), scaling("a", "web")]);
        let mut output = Vec::new();
        print(&lister, &mut output).unwrap();
        let line = "web has 1 to 5 replicas, 2 more above 80% cpu, 2 fewer below 30%";
        assert_eq!(
            String::from_utf8(output).unwrap(),
            format!("2 Scalings\na/web: {line}\nb/web: {line}\n")
        );
    }

    #[test]
    fn period_must_be_positive() {
        assert_eq!(period("1m"), Ok(Duration::from_secs(60)));
        for wrong in ["0", "-5s", "5"] {
            assert!(period(wrong).is_err(), "{wrong}");
        }
    }
}
