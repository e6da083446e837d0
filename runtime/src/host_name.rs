//! Host name of this machine or Pod.

use std::fs;
use std::sync::LazyLock;

/// The host name; in a Pod, the name of the Pod. It comes from the environment variable `HOSTNAME`
/// or, if the variable is not set, from Linux' `/proc`.
pub(crate) static HOST_NAME: LazyLock<Option<String>> = LazyLock::new(|| {
    let exported = std::env::var("HOSTNAME").ok();
    let name = exported.or_else(|| fs::read_to_string("/proc/sys/kernel/hostname").ok())?;
    Some(name.trim().to_owned()).filter(|name| !name.is_empty())
});
