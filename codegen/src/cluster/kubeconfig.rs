//! Check of the kubeconfig of a program, before cargo spends minutes on building the program.

use std::collections::BTreeSet;
use std::env;
use std::path::{Path, PathBuf};

use serde_json::Value;

use crate::diagnostic::{Diagnostic, Diagnostics};
use crate::folder;

/// Checks that the kubeconfig that the program reads is valid, and that its current context exists.
/// `stated` is the path from the command line. Otherwise the program reads the files of
/// `$KUBECONFIG` or `~/.kube/config`, as kubectl does, or uses its service account if it runs in a
/// Pod.
///
/// # Errors
///
/// A file is missing, cannot be read or is invalid, or the current context is not in the files.
pub(crate) fn check_kubeconfig(stated: Option<&Path>) -> Result<(), Diagnostics> {
    let paths = match stated {
        Some(path) => vec![path.to_owned()],
        None => default_paths(),
    };
    let is_in_pod = env::var_os("KUBERNETES_SERVICE_HOST").is_some();
    if paths.is_empty() || (stated.is_none() && is_in_pod) {
        return Ok(());
    }
    let all = paths
        .iter()
        .map(|path| path.display().to_string())
        .collect::<Vec<_>>()
        .join(", ");
    let mut current = String::new();
    let mut contexts = BTreeSet::new();
    for path in &paths {
        let config = read(path)?;
        if current.is_empty() {
            current = text(&config["current-context"]);
        }
        let own = config["contexts"].as_array();
        contexts.extend(own.into_iter().flatten().map(|it| text(&it["name"])));
    }
    let wrong = if current.is_empty() {
        format!("the kubeconfig {all} has no current context")
    } else if contexts.contains(&current) {
        return Ok(());
    } else {
        format!("the kubeconfig {all} has no context `{current}`")
    };
    Err(Diagnostic::error(wrong)
        .help(
            "choose one: `kubectl config get-contexts` lists them, `kubectl config use-context NAME` \
             sets one",
        )
        .into())
}

/// The files of `$KUBECONFIG`, or else `~/.kube/config`; empty if the home folder is unknown.
fn default_paths() -> Vec<PathBuf> {
    let stated = env::var_os("KUBECONFIG").unwrap_or_default();
    let stated = env::split_paths(&stated).filter(|path| !path.as_os_str().is_empty());
    let stated: Vec<_> = stated.collect();
    if !stated.is_empty() {
        return stated;
    }
    let home = env::home_dir().map(|home| home.join(".kube/config"));
    home.into_iter().collect()
}

fn read(path: &Path) -> Result<Value, Diagnostics> {
    let shown = path.display();
    let wrong = match folder::read_text(path) {
        Err(error) => format!("cannot read the kubeconfig {shown}: {error}"),
        Ok(config) => match serde_saphyr::from_str::<Value>(&config) {
            Ok(config) => return Ok(config),
            // The message of the error quotes lines, which may contain tokens and keys.
            Err(error) => match error.location() {
                Some(at) => format!("the kubeconfig {shown} is not YAML: see line {}", at.line()),
                None => format!("the kubeconfig {shown} is not YAML"),
            },
        },
    };
    Err(Diagnostic::error(wrong)
        .help(
            "pass another one with `--kubeconfig`, or run the program without a cluster: `genclient \
             run --in-process`",
        )
        .into())
}

fn text(value: &Value) -> String {
    value.as_str().unwrap_or_default().to_owned()
}
