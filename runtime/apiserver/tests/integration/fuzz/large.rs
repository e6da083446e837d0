//! Fuzz tests with bodies at the limits of size and depth. `FUZZ_BYTES=3000000` sets the limit of
//! the server; the default is a fiftieth of it.

use bytes::Bytes;
use http::Request;
use http_body_util::Full;

use super::{send_and_check, start_server};

/// Returns the size of bodies in bytes.
pub(super) fn body_size() -> usize {
    let size = std::env::var("FUZZ_BYTES").ok();
    size.and_then(|size| size.parse().ok()).unwrap_or(60_000)
}

fn fill_with(part: &str) -> String {
    part.repeat(body_size() / part.len())
}

fn large_bodies() -> Vec<(&'static str, String)> {
    let nested = |open: &str, close: &str| {
        let depth = body_size() / (open.len() + close.len());
        open.repeat(depth) + "1" + &close.repeat(depth)
    };
    let numbered = |part: &dyn Fn(usize) -> String| {
        let mut text = String::new();
        let end = body_size() - 200;
        for index in 0.. {
            text += &part(index);
            if text.len() > end {
                break;
            }
        }
        text
    };
    vec![
        ("lists in lists", nested("[", "]")),
        ("objects in objects", nested("{\"a\":", "}")),
        ("objects and lists", nested("{\"spec\":[", "]}")),
        ("open lists", fill_with("[")),
        ("one text", format!("\"{}\"", fill_with("a"))),
        ("escapes", format!("\"{}\"", fill_with("\\u0000"))),
        (
            "many fields",
            format!(
                "{{{}\"z\":1}}",
                numbered(&|index| format!("\"f{index}\":1,"))
            ),
        ),
        (
            "a field many times",
            format!("{{{}\"a\":1}}", fill_with("\"a\":1,")),
        ),
        (
            "many fields of an object",
            format!(
                "{{\"apiVersion\":\"probe.dev/v1\",\"kind\":\"Widget\",\"metadata\":{{\"name\":\"a\"}},\
                 \"spec\":{{\"any\":{{{}\"z\":1}}}}}}",
                numbered(&|index| format!("\"f{index}\":[],"))
            ),
        ),
        (
            "unknown fields",
            format!(
                "{{\"apiVersion\":\"probe.dev/v1\",\"kind\":\"Widget\",\"metadata\":{{\"name\":\"b\"}},\
                 \"spec\":{{{}\"z\":1}}}}",
                numbered(&|index| format!("\"f{index}\":[],"))
            ),
        ),
        (
            "items of a set",
            format!(
                "{{\"apiVersion\":\"probe.dev/v1\",\"kind\":\"Widget\",\"metadata\":{{\"name\":\"c\"}},\
                 \"spec\":{{\"tags\":[{}\"z\"]}}}}",
                numbered(&|index| format!("\"{index}\","))
            ),
        ),
        (
            "items of a map",
            format!(
                "{{\"apiVersion\":\"probe.dev/v1\",\"kind\":\"Widget\",\"metadata\":{{\"name\":\"d\"}},\
                 \"spec\":{{\"ports\":[{}{{\"name\":\"z\"}}]}}}}",
                numbered(&|index| format!("{{\"name\":\"{index}\"}},"))
            ),
        ),
        (
            "wrong items",
            format!(
                "{{\"apiVersion\":\"probe.dev/v1\",\"kind\":\"Widget\",\"metadata\":{{\"name\":\"e\"}},\
                 \"spec\":{{\"tags\":[{}1]}}}}",
                fill_with("1,")
            ),
        ),
        (
            "aliases",
            format!("a: &a [x]\nb: &b [*a,*a]\nc: [{}*b]", fill_with("*b,")),
        ),
        (
            "aliases of aliases",
            (0..60).fold("a0: &a0 [x,x]\n".to_owned(), |text, index| {
                let next = index + 1;
                format!("{text}a{next}: &a{next} [*a{index},*a{index},*a{index}]\n")
            }),
        ),
        (
            "operations",
            format!(
                "[{}{{\"op\":\"add\"}}]",
                fill_with("{\"op\":\"remove\",\"path\":\"/a\"},")
            ),
        ),
        (
            "copies",
            format!(
                "[{}{{\"op\":\"copy\"}}]",
                "{\"op\":\"copy\",\"from\":\"/spec\",\"path\":\"/spec/any\"},".repeat(9000)
            ),
        ),
        (
            "additions",
            format!(
                "[{}{{\"op\":\"test\"}}]",
                "{\"op\":\"add\",\"path\":\"/spec/tags/0\",\"value\":\"a\"},".repeat(9000)
            ),
        ),
        ("numbers", format!("[{}1]", fill_with("1e400,"))),
        ("digits", fill_with("9")),
        (
            "protobuf",
            "k8s\0".to_owned() + &fill_with("\u{a}\u{2}\u{a}\0"),
        ),
    ]
}

#[tokio::test(start_paused = true)]
async fn large_bodies_are_answered() {
    let server = start_server();
    let first = serde_json::json!({
        "apiVersion": "probe.dev/v1", "kind": "Widget", "metadata": { "name": "a" },
        "spec": { "tags": ["x"], "ports": [{ "name": "p" }] },
    });
    let path = "/apis/probe.dev/v1/namespaces/default/widgets";
    let post = |body: String, media_type: &str| {
        let request = Request::post(path).header("content-type", media_type);
        request.body(Full::new(Bytes::from(body))).unwrap()
    };
    assert_eq!(
        send_and_check(&server, post(first.to_string(), "application/json")).await,
        201
    );
    for (what, body) in large_bodies() {
        for media_type in ["application/json", "application/yaml"] {
            let start = std::time::Instant::now();
            let code = send_and_check(&server, post(body.clone(), media_type)).await;
            println!(
                "POST {what} {media_type}: {code} after {:?}",
                start.elapsed()
            );
        }
        for media_type in [
            "application/merge-patch+json",
            "application/json-patch+json",
            "application/apply-patch+yaml",
        ] {
            let request = Request::patch(format!("{path}/a?fieldManager=me&force=true"))
                .header("content-type", media_type);
            let request = match media_type {
                "application/apply-patch+yaml" => request,
                _ => Request::patch(format!("{path}/a")).header("content-type", media_type),
            };
            let start = std::time::Instant::now();
            let code = send_and_check(
                &server,
                request.body(Full::new(body.clone().into())).unwrap(),
            )
            .await;
            println!(
                "PATCH {what} {media_type}: {code} after {:?}",
                start.elapsed()
            );
        }
        for (kind, media_type) in [
            ("configmaps", "application/json"),
            ("configmaps", "application/vnd.kubernetes.protobuf"),
            ("pods", "application/yaml"),
        ] {
            let request = Request::post(format!("/api/v1/namespaces/default/{kind}"))
                .header("content-type", media_type);
            let start = std::time::Instant::now();
            let code = send_and_check(
                &server,
                request.body(Full::new(body.clone().into())).unwrap(),
            )
            .await;
            println!(
                "POST {what} {kind} {media_type}: {code} after {:?}",
                start.elapsed()
            );
        }
    }
    let body = " ".repeat(3 * 1024 * 1024 + 1);
    assert_eq!(
        send_and_check(&server, post(body, "application/json")).await,
        413
    );
}
