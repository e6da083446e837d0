//! Diagnostics for failures of kubectl.

use std::io::{self, ErrorKind};
use std::time::Duration;

use crate::diagnostic::{Diagnostic, Diagnostics};

/// Parts of the messages by which kubectl reports that it cannot reach or find an API server.
const UNREACHABLE: [&str; 10] = [
    "connection refused",
    "was refused",
    "Unable to connect to the server",
    "no such host",
    "i/o timeout",
    "Client.Timeout exceeded",
    "context deadline exceeded",
    "does not exist",
    "no configuration has been provided",
    "no route to host",
];

/// Parts of the messages by which kubectl reports that the API server does not accept the user's
/// credentials.
const UNAUTHENTICATED: [&str; 3] = ["nauthorized", "provide credentials", "must be logged in"];

/// Advice that kubectl appends if it cannot download the schemas. genclient has no such flag.
const ADVICE: &str =
    "; if you choose to ignore these errors, turn validation off with --validate=false";

/// Prefix by which kubectl reports error responses of the API server. An API server that responds
/// was reached, even if its response says "connection refused": then it could not reach a webhook.
const ANSWER: &str = "Error from server";

/// The genclient command that the user typed, for help texts.
pub(super) struct TypedCommand<'a> {
    pub(super) command: &'a str,
    /// The kubectl flags that select the cluster, each with a leading space.
    pub(super) cluster: &'a str,
}

/// The diagnostic for a failure of kubectl, which printed `said` on stderr.
pub(super) fn of(said: &str, typed: &TypedCommand<'_>) -> Diagnostics {
    let TypedCommand { command, cluster } = typed;
    let said = &without_log(said).replace(ADVICE, "");
    let flags = match cluster.is_empty() {
        true => "choose one with `--context` or `--kubeconfig`",
        false => "choose another one with `--context` or `--kubeconfig`",
    };
    let is_unreachable = UNREACHABLE.iter().any(|part| said.contains(part));
    let is_unauthenticated = UNAUTHENTICATED.iter().any(|part| said.contains(part));
    let (what, help) = if is_unauthenticated {
        let help = format!(
            "renew the credentials, or {flags}: `kubectl{cluster} config view --minify` shows the user"
        );
        ("the cluster does not accept the credentials", help)
    } else if said.contains("orbidden") {
        let help = format!(
            "{flags} whose user has the permission; `kubectl{cluster} auth whoami` shows the current user"
        );
        ("the cluster denies access", help)
    } else if said.contains("Apply failed with") {
        let help = format!("take over the fields: `{command} --force-conflicts`");
        ("another field manager owns fields of an object", help)
    } else if is_unreachable && !said.contains(ANSWER) {
        let help = format!("start a cluster, or {flags}: `kubectl config get-contexts` lists them");
        ("cannot reach a cluster", help)
    } else {
        let help = format!("print the input of kubectl: `{command} --dry-run`");
        match said.contains(ANSWER) {
            true => ("the cluster refuses an object", help),
            false => ("kubectl failed", help),
        }
    };
    let finding = Diagnostic::error(format!("{what}: {said}"));
    finding.help(help).into()
}

/// The diagnostic for objects that remain after the timeout of a deletion.
pub(super) fn not_gone(left: &[String], timeout: Duration) -> Diagnostics {
    let finding = Diagnostic::error(format!(
        "these are not gone after {timeout:?}: {}",
        left.join(", ")
    ));
    let longer = timeout.as_secs().max(1) * 2;
    let help = format!(
        "a finalizer stays until the program that added it runs and removes it; wait longer with \
         `--timeout={longer}s`, or not at all with `--wait=false`"
    );
    finding.help(help).into()
}

/// Removes kubectl's log lines, which repeat one error for every attempt to reach an API server. If
/// there are no other lines, returns the last log line.
fn without_log(said: &str) -> String {
    let is_plain = |line: &&str| !is_logged(line);
    let plain: Vec<_> = said.lines().filter(is_plain).collect();
    match plain.is_empty() {
        true => said.lines().last().unwrap_or_default().to_owned(),
        false => plain.join("\n"),
    }
}

/// True for a klog line, which begins with its level and date: `E1125`.
fn is_logged(line: &str) -> bool {
    let date = line.strip_prefix(['I', 'W', 'E', 'F']);
    let date = date.and_then(|rest| rest.split(' ').next());
    date.is_some_and(|date| date.len() == 4 && date.bytes().all(|byte| byte.is_ascii_digit()))
}

/// The diagnostic for a kubectl that could not be started.
pub(super) fn to_start(error: &io::Error) -> Diagnostics {
    let (what, help) = match error.kind() {
        ErrorKind::NotFound => (
            "kubectl is not installed".to_owned(),
            "install it (https://kubernetes.io/docs/tasks/tools), or add its folder to PATH",
        ),
        _ => (
            format!("cannot run kubectl: {error}"),
            "run `kubectl version` to see why",
        ),
    };
    Diagnostic::error(what).help(help).into()
}
