//! HTTP/1.1 client over one connection that is kept open (RFC 9112).

use std::io::{self, BufRead, BufReader, Read, Write};
use std::time::Duration;

/// Maximum size of a line of a response's head.
const MAX_LINE: u64 = 64 * 1024;

/// Maximum size of a response's body. The API server limits its own objects to 3 MiB, and a page of
/// 500 objects has only metadata.
const MAX_BODY: u64 = 1 << 30;

/// A request.
pub(super) struct HttpRequest<'a> {
    pub(super) method: &'a str,
    /// Path and query.
    pub(super) target: &'a str,
    pub(super) accept: &'a str,
    /// The header `Content-Type` and the body.
    pub(super) body: Option<(&'a str, &'a [u8])>,
}

/// A response.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct HttpResponse {
    pub(super) code: u16,
    /// The header `Retry-After`, if it is a number of seconds.
    pub(super) retry_after: Option<Duration>,
    pub(super) body: Vec<u8>,
    /// Whether the server keeps the connection open.
    pub(super) is_kept_open: bool,
}

/// Sends a request, and reads the response.
///
/// # Errors
///
/// The connection fails, or the response is not HTTP/1.1.
pub(super) fn exchange<S: Read + Write>(
    connection: &mut BufReader<S>,
    request: &HttpRequest<'_>,
) -> io::Result<HttpResponse> {
    connection.get_mut().write_all(&request.to_bytes())?;
    read_response(connection)
}

impl HttpRequest<'_> {
    fn to_bytes(&self) -> Vec<u8> {
        let mut bytes = format!(
            "{} {} HTTP/1.1\r\nHost: localhost\r\nAccept: {}\r\nUser-Agent: genclient\r\n",
            self.method, self.target, self.accept
        )
        .into_bytes();
        match self.body {
            Some((content_type, body)) => {
                let length = body.len();
                let head =
                    format!("Content-Type: {content_type}\r\nContent-Length: {length}\r\n\r\n");
                bytes.extend(head.into_bytes());
                bytes.extend(body);
            }
            None => bytes.extend(b"\r\n"),
        }
        bytes
    }
}

/// How the end of a body is known.
#[derive(Clone, Copy)]
enum Framing {
    Length(u64),
    Chunked,
    UntilClosed,
}

fn read_response(connection: &mut impl BufRead) -> io::Result<HttpResponse> {
    let status_line = read_line(connection)?;
    let code = status_line
        .strip_prefix("HTTP/1.1 ")
        .and_then(|rest| rest.get(..3)?.parse().ok())
        .ok_or_else(|| invalid("status line"))?;
    let (mut framing, mut retry_after, mut is_kept_open) = (Framing::UntilClosed, None, true);
    loop {
        let line = read_line(connection)?;
        if line.is_empty() {
            break;
        }
        let (name, padded_value) = line.split_once(':').ok_or_else(|| invalid("header"))?;
        let value = padded_value.trim();
        match name.to_ascii_lowercase().as_str() {
            "transfer-encoding" => framing = Framing::Chunked,
            // `Transfer-Encoding` has precedence.
            "content-length" if !matches!(framing, Framing::Chunked) => {
                let length = value.parse().map_err(|_| invalid("Content-Length"))?;
                framing = Framing::Length(length);
            }
            "retry-after" => retry_after = value.parse().ok().map(Duration::from_secs),
            "connection" => is_kept_open = !value.eq_ignore_ascii_case("close"),
            _ => {}
        }
    }
    if matches!(code, 204 | 304) {
        framing = Framing::Length(0);
    }
    is_kept_open &= !matches!(framing, Framing::UntilClosed);
    Ok(HttpResponse {
        code,
        retry_after,
        body: read_body(connection, framing)?,
        is_kept_open,
    })
}

fn read_body(connection: &mut impl BufRead, framing: Framing) -> io::Result<Vec<u8>> {
    let mut body = Vec::new();
    match framing {
        Framing::Length(length) => read_exactly(connection, length, &mut body)?,
        Framing::UntilClosed => {
            connection.by_ref().take(MAX_BODY).read_to_end(&mut body)?;
        }
        Framing::Chunked => loop {
            let line = read_line(connection)?;
            let digits = line.split(';').next().unwrap_or_default().trim();
            let size = u64::from_str_radix(digits, 16).map_err(|_| invalid("size of a chunk"))?;
            read_exactly(connection, size, &mut body)?;
            if size > 0 {
                read_line(connection)?;
                continue;
            }
            // Trailers.
            while !read_line(connection)?.is_empty() {}
            break;
        },
    }
    Ok(body)
}

fn read_exactly(connection: &mut impl BufRead, size: u64, body: &mut Vec<u8>) -> io::Result<()> {
    if size.saturating_add(body.len() as u64) > MAX_BODY {
        return Err(invalid("size of the body"));
    }
    let read = connection.by_ref().take(size).read_to_end(body)?;
    if read as u64 == size {
        Ok(())
    } else {
        Err(io::ErrorKind::UnexpectedEof.into())
    }
}

/// Reads a line, without its end.
fn read_line(connection: &mut impl BufRead) -> io::Result<String> {
    let mut line = String::new();
    connection.by_ref().take(MAX_LINE).read_line(&mut line)?;
    let text = line
        .strip_suffix('\n')
        .ok_or(io::ErrorKind::UnexpectedEof)?;
    Ok(text.strip_suffix('\r').unwrap_or(text).to_owned())
}

fn invalid(what: &str) -> io::Error {
    io::Error::new(
        io::ErrorKind::InvalidData,
        format!("invalid {what} in the response"),
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A connection with recorded responses.
    struct Recorded {
        responses: io::Cursor<Vec<u8>>,
        sent: Vec<u8>,
    }

    impl Read for Recorded {
        fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
            // Small reads, so that every token is split somewhere.
            let size = buffer.len().min(7);
            self.responses.read(&mut buffer[..size])
        }
    }

    impl Write for Recorded {
        fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
            self.sent.write(bytes)
        }

        fn flush(&mut self) -> io::Result<()> {
            Ok(())
        }
    }

    fn read(responses: &str) -> BufReader<Recorded> {
        BufReader::new(Recorded {
            responses: io::Cursor::new(responses.replace('\n', "\r\n").into_bytes()),
            sent: Vec::new(),
        })
    }

    const GET: HttpRequest<'_> = HttpRequest {
        method: "GET",
        target: "/apis?limit=1",
        accept: "application/json",
        body: None,
    };

    #[test]
    fn requests_are_written_whole() {
        let mut connection = read("HTTP/1.1 204 No Content\n\n");
        let request = HttpRequest {
            method: "PATCH",
            body: Some(("application/merge-patch+json", b"{}")),
            ..GET
        };
        exchange(&mut connection, &request).unwrap();
        let sent = String::from_utf8(connection.into_inner().sent).unwrap();
        assert_eq!(
            sent.replace("\r\n", "\n"),
            "PATCH /apis?limit=1 HTTP/1.1\nHost: localhost\nAccept: application/json\n\
             User-Agent: genclient\nContent-Type: application/merge-patch+json\nContent-Length: 2\n\n{}"
        );
    }

    #[test]
    fn responses_of_one_connection_follow_each_other() {
        let mut connection = read(
            "HTTP/1.1 200 OK\nContent-Length: 2\n\n{}\
             HTTP/1.1 429 Too Many Requests\nRetry-After: 3\ntransfer-encoding: chunked\n\n\
             2;x=y\n[1\n1\n]\n0\nTrailer: x\n\n\
             HTTP/1.1 200 OK\nConnection: close\n\nrest",
        );
        for (code, retry_after, body, is_kept_open) in [
            (200, None, "{}", true),
            (429, Some(Duration::from_secs(3)), "[1]", true),
            (200, None, "rest", false),
        ] {
            let response = exchange(&mut connection, &GET).unwrap();
            let expected = HttpResponse {
                code,
                retry_after,
                body: body.into(),
                is_kept_open,
            };
            assert_eq!(response, expected);
        }
    }

    #[test]
    fn incomplete_and_invalid_responses_are_errors() {
        for (response, error) in [
            ("", "unexpected end of file"),
            (
                "HTTP/1.1 200 OK\nContent-Length: 2\n\n{",
                "unexpected end of file",
            ),
            (
                "HTTP/1.1 200 OK\nContent-Length: 2",
                "unexpected end of file",
            ),
            ("SSH-2.0\n", "invalid status line in the response"),
            ("HTTP/1.1 200 OK\nX\n\n", "invalid header in the response"),
            (
                "HTTP/1.1 200 OK\nContent-Length: x\n\n",
                "invalid Content-Length in the response",
            ),
            (
                "HTTP/1.1 200 OK\nContent-Length: 9999999999\n\n",
                "invalid size of the body in the response",
            ),
            (
                "HTTP/1.1 200 OK\nTransfer-Encoding: chunked\n\nz\n",
                "invalid size of a chunk in the response",
            ),
        ] {
            let failed = exchange(&mut read(response), &GET).unwrap_err();
            assert_eq!(failed.to_string(), error, "{response}");
        }
    }
}
