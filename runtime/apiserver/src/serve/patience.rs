//! [`Patient`]: a connection that ends if its client does not read an answer.

use std::io;
use std::pin::Pin;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::task::{Context, Poll};
use std::time::Duration;

use hyper::rt::{Read, ReadBufCursor, Write};
use tokio::time::{Sleep, sleep};

/// A connection whose client has to take each answer within a time limit. The time begins when the
/// client is first slower than the server, and ends when everything is written. Progress does not
/// extend it: a client that reads a byte now and then would otherwise keep an answer in memory.
///
/// Watches have no limit: their clients may be slow, and their answers are not kept in memory.
pub(super) struct Patient<S> {
    stream: S,
    limit: Duration,
    deadline: Option<Pin<Box<Sleep>>>,
    is_watch: Arc<AtomicBool>,
}

impl<S> Patient<S> {
    /// `is_watch` is set while the answer is a watch.
    pub(super) fn new(stream: S, limit: Duration, is_watch: Arc<AtomicBool>) -> Self {
        Self {
            stream,
            limit,
            deadline: None,
            is_watch,
        }
    }

    /// Returns `polled`, or an error if it is pending after the deadline.
    fn check<T>(
        &mut self,
        cx: &mut Context<'_>,
        polled: Poll<io::Result<T>>,
    ) -> Poll<io::Result<T>> {
        if polled.is_pending() && !self.is_watch.load(Ordering::Relaxed) {
            let limit = self.limit;
            let deadline = self.deadline.get_or_insert_with(|| Box::pin(sleep(limit)));
            if deadline.as_mut().poll(cx).is_ready() {
                let error = io::Error::new(
                    io::ErrorKind::TimedOut,
                    format!("the client did not read within {} s", limit.as_secs()),
                );
                return Poll::Ready(Err(error));
            }
        }
        polled
    }
}

impl<S: Read + Unpin> Read for Patient<S> {
    fn poll_read(
        mut self: Pin<&mut Self>,
        cx: &mut Context<'_>,
        buffer: ReadBufCursor<'_>,
    ) -> Poll<io::Result<()>> {
        Pin::new(&mut self.stream).poll_read(cx, buffer)
    }
}

impl<S: Write + Unpin> Write for Patient<S> {
    fn poll_write(
        mut self: Pin<&mut Self>,
        cx: &mut Context<'_>,
        bytes: &[u8],
    ) -> Poll<io::Result<usize>> {
        let polled = Pin::new(&mut self.stream).poll_write(cx, bytes);
        self.check(cx, polled)
    }

    fn poll_write_vectored(
        mut self: Pin<&mut Self>,
        cx: &mut Context<'_>,
        slices: &[io::IoSlice<'_>],
    ) -> Poll<io::Result<usize>> {
        let polled = Pin::new(&mut self.stream).poll_write_vectored(cx, slices);
        self.check(cx, polled)
    }

    fn is_write_vectored(&self) -> bool {
        self.stream.is_write_vectored()
    }

    fn poll_flush(mut self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<io::Result<()>> {
        let polled = Pin::new(&mut self.stream).poll_flush(cx);
        if polled.is_ready() {
            self.deadline = None;
        }
        self.check(cx, polled)
    }

    fn poll_shutdown(mut self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<io::Result<()>> {
        let polled = Pin::new(&mut self.stream).poll_shutdown(cx);
        self.check(cx, polled)
    }
}
