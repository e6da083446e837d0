//! Tests of informers through kube's own HTTP stack, over a loopback connection.

use std::net::SocketAddr;
use std::time::Duration;

use genclient::client::connect;
use genclient::informer::SharedInformerFactory;
use genclient::kube::Config;
use k8s_openapi::api::core::v1::ConfigMap;
use tokio::io::{AsyncBufReadExt, AsyncWriteExt, BufReader};
use tokio::net::{TcpListener, TcpStream};
use tokio::sync::mpsc::{UnboundedReceiver, UnboundedSender, unbounded_channel};

use super::scripted::{added, initial_events_end, modified};
use super::{cached, seconds};

/// Serves raw HTTP: passes on the head of each request and writes the scripted bytes.
async fn serve(
    listener: TcpListener,
    heads: UnboundedSender<String>,
    mut answers: UnboundedReceiver<String>,
) {
    while let Ok((stream, _)) = listener.accept().await {
        let mut stream = BufReader::new(stream);
        while let Some(head) = read_head(&mut stream).await {
            heads.send(head).unwrap();
            let Some(answer) = answers.recv().await else {
                return;
            };
            stream.write_all(answer.as_bytes()).await.unwrap();
        }
    }
}

async fn read_head(stream: &mut BufReader<TcpStream>) -> Option<String> {
    let mut head = String::new();
    loop {
        let read = stream.read_line(&mut head).await.ok()?;
        if read == 0 {
            return None;
        }
        if head.ends_with("\r\n\r\n") {
            return Some(head);
        }
    }
}

fn refusal(code: u16) -> String {
    let body = r#"{"kind":"Status","status":"Failure","message":"later"}"#;
    format!(
        "HTTP/1.1 {code} Refused\r\nretry-after: 1\r\ncontent-length: {}\r\n\r\n{body}",
        body.len()
    )
}

fn chunked(lines: &[String]) -> String {
    let mut answer = "HTTP/1.1 200 OK\r\ntransfer-encoding: chunked\r\n\r\n".to_owned();
    for line in lines {
        answer += &format!("{:x}\r\n{line}\n\r\n", line.len() + 1);
    }
    answer
}

#[tokio::test]
async fn informer_syncs_through_kube_s_own_stack() {
    let listener = TcpListener::bind(SocketAddr::from(([127, 0, 0, 1], 0)))
        .await
        .unwrap();
    let address = listener.local_addr().unwrap();
    let (heads, mut requests) = unbounded_channel();
    let (script, answers) = unbounded_channel();
    // With retries in the client, kube's or ours, the informer would not observe the first
    // response, and would not fall back to a list.
    script.send(refusal(503)).unwrap();
    let list = r#"{"items":[],"metadata":{"resourceVersion":"7"}}"#;
    script
        .send(format!(
            "HTTP/1.1 200 OK\r\ncontent-length: {}\r\n\r\n{list}",
            list.len()
        ))
        .unwrap();
    let lines = [
        added("a/one@8"),
        modified("a/one@9"),
        initial_events_end("10"),
    ];
    script.send(chunked(&lines)).unwrap();
    let server = tokio::spawn(serve(listener, heads, answers));

    let config = Config::new(format!("http://{address}").parse().unwrap());
    let factory = SharedInformerFactory::builder(connect(config).unwrap()).build();
    let informer = factory.informer_for::<ConfigMap>();
    let mut events = informer.subscribe();
    factory.start();
    let synced = tokio::time::timeout(seconds(30), factory.wait_for_cache_sync()).await;
    synced.expect("the clock is real here").unwrap();
    for _ in 0..2 {
        futures::StreamExt::next(&mut events).await.unwrap();
    }
    assert_eq!(cached(&informer), ["a/one@9"]);

    let mut heads = Vec::new();
    while heads.len() < 3 {
        heads.push(requests.recv().await.unwrap().to_lowercase());
    }
    let paths: Vec<_> = heads
        .iter()
        .map(|head| head.split(' ').nth(1).unwrap())
        .collect();
    assert!(paths[0].contains("sendinitialevents=true"), "{}", paths[0]);
    assert!(paths[1].ends_with("limit=500"), "{}", paths[1]);
    assert!(paths[2].contains("resourceversion=7"), "{}", paths[2]);
    for head in &heads {
        assert!(head.contains("kubernetes/genclient-"), "{head}");
    }
    assert!(
        heads[2].contains("accept-encoding: identity"),
        "{}",
        heads[2]
    );
    factory.shutdown().await;
    server.abort();
}

#[tokio::test]
async fn sync_fails_if_the_server_does_not_speak_tls() {
    let listener = TcpListener::bind(("127.0.0.1", 0)).await.unwrap();
    let address = listener.local_addr().unwrap();
    let server = tokio::spawn(async move {
        while let Ok((mut stream, _)) = listener.accept().await {
            let answer = b"HTTP/1.1 400 Bad Request\r\ncontent-length: 0\r\n\r\n";
            stream.write_all(answer).await.unwrap();
        }
    });
    let config = Config::new(format!("https://{address}").parse().unwrap());
    let factory = SharedInformerFactory::builder(connect(config).unwrap())
        .sync_grace(Duration::from_millis(10))
        .build();
    factory.informer_for::<ConfigMap>();
    factory.start();
    let synced = tokio::time::timeout(seconds(30), factory.wait_for_cache_sync()).await;
    let error = synced.expect("the clock is real here").unwrap_err();
    assert!(error.to_string().contains("TLS failed"), "{error}");
    factory.shutdown().await;
    server.abort();
}
