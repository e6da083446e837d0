//! Measurements of a run: reconciled objects, latencies, CPU and memory.

use std::collections::HashSet;
use std::fs;
use std::mem;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::{SystemTime, UNIX_EPOCH};

use anyhow::Context;
use tokio::sync::Notify;

use crate::foo::Foo;

/// The version of a reconciled object, and the time of the reconcile in nanoseconds since 1970: the
/// contenders' programs have no other clock in common.
pub type Seen = (String, u128);

/// Recorded reconciles of a controller. The waiting task is woken once: waking it for each
/// reconcile would cost more than the reconciles.
#[derive(Clone, Default)]
pub struct Reconciles(Arc<ReconcilesInner>);

#[derive(Default)]
struct ReconcilesInner {
    noted: Mutex<Noted>,
    all: Notify,
}

#[derive(Default)]
struct Noted {
    versions: HashSet<String>,
    seen: Vec<Seen>,
    /// The number of reconciles to wait for.
    wanted: usize,
}

impl Reconciles {
    /// Records that the object was reconciled now. A version counts once.
    pub fn note(&self, object: &Foo) {
        let version = object.metadata.resource_version.clone().unwrap_or_default();
        let now = SystemTime::now()
            .duration_since(UNIX_EPOCH)
            .unwrap_or_default()
            .as_nanos();
        let mut noted = self.0.noted.lock().unwrap_or_else(PoisonError::into_inner);
        if noted.versions.insert(version.clone()) {
            noted.seen.push((version, now));
            if noted.seen.len() == noted.wanted {
                self.0.all.notify_one();
            }
        }
    }

    /// Waits for this number of versions that were not reconciled before.
    pub async fn next(&self, count: usize) -> Vec<Seen> {
        loop {
            {
                let mut noted = self.0.noted.lock().unwrap_or_else(PoisonError::into_inner);
                noted.wanted = count;
                if noted.seen.len() >= count {
                    return mem::take(&mut noted.seen);
                }
            }
            self.0.all.notified().await;
        }
    }
}

/// Returns the processor time of this process in seconds, in steps of 10 ms, and its peak memory in
/// MB.
pub fn cost() -> anyhow::Result<(f64, f64)> {
    let stat = fs::read_to_string("/proc/self/stat")?;
    let fields = stat.rsplit(") ").next().context("no fields")?;
    let ticks: f64 = fields
        .split(' ')
        .skip(11)
        .take(2)
        .map(str::parse::<f64>)
        .sum::<Result<_, _>>()?;
    let status = fs::read_to_string("/proc/self/status")?;
    let mut lines = status.lines();
    let peak = lines
        .find_map(|line| line.strip_prefix("VmHWM:"))
        .context("no peak")?
        .trim()
        .trim_end_matches(" kB");
    Ok((ticks / 100.0, peak.parse::<f64>()? / 1024.0))
}
