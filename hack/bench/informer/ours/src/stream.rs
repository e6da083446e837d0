//! The initial state as the API server streams it.

use genclient::kube::Client;
use genclient::kube::client::Body;
use http_body_util::BodyExt;
use memchr::memmem::Finder;

const PATH: &str = "/apis/samplecontroller.k8s.io/v1alpha1/foos?watch=1&sendInitialEvents=true\
    &resourceVersionMatch=NotOlderThan&allowWatchBookmarks=true";
const END: &str = "k8s.io/initial-events-end";

/// Passes every line to `line`, up to the bookmark that ends the initial state. Returns the number
/// of bytes.
pub async fn lines(
    client: Client,
    mut line: impl FnMut(&[u8]) -> anyhow::Result<()>,
) -> anyhow::Result<usize> {
    let request = http::Request::get(PATH).body(Body::empty())?;
    let mut body = client.send(request).await?.into_body();
    let end = Finder::new(END);
    let (mut rest, mut bytes) = (Vec::new(), 0);
    while let Some(frame) = body.frame().await {
        let Ok(data) = frame?.into_data() else {
            continue;
        };
        bytes += data.len();
        rest.extend_from_slice(&data);
        let mut taken = 0;
        while let Some(length) = memchr::memchr(b'\n', &rest[taken..]) {
            let text = &rest[taken..taken + length];
            if text.starts_with(br#"{"type":"BOOKMARK""#) && end.find(text).is_some() {
                return Ok(bytes);
            }
            line(text)?;
            taken += length + 1;
        }
        rest.drain(..taken);
    }
    anyhow::bail!("the stream ended before the bookmark of the initial state")
}
