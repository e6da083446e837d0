//! Tests of leaders that cannot reach the API server: they stop before another replica can start.

use std::net::{Ipv4Addr, SocketAddr};
use std::time::SystemTime;

use e2e::{ControlPlane, eventually};
use genclient::leaderelection::LeadershipLostError;
use k8s_openapi::jiff::Timestamp;
use kube::Config;
use libtest_mimic::Failed;
use tokio::io::copy_bidirectional;
use tokio::net::{TcpListener, TcpStream};
use tokio::task::JoinHandle;
use tokio_util::sync::CancellationToken;

use super::stamps::Stamps;
use super::{LEASE_DURATION, RENEW_DEADLINE, TAKEOVER, elector, lease};
use crate::suite::Outcome;

type LeaderTask = JoinHandle<Result<Option<()>, LeadershipLostError>>;

/// Starts a candidate that stamps while it leads.
fn stand(
    config: Config,
    namespace: &str,
    identity: &str,
    stamps: &Stamps,
    cancel: CancellationToken,
) -> Result<LeaderTask, Failed> {
    let mut elector = elector(config, namespace, identity)?;
    let (stamps, identity) = (stamps.clone(), identity.to_owned());
    Ok(tokio::spawn(async move {
        elector
            .run(cancel, move |leading| stamps.work(identity, leading))
            .await
    }))
}

/// Starts two candidates: the first leads, and the second stands by.
async fn leader_and_standby(
    [first, second]: [Config; 2],
    namespace: &str,
    stamps: &Stamps,
    cancel: &CancellationToken,
) -> Result<[LeaderTask; 2], Failed> {
    let first = stand(first, namespace, "first", stamps, cancel.clone())?;
    leads(stamps, "first").await?;
    let second = stand(second, namespace, "second", stamps, cancel.clone())?;
    Ok([first, second])
}

async fn leads(stamps: &Stamps, identity: &str) -> Result<SystemTime, Failed> {
    let first = eventually("a leader", async || {
        let stamps = stamps.of(identity);
        stamps.ok_or_else(|| format!("{identity} does not lead"))
    });
    Ok(first.await?.0)
}

/// The network between the leader and the API server becomes silent, only for the leader. The
/// standby starts when the lease expires, and the leader has ended by then.
pub(super) async fn partitioned_leader(plane: &ControlPlane) -> Outcome {
    let namespace = plane.create_namespace("leader").await?;
    let stamps = Stamps::default();
    let proxy = Proxy::start(plane.config()).await?;
    let cancel = CancellationToken::new();
    let configs = [proxy.config.clone(), plane.config()];
    let [first, second] = leader_and_standby(configs, &namespace, &stamps, &cancel).await?;

    proxy.cut.cancel();
    let cut = SystemTime::now();
    assert_eq!(first.await?, Err(LeadershipLostError::WorkEnded));
    let taken = leads(&stamps, "second").await?;
    assert!(taken.duration_since(cut)? <= TAKEOVER);
    let (_, ended) = stamps.of("first").ok_or("no stamps")?;
    assert!(ended < taken, "the first worked on");
    stamps.assert_no_overlap();

    cancel.cancel();
    assert_eq!(second.await?, Ok(Some(())));
    let holder = lease(plane, &namespace).await?.holder_identity;
    assert_eq!(holder.as_deref(), Some(""), "given back");
    Ok(())
}

/// The API server is stopped (SIGSTOP): connections stay open, and nothing answers.
pub(super) async fn stopped_api_server(plane: &ControlPlane) -> Outcome {
    let go = async || Ok(plane.pause_api_server()?);
    let come = async || Ok(plane.resume_api_server()?);
    leader_stops_without_the_server(plane, go, come).await
}

/// The API server is killed: connections are refused.
pub(super) async fn killed_api_server(plane: &ControlPlane) -> Outcome {
    let go = async || {
        plane.kill_api_server();
        Ok(())
    };
    let come = async || Ok(plane.start_api_server().await?);
    leader_stops_without_the_server(plane, go, come).await
}

async fn leader_stops_without_the_server(
    plane: &ControlPlane,
    go: impl AsyncFnOnce() -> Outcome,
    come: impl AsyncFnOnce() -> Outcome,
) -> Outcome {
    let namespace = plane.create_namespace("leader").await?;
    let stamps = Stamps::default();
    let cancel = CancellationToken::new();
    let configs = [plane.config(), plane.config()];
    let [first, second] = leader_and_standby(configs, &namespace, &stamps, &cancel).await?;

    let renewed = lease(plane, &namespace).await?.renew_time;
    go().await?;
    let gone = SystemTime::now();
    assert_eq!(first.await?, Err(LeadershipLostError::WorkEnded));
    let (_, ended) = stamps.of("first").ok_or("no stamps")?;
    // The last renewal was between the one that was read and the end of the server.
    let renewed = renewed.ok_or("never renewed")?.0;
    let after = Timestamp::try_from(ended)?
        .duration_since(renewed)
        .unsigned_abs();
    assert!(
        after >= RENEW_DEADLINE,
        "stopped after {after:?}: too early"
    );
    let after = ended.duration_since(gone)?;
    assert!(after < LEASE_DURATION, "stopped after {after:?}: too late");

    come().await?;
    leads(&stamps, "second").await?;
    stamps.assert_no_overlap();
    cancel.cancel();
    assert_eq!(second.await?, Ok(Some(())));
    Ok(())
}

/// A network between a client and the API server that can become silent.
struct Proxy {
    /// The configuration of clients of the proxy.
    config: Config,
    cut: CancellationToken,
    _accepting: tokio_util::task::AbortOnDropHandle<()>,
}

impl Proxy {
    async fn start(mut config: Config) -> Result<Self, Failed> {
        let port = config.cluster_url.port_u16().ok_or("no port")?;
        let server = SocketAddr::from((Ipv4Addr::LOCALHOST, port));
        let listener = TcpListener::bind((Ipv4Addr::LOCALHOST, 0)).await?;
        let scheme = config.cluster_url.scheme_str().unwrap_or("https");
        config.cluster_url = format!("{scheme}://{}", listener.local_addr()?).parse()?;
        let cut = CancellationToken::new();
        let accepting = tokio::spawn(accept(listener, server, cut.clone()));
        Ok(Self {
            config,
            cut,
            _accepting: tokio_util::task::AbortOnDropHandle::new(accepting),
        })
    }
}

/// Forwards everything until `cut`, and nothing after that. Connections stay open.
async fn accept(listener: TcpListener, server: SocketAddr, cut: CancellationToken) {
    while let Ok((mut client, _)) = listener.accept().await {
        let cut = cut.clone();
        tokio::spawn(async move {
            let passing = async {
                if let Ok(mut server) = TcpStream::connect(server).await {
                    // Ends when either side does, which is not an error.
                    let _ = copy_bidirectional(&mut client, &mut server).await;
                }
            };
            if cut.run_until_cancelled(passing).await.is_none() {
                std::future::pending::<()>().await;
            }
        });
    }
}
