//! [`Serving`]: an API server that listens on a TCP address.

mod body;
mod connections;
mod kubeconfig;

use std::io;
use std::net::SocketAddr;
use std::path::Path;
use std::time::Duration;

use tokio::net::TcpListener;

use self::connections::Connections;
use crate::server::ApiServer;

/// Grace period for open requests at shutdown.
const LAST_ANSWERS: Duration = Duration::from_secs(2);

impl ApiServer {
    /// Serves plain HTTP/1.1 at an address, for kubectl and programs in other processes.
    ///
    /// A request without credentials is an administrator's, so the address should be local to this
    /// machine: `([127, 0, 0, 1], 0)` is a free port of the loopback interface.
    ///
    /// # Errors
    ///
    /// If the address cannot be bound.
    ///
    /// # Example
    ///
    /// ```
    /// # #[tokio::main(flavor = "current_thread")]
    /// # async fn main() -> Result<(), Box<dyn std::error::Error>> {
    /// use genclient_apiserver::ApiServer;
    ///
    /// let server = ApiServer::builder().build()?;
    /// let serving = server.serve(([127, 0, 0, 1], 0)).await?;
    /// assert!(serving.kubeconfig().contains(&serving.url()));
    /// serving.shutdown().await;
    /// # Ok(())
    /// # }
    /// ```
    pub async fn serve(&self, address: impl Into<SocketAddr>) -> io::Result<Serving> {
        let listener = TcpListener::bind(address.into()).await?;
        let address = listener.local_addr()?;
        let connections = Connections::default();
        connections.accept(listener, self.clone());
        Ok(Serving {
            address,
            connections,
        })
    }
}

/// API server that listens on a TCP address, from [`ApiServer::serve`]. Dropping it closes every
/// connection.
#[derive(Debug)]
#[must_use = "dropping it closes every connection"]
pub struct Serving {
    address: SocketAddr,
    connections: Connections,
}

impl Serving {
    /// Returns the address that it listens on.
    pub fn addr(&self) -> SocketAddr {
        self.address
    }

    /// Returns the URL of the server, such as `http://127.0.0.1:34567`.
    pub fn url(&self) -> String {
        let mut address = self.address;
        // Clients cannot connect to the unspecified address.
        if address.ip().is_unspecified() {
            address.set_ip(match address {
                SocketAddr::V4(_) => std::net::Ipv4Addr::LOCALHOST.into(),
                SocketAddr::V6(_) => std::net::Ipv6Addr::LOCALHOST.into(),
            });
        }
        format!("http://{address}")
    }

    /// Returns a kubeconfig for the server.
    pub fn kubeconfig(&self) -> String {
        kubeconfig::text(&self.url())
    }

    /// Writes [`kubeconfig`](Self::kubeconfig) to a file that only its owner can read.
    ///
    /// # Errors
    ///
    /// If the file cannot be written.
    pub fn write_kubeconfig(&self, path: impl AsRef<Path>) -> io::Result<()> {
        kubeconfig::write(path.as_ref(), &self.kubeconfig())
    }

    /// Stops listening, ends watches and waits for open requests. Those that take longer than two
    /// seconds are cut off.
    pub async fn shutdown(self) {
        self.connections.shutdown(LAST_ANSWERS).await;
    }
}

#[cfg(test)]
mod tests {
    use tokio::io::{AsyncReadExt, AsyncWriteExt};
    use tokio::net::TcpStream;

    use super::*;
    use crate::eventually::eventually;
    use crate::route::Verb;

    async fn start() -> (ApiServer, Serving) {
        let server = ApiServer::builder().build().unwrap();
        let serving = server.serve(([127, 0, 0, 1], 0)).await.unwrap();
        (server, serving)
    }

    async fn send(serving: &Serving, request: &str) -> TcpStream {
        let mut stream = TcpStream::connect(serving.addr()).await.unwrap();
        stream.write_all(request.as_bytes()).await.unwrap();
        stream
    }

    /// Waits until this number of tasks runs: the listener, and one task per connection.
    async fn tasks(serving: &Serving, count: usize) {
        let counted = eventually(format!("{count} tasks"), async || {
            match serving.connections.tasks() {
                tasks if tasks == count => Ok(()),
                tasks => Err(tasks),
            }
        });
        counted.await.unwrap();
    }

    const WATCH: &str = "GET /api/v1/namespaces?watch=1 HTTP/1.1\r\nHost: x\r\n\r\n";

    #[tokio::test]
    async fn a_connection_takes_several_requests() {
        let (_server, serving) = start().await;
        let request = "GET /healthz HTTP/1.1\r\nHost: x\r\n\r\n";
        let mut stream = send(&serving, request).await;
        for _ in 0..3 {
            let mut answer = Vec::new();
            while !answer.ends_with(b"\r\n\r\nok") {
                assert_ne!(stream.read_buf(&mut answer).await.unwrap(), 0);
            }
            stream.write_all(request.as_bytes()).await.unwrap();
        }
        tasks(&serving, 2).await;
        drop(stream);
        tasks(&serving, 1).await;
    }

    #[tokio::test]
    async fn a_client_that_leaves_ends_its_watch_and_its_waiting_requests() {
        let (server, serving) = start().await;
        server.fail(Verb::Get, "pods").hang();
        let get = "GET /api/v1/namespaces/default/pods/a HTTP/1.1\r\nHost: x\r\n\r\n";
        let mut watch = send(&serving, WATCH).await;
        let hanging = send(&serving, get).await;
        let mut first = [0; 12];
        watch.read_exact(&mut first).await.unwrap();
        assert_eq!(&first, b"HTTP/1.1 200");
        tasks(&serving, 3).await;
        drop(watch);
        tasks(&serving, 2).await;
        drop(hanging);
        tasks(&serving, 1).await;
    }

    #[tokio::test]
    async fn shutting_down_ends_watches_and_cuts_what_hangs() {
        let (server, serving) = start().await;
        server.fail(Verb::Get, "pods").hang();
        let mut watch = send(&serving, WATCH).await;
        let _hanging = send(
            &serving,
            "GET /api/v1/namespaces/default/pods/a HTTP/1.1\r\nHost: x\r\n\r\n",
        )
        .await;
        let mut first = [0; 1];
        watch.read_exact(&mut first).await.unwrap();
        let address = serving.addr();
        serving.shutdown().await;
        let mut rest = String::new();
        watch.read_to_string(&mut rest).await.unwrap();
        assert!(rest.ends_with("\r\n0\r\n\r\n"), "{rest}");
        assert!(TcpStream::connect(address).await.is_err());
    }

    #[tokio::test]
    async fn dropping_closes_connections() {
        let (_server, serving) = start().await;
        let mut watch = send(&serving, WATCH).await;
        let mut first = [0; 1];
        watch.read_exact(&mut first).await.unwrap();
        let address = serving.addr();
        drop(serving);
        let mut rest = Vec::new();
        // The body ends, or the connection breaks.
        let _ = watch.read_to_end(&mut rest).await;
        let refused = async || TcpStream::connect(address).await.is_err();
        eventually("no listener", refused).await.unwrap();
    }

    #[tokio::test]
    async fn bodies_that_are_too_long_are_refused() {
        let (_server, serving) = start().await;
        let head = "POST /api/v1/namespaces HTTP/1.1\r\nHost: x\r\nContent-Length: 4000000\r\n\r\n";
        let mut stream = send(&serving, head).await;
        let (mut reader, mut writer) = stream.split();
        let write = async {
            let _ = writer.write_all(&vec![b' '; 4_000_000]).await;
        };
        let mut answer = [0; 12];
        let (_, read) = tokio::join!(write, reader.read_exact(&mut answer));
        read.unwrap();
        assert_eq!(&answer, b"HTTP/1.1 413");
    }
}
