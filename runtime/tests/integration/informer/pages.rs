//! Tests of paged lists: continue tokens, page sizes, and resource versions.

use super::dialogue::check_listing;
use super::informer_with;
use super::scripted::*;

#[tokio::test(start_paused = true)]
async fn unavailable_list_version_is_requested_once() {
    for unavailable in [
        refuse(410, "Expired"),
        body(
            504,
            r#"{"status":"Failure","reason":"Timeout","message":"Too large resource version: 10"}"#,
        ),
        body(
            504,
            r#"{"status":"Failure","reason":"Timeout","details":{"causes":[{"reason":"ResourceVersionTooLarge"}]}}"#,
        ),
    ] {
        check_listing(
            [
                list("10", []),
                stream([failed(410, "Expired")]),
                unavailable,
                list("20", ["a/one@15"]),
                stream([failed(410, "Expired")]),
                list("30", []),
                hang(),
            ],
            &[
                "list rv=0 limit=500",
                "watch rv=10",
                "list rv=10",
                "list limit=500",
                "watch rv=20",
                "list rv=20",
                "watch rv=30",
            ],
            &[],
        )
        .await;
    }
}

#[tokio::test(start_paused = true)]
async fn pages_are_concatenated() {
    check_listing(
        [
            page("10", ["a/one@1"], "second"),
            page("11", ["a/two@2"], "third"),
            page("12", ["a/three@3"], ""),
            stream([failed(410, "Expired")]),
            page("20", ["a/four@15"], ""),
            hang(),
        ],
        &[
            "list rv=0 limit=500",
            "list limit=500 continue=second",
            "list limit=500 continue=third",
            "watch rv=10",
            // A server that pages although any version is acceptable does not serve from its watch
            // cache, so a limit costs nothing.
            "list rv=10 limit=500 match=NotOlderThan",
            "watch rv=20",
        ],
        &["a/four@15"],
    )
    .await;
}

#[tokio::test(start_paused = true)]
async fn expired_continue_token_falls_back_to_a_full_list() {
    check_listing(
        [
            page("10", ["a/one@1"], "second"),
            refuse(410, "Expired"),
            list("12", ["a/one@1", "a/two@11"]),
            hang(),
        ],
        &[
            "list rv=0 limit=500",
            "list limit=500 continue=second",
            "list rv=0",
            "watch rv=12",
        ],
        &["a/one@1", "a/two@11"],
    )
    .await;
}

#[tokio::test(start_paused = true)]
async fn configured_page_size_is_always_requested() {
    let api = Api::new();
    api.answer([
        list("10", []),
        refuse(410, "Expired"),
        list("20", []),
        hang(),
    ]);
    let (factory, _informer) =
        informer_with(&api, |builder| builder.watch_list(false).page_size(4));
    factory.start();
    api.asked(4).await;
    let requests = api.requests();
    assert_eq!(
        requests,
        [
            "list rv=0 limit=4",
            "watch rv=10",
            "list rv=10 limit=4 match=NotOlderThan",
            "watch rv=20"
        ]
    );
    factory.shutdown().await;
}

#[tokio::test(start_paused = true)]
async fn hanging_list_times_out() {
    check_listing(
        [hang(), list("10", []), hang()],
        &["list rv=0 limit=500", "list rv=0 limit=500", "watch rv=10"],
        &[],
    )
    .await;
}
