//! [`Socket`]: one connection, plain or encrypted. It notices the number of requests that an HTTP/2
//! server accepts at a time, and why the connection ends.

use std::io;
use std::pin::Pin;
use std::task::{Context, Poll, ready};

use h2::Reason;
use hyper::rt::{Read, ReadBufCursor, Write};
use hyper_util::client::legacy::connect::{Connected, Connection};
use hyper_util::rt::TokioIo;
use tokio::io::{AsyncRead, ReadBuf};

/// Stream of bytes that a [`Socket`] may hold.
pub(super) trait Stream: Read + Write + Connection + Send {}

impl<S: Read + Write + Connection + Send> Stream for S {}

/// Change of a connection.
#[derive(Clone, Debug)]
pub(super) enum Progress {
    /// It is open, and has HTTP/1.1.
    Http1,
    /// It is open, and has HTTP/2.
    Http2,
    /// The HTTP/2 server accepts this number of concurrent requests.
    Streams(usize),
    /// The HTTP/2 server accepts no further requests, for this reason.
    GoingAway(Reason),
    /// The HTTP/2 connection cannot be read, for this reason.
    Failed(String),
    /// The HTTP/2 connection is closed.
    Ended,
}

type Observer = Box<dyn Fn(Progress) + Send>;

pub(super) struct Socket {
    stream: Pin<Box<dyn Stream>>,
    /// `None` for HTTP/1.1.
    http2: Option<ObservedFrames>,
}

/// An HTTP/2 connection that is observed.
struct ObservedFrames {
    frames: Frames,
    observer: Observer,
}

/// Reader that shows what it reads to the observer.
struct Observing<'a> {
    stream: &'a mut Pin<Box<dyn Stream>>,
    observed: &'a mut ObservedFrames,
}

/// Frames of the server, as far as they have arrived (RFC 9113, section 4.1). A server sends a
/// SETTINGS frame first (section 3.4).
#[derive(Default)]
struct Frames {
    has_begun: bool,
    /// Header of the current frame, and the payload of a frame that is observed.
    start: Vec<u8>,
    /// Number of bytes of the current frame that are skipped.
    skipped: usize,
}

/// Capacity of an HTTP/2 connection whose server announces none: RFC 9113 recommends that a server
/// accepts at least as many (section 6.5.2).
pub(super) const DEFAULT_STREAMS: usize = 100;
/// Length of the header of a frame, in bytes.
const FRAME_HEADER_LENGTH: usize = 9;
const SETTINGS_FRAME: u8 = 4;
const GOAWAY_FRAME: u8 = 7;
const MAX_CONCURRENT_STREAMS: u16 = 3;
/// Maximum length of the first SETTINGS frame. RFC 9113 defines six settings with 6 bytes each.
const MAX_SETTINGS_LENGTH: usize = 600;
/// Length of the last stream and the error code in a GOAWAY frame, in bytes.
const GOAWAY_PREFIX: usize = 8;

impl Socket {
    pub(super) fn new(stream: impl Stream + 'static) -> Self {
        Self {
            stream: Box::pin(stream),
            http2: None,
        }
    }

    /// Tells the observer the version of HTTP, and further changes of an HTTP/2 connection.
    pub(super) fn observed(mut self, observer: impl Fn(Progress) + Send + 'static) -> Self {
        if self.connected().is_negotiated_h2() {
            observer(Progress::Http2);
            self.http2 = Some(ObservedFrames {
                frames: Frames::default(),
                observer: Box::new(observer),
            });
        } else {
            observer(Progress::Http1);
        }
        self
    }
}

impl Drop for Socket {
    fn drop(&mut self) {
        if let Some(observed) = &self.http2 {
            (observed.observer)(Progress::Ended);
        }
    }
}

impl Frames {
    /// Adds bytes of the server, and calls `report` for each frame that changes the state.
    fn push(&mut self, mut bytes: &[u8], mut report: impl FnMut(Progress)) {
        while !bytes.is_empty() {
            let skipped = self.skipped.min(bytes.len());
            bytes = &bytes[skipped..];
            self.skipped -= skipped;
            let wanted = self.observed_length();
            let taken = (wanted - self.start.len()).min(bytes.len());
            self.start.extend_from_slice(&bytes[..taken]);
            bytes = &bytes[taken..];
            // The header determines how much of the payload is wanted.
            if self.start.len() < FRAME_HEADER_LENGTH || self.start.len() < self.observed_length() {
                continue;
            }
            if let Some(progress) = self.progress() {
                report(progress);
            }
            self.skipped = FRAME_HEADER_LENGTH + self.length() - self.start.len();
            self.start.clear();
            self.has_begun = true;
        }
    }

    /// Returns how many bytes of the current frame are observed, as far as they are known.
    fn observed_length(&self) -> usize {
        if self.start.len() < FRAME_HEADER_LENGTH {
            return FRAME_HEADER_LENGTH;
        }
        let length = self.length();
        let observed = match self.start[3] {
            SETTINGS_FRAME if !self.has_begun && length <= MAX_SETTINGS_LENGTH => length,
            GOAWAY_FRAME => length.min(GOAWAY_PREFIX),
            _ => 0,
        };
        FRAME_HEADER_LENGTH + observed
    }

    /// Returns the length of the payload of the current frame.
    fn length(&self) -> usize {
        let length = self.start.iter().take(3);
        length.fold(0, |length, byte| length << 8 | usize::from(*byte))
    }

    /// Returns the change that the current frame announces.
    fn progress(&self) -> Option<Progress> {
        let (header, payload) = self.start.split_at_checked(FRAME_HEADER_LENGTH)?;
        if header[3] == GOAWAY_FRAME {
            let code = payload.last_chunk::<4>()?;
            return Some(Progress::GoingAway(u32::from_be_bytes(*code).into()));
        }
        (!self.has_begun).then(|| Progress::Streams(parse_capacity(payload)))
    }
}

/// Returns the capacity of a connection from the payload of its SETTINGS frame.
fn parse_capacity(settings: &[u8]) -> usize {
    let settings = settings.as_chunks::<6>().0;
    let streams = settings.iter().rev().find_map(|setting| {
        let [high, low, value @ ..] = *setting;
        (u16::from_be_bytes([high, low]) == MAX_CONCURRENT_STREAMS)
            .then(|| u32::from_be_bytes(value))
    });
    let streams = streams.map_or(DEFAULT_STREAMS, |streams| streams as usize);
    // A server that accepts no request for now will accept one later.
    streams.max(1)
}

impl AsyncRead for Observing<'_> {
    fn poll_read(
        self: Pin<&mut Self>,
        context: &mut Context<'_>,
        buffer: &mut ReadBuf<'_>,
    ) -> Poll<io::Result<()>> {
        let Self { stream, observed } = self.get_mut();
        let before = buffer.filled().len();
        let read = Pin::new(&mut TokioIo::new(stream)).poll_read(context, buffer);
        match ready!(read) {
            Ok(()) => {
                let bytes = &buffer.filled()[before..];
                if bytes.is_empty() && buffer.remaining() > 0 {
                    (observed.observer)(Progress::Failed("closed by the server".to_owned()));
                }
                observed.frames.push(bytes, &observed.observer);
                Poll::Ready(Ok(()))
            }
            Err(error) => {
                (observed.observer)(Progress::Failed(error.to_string()));
                Poll::Ready(Err(error))
            }
        }
    }
}

impl Read for Socket {
    fn poll_read(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
        buffer: ReadBufCursor<'_>,
    ) -> Poll<io::Result<()>> {
        let Self { stream, http2 } = &mut *self;
        match http2 {
            Some(observed) => {
                let mut observing = TokioIo::new(Observing { stream, observed });
                Pin::new(&mut observing).poll_read(context, buffer)
            }
            None => stream.as_mut().poll_read(context, buffer),
        }
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

    fn frame(kind: u8, payload: &[u8]) -> Vec<u8> {
        let length = u8::try_from(payload.len()).unwrap();
        [&[0, 0, length, kind, 0, 0, 0, 0, 0], payload].concat()
    }

    /// Returns the news in bytes that arrive in chunks of this size.
    fn news(bytes: &[u8], size: usize) -> Vec<String> {
        let (mut frames, mut news) = (Frames::default(), Vec::new());
        for chunk in bytes.chunks(size) {
            frames.push(chunk, |progress| news.push(format!("{progress:?}")));
        }
        news
    }

    #[test]
    fn settings_frame_tells_the_capacity() {
        let id = |id: u8, value: [u8; 4]| [&[0, id], &value[..]].concat();
        let settings = |settings: &[Vec<u8>]| frame(SETTINGS_FRAME, &settings.concat());
        let cases = [
            (settings(&[id(3, [0, 0, 0, 250])]), 250),
            (settings(&[id(1, [0, 0, 16, 0]), id(3, [0, 0, 1, 0])]), 256),
            (settings(&[id(3, [0, 0, 0, 9]), id(3, [0, 0, 0, 8])]), 8),
            (settings(&[id(3, [0; 4])]), 1),
            (settings(&[]), DEFAULT_STREAMS),
            (frame(6, &[0; 8]), DEFAULT_STREAMS),
            (b"HTTP/1.1 400 Bad Request\r\n".to_vec(), DEFAULT_STREAMS),
        ];
        for (bytes, expected) in cases {
            for size in [1, 2, bytes.len()] {
                let expected = [format!("Streams({expected})")];
                assert_eq!(news(&bytes, size), expected, "{bytes:?}");
            }
        }
    }

    /// Frames between the first one and the GOAWAY are skipped, whatever they contain.
    #[test]
    fn goaway_frames_are_found_between_others() {
        let goaway = frame(GOAWAY_FRAME, b"\0\0\0\x01\0\0\0\x0bcalm");
        let bytes = [
            frame(SETTINGS_FRAME, &[0, 3, 0, 0, 0, 9]),
            frame(0, &goaway),
            frame(SETTINGS_FRAME, &[0, 3, 0, 0, 0, 8]),
            frame(0, &[]),
            goaway.clone(),
            frame(GOAWAY_FRAME, &[0; 8]),
        ]
        .concat();
        let expected = [
            "Streams(9)",
            "GoingAway(ENHANCE_YOUR_CALM)",
            "GoingAway(NO_ERROR)",
        ];
        for size in 1..=bytes.len() {
            assert_eq!(news(&bytes, size), expected, "{size}");
        }
    }
}
