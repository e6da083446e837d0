//! What was reconciled, and what that has cost.

use std::collections::HashSet;
use std::fs;
use std::time::{SystemTime, UNIX_EPOCH};

use anyhow::Context;
use tokio::sync::mpsc::{UnboundedReceiver, UnboundedSender, unbounded_channel};

use crate::foo::Foo;

/// The version of an object that was reconciled, and when in nanoseconds since 1970: the
/// contenders' programs have no other clock in common.
pub type Seen = (String, u128);

/// The end of [`Reconciles`] at which reconcilers are.
#[derive(Clone)]
pub struct Report(UnboundedSender<Seen>);

/// The reconciles of a controller that runs.
pub struct Reconciles {
    seen: UnboundedReceiver<Seen>,
    versions: HashSet<String>,
}

pub fn channel() -> (Report, Reconciles) {
    let (sender, seen) = unbounded_channel();
    let versions = HashSet::new();
    (Report(sender), Reconciles { seen, versions })
}

impl Report {
    /// The object was reconciled just now.
    pub fn send(&self, object: &Foo) {
        let version = object.metadata.resource_version.clone();
        let now = SystemTime::now().duration_since(UNIX_EPOCH);
        let now = now.unwrap_or_default().as_nanos();
        // Nobody listens any more at the end.
        let _ = self.0.send((version.unwrap_or_default(), now));
    }
}

impl Reconciles {
    /// Waits for so many versions that were not reconciled before.
    pub async fn next(&mut self, count: usize) -> anyhow::Result<Vec<Seen>> {
        let mut noted = Vec::with_capacity(count);
        while noted.len() < count {
            let seen = self.seen.recv().await.context("the controller ended")?;
            if self.versions.insert(seen.0.clone()) {
                noted.push(seen);
            }
        }
        Ok(noted)
    }
}

/// Processor time of this process in seconds, in steps of 10 ms, and peak memory in MB.
pub fn cost() -> anyhow::Result<(f64, f64)> {
    let stat = fs::read_to_string("/proc/self/stat")?;
    let fields = stat.rsplit(") ").next().context("no fields")?;
    let ticks = fields.split(' ').skip(11).take(2).map(str::parse::<f64>);
    let ticks: f64 = ticks.sum::<Result<_, _>>()?;
    let status = fs::read_to_string("/proc/self/status")?;
    let mut lines = status.lines();
    let peak = lines.find_map(|line| line.strip_prefix("VmHWM:"));
    let peak = peak.context("no peak")?.trim().trim_end_matches(" kB");
    Ok((ticks / 100.0, peak.parse::<f64>()? / 1024.0))
}
