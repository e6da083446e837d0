//! Watch request without types: one GET, whose response has a line of JSON for each change.
//!
//! It uses only the connection of the client, with its TLS and credentials. `watch-pods` does the
//! same with types.

use std::fmt;

use clap::Parser;
use futures::{AsyncBufReadExt, TryStreamExt};
use genclient::{client, signals};
use serde::Deserialize;

/// Prints each change of a Pod, such as `ADDED Pod web-0`
#[derive(Debug, Parser)]
struct Flags {
    #[command(flatten)]
    connection: demo::Connection,

    /// The namespace to watch
    #[arg(long, default_value = "default")]
    namespace: String,
}

/// One line of the response.
#[derive(Debug, Deserialize)]
struct Event {
    #[serde(rename = "type")]
    change: String,
    object: Object,
}

/// Any object, or the `Status` of an error, which has a message.
#[derive(Debug, Deserialize)]
struct Object {
    kind: String,
    #[serde(default)]
    metadata: Metadata,
    message: Option<String>,
}

#[derive(Debug, Default, Deserialize)]
struct Metadata {
    name: Option<String>,
}

#[tokio::main]
async fn main() -> anyhow::Result<()> {
    let flags = Flags::parse();
    let stop = signals::shutdown()?;
    let client = client::connect(flags.connection.config().await?)?;

    // Without a resource version, the watch begins with an ADDED for every existing Pod.
    let path = format!("/api/v1/namespaces/{}/pods?watch=true", flags.namespace);
    let request = http::Request::get(path).body(Vec::new())?;
    let mut lines = client.request_stream(request).await?.lines();
    while let Some(Some(line)) = stop
        .run_until_cancelled(lines.try_next())
        .await
        .transpose()?
    {
        println!("{}", serde_json::from_str::<Event>(&line)?);
    }
    Ok(())
}

impl fmt::Display for Event {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Object {
            kind,
            metadata,
            message,
        } = &self.object;
        let what = metadata
            .name
            .as_ref()
            .or(message.as_ref())
            .map_or("", String::as_str);
        write!(f, "{} {kind} {what}", self.change)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn watch_events_are_displayed() -> serde_json::Result<()> {
        for (line, text) in [
            (
                r#"{"type":"ADDED","object":{"kind":"Pod","apiVersion":"v1","metadata":{"name":"web-0"}}}"#,
                "ADDED Pod web-0",
            ),
            (
                r#"{"type":"ERROR","object":{"kind":"Status","metadata":{},"message":"too old"}}"#,
                "ERROR Status too old",
            ),
        ] {
            assert_eq!(serde_json::from_str::<Event>(line)?.to_string(), text);
        }
        Ok(())
    }
}
