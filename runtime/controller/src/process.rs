//! Process metrics from `/proc`, under the names of Prometheus' Go client on Linux
//! (`process_collector_procfsenabled.go`).

use std::fmt::Write as _;
use std::fs;

/// Clock ticks per second in `/proc`. Like Go's `procfs`, this does not call
/// `sysconf(_SC_CLK_TCK)`, which returns 100 on every current Linux.
const USER_HZ: f64 = 100.0;

/// Function that reads one value; `None` if it is not available.
type ReadValue = fn() -> Option<f64>;

const METRICS: [(&str, &str, &str, ReadValue); 9] = [
    (
        "process_cpu_seconds_total",
        "counter",
        "Total user and system CPU time spent in seconds.",
        read_cpu_seconds,
    ),
    (
        "process_max_fds",
        "gauge",
        "Maximum number of open file descriptors.",
        || read_soft_limit("Max open files"),
    ),
    (
        "process_network_receive_bytes_total",
        "counter",
        "Number of bytes received by the process over the network.",
        || read_netstat("InOctets"),
    ),
    (
        "process_network_transmit_bytes_total",
        "counter",
        "Number of bytes sent by the process over the network.",
        || read_netstat("OutOctets"),
    ),
    (
        "process_open_fds",
        "gauge",
        "Number of open file descriptors.",
        count_open_fds,
    ),
    (
        "process_resident_memory_bytes",
        "gauge",
        "Resident memory size in bytes.",
        || read_status_bytes("VmRSS:"),
    ),
    (
        "process_start_time_seconds",
        "gauge",
        "Start time of the process since unix epoch in seconds.",
        read_start_seconds,
    ),
    (
        "process_virtual_memory_bytes",
        "gauge",
        "Virtual memory size in bytes.",
        || read_status_bytes("VmSize:"),
    ),
    (
        "process_virtual_memory_max_bytes",
        "gauge",
        "Maximum amount of virtual memory available in bytes.",
        || read_soft_limit("Max address space"),
    ),
];

/// Returns the metrics of the process in Prometheus' text format; empty without `/proc`.
pub(crate) fn encode_metrics() -> String {
    let mut text = String::new();
    for (name, kind, help, read) in METRICS {
        if let Some(value) = read() {
            // Writing to a string cannot fail.
            let _ = writeln!(
                text,
                "# HELP {name} {help}\n# TYPE {name} {kind}\n{name} {value}"
            );
        }
    }
    text
}

fn read_cpu_seconds() -> Option<f64> {
    Some((read_stat_ticks(14)? + read_stat_ticks(15)?) / USER_HZ)
}

fn read_start_seconds() -> Option<f64> {
    let stat = fs::read_to_string("/proc/stat").ok()?;
    let boot: f64 = stat
        .lines()
        .find_map(|line| line.strip_prefix("btime "))?
        .trim()
        .parse()
        .ok()?;
    Some(boot + read_stat_ticks(22)? / USER_HZ)
}

/// Returns a field of `/proc/self/stat`, by its number in proc(5). The second field, the name of
/// the program, may contain spaces and parentheses, so the text is split only after this field.
fn read_stat_ticks(field: usize) -> Option<f64> {
    let stat = fs::read_to_string("/proc/self/stat").ok()?;
    let (_, after_name) = stat.rsplit_once(") ")?;
    after_name.split(' ').nth(field - 3)?.parse().ok()
}

fn count_open_fds() -> Option<f64> {
    let count = fs::read_dir("/proc/self/fd").ok()?.count();
    // One of the entries is the descriptor that reads the directory.
    Some(count.saturating_sub(1) as f64)
}

/// Returns a size of `/proc/self/status`, converted from kB to bytes.
fn read_status_bytes(name: &str) -> Option<f64> {
    let status = fs::read_to_string("/proc/self/status").ok()?;
    let line = status.lines().find_map(|line| line.strip_prefix(name))?;
    let kilobytes: f64 = line.trim().strip_suffix(" kB")?.parse().ok()?;
    Some(kilobytes * 1024.0)
}

/// Returns a soft limit; `u64::MAX` if it is unlimited, as in Go's `procfs`.
fn read_soft_limit(name: &str) -> Option<f64> {
    let limits = fs::read_to_string("/proc/self/limits").ok()?;
    let line = limits.lines().find_map(|line| line.strip_prefix(name))?;
    match line.split_whitespace().next()? {
        "unlimited" => Some(u64::MAX as f64),
        soft => soft.parse().ok(),
    }
}

/// Returns a value from the two `IpExt` lines of `/proc/self/net/netstat`. The first line has the
/// names, the second the values.
fn read_netstat(name: &str) -> Option<f64> {
    let netstat = fs::read_to_string("/proc/self/net/netstat").ok()?;
    let mut lines = netstat.lines().filter(|line| line.starts_with("IpExt:"));
    let (names, values) = (lines.next()?, lines.next()?);
    let at = names.split(' ').position(|it| it == name)?;
    values.split(' ').nth(at)?.parse().ok()
}
