//! [`KubectlProxy`]: concurrent requests to the API server, with the credentials of kubectl.

use std::fs::File;
use std::io::{self, BufReader};
use std::process::{Child, Stdio};
use std::sync::mpsc::{self, Receiver, Sender};
use std::sync::{Arc, Mutex, PoisonError};
use std::thread;
use std::time::Duration;

use genclient_apimachinery::storage_migration::{Answer, Request, RequestId};
use genclient_codegen::{Diagnostic, Diagnostics};
use serde_json::Value;

use super::children::{ChildWaiter, FirstLine, kill_and_wait, spawn_in_own_group, terminate};
use super::http::{HttpRequest, HttpResponse, exchange};
use super::kubectl::Kubectl;
use super::temporary_folder::TemporaryFolder;

/// Time in which kubectl has to listen.
const START_TIMEOUT: Duration = Duration::from_secs(60);

/// Limits each request. The API server itself ends a request after 60 s.
const REQUEST_TIMEOUT: Duration = Duration::from_secs(65);

/// `kubectl proxy`, which only this user can connect to. Dropping it stops the process.
///
/// On Unix, kubectl listens on a socket in a private folder. On other systems, it listens on a port
/// of 127.0.0.1, which every local user can connect to while the command runs.
pub(crate) struct KubectlProxy {
    process: Child,
    waiter: ChildWaiter,
    requests: Sender<Request>,
    answers: Receiver<(RequestId, Answer)>,
    /// Has the socket.
    _folder: TemporaryFolder,
}

impl KubectlProxy {
    /// Starts kubectl, and `connections` threads that send requests.
    ///
    /// # Errors
    ///
    /// kubectl cannot be run, or does not listen.
    pub(crate) fn start(kubectl: &Kubectl, connections: usize) -> Result<Self, Diagnostics> {
        let mut waiter = ChildWaiter::new()?;
        let folder = TemporaryFolder::new("migrate")?;
        let errors = folder.write("errors", "")?;
        let mut command = kubectl.command();
        command.args(["proxy", "--accept-paths=^/apis/", "--append-server-path"]);
        command.args(platform::listen_flags(folder.path()));
        command.stdout(Stdio::piped());
        // kubectl also logs each request that fails. The answers say the same.
        command.stderr(File::create(&errors).map_or_else(|_| Stdio::null(), Stdio::from));
        let mut process = spawn_in_own_group(&mut command)
            .map_err(|error| super::kubectl_error::cannot_start(&error))?;
        let line = match waiter.wait_for_line(&mut process, START_TIMEOUT) {
            FirstLine::Printed(line) => line,
            FirstLine::Missing => {
                kill_and_wait(&mut process);
                let errors = std::fs::read_to_string(&errors).unwrap_or_default();
                return Err(cannot_listen(&errors));
            }
            FirstLine::Interrupted(code) => {
                terminate(&mut process);
                drop(folder);
                std::process::exit(code)
            }
        };
        let Some(address) = platform::Address::new(folder.path(), &line) else {
            terminate(&mut process);
            return Err(cannot_listen(&line));
        };
        let (requests, answers) = start_senders(&address, connections);
        Ok(Self {
            process,
            waiter,
            requests,
            answers,
            _folder: folder,
        })
    }

    /// Sends a request, without waiting for the answer.
    pub(crate) fn send(&self, request: Request) {
        // The senders live as long as this channel.
        let _ = self.requests.send(request);
    }

    /// Waits for the next answer.
    pub(crate) fn answer(&self, timeout: Duration) -> Option<(RequestId, Answer)> {
        self.answers.recv_timeout(timeout).ok()
    }

    /// Stops kubectl, then this process.
    pub(crate) fn exit(self, code: i32) -> ! {
        drop(self);
        std::process::exit(code)
    }

    /// The exit code for this process, if a signal has asked it to end.
    pub(crate) fn interrupted(&mut self) -> Option<i32> {
        self.waiter.interrupted()
    }
}

fn cannot_listen(output: &str) -> Diagnostics {
    let finding = format!("`kubectl proxy` does not listen: {}", output.trim());
    let help = "set another folder for its socket in the environment variable `TMPDIR`";
    Diagnostic::error(finding).help(help).into()
}

impl Drop for KubectlProxy {
    fn drop(&mut self) {
        terminate(&mut self.process);
    }
}

/// Starts the threads that send requests, each over its own connection.
fn start_senders(
    address: &platform::Address,
    count: usize,
) -> (Sender<Request>, Receiver<(RequestId, Answer)>) {
    let (requests, received) = mpsc::channel::<Request>();
    let (answers, answered) = mpsc::channel();
    let received = Arc::new(Mutex::new(received));
    for _ in 0..count {
        let (address, received, answers) = (address.clone(), received.clone(), answers.clone());
        thread::spawn(move || {
            let mut connection = None;
            loop {
                // A sender that panics while it waits for a request has changed nothing.
                let next = received
                    .lock()
                    .unwrap_or_else(PoisonError::into_inner)
                    .recv();
                let Ok(request) = next else {
                    return;
                };
                let answer = send(&address, &mut connection, &request);
                if answers.send((request.id, answer)).is_err() {
                    return;
                }
            }
        });
    }
    (requests, answered)
}

/// Sends a request over a connection that is kept for the next one.
fn send(
    address: &platform::Address,
    kept: &mut Option<BufReader<platform::Connection>>,
    request: &Request,
) -> Answer {
    let body = request
        .body
        .as_ref()
        .map(|(content_type, body)| (*content_type, body.to_string()));
    let http = HttpRequest {
        method: request.method,
        target: &request.path,
        accept: request.accept,
        body: body
            .as_ref()
            .map(|(content_type, body)| (*content_type, body.as_bytes())),
    };
    match exchange_over(address, kept, &http) {
        Ok(response) => Answer::Response {
            code: response.code,
            // kubectl's own errors are plain text.
            body: serde_json::from_slice(&response.body).unwrap_or_else(|_| {
                let text = String::from_utf8_lossy(&response.body).trim().to_owned();
                Value::from_iter([("message", text)])
            }),
            retry_after: response.retry_after,
        },
        Err(error)
            if matches!(
                error.kind(),
                io::ErrorKind::WouldBlock | io::ErrorKind::TimedOut
            ) =>
        {
            Answer::TimedOut
        }
        Err(error) => Answer::Lost(error.to_string()),
    }
}

fn exchange_over(
    address: &platform::Address,
    kept: &mut Option<BufReader<platform::Connection>>,
    request: &HttpRequest<'_>,
) -> io::Result<HttpResponse> {
    let mut connection = match kept.take() {
        Some(connection) => connection,
        None => BufReader::new(address.connect()?),
    };
    let response = exchange(&mut connection, request)?;
    if response.is_kept_open {
        *kept = Some(connection);
    }
    Ok(response)
}

#[cfg(unix)]
mod platform {
    use std::io;
    use std::os::unix::net::UnixStream;
    use std::path::{Path, PathBuf};

    use super::REQUEST_TIMEOUT;

    const SOCKET: &str = "api";

    pub(super) type Connection = UnixStream;

    #[derive(Clone)]
    pub(super) struct Address(PathBuf);

    pub(super) fn listen_flags(folder: &Path) -> [String; 1] {
        [format!("--unix-socket={}", folder.join(SOCKET).display())]
    }

    impl Address {
        /// The socket. kubectl prints a line once it listens there.
        pub(super) fn new(folder: &Path, _line: &str) -> Option<Self> {
            Some(Self(folder.join(SOCKET)))
        }

        pub(super) fn connect(&self) -> io::Result<Connection> {
            let connection = UnixStream::connect(&self.0)?;
            connection.set_read_timeout(Some(REQUEST_TIMEOUT))?;
            Ok(connection)
        }
    }
}

#[cfg(not(unix))]
mod platform {
    use std::io;
    use std::net::{SocketAddr, TcpStream};
    use std::path::Path;

    use super::REQUEST_TIMEOUT;

    pub(super) type Connection = TcpStream;

    #[derive(Clone)]
    pub(super) struct Address(SocketAddr);

    pub(super) fn listen_flags(_folder: &Path) -> [String; 1] {
        ["--port=0".to_owned()]
    }

    impl Address {
        /// The address in `Starting to serve on 127.0.0.1:PORT`.
        pub(super) fn new(_folder: &Path, line: &str) -> Option<Self> {
            line.split_whitespace().last()?.parse().ok().map(Self)
        }

        pub(super) fn connect(&self) -> io::Result<Connection> {
            let connection = TcpStream::connect(self.0)?;
            connection.set_read_timeout(Some(REQUEST_TIMEOUT))?;
            Ok(connection)
        }
    }
}
