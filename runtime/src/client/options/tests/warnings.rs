//! Tests of `Warning` headers.

use std::sync::Arc;

use parking_lot::Mutex;

use super::super::StackSettings;
use super::super::warnings::{Warnings, parse_warnings};
use super::{Server, get};

#[tokio::test]
async fn warning_handler_receives_warnings() {
    let server = Server {
        warnings: &[
            r#"299 - "v1beta1 is deprecated""#,
            r#"299 - "unknown field \"spec.gpus\"", 299 - "another""#,
            r#"199 - "not for people""#,
        ],
        ..Server::default()
    };
    let received = Arc::new(Mutex::new(Vec::new()));
    let sink = Arc::clone(&received);
    let client = server.client(StackSettings {
        warnings: Warnings::To(Box::new(move |text| sink.lock().push(text.to_owned()))),
        ..StackSettings::default()
    });
    get(&client, "/pods").await.unwrap();
    let expected = [
        "v1beta1 is deprecated",
        "unknown field \"spec.gpus\"",
        "another",
    ];
    assert_eq!(*received.lock(), expected);
}

#[tokio::test]
async fn panicking_warning_handler_does_not_fail_the_request() {
    let server = Server {
        warnings: &[r#"299 - "one", 299 - "two""#],
        ..Server::default()
    };
    let received = Arc::new(Mutex::new(0));
    let sink = Arc::clone(&received);
    let client = server.client(StackSettings {
        warnings: Warnings::To(Box::new(move |text| {
            *sink.lock() += 1;
            panic!("{text}");
        })),
        ..StackSettings::default()
    });
    assert!(get(&client, "/pods").await.is_ok());
    assert_eq!(*received.lock(), 2);
}

/// The cases of apimachinery's `TestParseWarningHeader` that are not UTF-8, and
/// `TestParseWarningHeaders`.
#[test]
fn invalid_warning_headers_do_not_hide_others() {
    let cases: [(&[&[u8]], &[&str]); 3] = [
        (&[b"  299 agent\xc5name \"text\""], &[]),
        (&[b"  299 - \"text\xc5\"content"], &[]),
        (
            &[
                br#"299 - "warning 1.1",299 - "warning 1.2""#,
                br#"299 - "warning 2", 299 - "warning unquoted"#,
                b"299 - \"text\xc5\"",
                br#" 299 - "warning 3.1" ,  299 - "warning 3.2" "#,
            ],
            &[
                "warning 1.1",
                "warning 1.2",
                "warning 2",
                "warning 3.1",
                "warning 3.2",
            ],
        ),
    ];
    for (headers, expected) in cases {
        let received = Arc::new(Mutex::new(Vec::new()));
        let sink = Arc::clone(&received);
        let warnings = Warnings::To(Box::new(move |text| sink.lock().push(text.to_owned())));
        let headers = headers.iter().map(|header| {
            let header = http::HeaderValue::from_bytes(header).unwrap();
            (http::header::WARNING, header)
        });
        warnings.handle(&http::HeaderMap::from_iter(headers));
        assert_eq!(*received.lock(), expected);
    }
}

/// As client-go's writer of warnings with `Deduplicate`, but with a limited number of remembered
/// texts.
#[tokio::test]
async fn each_warning_is_logged_once() {
    let warnings = Warnings::default();
    let logged = || match &warnings {
        Warnings::Log(logged) => logged.lock().len(),
        Warnings::To(_) => 0,
    };
    let mut headers = http::HeaderMap::new();
    headers.insert("Warning", r#"299 - "old", 299 - "old""#.parse().unwrap());
    for _ in 0..3 {
        warnings.handle(&headers);
    }
    assert_eq!(logged(), 1);
    for number in 0..2000 {
        let text = format!("299 - \"{number}\"");
        headers.insert("Warning", text.parse().unwrap());
        warnings.handle(&headers);
    }
    assert!(logged() <= 1000, "what is remembered has a limit");
}

const TEXT: &str = "text\"\\abc";

type Codes = &'static [(&'static str, &'static str)];

/// Each case: its name, the header, and the codes and texts in it.
const HEADERS: &[(&str, &str, Codes)] = &[
    ("empty", "", &[]),
    ("bad code", "A B", &[]),
    ("short code", r#"1 - "text""#, &[]),
    ("bad code", r#"A - "text""#, &[]),
    (
        "invalid date quoting",
        r#"  299 - "text\"\\\a\b\c"  "Tue, 15 Nov 1994 08:12:31 GMT "#,
        &[],
    ),
    (
        "invalid post-date",
        r#"  299 - "text\"\\\a\b\c"  "Tue, 15 Nov 1994 08:12:31 GMT" other"#,
        &[],
    ),
    (
        "agent control character",
        "  299 agent\u{0}name \"text\"",
        &[],
    ),
    (
        "text control character",
        "  299 - \"text\u{0}\"content",
        &[],
    ),
    ("unterminated text", r#"299 - "text"#, &[]),
    ("ok", r#"299 - "text""#, &[("299", "text")]),
    ("ok", r#"299 - "text\"\\\a\b\c""#, &[("299", TEXT)]),
    ("big code", r#"321 - "text""#, &[("321", "text")]),
    (
        "ok with spaces",
        r#"  299 - "text\"\\\a\b\c"  "#,
        &[("299", TEXT)],
    ),
    (
        "ok with date",
        r#"  299 - "text\"\\\a\b\c"  "Tue, 15 Nov 1994 08:12:31 GMT" "#,
        &[("299", TEXT)],
    ),
    (
        "ok with date and comma",
        r#"  299 - "text\"\\\a\b\c"  "Tue, 15 Nov 1994 08:12:31 GMT" , "#,
        &[("299", TEXT)],
    ),
    (
        "ok with comma",
        r#"  299 - "text\"\\\a\b\c"  , "#,
        &[("299", TEXT)],
    ),
    (
        "ok with comma and remainder",
        r#"  299 - "text\"\\\a\b\c"  ,remainder text,second remainder"#,
        &[("299", TEXT)],
    ),
    (
        "ok with date and comma and remainder",
        r#"  299 - "text\"\\\a\b\c"  "Tue, 15 Nov 1994 08:12:31 GMT" , remainder "#,
        &[("299", TEXT)],
    ),
    // The API server does not encode texts by RFC 2047 (apimachinery, `NewWarningHeader`), so they
    // are not decoded.
    (
        "rfc 2047, iso-8859-1, q",
        r#"299 - "=?iso-8859-1?q?this=20is=20some=20text?=""#,
        &[("299", "=?iso-8859-1?q?this=20is=20some=20text?=")],
    ),
    (
        "rfc 2047, utf-8, b",
        r#"299 - "=?UTF-8?B?8J+Qjg==?= And =?UTF-8?B?8J+Qjg==?=""#,
        &[("299", "=?UTF-8?B?8J+Qjg==?= And =?UTF-8?B?8J+Qjg==?=")],
    ),
    (
        "rfc 2047, utf-8, q",
        r#"299 - "=?UTF-8?Q?This is a \"horsey\": =F0=9F=90=8E?=""#,
        &[("299", "=?UTF-8?Q?This is a \"horsey\": =F0=9F=90=8E?=")],
    ),
    (
        "rfc 2047, unknown charset",
        r#"299 - "=?UTF-9?Q?This is a horsey: =F0=9F=90=8E?=""#,
        &[("299", "=?UTF-9?Q?This is a horsey: =F0=9F=90=8E?=")],
    ),
    (
        "two",
        r#"299 - "a,b" "Tue, 15 Nov 1994 08:12:31 GMT", 299 me "c""#,
        &[("299", "a,b"), ("299", "c")],
    ),
    (
        "ok with utf-8 content directly in warn-text",
        r#" 299 - "Test of Iñtërnâtiônàlizætiøn,💝🐹🌇⛔" "#,
        &[("299", "Test of Iñtërnâtiônàlizætiøn,💝🐹🌇⛔")],
    ),
];

/// apimachinery's `TestParseWarningHeader`.
#[test]
fn parse_warning_header() {
    for (name, header, expected) in HEADERS {
        let parsed = parse_warnings(header);
        let parsed: Vec<_> = parsed
            .iter()
            .map(|(code, text)| (*code, text.as_str()))
            .collect();
        assert_eq!(parsed, *expected, "{name}: {header}");
    }
}
