//! Processor time and peak memory of this process.

use std::fs;

use anyhow::Context;
use serde_json::{Value, json};

/// Returns the processor time in seconds, in steps of 10 ms, and the peak memory in MB.
pub fn cost() -> anyhow::Result<(f64, f64)> {
    let stat = fs::read_to_string("/proc/self/stat")?;
    let fields = stat.rsplit(") ").next().context("no fields")?;
    let ticks: Vec<f64> = fields
        .split(' ')
        .skip(11)
        .take(2)
        .map(str::parse)
        .collect::<Result<_, _>>()?;
    let status = fs::read_to_string("/proc/self/status")?;
    let peak = status
        .lines()
        .find_map(|line| line.strip_prefix("VmHWM:"))
        .context("no peak")?;
    let kilobytes: f64 = peak.trim().trim_end_matches(" kB").parse()?;
    Ok((ticks.iter().sum::<f64>() / 100.0, kilobytes / 1024.0))
}

/// Returns a measured sync, under the names that every contender uses.
pub fn synced(objects: usize, seconds: f64) -> anyhow::Result<Value> {
    let (cpu, peak) = cost()?;
    Ok(json!({ "objects": objects, "sync": seconds, "cpu": cpu, "peak": peak }))
}
