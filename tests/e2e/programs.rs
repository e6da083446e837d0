//! Tests of the programs of the examples, as processes: flags, output, and the end by a signal.

use std::fs::File;
use std::path::PathBuf;
use std::process::Stdio;
use std::time::Duration;

use demo_api::apis::democontroller::v1alpha1::{Demo, DemoSpec};
use demo_client::clientset::Clientset;
use e2e::{ControlPlane, eventually};
use gputask::apis::falldio::v1::GPUTask;
use k8s_openapi::api::apps::v1::Deployment;
use k8s_openapi::api::coordination::v1::Lease;
use k8s_openapi::api::core::v1::{Event, Pod};
use kube::ResourceExt;
use kube::api::{Api, GetParams, ListParams, ObjectMeta, Patch, PatchParams, PostParams};
use libtest_mimic::Failed;
use serde_json::{Value, json};
use tokio::io::{AsyncBufReadExt, BufReader, Lines};
use tokio::process::{Child, ChildStdout, Command};
use tokio::sync::OnceCell;
use tokio::time::timeout;

use crate::crds::{DEMOS, GPU_TASKS, SCALINGS};
use crate::suite::{Outcome, Suite};

/// Maximum time for a program to print a line, or to end.
const PATIENCE: Duration = Duration::from_secs(30);

pub(crate) fn tests(suite: &mut Suite) {
    for program in ["gputask", "gputask-manager"] {
        let name = program.replace('-', "_");
        suite.both(&format!("programs::{name}"), async move |plane: &_| {
            gputask(plane, program).await
        });
        let name = format!("programs::{name}_replicas");
        suite.both(&name, async move |plane: &_| {
            gputask_replicas(plane, program).await
        });
    }
    suite.both("programs::scaling", scaling);
    suite.both("programs::demos", demos);
    suite.both("programs::demo_controller", demo_controller);
    suite.both("programs::pod_programs", pod_programs);
}

async fn gputask(plane: &ControlPlane, program: &str) -> Outcome {
    plane.apply_crd(GPU_TASKS).await?;
    let namespace = plane.create_namespace("programs").await?;
    let arguments = [
        "--namespace",
        &namespace,
        "--image",
        "example.com/image",
        "--workers",
        "3",
    ];
    let program = Program::start(plane, program, &arguments).await?;
    let spec =
        json!({ "memory": "4Gi", "gpu": "a100", "gpu-amount": "1", "cpu": "1", "priority": "" });
    let task: GPUTask =
        serde_json::from_value(json!({ "metadata": { "name": "train" }, "spec": spec }))?;
    let tasks: Api<GPUTask> = Api::namespaced(plane.client(), &namespace);
    tasks.create(&PostParams::default(), &task).await?;

    let pods: Api<Pod> = Api::namespaced(plane.client(), &namespace);
    let pod = eventually("the Pod", async || pods.get("train").await).await?;
    let containers = pod.spec.unwrap_or_default().containers;
    assert_eq!(containers[0].image.as_deref(), Some("example.com/image"));
    program.stop().await?;

    // Recorded events are written before the program ends.
    let events: Api<Event> = Api::namespaced(plane.client(), &namespace);
    let synced = events
        .list(&ListParams::default().fields("reason=Synced"))
        .await?;
    assert_eq!(synced.items.len(), 1);
    Ok(())
}

/// Two replicas: one works. When it is stopped, it releases its lease, and the other one works at
/// once.
async fn gputask_replicas(plane: &ControlPlane, program: &str) -> Outcome {
    plane.apply_crd(GPU_TASKS).await?;
    let namespace = plane.create_namespace("programs").await?;
    let arguments = [
        "--namespace",
        &namespace,
        "--leader-elect",
        "--leader-elect-resource-namespace",
        &namespace,
        "--leader-elect-retry-period",
        "500ms",
    ];
    let leases: Api<Lease> = Api::namespaced(plane.client(), &namespace);
    let led = async || {
        let spec = leases
            .get("gputask-controller")
            .await?
            .spec
            .unwrap_or_default();
        Ok::<_, kube::Error>((
            spec.holder_identity.unwrap_or_default(),
            spec.lease_transitions,
        ))
    };
    let events: Api<Event> = Api::namespaced(plane.client(), &namespace);
    let about = ListParams::default().fields("involvedObject.kind=Lease,reason=LeaderElection");
    let messages = async || {
        let recorded = events.list(&about).await?.items.into_iter();
        let messages = recorded.filter_map(|event| event.message);
        let mut said: Vec<_> = messages
            .filter_map(|message| Some(message.split_once(' ')?.1.to_owned()))
            .collect();
        said.sort_unstable();
        Ok::<_, kube::Error>(said)
    };
    let (became, stopped) = ("became leader", "stopped leading");
    // The lease names a leader before the program has the response.
    let leaders = async |expected: usize| match messages().await {
        Ok(said) if said.iter().filter(|said| *said == became).count() == expected => Ok(()),
        other => Err(format!("{other:?}")),
    };
    let first = Program::start(plane, program, &arguments).await?;
    let (leader, _) = eventually("a leader", led).await?;
    eventually("its event", async || leaders(1).await).await?;
    let second = Program::start(plane, program, &arguments).await?;
    first.stop().await?;
    eventually("the other leader", async || match led().await {
        Ok((next, Some(1))) if !next.is_empty() && next != leader => Ok(()),
        other => Err(format!("{other:?}")),
    })
    .await?;
    eventually("the event of the other leader", async || leaders(2).await).await?;
    second.stop().await?;
    assert_eq!(led().await?, (String::new(), Some(1)));
    assert_eq!(messages().await?, [became, became, stopped, stopped]);
    Ok(())
}

async fn scaling(plane: &ControlPlane) -> Outcome {
    plane.apply_crd(SCALINGS).await?;
    let namespace = plane.create_namespace("programs").await?;
    let mut program = Program::start(plane, "scaling", &["--interval", "200ms"]).await?;
    program.says(|line| line.ends_with(" Scalings")).await?;
    let scaling = json!({
        "apiVersion": "control.example.com/v1",
        "kind": "Scaling",
        "metadata": { "name": "web" },
        "spec": {
            "targetDeployment": "web", "minReplicas": 1, "maxReplicas": 5,
            "metricType": "cpu", "step": 2, "scaleUp": 80, "scaleDown": 30,
        },
    });
    let path = format!("/apis/control.example.com/v1/namespaces/{namespace}/scalings");
    let request = http::Request::post(path).body(scaling.to_string().into_bytes())?;
    plane.client().request::<Value>(request).await?;
    let expected = format!(
        "{namespace}/web: web has 1 to 5 replicas, 2 more above 80% cpu, 2 fewer below 30%"
    );
    program.says(|line| line == expected).await?;
    program.stop().await
}

async fn demos(plane: &ControlPlane) -> Outcome {
    plane.apply_crd(DEMOS).await?;
    let namespace = plane.create_namespace("programs").await?;
    let demos = Clientset::from(plane.client())
        .democontroller_v1alpha1()
        .demos(&namespace);
    demos
        .create(&demo("hello", "web"), &PostParams::default())
        .await?;
    let mut program = Program::start(plane, "demos", &["--namespace", &namespace]).await?;
    program
        .says(|line| line == "hello wants the Deployment web")
        .await?;
    program
        .says(|line| line.starts_with("in the cache: hello, "))
        .await?;
    program.ends().await
}

async fn demo_controller(plane: &ControlPlane) -> Outcome {
    plane.apply_crd(DEMOS).await?;
    let namespace = plane.create_namespace("programs").await?;
    let program = Program::start(plane, "demo-controller", &[]).await?;
    let demos = Clientset::from(plane.client())
        .democontroller_v1alpha1()
        .demos(&namespace);
    let deployments: Api<Deployment> = Api::namespaced(plane.client(), &namespace);
    let created = demos
        .create(&demo("hello", "web"), &PostParams::default())
        .await?;
    let deployment = eventually("the Deployment", async || deployments.get("web").await).await?;
    assert_eq!(
        deployment.owner_references()[0].uid,
        created.uid().unwrap_or_default()
    );
    assert_eq!(replicas(&deployment), Some(1));

    // A Deployment that differs from its Demo is corrected, and the status of the Deployment is
    // copied.
    let change = |patch: Value| (PatchParams::default(), Patch::Merge(patch));
    let (params, patch) = change(json!({ "spec": { "replicas": 7 } }));
    deployments.patch("web", &params, &patch).await?;
    let (params, patch) =
        change(json!({ "status": { "replicas": 1, "readyReplicas": 1, "availableReplicas": 1 } }));
    deployments.patch_status("web", &params, &patch).await?;
    eventually("replicas and status", async || {
        let deployment = deployments.get("web").await.map_err(|e| e.to_string())?;
        let demo = demos
            .get("hello", &GetParams::default())
            .await
            .map_err(|e| e.to_string())?;
        let available = demo.status.map(|status| status.available_replicas);
        match (replicas(&deployment), available) {
            (Some(1), Some(1)) => Ok(()),
            other => Err(format!("{other:?}")),
        }
    })
    .await?;

    // The Deployment belongs to another Demo.
    demos
        .create(&demo("late", "web"), &PostParams::default())
        .await?;
    let events: Api<Event> = Api::namespaced(plane.client(), &namespace);
    let refused = ListParams::default().fields("involvedObject.name=late,reason=ErrResourceExists");
    eventually("the Warning", async || {
        let events = events.list(&refused).await.map_err(|e| e.to_string())?;
        events
            .items
            .into_iter()
            .next()
            .ok_or_else(|| "no event".to_owned())
    })
    .await?;
    program.stop().await
}

async fn pod_programs(plane: &ControlPlane) -> Outcome {
    let namespace = plane.create_namespace("programs").await?;
    let flags = ["--namespace", &namespace];
    let mut http_watch = Program::start(plane, "http-watch", &flags).await?;
    let mut watch_pods = Program::start(plane, "watch-pods", &flags).await?;
    let mut pod_informer = Program::start(plane, "pod-informer", &flags).await?;
    let pod: Pod = serde_json::from_value(json!({
        "metadata": { "name": "web" },
        "spec": { "nodeName": "worker-1", "containers": [{ "name": "main", "image": "example.com/image" }] },
    }))?;
    let pods: Api<Pod> = Api::namespaced(plane.client(), &namespace);
    pods.create(&PostParams::default(), &pod).await?;
    http_watch.says(|line| line == "ADDED Pod web").await?;
    // Depending on which of the two was first.
    watch_pods
        .says(|line| ["ADDED web Pending", "LISTED web Pending"].contains(&line))
        .await?;
    pod_informer
        .says(|line| line == format!("{namespace}/web is on worker-1"))
        .await?;
    for program in [http_watch, watch_pods, pod_informer] {
        program.stop().await?;
    }
    Ok(())
}

fn demo(name: &str, deployment: &str) -> Demo {
    Demo {
        metadata: ObjectMeta {
            name: Some(name.to_owned()),
            ..ObjectMeta::default()
        },
        spec: DemoSpec {
            deployment_name: deployment.to_owned(),
            replicas: Some(1),
        },
        status: None,
    }
}

fn replicas(deployment: &Deployment) -> Option<i32> {
    deployment.spec.as_ref().and_then(|spec| spec.replicas)
}

/// A running program. It is killed when this is dropped.
struct Program {
    child: Child,
    lines: Lines<BufReader<ChildStdout>>,
}

impl Program {
    async fn start(plane: &ControlPlane, name: &str, arguments: &[&str]) -> Result<Self, Failed> {
        let executable = executable(name).await?;
        // Kept with the logs of the servers if a test fails.
        let log = File::options()
            .create(true)
            .append(true)
            .open(plane.logs().join(name))?;
        let mut child = Command::new(executable)
            .arg("--kubeconfig")
            .arg(plane.kubeconfig())
            .args(arguments)
            .stdout(Stdio::piped())
            .stderr(log)
            .kill_on_drop(true)
            .spawn()?;
        let output = child.stdout.take().ok_or("no output")?;
        let lines = BufReader::new(output).lines();
        Ok(Self { child, lines })
    }

    /// Waits for a line that `is_expected`.
    async fn says(&mut self, is_expected: impl Fn(&str) -> bool) -> Outcome {
        let mut said = Vec::new();
        let found = timeout(PATIENCE, async {
            while let Some(line) = self.lines.next_line().await? {
                if is_expected(&line) {
                    return Ok(());
                }
                said.push(line);
            }
            Err(Failed::from("it ended"))
        });
        match found.await {
            Ok(Ok(())) => Ok(()),
            other => Err(format!("{other:?} after {said:?}").into()),
        }
    }

    async fn stop(self) -> Outcome {
        let process = self.child.id().ok_or("it has ended")?.to_string();
        let killed = Command::new("kill")
            .args(["-TERM", &process])
            .status()
            .await?;
        assert!(killed.success());
        self.ends().await
    }

    async fn ends(mut self) -> Outcome {
        let status = timeout(PATIENCE, self.child.wait()).await??;
        assert!(status.success(), "{status}");
        Ok(())
    }
}

/// Builds the programs, once: `cargo test` builds programs only for the tests of their own package.
async fn executable(name: &str) -> Result<PathBuf, Failed> {
    static BUILT: OnceCell<Result<Vec<PathBuf>, String>> = OnceCell::const_new();
    let executables = BUILT
        .get_or_init(async || build().await.map_err(|failed| format!("{failed:?}")))
        .await
        .as_ref()?;
    let found = executables
        .iter()
        .find(|path| path.file_stem().is_some_and(|stem| stem == name));
    Ok(found
        .ok_or_else(|| format!("no {name}: {executables:?}"))?
        .clone())
}

async fn build() -> Result<Vec<PathBuf>, Failed> {
    let output = Command::new(env!("CARGO"))
        .args(["build", "--locked", "--bins", "--message-format", "json"])
        .args(["-p", "demo", "-p", "gputask", "-p", "scaling"])
        .current_dir(env!("CARGO_MANIFEST_DIR"))
        .output()
        .await?;
    if !output.status.success() {
        return Err(String::from_utf8_lossy(&output.stderr).into_owned().into());
    }
    let executables = String::from_utf8(output.stdout)?
        .lines()
        .map(serde_json::from_str::<Value>)
        .filter_map(|message| {
            let path = message.ok()?.get("executable")?.as_str()?.into();
            Some(path)
        })
        .collect();
    Ok(executables)
}
