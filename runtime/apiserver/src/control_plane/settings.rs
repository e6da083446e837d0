//! [`Settings`]: merged settings of the builder and the environment.

use std::path::PathBuf;
use std::time::Duration;

use super::environment::Programs;
use super::process::Output;
use crate::rbac::User;

/// Merged settings of the builder and the environment.
#[derive(Clone, Debug)]
pub(super) struct Settings {
    pub(super) programs: Programs,
    pub(super) folder: PathBuf,
    pub(super) api_server_flags: Vec<String>,
    pub(super) etcd_flags: Vec<String>,
    pub(super) tokens: Vec<(String, User)>,
    pub(super) start_timeout: Duration,
    pub(super) stop_timeout: Duration,
    pub(super) output: Output,
    pub(super) keep_logs: bool,
}
