//! Tests of environment variables, in child processes with their own environment.

use std::env;
use std::path::Path;
use std::process::{Command, ExitCode};

use genclient::kube::api::Api;
use genclient_envtest::{ControlPlane, Manifests, StartError, UserError};
use k8s_openapi::api::core::v1::Namespace;
use tokio::runtime::Runtime;

use crate::{Outcome, Tests, installs, refusal};

/// Variable with the task of a child process.
const CHILD: &str = "CONTROL_PLANE_TEST_CHILD";

pub(crate) fn tests(tests: &mut Tests) {
    tests.shared("environment::existing_cluster_is_used", existing_cluster);
    tests.shared("environment::missing_programs_are_named", missing_programs);
    tests.alone("environment::variables_name_programs", programs);
}

/// Runs the task of a child process, if this is one.
pub(crate) fn run_as_child(runtime: &Runtime) -> Option<ExitCode> {
    let outcome = match env::var(CHILD).ok()?.as_str() {
        "use existing cluster" => runtime.block_on(use_existing_cluster()),
        _ => runtime.block_on(start_and_explain()),
    };
    if let Err(failed) = outcome {
        eprintln!("{}", failed.message().unwrap_or_default());
        return Some(ExitCode::FAILURE);
    }
    Some(ExitCode::SUCCESS)
}

/// Runs this program as a child with some variables, and returns its output.
fn child(name: &str, variables: &[(&str, &Path)]) -> Result<String, libtest_mimic::Failed> {
    let mut command = Command::new(env::current_exe()?);
    command.env_remove("KUBEBUILDER_ASSETS").env(CHILD, name);
    command.envs(variables.iter().copied());
    let output = command.output()?;
    let errors = String::from_utf8_lossy(&output.stderr).into_owned();
    if output.status.success() {
        Ok(String::from_utf8_lossy(&output.stdout).into_owned())
    } else {
        Err(errors.into())
    }
}

async fn existing_cluster(plane: &ControlPlane) -> Outcome {
    let kubeconfig = plane.kubeconfig();
    let variables = [
        ("KUBECONFIG", kubeconfig.as_path()),
        ("USE_EXISTING_CLUSTER", Path::new("True")),
    ];
    let namespace = child("use existing cluster", &variables)?;
    let namespaces: Api<Namespace> = Api::all(plane.client());
    namespaces.get(namespace.trim()).await?;
    Ok(())
}

async fn use_existing_cluster() -> Outcome {
    let plane = ControlPlane::start().await?;
    let crd = installs::crd("Prism", &["v1"]);
    plane.install_crds(&Manifests::new([crd])?).await?;
    let error = refusal(plane.user("alice").await)?;
    assert!(matches!(error, UserError::Existing), "{error}");
    let error = refusal(plane.start_api_server().await)?;
    assert!(matches!(error, StartError::Existing), "{error}");
    assert_eq!(plane.etcd_url(), None);
    plane.shutdown().await?;
    plane.client().apiserver_version().await?;
    println!("{}", plane.create_namespace("existing").await?);
    Ok(())
}

async fn missing_programs(_: &ControlPlane) -> Outcome {
    let folder = ("KUBEBUILDER_ASSETS", Path::new("/no/such/folder"));
    let error = child("start", &[folder])?;
    let first = "there is no etcd at /no/such/folder/etcd\nhelp: type `export KUBEBUILDER_ASSETS=";
    assert!(error.starts_with(first), "{error}");
    Ok(())
}

async fn programs() -> Outcome {
    let Some(folder) = env::var_os("KUBEBUILDER_ASSETS") else {
        return Ok(());
    };
    let (etcd, api_server) = (
        Path::new(&folder).join("etcd"),
        Path::new(&folder).join("kube-apiserver"),
    );
    let variables = [
        ("TEST_ASSET_ETCD", etcd.as_path()),
        ("TEST_ASSET_KUBE_APISERVER", api_server.as_path()),
        ("KUBEBUILDER_ATTACH_CONTROL_PLANE_OUTPUT", Path::new("true")),
        ("KUBEBUILDER_CONTROLPLANE_START_TIMEOUT", Path::new("2m")),
    ];
    assert_eq!(child("start", &variables)?.trim(), "started");
    Ok(())
}

async fn start_and_explain() -> Outcome {
    let builder = ControlPlane::builder().existing_cluster(false);
    match builder.start().await {
        Ok(_) => println!("started"),
        Err(error) => println!("{}", error.explain()),
    }
    Ok(())
}
