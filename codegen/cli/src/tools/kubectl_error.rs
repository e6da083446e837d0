//! Diagnostics for failures of kubectl.

use std::io::{self, ErrorKind};
use std::path::Path;
use std::time::Duration;

use genclient_codegen::{Diagnostic, Diagnostics};

use super::kubeconfig;

/// Parts of the messages by which kubectl reports that it cannot reach or find an API server.
const UNREACHABLE_MESSAGES: [&str; 13] = [
    "connection refused",
    "was refused",
    "Unable to connect to the server",
    "no such host",
    "i/o timeout",
    "TLS handshake timeout",
    "Client.Timeout exceeded",
    "context deadline exceeded",
    "no configuration has been provided",
    "no route to host",
    "network is unreachable",
    "connection reset by peer",
    "server gave HTTP response to HTTPS client",
];

/// Parts of the messages by which kubectl reports that the API server does not accept the user's
/// credentials.
const UNAUTHENTICATED_MESSAGES: [&str; 3] =
    ["nauthorized", "provide credentials", "must be logged in"];

/// Parts of the messages by which kubectl refuses a kubeconfig, or a file that it names.
const INVALID_KUBECONFIG_MESSAGES: [&str; 5] = [
    "error loading config file",
    "Error in configuration",
    "unable to read certificate-authority",
    "unable to read client-",
    "unable to load root certificates",
];

/// Advice that kubectl appends if it cannot download the schemas. genclient has no such flag.
const VALIDATION_ADVICE: &str =
    "; if you choose to ignore these errors, turn validation off with --validate=false";

/// Merge patch of a CRD that removes its conversion by a webhook, whoever owns it.
const NO_CONVERSION: &str = r#"{"spec":{"conversion":{"strategy":"None","webhook":null}}}"#;

/// Prefix by which kubectl reports error responses of the API server. An API server that responds
/// was reached, even if its response says "connection refused": then it could not reach a webhook.
const API_ERROR_PREFIX: &str = "Error from server";

/// The genclient command that the user typed, for help texts.
pub(super) struct UserCommand<'a> {
    pub(super) command: &'a str,
    /// The kubectl flags that select the cluster, each with a leading space.
    pub(super) cluster_flags: &'a str,
    pub(super) kubeconfig: Option<&'a Path>,
}

impl UserCommand<'_> {
    /// The flags that select another cluster.
    fn other(&self) -> &'static str {
        if self.cluster_flags.is_empty() {
            "choose one with `--context` or `--kubeconfig`"
        } else {
            "choose another one with `--context` or `--kubeconfig`"
        }
    }

    /// The command that shows the selected cluster and user.
    fn view(&self) -> String {
        format!("`kubectl{} config view --minify`", self.cluster_flags)
    }
}

/// The diagnostic for a failure of kubectl, which printed `stderr`.
pub(super) fn diagnose_failure(stderr: &str, user: &UserCommand<'_>) -> Diagnostics {
    let stderr = &remove_log_lines(stderr).replace(VALIDATION_ADVICE, "");
    if let Some(refused) = kubeconfig::diagnose_kubeconfig(stderr, user.kubeconfig) {
        return refused;
    }
    let (command, cluster, other) = (user.command, user.cluster_flags, user.other());
    let invalid = invalid_definition(stderr);
    let is_answer = is_api_error(stderr) || invalid.is_some();
    let before = if is_answer {
        None
    } else {
        diagnose_connection(stderr, user)
    };
    let (what, help) = if let Some(crd) = invalid {
        (
            "the cluster refuses a CRD",
            definition_help(crd, stderr, user),
        )
    } else if contains_any(stderr, &UNAUTHENTICATED_MESSAGES) {
        let help = format!(
            "renew the credentials, or {other}: {} shows the user",
            user.view()
        );
        ("the cluster does not accept the credentials", help)
    // `Forbidden` in kubectl's prefix, `forbidden` in the message of the API server.
    } else if stderr.contains("orbidden") {
        let help = format!(
            "{other} whose user has the permission; `kubectl{cluster} auth whoami` shows the current user"
        );
        ("the cluster denies access", help)
    } else if stderr.contains("Apply failed with") {
        let help = format!("take over the fields: `{command} --force-conflicts`");
        ("another field manager owns fields of an object", help)
    } else if let Some(before) = before {
        before
    } else {
        let help = format!("print the input of kubectl: `{command} --dry-run`");
        if is_answer {
            ("the cluster refuses an object", help)
        } else {
            ("kubectl failed", help)
        }
    };
    let finding = Diagnostic::error(format!("{what}: {stderr}"));
    finding.help(help).into()
}

/// The name of the first CRD that the API server finds invalid.
fn invalid_definition(stderr: &str) -> Option<&str> {
    let (_, rest) = stderr.split_once("The CustomResourceDefinition \"")?;
    let (name, rest) = rest.split_once('"')?;
    rest.starts_with(" is invalid:").then_some(name)
}

/// The help for a CRD that the API server finds invalid.
fn definition_help(crd: &str, stderr: &str, user: &UserCommand<'_>) -> String {
    let (command, cluster) = (user.command, user.cluster_flags);
    if stderr.contains("status.storedVersions") {
        format!(
            "objects may be stored in a version that it lacks: `genclient migrate {crd}{cluster}`, \
             then run the same command again"
        )
    } else if stderr.contains("spec.conversion.webhookClientConfig: Forbidden") {
        format!(
            "another field manager, such as the program, owns a part of the conversion: `kubectl{cluster} \
             patch crd {crd} --type merge -p '{NO_CONVERSION}'`, then run the same command again"
        )
    } else {
        format!("print the input of kubectl: `{command} --dry-run`")
    }
}

/// What is wrong, and the help, if kubectl has failed before it had an answer.
fn diagnose_connection(stderr: &str, user: &UserCommand<'_>) -> Option<(&'static str, String)> {
    let (other, view) = (user.other(), user.view());
    if contains_any(stderr, &INVALID_KUBECONFIG_MESSAGES) {
        let help = "fix it, or choose another one with `--kubeconfig`".to_owned();
        return Some(("the kubeconfig is not valid", help));
    }
    if stderr.contains("x509: ") {
        let help = format!(
            "if the cluster was created again, export its kubeconfig again, or {other}: {view} shows \
             the cluster"
        );
        return Some(("the certificate of the API server is not trusted", help));
    }
    if stderr.contains("getting credentials: ") {
        let help =
            format!("install or fix the credential plugin, or {other}: {view} shows the user");
        return Some(("no credentials for the cluster", help));
    }
    let help = format!(
        "start a cluster, or {other}: `kubectl{} config get-contexts` lists them",
        kubeconfig::kubeconfig_flag(user.kubeconfig)
    );
    contains_any(stderr, &UNREACHABLE_MESSAGES).then_some(("cannot reach a cluster", help))
}

/// The diagnostic for a user without credentials. kubectl would ask for a name and a password.
pub(super) fn no_credentials(user: &UserCommand<'_>) -> Diagnostics {
    Diagnostic::error("the kubeconfig has no credentials for the user")
        .help(format!(
            "add a token or a client certificate to the user, or {}: {} shows the user",
            user.other(),
            user.view()
        ))
        .into()
}

/// True if kubectl reports an error response of the API server.
pub(super) fn is_api_error(stderr: &str) -> bool {
    stderr.contains(API_ERROR_PREFIX)
}

fn contains_any(stderr: &str, parts: &[&str]) -> bool {
    parts.iter().any(|part| stderr.contains(part))
}

/// The diagnostic for objects that remain after the timeout of a deletion.
pub(super) fn objects_remain(left: &[String], timeout: Duration) -> Diagnostics {
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
fn remove_log_lines(stderr: &str) -> String {
    let is_plain = |line: &&str| !is_log_line(line);
    let plain: Vec<_> = stderr.lines().filter(is_plain).collect();
    if plain.is_empty() {
        stderr.lines().last().unwrap_or_default().to_owned()
    } else {
        plain.join("\n")
    }
}

/// True for a klog line, which begins with its level and date: `E1125`.
fn is_log_line(line: &str) -> bool {
    let date = line
        .strip_prefix(['I', 'W', 'E', 'F'])
        .and_then(|rest| rest.split(' ').next());
    date.is_some_and(|date| date.len() == 4 && date.bytes().all(|byte| byte.is_ascii_digit()))
}

/// The diagnostic for a kubectl that could not be started.
pub(super) fn cannot_start(error: &io::Error) -> Diagnostics {
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
