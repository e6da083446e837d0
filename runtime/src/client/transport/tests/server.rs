//! Server with TLS or without, and a TCP proxy in front of it that can swallow bytes.

use std::io::{self, Write};
use std::net::SocketAddr;
use std::pin::pin;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Duration;

use bytes::Bytes;
use futures::stream;
use http::header::AUTHORIZATION;
use http::{Request, Response, Version};
use http_body::Frame;
use http_body_util::combinators::UnsyncBoxBody;
use http_body_util::{BodyExt, Full, StreamBody};
use hyper::body::Incoming;
use hyper::server::conn::{http1, http2};
use hyper::service::service_fn;
use hyper_util::rt::{TokioExecutor, TokioIo};
use kube::Config;
use kube::client::Body;
use parking_lot::Mutex;
use rcgen::{BasicConstraints, CertificateParams, DnType, IsCa, Issuer, KeyPair};
use rustls::pki_types::{CertificateDer, PrivateKeyDer};
use rustls::server::WebPkiClientVerifier;
use rustls::{RootCertStore, ServerConfig};
use tokio::io::{AsyncRead, AsyncReadExt, AsyncWrite, AsyncWriteExt};
use tokio::net::{TcpListener, TcpStream};
use tokio::sync::Notify;
use tokio::task::AbortHandle;
use tokio::time::sleep;
use tokio_rustls::TlsAcceptor;

use super::super::Unpinged;

/// Request as the server received it.
#[derive(Clone, Debug)]
pub(super) struct Seen {
    pub(super) version: Version,
    pub(super) authorization: Option<String>,
    /// Name in the client certificate of the connection, as DER has it.
    pub(super) certificate: Option<Vec<u8>>,
}

/// Response to a watch.
pub(super) struct Watched(pub(super) Response<Body>);

/// Server that answers `{}`, but never ends the response to a watch, and never answers `/never`.
pub(super) struct Server {
    at: SocketAddr,
    authority: Authority,
    state: Arc<State>,
}

pub(super) struct ServerBuilder {
    streams: u32,
    http1_only: bool,
    requires_certificate: bool,
    handshake_delay: Duration,
    leaves: Option<u8>,
    script: Vec<Step>,
}

/// Reaction to the next request of the first HTTP/2 connection.
#[derive(Clone, Copy, Debug)]
pub(super) enum Step {
    /// GOAWAY with this code, which says that no request was processed.
    GoAway(u8),
    /// RST_STREAM with this code.
    Reset(u8),
    Answer,
}

#[derive(Default)]
struct State {
    seen: Mutex<Vec<Seen>>,
    connections: AtomicUsize,
    max_streams: AtomicUsize,
    /// Requests that the script of the first connection received.
    scripted: AtomicUsize,
    handlers: Mutex<Vec<AbortHandle>>,
    /// Notified when each connection shall end after the requests that it has.
    going_away: Notify,
    /// The only accepted `Authorization`, if any.
    accepted: Mutex<Option<String>>,
    /// The only accepted client certificate, if any.
    accepted_certificate: Mutex<Option<Vec<u8>>>,
}

/// Certificate authority of a test.
pub(super) struct Authority {
    der: CertificateDer<'static>,
    issuer: Issuer<'static, KeyPair>,
}

/// Certificate and its key, in PEM, and the certificate in DER.
pub(super) struct Issued {
    pub(super) certificate: String,
    pub(super) key: String,
    pub(super) der: Vec<u8>,
}

/// TCP proxy. From [`swallow`](Self::swallow) on, its open connections stay open, but carry
/// nothing.
pub(super) struct Proxy {
    at: SocketAddr,
    generation: Arc<AtomicUsize>,
}

type ResponseBody = UnsyncBoxBody<Bytes, std::convert::Infallible>;

impl Authority {
    fn new() -> Self {
        let mut params = CertificateParams::default();
        params.is_ca = IsCa::Ca(BasicConstraints::Unconstrained);
        params
            .distinguished_name
            .push(DnType::CommonName, "authority");
        let key = KeyPair::generate().unwrap();
        let der = params.self_signed(&key).unwrap().der().clone();
        let issuer = Issuer::new(params, key);
        Self { der, issuer }
    }

    pub(super) fn issue(&self, name: &str) -> Issued {
        let mut params = CertificateParams::new(vec![name.to_owned()]).unwrap();
        params.distinguished_name.push(DnType::CommonName, name);
        let key = KeyPair::generate().unwrap();
        let certificate = params.signed_by(&key, &self.issuer).unwrap();
        Issued {
            certificate: certificate.pem(),
            key: key.serialize_pem(),
            der: certificate.der().to_vec(),
        }
    }
}

impl ServerBuilder {
    /// Sets the number of concurrent requests on an HTTP/2 connection.
    pub(super) fn streams(mut self, streams: u32) -> Self {
        self.streams = streams;
        self
    }

    pub(super) fn http1_only(mut self) -> Self {
        self.http1_only = true;
        self
    }

    /// Sets a pause before each TLS handshake.
    pub(super) fn handshake_delay(mut self, delay: Duration) -> Self {
        self.handshake_delay = delay;
        self
    }

    /// Rejects connections without a client certificate. A client learns of it after the handshake.
    pub(super) fn requires_certificate(mut self) -> Self {
        self.requires_certificate = true;
        self
    }

    /// Sends GOAWAY with this code on the first connection, before the client can send a request.
    pub(super) fn leaves(mut self, code: u8) -> Self {
        self.leaves = Some(code);
        self
    }

    /// Sets the reactions to the requests of the first connection, which has HTTP/2.
    pub(super) fn script(mut self, script: &[Step]) -> Self {
        self.script = script.to_vec();
        self
    }

    /// Starts the server on one port, for `http` and `https`.
    pub(super) async fn start(self) -> Server {
        let authority = Authority::new();
        let listener = TcpListener::bind(("127.0.0.1", 0)).await.unwrap();
        let server = Server {
            at: listener.local_addr().unwrap(),
            state: Arc::default(),
            authority,
        };
        let acceptors = [None, self.leaves].map(|leaves| self.acceptor(&server.authority, leaves));
        let state = Arc::clone(&server.state);
        let builder = Arc::new(self);
        tokio::spawn(async move {
            loop {
                let (stream, _) = listener.accept().await.unwrap();
                let is_first = state.connections.fetch_add(1, Ordering::SeqCst) == 0;
                let served = serve(
                    stream,
                    is_first,
                    acceptors[usize::from(is_first)].clone(),
                    Arc::clone(&state),
                    Arc::clone(&builder),
                );
                let handler = tokio::spawn(served).abort_handle();
                state.handlers.lock().push(handler);
            }
        });
        server
    }

    fn acceptor(&self, authority: &Authority, leaves: Option<u8>) -> TlsAcceptor {
        let issued = authority.issue("127.0.0.1");
        let key = PrivateKeyDer::from_pem(&issued.key);
        let mut roots = RootCertStore::empty();
        roots.add(authority.der.clone()).unwrap();
        let mut verifier = WebPkiClientVerifier::builder(Arc::new(roots));
        if !self.requires_certificate {
            verifier = verifier.allow_unauthenticated();
        }
        // Data that the server sends with its part of the handshake excludes client certificates.
        let verifier = match leaves {
            Some(_) => WebPkiClientVerifier::no_client_auth(),
            None => verifier.build().unwrap(),
        };
        let mut config = ServerConfig::builder()
            .with_client_cert_verifier(verifier)
            .with_single_cert(vec![issued.der.into()], key)
            .unwrap();
        config.send_half_rtt_data = leaves.is_some();
        config.alpn_protocols = if self.http1_only {
            vec![b"http/1.1".to_vec()]
        } else {
            vec![b"h2".to_vec(), b"http/1.1".to_vec()]
        };
        TlsAcceptor::from(Arc::new(config))
    }
}

trait FromPem {
    fn from_pem(pem: &str) -> Self;
}

impl FromPem for PrivateKeyDer<'static> {
    fn from_pem(pem: &str) -> Self {
        rustls::pki_types::pem::PemObject::from_pem_slice(pem.as_bytes()).unwrap()
    }
}

impl Server {
    pub(super) fn builder() -> ServerBuilder {
        ServerBuilder {
            streams: 100,
            http1_only: false,
            requires_certificate: false,
            leaves: None,
            handshake_delay: Duration::ZERO,
            script: Vec::new(),
        }
    }

    pub(super) async fn start() -> Self {
        Self::builder().start().await
    }

    pub(super) fn config(&self) -> Config {
        let mut config = Config::new(format!("https://{}", self.at).parse().unwrap());
        config.root_cert = Some(vec![self.authority.der.to_vec()]);
        config
    }

    pub(super) fn authority(&self) -> &Authority {
        &self.authority
    }

    /// From now on, other values of `Authorization` get a 401.
    pub(super) fn accept(&self, authorization: &str) {
        *self.state.accepted.lock() = Some(authorization.to_owned());
    }

    /// From now on, other client certificates get a 401.
    pub(super) fn accept_certificate(&self, issued: &Issued) {
        *self.state.accepted_certificate.lock() = Some(issued.der.clone());
    }

    pub(super) fn seen(&self) -> Vec<Seen> {
        self.state.seen.lock().clone()
    }

    /// Returns the number of requests that the script received.
    pub(super) fn scripted(&self) -> usize {
        self.state.scripted.load(Ordering::SeqCst)
    }

    /// Closes all connections.
    pub(super) fn disconnect(&self) {
        for handler in self.state.handlers.lock().drain(..) {
            handler.abort();
        }
    }

    /// Sends GOAWAY on all HTTP/2 connections. The requests that they have go on.
    pub(super) fn go_away(&self) {
        self.state.going_away.notify_waiters();
    }

    pub(super) fn connections(&self) -> usize {
        self.state.connections.load(Ordering::SeqCst)
    }

    /// Returns the maximum number of requests that one connection had at a time.
    pub(super) fn max_streams(&self) -> usize {
        self.state.max_streams.load(Ordering::SeqCst)
    }

    pub(super) async fn proxy(&self) -> Proxy {
        Proxy::start(self.at).await
    }
}

impl State {
    fn answer(&self, request: &Request<Incoming>, certificate: Option<&[u8]>) -> u16 {
        let authorization = request
            .headers()
            .get(AUTHORIZATION)
            .map(|value| value.to_str().unwrap().to_owned());
        let accepted = self.accepted.lock().clone();
        let accepted_certificate = self.accepted_certificate.lock().clone();
        let is_refused = accepted.is_some_and(|accepted| authorization != Some(accepted))
            || accepted_certificate.is_some_and(|it| certificate != Some(&*it));
        self.seen.lock().push(Seen {
            version: request.version(),
            authorization,
            certificate: certificate.map(<[u8]>::to_vec),
        });
        match request.uri().path() {
            _ if is_refused => 401,
            "/exec" => 101,
            _ => 200,
        }
    }
}

async fn serve(
    stream: TcpStream,
    is_first: bool,
    acceptor: TlsAcceptor,
    state: Arc<State>,
    builder: Arc<ServerBuilder>,
) {
    let mut first = [0];
    stream.peek(&mut first).await.unwrap_or(0);
    // The first byte of a TLS handshake.
    if first != [22] {
        return serve_connection(stream, None, state, None).await;
    }
    sleep(builder.handshake_delay).await;
    let leaves = builder.leaves.filter(|_| is_first);
    let Ok(mut stream) = acceptor
        .accept_with(stream, |tls| {
            if let Some(code) = leaves {
                let frames = [frame(SETTINGS, 0, [0; 4], &[]), goaway(code)].concat();
                tls.writer().write_all(&frames).unwrap();
            }
        })
        .await
    else {
        return;
    };
    if leaves.is_some() {
        // Until the client closes the connection.
        let _ = tokio::io::copy(&mut stream, &mut tokio::io::sink()).await;
        return;
    }
    if is_first && !builder.script.is_empty() {
        // An error means that the client has closed the connection.
        let _ = play_script(&mut stream, &builder.script, &state.scripted).await;
        return;
    }
    let tls = stream.get_ref().1;
    let certificate = tls.peer_certificates().and_then(<[_]>::first);
    let certificate = certificate.map(|certificate| certificate.to_vec());
    let is_http2 = tls.alpn_protocol() == Some(b"h2");
    serve_connection(
        stream,
        certificate,
        state,
        is_http2.then_some(builder.streams),
    )
    .await;
}

const SETTINGS: u8 = 4;

fn frame(kind: u8, flags: u8, id: [u8; 4], payload: &[u8]) -> Vec<u8> {
    let length = u8::try_from(payload.len()).unwrap();
    [&[0, 0, length, kind, flags], &id[..], payload].concat()
}

/// Returns a GOAWAY frame, which says that no request was processed.
fn goaway(code: u8) -> Vec<u8> {
    const GOAWAY: u8 = 7;
    frame(GOAWAY, 0, [0; 4], &[0, 0, 0, 0, 0, 0, 0, code])
}

/// Answers the requests of an HTTP/2 connection with the frames of a script (RFC 9113, section 6).
async fn play_script(
    stream: &mut (impl AsyncRead + AsyncWrite + Unpin),
    script: &[Step],
    scripted: &AtomicUsize,
) -> io::Result<()> {
    const HEADERS: u8 = 1;
    const RST_STREAM: u8 = 3;
    const PING: u8 = 6;
    const ACK: u8 = 1;
    const END_STREAM_AND_HEADERS: u8 = 5;
    /// `:status: 200` in the static table of RFC 7541.
    const STATUS_200: u8 = 0x88;
    let mut preface = [0; 24];
    stream.read_exact(&mut preface).await?;
    stream.write_all(&frame(SETTINGS, 0, [0; 4], &[])).await?;
    let mut script = script.iter();
    loop {
        let mut header = [0; 9];
        stream.read_exact(&mut header).await?;
        let [_, high, low, kind, flags, id @ ..] = header;
        let mut payload = vec![0; usize::from(high) << 8 | usize::from(low)];
        stream.read_exact(&mut payload).await?;
        if kind == PING && flags != ACK {
            stream.write_all(&frame(PING, ACK, id, &payload)).await?;
        }
        if kind != HEADERS {
            continue;
        }
        scripted.fetch_add(1, Ordering::SeqCst);
        let answer = match *script.next().unwrap() {
            Step::GoAway(code) => goaway(code),
            Step::Reset(code) => frame(RST_STREAM, 0, id, &[0, 0, 0, code]),
            Step::Answer => frame(HEADERS, END_STREAM_AND_HEADERS, id, &[STATUS_200]),
        };
        stream.write_all(&answer).await?;
    }
}

/// Serves a connection: of HTTP/2 if there is a number of `streams`.
async fn serve_connection(
    stream: impl AsyncRead + AsyncWrite + Unpin + Send + 'static,
    certificate: Option<Vec<u8>>,
    state: Arc<State>,
    streams: Option<u32>,
) {
    let live = Arc::new(AtomicUsize::new(0));
    let state_of_connection = Arc::clone(&state);
    let service = service_fn(move |request: Request<Incoming>| {
        let status = state.answer(&request, certificate.as_deref());
        let now = live.fetch_add(1, Ordering::SeqCst) + 1;
        state.max_streams.fetch_max(now, Ordering::SeqCst);
        let counted = Counted(Arc::clone(&live));
        async move {
            if request.uri().path() == "/never" {
                std::future::pending::<()>().await;
            }
            let is_watch = request.uri().query() == Some("watch=true");
            let body: ResponseBody = if is_watch && status == 200 {
                let endless = stream::pending::<Result<Frame<Bytes>, _>>();
                let endless = futures::StreamExt::inspect(endless, move |_| {
                    let _ = &counted;
                });
                StreamBody::new(endless).boxed_unsync()
            } else {
                Full::from("{}").boxed_unsync()
            };
            let mut response = Response::builder().status(status);
            if status == 101 {
                response = response.header("connection", "upgrade");
                response = response.header("upgrade", "websocket");
            }
            response.body(body)
        }
    });
    let io = TokioIo::new(stream);
    // An error means that the client has closed the connection.
    let _ = match streams {
        Some(streams) => {
            let mut builder = http2::Builder::new(TokioExecutor::new());
            builder.max_concurrent_streams(streams);
            let mut connection = pin!(builder.serve_connection(io, service));
            tokio::select! {
                ended = &mut connection => ended,
                () = state_of_connection.going_away.notified() => {
                    connection.as_mut().graceful_shutdown();
                    connection.await
                }
            }
        }
        None => {
            let connection = http1::Builder::new().serve_connection(io, service);
            connection.with_upgrades().await
        }
    };
}

/// A request that the server has not finished.
struct Counted(Arc<AtomicUsize>);

impl Drop for Counted {
    fn drop(&mut self) {
        self.0.fetch_sub(1, Ordering::SeqCst);
    }
}

impl Watched {
    pub(super) fn is_unpinged(&self) -> bool {
        self.0.extensions().get::<Unpinged>().is_some()
    }
}

impl Proxy {
    async fn start(to: SocketAddr) -> Self {
        let listener = TcpListener::bind(("127.0.0.1", 0)).await.unwrap();
        let proxy = Self {
            at: listener.local_addr().unwrap(),
            generation: Arc::default(),
        };
        let generation = Arc::clone(&proxy.generation);
        tokio::spawn(async move {
            loop {
                let (near, _) = listener.accept().await.unwrap();
                let far = TcpStream::connect(to).await.unwrap();
                let born = generation.load(Ordering::SeqCst);
                let (near_read, near_write) = near.into_split();
                let (far_read, far_write) = far.into_split();
                for (from, to) in [
                    (Box::new(near_read) as Source, Box::new(far_write) as Sink),
                    (Box::new(far_read), Box::new(near_write)),
                ] {
                    let generation = Arc::clone(&generation);
                    let is_dead = move || generation.load(Ordering::SeqCst) != born;
                    tokio::spawn(copy_until_dead(from, to, is_dead));
                }
            }
        });
        proxy
    }

    pub(super) fn url(&self, scheme: &str) -> http::Uri {
        format!("{scheme}://{}", self.at).parse().unwrap()
    }

    pub(super) fn swallow(&self) {
        self.generation.fetch_add(1, Ordering::SeqCst);
    }
}

type Source = Box<dyn AsyncRead + Send + Unpin>;
type Sink = Box<dyn AsyncWrite + Send + Unpin>;

async fn copy_until_dead(mut from: Source, mut to: Sink, is_dead: impl Fn() -> bool) {
    let mut buffer = vec![0; 1 << 16];
    loop {
        let length = from.read(&mut buffer).await.unwrap_or(0);
        if is_dead() {
            // Neither bytes nor the end of the connection arrive.
            std::future::pending::<()>().await;
        }
        if length == 0 || to.write_all(&buffer[..length]).await.is_err() {
            return;
        }
    }
}
