//! Command line of the program `genclient-apiserver`.

use std::error::Error;
use std::fs;
use std::io::{self, IsTerminal as _, Write as _};
use std::net::SocketAddr;
use std::path::{Path, PathBuf};
use std::process::ExitCode;
use std::time::Duration;

use clap::{CommandFactory as _, Parser};
use clap_complete::Shell;
use genclient::{config, signals};
use genclient_apiserver::{ApiServer, FeatureGate, Serving, User};
use tracing_subscriber::EnvFilter;

/// A Kubernetes API server without etcd, kubelet or scheduler: for tests, demos and trying out
/// CRDs.
///
/// It answers as kube-apiserver does: custom resources are validated, pruned and defaulted,
/// validation rules are evaluated, watches and server-side apply work. Objects are only in memory.
/// Pods stay pending. A request without credentials has all permissions, so everybody who can
/// reach the address has them.
///
/// It prints the line `export KUBECONFIG=FILE` for kubectl, client-go and kube-rs, and runs until
/// SIGINT (Ctrl-C) or SIGTERM.
#[derive(Debug, Parser)]
#[command(
    name = "genclient-apiserver",
    version,
    after_help = EXIT_STATUS,
    after_long_help = format!("{EXAMPLES}\n{EXIT_STATUS}")
)]
struct Flags {
    /// Files or folders with CustomResourceDefinitions to serve; other objects in them are ignored
    #[arg(long, value_name = "PATH", num_args = 1..)]
    crds: Vec<PathBuf>,

    /// Files or folders with objects to create at the start, CRDs and namespaces first
    #[arg(long, value_name = "PATH", num_args = 1..)]
    manifests: Vec<PathBuf>,

    /// File to write the kubeconfig to [default: in a temporary folder that is removed at the end]
    #[arg(long, value_name = "FILE")]
    kubeconfig: Option<PathBuf>,

    /// Address to listen on; port 0 selects a free port
    #[arg(long, value_name = "ADDRESS", default_value = "127.0.0.1:0")]
    bind_address: SocketAddr,

    /// Bearer token with its user and groups; may be repeated
    ///
    /// Roles and their bindings determine the permissions of the user; members of `system:masters`
    /// have all permissions. The user `system:serviceaccount:NAMESPACE:NAME` also has the groups of
    /// that service account.
    #[arg(long, value_name = "TOKEN=USER[,GROUP...]", value_parser = parse_token)]
    token: Vec<(String, User)>,

    /// File with tokens in kube-apiserver's format
    ///
    /// CSV with the columns token, user name, UID and groups: `secret,alice,7,"dev,ops"`.
    #[arg(long, value_name = "FILE")]
    token_auth_file: Option<PathBuf>,

    /// Do not run kube-controller-manager's controllers
    ///
    /// Without them, as with kube-apiserver alone, dependents of deleted owners are kept, deleted
    /// namespaces stay `Terminating`, and aggregated ClusterRoles get no rules.
    #[arg(long)]
    no_controllers: bool,

    /// Feature gates of kube-apiserver to turn on or off
    ///
    /// There is one, which is off by default: `ShardedListAndWatch`.
    #[arg(long, value_name = "GATE=BOOL", value_delimiter = ',', value_parser = parse_feature_gate)]
    feature_gates: Vec<(FeatureGate, bool)>,

    /// Maximum delay until watches receive a change; each delay is random
    #[arg(long, value_name = "DURATION", default_value = "5ms", value_parser = config::duration)]
    lag: Duration,

    /// Seed of UIDs, generated names and delays
    #[arg(long, value_name = "NUMBER", default_value_t = 0)]
    seed: u64,

    /// Print a completion script for a shell and exit
    #[arg(long, value_name = "SHELL")]
    completions: Option<Shell>,
}

const EXIT_STATUS: &str = "Exit status: 0 stopped by a signal, 1 invalid file or address in use, \
                           2 invalid arguments.";

const EXAMPLES: &str = "\
Examples:
  Serve the kinds of a project, with its samples:
    genclient-apiserver --crds config/crd --manifests config/samples --kubeconfig dev.kubeconfig

  List them in another terminal:
    kubectl --kubeconfig dev.kubeconfig get crds

  Check the Role of a controller that runs as a service account:
    kubectl --kubeconfig dev.kubeconfig apply -f config/rbac/role.yaml
    kubectl --kubeconfig dev.kubeconfig --as system:serviceaccount:default:manager get pods

  Use a bearer token; kubectl sends none over plain HTTP:
    genclient-apiserver --bind-address 127.0.0.1:8080 --token secret=alice,dev
    curl -H 'Authorization: Bearer secret' http://127.0.0.1:8080/api/v1/namespaces/default/pods

  Log each request on standard error, with its code and duration:
    RUST_LOG=genclient_apiserver=debug genclient-apiserver --crds config/crd

  Write a completion script:
    genclient-apiserver --completions bash
";

#[tokio::main]
async fn main() -> ExitCode {
    let flags = Flags::parse();
    if let Some(shell) = flags.completions {
        let mut command = Flags::command();
        clap_complete::generate(
            shell,
            &mut command,
            "genclient-apiserver",
            &mut io::stdout(),
        );
        return ExitCode::SUCCESS;
    }
    let filter = EnvFilter::try_from_default_env();
    tracing_subscriber::fmt()
        .with_env_filter(filter.unwrap_or_else(|_| "info".into()))
        .with_writer(io::stderr)
        .with_ansi(io::stderr().is_terminal())
        .init();
    match run(flags).await {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            for line in error.to_string().lines() {
                eprintln!("error: {line}");
            }
            ExitCode::FAILURE
        }
    }
}

/// Serves until the program is signalled to stop.
async fn run(flags: Flags) -> Result<(), Box<dyn Error>> {
    let stop = signals::shutdown()?;
    let mut builder = ApiServer::builder()
        .lag(flags.lag)
        .seed(flags.seed)
        .controllers(!flags.no_controllers);
    for (token, user) in flags.token {
        builder = builder.token(token, user);
    }
    for (gate, is_on) in flags.feature_gates {
        builder = builder.feature_gate(gate, is_on);
    }
    if let Some(file) = &flags.token_auth_file {
        builder = builder.token_auth_file(file);
    }
    for path in &flags.crds {
        builder = builder.crd_files(path);
    }
    for path in &flags.manifests {
        builder = builder.manifests(path);
    }
    let server = builder.build()?;
    let serving = server
        .serve(flags.bind_address)
        .await
        .map_err(|error| format!("{}: {error}", flags.bind_address))?;
    if !serving.addr().ip().is_loopback() {
        tracing::warn!("everybody who reaches {} may do everything", serving.addr());
    }
    let kubeconfig = KubeconfigFile::write(&serving, flags.kubeconfig.as_deref())?;
    let mut out = io::stdout();
    writeln!(out, "export KUBECONFIG={}", kubeconfig.path.display())?;
    out.flush()?;
    eprintln!("serving {}; Ctrl-C stops it", serving.url());
    stop.cancelled().await;
    serving.shutdown().await;
    Ok(())
}

/// Parses the argument of `--token`.
fn parse_token(argument: &str) -> Result<(String, User), String> {
    let (token, user) = argument.split_once('=').unwrap_or_default();
    let mut names = user.split(',');
    let name = names.next().unwrap_or_default();
    if token.is_empty() || name.is_empty() {
        return Err("expected TOKEN=USER or TOKEN=USER,GROUP".to_owned());
    }
    Ok((token.to_owned(), names.fold(User::new(name), User::group)))
}

/// Parses a gate in the argument of `--feature-gates`.
fn parse_feature_gate(argument: &str) -> Result<(FeatureGate, bool), String> {
    let (name, value) = argument
        .split_once('=')
        .ok_or("expected GATE=true or GATE=false")?;
    let gate: FeatureGate = name.parse().map_err(|error| format!("{error}"))?;
    match value.parse() {
        Ok(is_on) => Ok((gate, is_on)),
        Err(_) => Err(format!("expected {name}=true or {name}=false")),
    }
}

/// First line of a kubeconfig file that the program has written. Of existing files, only those with
/// this line are overwritten.
const KUBECONFIG_MARK: &str = "# Written by genclient-apiserver";

/// Kubeconfig file that the program has written.
struct KubeconfigFile {
    path: PathBuf,
    /// Temporary folder of the file, removed on drop; `None` with `--kubeconfig`.
    folder: Option<PathBuf>,
}

impl KubeconfigFile {
    fn write(serving: &Serving, path: Option<&Path>) -> Result<Self, String> {
        let (path, folder) = match path {
            Some(path) => (path.to_owned(), None),
            None => {
                let name = format!("genclient-apiserver-{}", std::process::id());
                let folder = std::env::temp_dir().join(name);
                fs::create_dir_all(&folder)
                    .map_err(|error| format!("{}: {error}", folder.display()))?;
                (folder.join("kubeconfig"), Some(folder))
            }
        };
        let file = Self { path, folder };
        let failed = |error: io::Error| format!("{}: {error}", file.path.display());
        match fs::read_to_string(&file.path) {
            Ok(text) if !text.starts_with(KUBECONFIG_MARK) => Err(format!(
                "{} exists and was not written by this program; remove it or name another file",
                file.path.display()
            )),
            Err(error) if error.kind() != io::ErrorKind::NotFound => Err(failed(error)),
            _ => {
                serving.write_kubeconfig(&file.path).map_err(failed)?;
                Ok(file)
            }
        }
    }
}

impl Drop for KubeconfigFile {
    fn drop(&mut self) {
        if let Some(folder) = &self.folder {
            let _ = fs::remove_dir_all(folder);
        }
    }
}
