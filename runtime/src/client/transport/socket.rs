//! [`Socket`]: one connection, plain or encrypted. It notices the number of requests that an HTTP/2
//! server accepts at a time.

use std::io;
use std::pin::Pin;
use std::task::{Context, Poll, ready};

use hyper::rt::{Read, ReadBuf, ReadBufCursor, Write};
use hyper_util::client::legacy::connect::{Connected, Connection};

/// Stream of bytes that a [`Socket`] may hold.
pub(super) trait Stream: Read + Write + Connection + Send {}

impl<S: Read + Write + Connection + Send> Stream for S {}

/// News of a connection.
#[derive(Clone, Copy, Debug)]
pub(super) enum Progress {
    /// It is open, and has HTTP/1.1.
    Http1,
    /// It is open, and has HTTP/2.
    Http2,
    /// The HTTP/2 server accepts this number of concurrent requests.
    Streams(usize),
    /// The HTTP/2 connection is closed.
    Ended,
}

type Observer = Box<dyn Fn(Progress) + Send>;

pub(super) struct Socket {
    stream: Pin<Box<dyn Stream>>,
    /// `None` once the server's first frame has been read, and for HTTP/1.1.
    preface: Option<Preface>,
    /// `None` for HTTP/1.1.
    observer: Option<Observer>,
}

/// Start of an HTTP/2 connection as far as it has arrived. A server sends a SETTINGS frame first
/// (RFC 9113, section 3.4).
#[derive(Default)]
struct Preface(Vec<u8>);

/// Capacity of an HTTP/2 connection whose server announces none: RFC 9113 recommends that a server
/// accepts at least as many (section 6.5.2).
pub(super) const DEFAULT_STREAMS: usize = 100;
/// Length of the header of a frame, in bytes.
const FRAME_HEADER: usize = 9;
const SETTINGS: u8 = 4;
const MAX_CONCURRENT_STREAMS: u16 = 3;
/// Maximum length of the SETTINGS frame. RFC 9113 defines six settings with 6 bytes each.
const MAX_SETTINGS: usize = 600;

impl Socket {
    pub(super) fn new(stream: impl Stream + 'static) -> Self {
        Self {
            stream: Box::pin(stream),
            preface: None,
            observer: None,
        }
    }

    /// Tells the observer the version of HTTP, and further news of an HTTP/2 connection.
    pub(super) fn observed(mut self, observer: impl Fn(Progress) + Send + 'static) -> Self {
        if self.connected().is_negotiated_h2() {
            observer(Progress::Http2);
            self.preface = Some(Preface::default());
            self.observer = Some(Box::new(observer));
        } else {
            observer(Progress::Http1);
        }
        self
    }

    fn observe(&self, progress: Progress) {
        if let Some(observer) = &self.observer {
            observer(progress);
        }
    }
}

impl Drop for Socket {
    fn drop(&mut self) {
        self.observe(Progress::Ended);
    }
}

impl Preface {
    /// Adds bytes of the server. Returns the capacity of the connection once it is known.
    fn push(&mut self, bytes: &[u8]) -> Option<usize> {
        self.0.extend_from_slice(bytes);
        let header = self.0.get(..FRAME_HEADER)?;
        let length = usize::from(header[0]) << 16 | usize::from(header[1]) << 8;
        let length = length | usize::from(header[2]);
        if header[3] != SETTINGS || length > MAX_SETTINGS {
            return Some(DEFAULT_STREAMS);
        }
        let settings = self.0.get(FRAME_HEADER..FRAME_HEADER + length)?;
        let streams = settings
            .as_chunks::<6>()
            .0
            .iter()
            .rev()
            .find_map(|setting| {
                let [high, low, value @ ..] = *setting;
                (u16::from_be_bytes([high, low]) == MAX_CONCURRENT_STREAMS)
                    .then(|| u32::from_be_bytes(value))
            });
        let streams = streams.map_or(DEFAULT_STREAMS, |streams| streams as usize);
        // A server that accepts no request for now will accept one later.
        Some(streams.max(1))
    }
}

impl Read for Socket {
    fn poll_read(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
        mut buffer: ReadBufCursor<'_>,
    ) -> Poll<io::Result<()>> {
        let Some(mut preface) = self.preface.take() else {
            return self.stream.as_mut().poll_read(context, buffer);
        };
        let mut bytes = [0; 1024];
        let room = bytes.len().min(buffer.remaining());
        let mut read = ReadBuf::new(&mut bytes[..room]);
        let polled = self.stream.as_mut().poll_read(context, read.unfilled());
        let capacity = preface.push(read.filled());
        match capacity {
            Some(capacity) => self.observe(Progress::Streams(capacity)),
            None => self.preface = Some(preface),
        }
        ready!(polled)?;
        buffer.put_slice(read.filled());
        Poll::Ready(Ok(()))
    }
}

impl Write for Socket {
    fn poll_write(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
        bytes: &[u8],
    ) -> Poll<io::Result<usize>> {
        self.stream.as_mut().poll_write(context, bytes)
    }

    fn poll_flush(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<io::Result<()>> {
        self.stream.as_mut().poll_flush(context)
    }

    fn poll_shutdown(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<io::Result<()>> {
        self.stream.as_mut().poll_shutdown(context)
    }

    fn is_write_vectored(&self) -> bool {
        self.stream.is_write_vectored()
    }

    fn poll_write_vectored(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
        slices: &[io::IoSlice<'_>],
    ) -> Poll<io::Result<usize>> {
        self.stream.as_mut().poll_write_vectored(context, slices)
    }
}

impl Connection for Socket {
    fn connected(&self) -> Connected {
        self.stream.connected()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn settings_frame_tells_the_capacity() {
        let id = |id: u8, value: [u8; 4]| [&[0, id], &value[..]].concat();
        let frame = |kind: u8, settings: &[Vec<u8>]| {
            let settings = settings.concat();
            let length = u8::try_from(settings.len()).unwrap();
            [&[0, 0, length, kind, 0, 0, 0, 0, 0], &settings[..]].concat()
        };
        let cases = [
            (frame(4, &[id(3, [0, 0, 0, 250])]), 250),
            (frame(4, &[id(1, [0, 0, 16, 0]), id(3, [0, 0, 1, 0])]), 256),
            (frame(4, &[id(3, [0, 0, 0, 9]), id(3, [0, 0, 0, 8])]), 8),
            (frame(4, &[id(3, [0; 4])]), 1),
            (frame(4, &[]), DEFAULT_STREAMS),
            (frame(7, &[]), DEFAULT_STREAMS),
            (b"HTTP/1.1 400 Bad Request\r\n".to_vec(), DEFAULT_STREAMS),
        ];
        for (bytes, expected) in cases {
            // In one read, and byte by byte.
            assert_eq!(Preface::default().push(&bytes), Some(expected), "{bytes:?}");
            let mut preface = Preface::default();
            let found = bytes.iter().find_map(|byte| preface.push(&[*byte]));
            assert_eq!(found, Some(expected), "{bytes:?}");
        }
    }
}
