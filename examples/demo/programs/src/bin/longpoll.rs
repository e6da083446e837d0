//! HTTP server with an endless response: one line a second, each an HTTP chunk.
//!
//! The response to a watch request has this form. `curl -N http://127.0.0.1:8080` shows the lines
//! as they arrive, and `curl --raw` also shows the chunks.

use std::io;
use std::time::Duration;

use clap::Parser;
use tokio::io::{AsyncBufReadExt, AsyncWriteExt, BufReader};
use tokio::net::{TcpListener, TcpStream};
use tokio::time::interval;

const HEAD: &str = "HTTP/1.1 200 OK\r\n\
    Content-Type: text/plain; charset=utf-8\r\n\
    Transfer-Encoding: chunked\r\n\
    \r\n";

/// Answers every request with a line a second, for as long as the client listens
#[derive(Debug, Parser)]
struct Flags {
    /// Address and port to listen on
    #[arg(long, value_name = "ADDRESS", default_value = "127.0.0.1:8080")]
    listen: String,
}

#[tokio::main]
async fn main() -> anyhow::Result<()> {
    let flags = Flags::parse();
    let stop = genclient::signals::shutdown()?;
    let listener = TcpListener::bind(&flags.listen).await?;
    println!("http://{}", listener.local_addr()?);
    while let Some(accepted) = stop.run_until_cancelled(listener.accept()).await {
        let (connection, client) = accepted?;
        tokio::spawn(async move {
            if let Err(error) = answer(connection).await {
                println!("{client} is gone: {error}");
            }
        });
    }
    Ok(())
}

/// Reads the head of a request, and writes until the client disconnects.
async fn answer(mut connection: TcpStream) -> io::Result<()> {
    let mut request = BufReader::new(&mut connection).lines();
    // The head ends with an empty line.
    while let Some(line) = request.next_line().await?
        && !line.is_empty()
    {}
    connection.write_all(HEAD.as_bytes()).await?;
    let mut seconds = interval(Duration::from_secs(1));
    for number in 1_u64.. {
        seconds.tick().await;
        connection
            .write_all(&chunk(&format!("line {number}\n")))
            .await?;
    }
    Ok(())
}

/// Returns a chunk: its length in hexadecimal digits, then its text.
fn chunk(text: &str) -> Vec<u8> {
    format!("{:x}\r\n{text}\r\n", text.len()).into_bytes()
}

#[cfg(test)]
mod tests {
    use tokio::io::AsyncReadExt;

    use super::*;

    #[tokio::test(start_paused = true)]
    async fn chunks_come_one_by_one() -> io::Result<()> {
        let listener = TcpListener::bind("127.0.0.1:0").await?;
        let mut client = TcpStream::connect(listener.local_addr()?).await?;
        let (connection, _) = listener.accept().await?;
        let server = tokio::spawn(answer(connection));

        client
            .write_all(b"GET / HTTP/1.1\r\nHost: localhost\r\n\r\n")
            .await?;
        let expected = format!("{HEAD}7\r\nline 1\n\r\n7\r\nline 2\n\r\n");
        let mut read = vec![0; expected.len()];
        client.read_exact(&mut read).await?;
        assert_eq!(String::from_utf8_lossy(&read), expected);

        drop(client);
        assert!(
            server.await?.is_err(),
            "the server goes on without a client"
        );
        Ok(())
    }
}
