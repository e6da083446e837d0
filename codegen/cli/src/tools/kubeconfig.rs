//! Checks of the kubeconfig: for kubectl by its own answer, and for a program before cargo spends
//! minutes on building it.

use std::collections::{BTreeMap, BTreeSet};
use std::env;
use std::path::{Path, PathBuf};

use genclient_apimachinery::unstructured::{list_or_empty, str_or_empty};
use genclient_codegen::{Diagnostic, Diagnostics, file_system};
use serde_json::Value;

use crate::shell::quote;

/// Prefix by which `MinifyConfig` of client-go's `clientcmd` reports a missing entry, which
/// follows as `context NAME`.
const MISSING_ENTRY: &str = "cannot locate ";

/// The message of `MinifyConfig` about a kubeconfig without a current context.
const NO_CONTEXT: &str = "current-context must exist";

/// Checks that the kubeconfig that the program reads is valid, and that its current context and
/// the cluster of that context exist. `flag_path` is the path from the command line. Otherwise the
/// program reads the files of `$KUBECONFIG` or `~/.kube/config`, as kubectl does, or uses its
/// service account if it runs in a Pod.
///
/// # Errors
///
/// A file is missing, cannot be read or is invalid, or an entry is not in the files.
pub(crate) fn check_kubeconfig(flag_path: Option<&Path>) -> Result<(), Diagnostics> {
    let paths = kubeconfig_paths(flag_path);
    let is_in_pod = env::var_os("KUBERNETES_SERVICE_HOST").is_some();
    if paths.is_empty() || (flag_path.is_none() && is_in_pod) {
        return Ok(());
    }
    let mut current = String::new();
    let (mut contexts, mut clusters) = (BTreeMap::new(), BTreeSet::new());
    for path in &paths {
        let config = read_kubeconfig(path).map_err(|error| {
            error.help(
                "pass another one with `--kubeconfig`, or run the program without a cluster: \
                 `genclient run --in-process`",
            )
        })?;
        if current.is_empty() {
            current = str_or_empty(&config["current-context"]).to_owned();
        }
        for context in list_or_empty(&config["contexts"]).iter() {
            let cluster = str_or_empty(&context["context"]["cluster"]).to_owned();
            // As in kubectl, the first entry of a name counts.
            contexts
                .entry(str_or_empty(&context["name"]).to_owned())
                .or_insert(cluster);
        }
        clusters.extend(
            list_or_empty(&config["clusters"])
                .iter()
                .map(|it| str_or_empty(&it["name"]).to_owned()),
        );
    }
    let missing = match contexts.get(&current) {
        _ if current.is_empty() => "current context".to_owned(),
        None => format!("context `{current}`"),
        Some(cluster) if !cluster.is_empty() && !clusters.contains(cluster) => {
            format!("cluster `{cluster}`, which the context names")
        }
        Some(_) => return Ok(()),
    };
    let kubectl = format!("kubectl{}", kubeconfig_flag(flag_path));
    Err(missing_entry(&paths, &missing)
        .help(format!(
            "choose one: `{kubectl} config get-contexts` lists them, `{kubectl} config use-context \
             NAME` sets one"
        ))
        .into())
}

/// The diagnostic for a kubeconfig that selects no cluster or no user, from the `stderr` of
/// kubectl. `None` if kubectl reports something else.
pub(super) fn diagnose_kubeconfig(stderr: &str, flag_path: Option<&Path>) -> Option<Diagnostics> {
    let paths = kubeconfig_paths(flag_path);
    let missing = if let Some((_, entry)) = stderr.split_once(MISSING_ENTRY) {
        match entry.trim().split_once(' ')? {
            ("context", name) => format!("context `{name}`"),
            (kind, name) => format!("{kind} `{name}`, which the context names"),
        }
    } else if stderr.contains(NO_CONTEXT) {
        if !paths.iter().any(|path| path.exists()) {
            let error = read_kubeconfig(paths.first()?).err()?;
            let help = "start a cluster, or choose a kubeconfig with `--kubeconfig`";
            return Some(error.help(help).into());
        }
        "current context".to_owned()
    } else {
        return None;
    };
    let kubectl = format!("kubectl{}", kubeconfig_flag(flag_path));
    let help =
        format!("choose one with `--context NAME`: `{kubectl} config get-contexts` lists them");
    Some(missing_entry(&paths, &missing).help(help).into())
}

/// True if kubectl reports on `stderr` that the kubeconfig has no current context, but finds an API
/// server without one: in a Pod, or by the variable that `getDefaultServer` of client-go's
/// `clientcmd` reads. Otherwise, it would call http://localhost:8080.
pub(super) fn finds_server_without_context(stderr: &str) -> bool {
    let mut variables = ["KUBERNETES_SERVICE_HOST", "KUBERNETES_MASTER"].into_iter();
    stderr.contains(NO_CONTEXT) && variables.any(|variable| env::var_os(variable).is_some())
}

fn missing_entry(paths: &[PathBuf], missing: &str) -> Diagnostic {
    let shown: Vec<_> = paths
        .iter()
        .map(|path| path.display().to_string())
        .collect();
    let kubeconfig = shown.join(", ");
    Diagnostic::error(format!("the kubeconfig {kubeconfig} has no {missing}"))
}

/// The flag that makes kubectl read the file `flag_path`, with a leading space.
pub(super) fn kubeconfig_flag(flag_path: Option<&Path>) -> String {
    flag_path.map_or_else(String::new, |path| {
        format!(" --kubeconfig {}", quote(&path.display().to_string()))
    })
}

fn kubeconfig_paths(flag_path: Option<&Path>) -> Vec<PathBuf> {
    match flag_path {
        Some(path) => vec![path.to_owned()],
        None => default_paths(),
    }
}

/// The files of `$KUBECONFIG`, or else `~/.kube/config`; empty if the home folder is unknown.
fn default_paths() -> Vec<PathBuf> {
    let variable = env::var_os("KUBECONFIG").unwrap_or_default();
    let paths: Vec<_> = env::split_paths(&variable)
        .filter(|path| !path.as_os_str().is_empty())
        .collect();
    if !paths.is_empty() {
        return paths;
    }
    let home = env::home_dir().map(|home| home.join(".kube/config"));
    home.into_iter().collect()
}

fn read_kubeconfig(path: &Path) -> Result<Value, Diagnostic> {
    let shown = path.display();
    Err(Diagnostic::error(match file_system::read_text_file(path) {
        Err(error) => format!("cannot read the kubeconfig {shown}: {error}"),
        Ok(config) => match serde_saphyr::from_str::<Value>(&config) {
            Ok(config) => return Ok(config),
            // The message of the error quotes lines, which may contain tokens and keys.
            Err(error) => match error.location() {
                Some(at) => format!("the kubeconfig {shown} is not YAML: see line {}", at.line()),
                None => format!("the kubeconfig {shown} is not YAML"),
            },
        },
    }))
}
