//! Memory of a process of a test.

use std::fmt::Display;
use std::fs;

/// Returns a field of `/proc/PROCESS/status`, such as `VmHWM`, in KiB. `None` if it cannot be read.
///
/// Without the pages of the program: they are most of the memory in a debug build, and how many of
/// them are in memory depends on the machine.
pub fn memory_without_program(process: impl Display, field: &str) -> Option<u64> {
    let status = fs::read_to_string(format!("/proc/{process}/status")).ok()?;
    let kib = |field: &str| -> Option<u64> {
        let mut values = status.lines().filter_map(|line| line.split_once(':'));
        let (_, value) = values.find(|(name, _)| *name == field)?;
        value.trim().trim_end_matches(" kB").parse().ok()
    };
    Some(kib(field)?.saturating_sub(kib("RssFile")?))
}
