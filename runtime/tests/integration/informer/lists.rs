//! Tests of unusual and malformed lists: field orders, chunk sizes, truncated bodies.

use serde_json::{Value, json};

use super::scripted::*;
use super::{cached, informer_with};

fn object(name: &str) -> Value {
    json!({
        "metadata": {"namespace": "a", "name": name, "resourceVersion": "5"},
        "data": {"text": "]}\\\",[{", "items": "[]"},
    })
}

fn two() -> String {
    format!("{},{}", object("one"), object("two"))
}

/// Sends a list in chunks of `size` and checks that it is read.
async fn check(text: &str, size: usize) {
    let api = Api::new();
    let (feed, answer) = feed();
    api.answer([answer, hang()]);
    let (factory, informer) = informer_with(&api, |builder| builder.watch_list(false));
    factory.start();
    for piece in text.as_bytes().chunks(size) {
        feed.piece(String::from_utf8(piece.to_vec()).unwrap());
    }
    drop(feed);
    api.asked(2).await;
    settle().await;
    assert_eq!(api.requests()[1], "watch rv=10", "{text}");
    assert_eq!(cached(&informer), ["a/one@5", "a/two@5"], "{text}");
    assert_eq!(informer.skipped(), []);
    factory.shutdown().await;
}

#[tokio::test(start_paused = true)]
async fn lists_are_decoded_in_any_field_order_and_chunking() {
    let metadata = r#""metadata":{"resourceVersion":"10","items":[1]}"#;
    let items = format!(r#""items":[{}]"#, two());
    let kind = r#""kind":"ConfigMapList","apiVersion":"v1""#;
    for text in [
        format!("{{{kind},{metadata},{items}}}"),
        format!("{{{items},{metadata},{kind}}}"),
        format!("{{{metadata},{items}}}"),
        format!("\n{{ {kind} ,\t{items} , \"x\\\"items\" : [ {{}} ] , {metadata} }}\r\n"),
        format!(
            "{{{metadata},\"items\" : \n[ {} , {} ]}}",
            object("one"),
            object("two")
        ),
    ] {
        for size in [1, 7, text.len()] {
            check(&text, size).await;
        }
    }
}

#[tokio::test(start_paused = true)]
async fn object_split_into_many_chunks_is_decoded() {
    let mut huge = object("two");
    huge["data"]["text"] = "é\\\"".repeat(1 << 20).into();
    let text = format!(
        r#"{{"items":[{},{huge}],"metadata":{{"resourceVersion":"10"}}}}"#,
        object("one")
    );
    // The chunks of the test are strings, so none may end within a character.
    let text = text.replace('é', "\\u00e9");
    check(&text, 16 << 10).await;
}

#[tokio::test(start_paused = true)]
async fn truncated_lists_are_retried() {
    let whole = format!(
        r#"{{"kind":"ConfigMapList","items":[{}],"metadata":{{"resourceVersion":"10"}}}}"#,
        two()
    );
    for length in [0, 1, 30, 60, 110, whole.len() - 20, whole.len() - 1] {
        let api = Api::new();
        api.answer([
            body(200, &whole[..length]),
            list("20", ["a/three@15"]),
            hang(),
        ]);
        let (factory, informer) = informer_with(&api, |builder| builder.watch_list(false));
        factory.start();
        api.asked(3).await;
        assert_eq!(
            api.requests()[1..],
            ["list rv=0 limit=500", "watch rv=20"],
            "{length}"
        );
        assert_eq!(cached(&informer), ["a/three@15"]);
        factory.shutdown().await;
    }
}
