//! Scripted responses to requests.

use std::io;

use bytes::Bytes;
use futures::StreamExt;
use http::Response;
use http_body::Frame;
use http_body_util::combinators::UnsyncBoxBody;
use http_body_util::{BodyExt, StreamBody};
use serde_json::json;
use tokio::sync::mpsc::{UnboundedReceiver, UnboundedSender, unbounded_channel};

use super::line::{listed, status};

/// The response to one request.
pub(crate) enum Answer {
    /// A status code and a body in pieces.
    Body {
        status: u16,
        pieces: UnboundedReceiver<Piece>,
        /// Keeps the body open after its last piece.
        open: Option<UnboundedSender<Piece>>,
    },
    /// A status code and a `Retry-After`.
    Busy(u16, &'static str),
    /// No connection, or one that breaks without a response.
    Unconnected(io::ErrorKind),
    /// No response, ever.
    Nothing,
}

/// A piece of a body, or an error.
pub(crate) type Piece = io::Result<Bytes>;

/// The sending end of a stream that is written while the test runs. Dropping it ends the stream.
pub(crate) struct Feed {
    pieces: UnboundedSender<Piece>,
}

/// Returns a complete response.
pub(crate) fn body(status: u16, text: impl Into<String>) -> Answer {
    let (sender, pieces) = unbounded_channel();
    sender.send(Ok(text.into().into())).unwrap();
    Answer::Body {
        status,
        pieces,
        open: None,
    }
}

/// Returns an error `Status`.
pub(crate) fn refuse(code: u16, reason: &str) -> Answer {
    body(code, status(code, reason).to_string())
}

/// Returns an error status without a body, but with `Retry-After`.
pub(crate) fn busy(code: u16, retry_after: &'static str) -> Answer {
    Answer::Busy(code, retry_after)
}

/// Returns a refused connection.
pub(crate) fn refused_connection() -> Answer {
    Answer::Unconnected(io::ErrorKind::ConnectionRefused)
}

/// Returns a connection that breaks before the response.
pub(crate) fn lost_connection() -> Answer {
    Answer::Unconnected(io::ErrorKind::ConnectionReset)
}

/// Returns the connection failure of rustls for an untrusted certificate.
pub(crate) fn untrusted_connection() -> Answer {
    Answer::Unconnected(io::ErrorKind::InvalidData)
}

/// Returns no response, ever.
pub(crate) fn hang() -> Answer {
    Answer::Nothing
}

/// Returns a complete list.
pub(crate) fn list<'a>(version: &str, objects: impl IntoIterator<Item = &'a str>) -> Answer {
    page(version, objects, "")
}

/// Returns a page of a list; another one follows unless `continue_token` is empty.
pub(crate) fn page<'a>(
    version: &str,
    objects: impl IntoIterator<Item = &'a str>,
    continue_token: &str,
) -> Answer {
    let items: Vec<_> = objects.into_iter().map(listed).collect();
    let metadata = json!({"resourceVersion": version, "continue": continue_token});
    let items = items.join(",");
    let list = format!(
        r#"{{"apiVersion":"v1","items":[{items}],"kind":"ConfigMapList","metadata":{metadata}}}"#
    );
    body(200, list)
}

/// Returns a watch with these lines, which then stays open.
pub(crate) fn stream(lines: impl IntoIterator<Item = String>) -> Answer {
    let (sender, pieces) = unbounded_channel();
    for line in lines {
        sender.send(Ok((line + "\n").into())).unwrap();
    }
    Answer::Body {
        status: 200,
        pieces,
        open: Some(sender),
    }
}

impl Answer {
    pub(super) async fn respond(self) -> io::Result<Response<UnsyncBoxBody<Bytes, io::Error>>> {
        match self {
            Self::Unconnected(why) => Err(why.into()),
            Self::Nothing => std::future::pending().await,
            Self::Busy(status, retry_after) => {
                let response = Response::builder()
                    .status(status)
                    .header(http::header::RETRY_AFTER, retry_after);
                let body = http_body_util::Empty::new().map_err(|never| match never {});
                Ok(response.body(body.boxed_unsync()).unwrap())
            }
            Self::Body {
                status,
                pieces,
                open,
            } => {
                let pieces =
                    futures::stream::unfold((pieces, open), |(mut pieces, open)| async move {
                        Some((pieces.recv().await?, (pieces, open)))
                    });
                let body = StreamBody::new(pieces.map(|piece| piece.map(Frame::data)));
                let response = Response::builder().status(status);
                Ok(response.body(body.boxed_unsync()).unwrap())
            }
        }
    }

    /// Closes a stream after its last line.
    pub(crate) fn end(self) -> Self {
        match self {
            Self::Body { status, pieces, .. } => Self::Body {
                status,
                pieces,
                open: None,
            },
            answer => answer,
        }
    }

    /// Breaks the connection after the last line.
    pub(crate) fn broken(self) -> Self {
        if let Self::Body {
            open: Some(sender), ..
        } = &self
        {
            sender
                .send(Err(io::ErrorKind::ConnectionReset.into()))
                .unwrap();
        }
        self.end()
    }
}

/// Returns a watch that is written while the test runs.
pub(crate) fn feed() -> (Feed, Answer) {
    let (sender, pieces) = unbounded_channel();
    let answer = Answer::Body {
        status: 200,
        pieces,
        open: None,
    };
    (Feed { pieces: sender }, answer)
}

impl Feed {
    pub(crate) fn line(&self, line: impl Into<String>) {
        self.piece(line.into() + "\n");
    }

    pub(crate) fn piece(&self, text: impl Into<String>) {
        // The send fails if the stream was given up.
        let _ = self.pieces.send(Ok(text.into().into()));
    }

    /// Whether the stream is still read.
    pub(crate) fn has_reader(&self) -> bool {
        !self.pieces.is_closed()
    }
}
