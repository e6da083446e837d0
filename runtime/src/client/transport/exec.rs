//! Exec plugins: programs that print credentials (client-go's `plugin/pkg/client/auth/exec`).

use std::io::{self, IsTerminal, Read};
use std::process::{Child, Command, Output, Stdio};
use std::thread;
use std::time::{Duration, Instant, SystemTime};

use k8s_openapi::ByteString;
use k8s_openapi::jiff::Timestamp;
use kube::client::AuthError;
use kube::config::{AuthInfo, ExecConfig, ExecInteractiveMode};
use serde::Deserialize;
use serde_json::{Value, json};

/// Maximum time of a plugin that cannot prompt the user.
const PLUGIN_TIMEOUT: Duration = Duration::from_secs(60);
/// Time between two looks at a plugin that runs.
const POLL_INTERVAL: Duration = Duration::from_millis(20);

/// Output of a plugin. Its other fields are not needed.
#[derive(Deserialize)]
struct ExecCredential {
    status: Option<ExecCredentialStatus>,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct ExecCredentialStatus {
    expiration_timestamp: Option<String>,
    token: Option<String>,
    client_certificate_data: Option<String>,
    client_key_data: Option<String>,
}

/// Runs the plugin, and replaces it in `auth` by its credentials. Returns the time at which they
/// expire, if the plugin returns it. Blocks until the plugin has ended.
///
/// # Errors
///
/// If the plugin cannot be run, fails, or does not print credentials. The error does not quote the
/// output, which may contain a token.
pub(super) fn resolve_plugin(auth: &mut AuthInfo) -> Result<Option<SystemTime>, AuthError> {
    let Some(plugin) = auth.exec.take() else {
        return Ok(None);
    };
    let output = run_plugin(&plugin)?;
    // As in client-go, YAML is accepted, of which JSON is a part.
    let credential: ExecCredential = serde_saphyr::from_slice(&output).map_err(|error| {
        let location = error.location().map_or_else(String::new, |location| {
            format!(" (line {}, column {})", location.line(), location.column())
        });
        AuthError::AuthExec(format!(
            "cannot decode the plugin's output as ExecCredential{location}"
        ))
    })?;
    let status = credential.status.ok_or(AuthError::ExecPluginFailed)?;
    let present = |text: Option<String>| text.filter(|text| !text.is_empty());
    let (token, certificate, key) = (
        present(status.token),
        present(status.client_certificate_data),
        present(status.client_key_data),
    );
    match (certificate, key) {
        (None, None) if token.is_none() => {
            return Err(AuthError::AuthExec(
                "the plugin returned neither a token nor a client certificate".to_owned(),
            ));
        }
        (None, None) => {}
        (Some(certificate), Some(key)) => {
            auth.client_certificate_data = encode_base64(certificate.as_bytes());
            auth.client_key_data = encode_base64(key.as_bytes()).map(Into::into);
        }
        _ => {
            return Err(AuthError::AuthExec(
                "the plugin returned only one of client certificate and key".to_owned(),
            ));
        }
    }
    auth.token = token.map(Into::into);
    let expires: Option<Timestamp> = status
        .expiration_timestamp
        .map(|time| time.parse())
        .transpose()
        .map_err(AuthError::MalformedTokenExpirationDate)?;
    Ok(expires.map(SystemTime::from))
}

/// Runs the plugin and returns its output.
fn run_plugin(plugin: &ExecConfig) -> Result<Vec<u8>, AuthError> {
    let program = plugin.command.as_ref().ok_or(AuthError::MissingCommand)?;
    let mut command = Command::new(program);
    command.args(plugin.args.iter().flatten());
    for variable in plugin.env.iter().flatten() {
        if let (Some(name), Some(value)) = (variable.get("name"), variable.get("value")) {
            command.env(name, value);
        }
    }
    let is_interactive = is_interactive(plugin)?;
    command.env("KUBERNETES_EXEC_INFO", exec_info(plugin, is_interactive)?);
    for name in plugin.drop_env.iter().flatten() {
        command.env_remove(name);
    }
    command.stdin(if is_interactive {
        Stdio::inherit()
    } else {
        Stdio::null()
    });
    // As in client-go, the plugin's messages go to the user, not into an error.
    command.stderr(Stdio::inherit());
    command.stdout(Stdio::piped());
    let limit = (!is_interactive).then_some(PLUGIN_TIMEOUT);
    let output = command
        .spawn()
        .and_then(|child| wait_for_output(child, limit))
        .map_err(|error| {
            let hint = plugin
                .install_hint
                .as_ref()
                .filter(|_| error.kind() == io::ErrorKind::NotFound);
            let hint = hint.map_or_else(String::new, |hint| format!("\n{hint}"));
            AuthError::AuthExec(format!("cannot run `{program}`: {error}{hint}"))
        })?;
    if output.status.success() {
        Ok(output.stdout)
    } else {
        let status = output.status;
        Err(AuthError::AuthExec(format!("`{program}` failed: {status}")))
    }
}

/// Waits until a plugin has ended, and returns its output. A plugin that has not ended within the
/// limit is killed.
fn wait_for_output(mut child: Child, limit: Option<Duration>) -> io::Result<Output> {
    let Some(limit) = limit else {
        return child.wait_with_output();
    };
    // Read by another thread, since a plugin waits while nobody reads a large output.
    let mut pipe = child.stdout.take();
    let reader = thread::spawn(move || {
        let mut stdout = Vec::new();
        let read = pipe.as_mut().map(|pipe| pipe.read_to_end(&mut stdout));
        read.transpose().map(|_| stdout)
    });
    let end = Instant::now() + limit;
    let status = loop {
        if let Some(status) = child.try_wait()? {
            break status;
        }
        if Instant::now() >= end {
            child.kill()?;
            child.wait()?;
            return Err(io::Error::other(format!("it did not end within {limit:?}")));
        }
        thread::sleep(POLL_INTERVAL);
    };
    let read = reader.join();
    Ok(Output {
        status,
        stdout: read.map_err(|_| io::Error::other("its output cannot be read"))??,
        stderr: Vec::new(),
    })
}

/// Whether the plugin may read from the terminal: client-go's `isInteractive`.
fn is_interactive(plugin: &ExecConfig) -> Result<bool, AuthError> {
    let is_possible = io::stdin().is_terminal();
    match plugin.interactive_mode {
        Some(ExecInteractiveMode::Never) => Ok(false),
        Some(ExecInteractiveMode::Always) if !is_possible => Err(AuthError::AuthExec(
            "the plugin needs a terminal as standard input (interactiveMode: Always)".to_owned(),
        )),
        _ => Ok(is_possible),
    }
}

/// Returns the `ExecCredential` that the plugin gets in its environment.
fn exec_info(plugin: &ExecConfig, is_interactive: bool) -> Result<String, AuthError> {
    let mut spec = json!({"interactive": is_interactive});
    if plugin.provide_cluster_info {
        let cluster = plugin
            .cluster
            .as_ref()
            .ok_or(AuthError::ExecMissingClusterInfo)?;
        spec["cluster"] = serde_json::to_value(cluster).map_err(AuthError::AuthExecSerialize)?;
    }
    let info = json!({
        "apiVersion": plugin.api_version,
        "kind": "ExecCredential",
        "spec": spec,
    });
    Ok(info.to_string())
}

/// Returns `bytes` in Base64, as Kubernetes' JSON has binary data.
pub(super) fn encode_base64(bytes: &[u8]) -> Option<String> {
    match serde_json::to_value(ByteString(bytes.to_vec())) {
        Ok(Value::String(text)) => Some(text),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Each case: a shell command, and its output, or the error.
    #[test]
    fn plugins_end_in_time() {
        for (script, expected) in [
            ("echo {}", Ok(3)),
            ("head -c 1000000 /dev/zero", Ok(1_000_000)),
            ("exec sleep 600", Err("it did not end within 300ms")),
        ] {
            let mut plugin = Command::new("sh");
            plugin.args(["-c", script]).stdout(Stdio::piped());
            let child = plugin.spawn().unwrap();
            let output = wait_for_output(child, Some(Duration::from_millis(300)));
            let found = output
                .map(|output| output.stdout.len())
                .map_err(|error| error.to_string());
            assert_eq!(found, expected.map_err(str::to_owned), "{script}");
        }
    }
}
