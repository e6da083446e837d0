//! [`Deadlines`]: a stream that fails if its peer does not send or read in time. [`Exchanges`]
//! tells it whether a request is being answered.

use std::io;
use std::pin::Pin;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::task::{Context, Poll, ready};
use std::time::Duration;

use http_body::{Body, Frame, SizeHint};
use tokio::io::{AsyncRead, AsyncWrite, ReadBuf};
use tokio::time::{Instant, Sleep, sleep};

/// A stream whose peer has to send each request, and to take each response, within a time limit.
///
/// The time for a response begins when the peer is first slower than the writer, and ends when
/// everything is written. Progress does not extend it: a peer that reads a byte now and then would
/// otherwise keep a response in memory. The same goes for the head of a request. The time for the
/// body of a request is the handler's.
pub(super) struct Deadlines<S> {
    stream: S,
    timeouts: Timeouts,
    exchanges: Exchanges,
    reading: Reading,
    /// The value of `exchanges` to which `reading` belongs.
    exchange: usize,
    read_deadline: Pin<Box<Sleep>>,
    write_deadline: Option<Pin<Box<Sleep>>>,
    has_write_deadline: Arc<AtomicBool>,
}

/// Maximum times of the parts of a connection: those of `ConnectionLimits`.
#[derive(Clone, Copy, Debug)]
pub(super) struct Timeouts {
    pub(super) header: Duration,
    pub(super) idle: Duration,
    pub(super) write: Duration,
}

/// Part of a connection that the stream waits for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Reading {
    /// The first byte of the next request.
    Nothing,
    /// The rest of the head of a request. A new connection waits for a head.
    Head,
    /// The body of a request, or the end of the exchange.
    Exchange,
}

/// Counter of the beginnings and ends of requests on a connection. It is odd while a request is
/// being answered. Clones share it.
#[derive(Clone, Debug, Default)]
pub(super) struct Exchanges(Arc<AtomicUsize>);

/// A request that is being answered, until this value is dropped.
pub(super) struct Exchange(Exchanges);

/// Body of a response. The exchange ends with it.
pub(super) struct ExchangeBody<B> {
    body: B,
    _exchange: Exchange,
}

impl Exchanges {
    pub(super) fn begin(&self) -> Exchange {
        self.0.fetch_add(1, Ordering::Relaxed);
        Exchange(self.clone())
    }

    fn count(&self) -> usize {
        self.0.load(Ordering::Relaxed)
    }
}

impl Exchange {
    pub(super) fn hold<B>(self, body: B) -> ExchangeBody<B> {
        ExchangeBody {
            body,
            _exchange: self,
        }
    }
}

impl Drop for Exchange {
    fn drop(&mut self) {
        self.0.0.fetch_add(1, Ordering::Relaxed);
    }
}

impl<S> Deadlines<S> {
    pub(super) fn new(
        stream: S,
        timeouts: Timeouts,
        exchanges: Exchanges,
        has_write_deadline: Arc<AtomicBool>,
    ) -> Self {
        Self {
            stream,
            timeouts,
            exchange: exchanges.count(),
            exchanges,
            reading: Reading::Head,
            read_deadline: Box::pin(sleep(timeouts.header)),
            write_deadline: None,
            has_write_deadline,
        }
    }

    /// Begins the time of another part if exchanges have begun or ended.
    fn advance(&mut self) {
        let exchange = self.exchanges.count();
        if exchange == self.exchange {
            return;
        }
        self.exchange = exchange;
        if exchange % 2 == 1 {
            self.reading = Reading::Exchange;
        } else {
            self.expect(Reading::Nothing, self.timeouts.idle);
        }
    }

    fn expect(&mut self, part: Reading, limit: Duration) {
        self.reading = part;
        self.read_deadline.as_mut().reset(Instant::now() + limit);
    }

    /// Is ready after the deadline of the part that the stream waits for, and wakes the task then.
    fn poll_read_deadline(&mut self, cx: &mut Context<'_>) -> Poll<()> {
        self.advance();
        if self.reading == Reading::Exchange {
            return Poll::Pending;
        }
        self.read_deadline.as_mut().poll(cx)
    }

    /// Returns `polled`, or an error if it is pending after the deadline.
    fn check_write<T>(
        &mut self,
        cx: &mut Context<'_>,
        polled: Poll<io::Result<T>>,
    ) -> Poll<io::Result<T>> {
        if polled.is_pending() && self.has_write_deadline.load(Ordering::Relaxed) {
            let limit = self.timeouts.write;
            let deadline =
                { &mut self.write_deadline }.get_or_insert_with(|| Box::pin(sleep(limit)));
            if deadline.as_mut().poll(cx).is_ready() {
                return Poll::Ready(Err(timeout_error("the client did not read", limit)));
            }
        }
        polled
    }
}

fn timeout_error(what: &str, limit: Duration) -> io::Error {
    let text = format!("{what} within {} s", limit.as_secs());
    io::Error::new(io::ErrorKind::TimedOut, text)
}

impl<S: AsyncRead + Unpin> AsyncRead for Deadlines<S> {
    fn poll_read(
        mut self: Pin<&mut Self>,
        cx: &mut Context<'_>,
        buf: &mut ReadBuf<'_>,
    ) -> Poll<io::Result<()>> {
        let this = &mut *self;
        this.advance();
        let before = buf.filled().len();
        let polled = Pin::new(&mut this.stream).poll_read(cx, buf);
        if polled.is_ready() {
            let has_read = buf.filled().len() > before;
            if has_read && this.reading == Reading::Nothing {
                this.expect(Reading::Head, this.timeouts.header);
            }
            return polled;
        }
        ready!(this.poll_read_deadline(cx));
        Poll::Ready(match this.reading {
            // As if the client had closed the connection.
            Reading::Nothing => Ok(()),
            _ => Err(timeout_error(
                "the client did not send the head of a request",
                this.timeouts.header,
            )),
        })
    }
}

impl<S: AsyncWrite + Unpin> AsyncWrite for Deadlines<S> {
    fn poll_write(
        mut self: Pin<&mut Self>,
        cx: &mut Context<'_>,
        buf: &[u8],
    ) -> Poll<io::Result<usize>> {
        let polled = Pin::new(&mut self.stream).poll_write(cx, buf);
        self.check_write(cx, polled)
    }

    fn poll_write_vectored(
        mut self: Pin<&mut Self>,
        cx: &mut Context<'_>,
        bufs: &[io::IoSlice<'_>],
    ) -> Poll<io::Result<usize>> {
        let polled = Pin::new(&mut self.stream).poll_write_vectored(cx, bufs);
        self.check_write(cx, polled)
    }

    fn is_write_vectored(&self) -> bool {
        self.stream.is_write_vectored()
    }

    fn poll_flush(mut self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<io::Result<()>> {
        let polled = Pin::new(&mut self.stream).poll_flush(cx);
        if polled.is_ready() {
            self.write_deadline = None;
            // hyper reads before it drops the body of a response, and flushes afterwards.
            let _ = self.poll_read_deadline(cx);
        }
        self.check_write(cx, polled)
    }

    fn poll_shutdown(mut self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<io::Result<()>> {
        let polled = Pin::new(&mut self.stream).poll_shutdown(cx);
        self.check_write(cx, polled)
    }
}

impl<B: Body + Unpin> Body for ExchangeBody<B> {
    type Data = B::Data;
    type Error = B::Error;

    fn poll_frame(
        mut self: Pin<&mut Self>,
        cx: &mut Context<'_>,
    ) -> Poll<Option<Result<Frame<B::Data>, B::Error>>> {
        Pin::new(&mut self.body).poll_frame(cx)
    }

    fn is_end_stream(&self) -> bool {
        self.body.is_end_stream()
    }

    fn size_hint(&self) -> SizeHint {
        self.body.size_hint()
    }
}
