//! Tests of types of other crates that serde writes as strings: the API server accepts their
//! values.

use e2e::ControlPlane;
use kube::Error;
use serde_json::json;

use crate::builtins::{crds, create};
use crate::suite::{Outcome, Suite};

pub(crate) fn tests(suite: &mut Suite) {
    suite.both(
        "strings::are_accepted_and_stored_unchanged",
        are_accepted_and_stored_unchanged,
    );
}

/// A type, values as serde writes them, and values that its schema refuses.
const TYPES: &[(&str, &[&str], &[&str])] = &[
    (
        "chrono::DateTime<Utc>",
        &[
            "2023-11-14T22:13:20.123456789Z",
            "2023-11-14T22:13:20Z",
            "0001-01-01T00:00:00Z",
            "2024-01-01T00:00:00.500+02:00",
        ],
        &["2024-02-29T01:02:03"],
    ),
    (
        "jiff::Timestamp",
        &[
            "2023-11-14T22:13:20.123456789Z",
            "9999-12-30T22:00:00.999999999Z",
        ],
        &["now"],
    ),
    ("chrono::NaiveDate", &["2024-02-29"], &["2024-02-30"]),
    (
        "chrono::NaiveDateTime",
        &["2024-02-29T01:02:03.000000004"],
        &[],
    ),
    ("jiff::Zoned", &["1970-01-01T00:00:00+00:00[UTC]"], &[]),
    (
        "jiff::Span",
        &["P1Y2MT3H4S", "-P2D", "PT0S", "P2W"],
        &["soon"],
    ),
    (
        "jiff::SignedDuration",
        &[
            "PT1H30M0.5S",
            "-PT1H30M",
            "PT2562047788015215H30M7.999999999S",
        ],
        &["soon"],
    ),
    (
        "uuid::Uuid",
        &[
            "00000000-0000-0000-0000-000000000000",
            "ffffffff-ffff-ffff-ffff-ffffffffffff",
        ],
        &["a"],
    ),
    (
        "url::Url",
        &[
            "https://u:p@example.com:8443/a%20b?q=1#f",
            "http://a/%zz",
            "http://[::1]/",
            "mailto:a@example.com",
            "data:text/plain,a b",
            "x:",
        ],
        &["/a", "a", ""],
    ),
    ("std::net::Ipv4Addr", &["127.0.0.1"], &["127.0.0", "::1"]),
    (
        "std::net::Ipv6Addr",
        &["::", "::1", "::ffff:1.2.3.4", "fe80::1"],
        &["127.0.0.1"],
    ),
    ("std::net::IpAddr", &["127.0.0.1", "::1"], &[]),
    (
        "ipnet::IpNet",
        &["10.1.2.3/8", "::/0", "::ffff:1.2.3.4/96"],
        &["10.0.0.0"],
    ),
    (
        "k8s_openapi::ByteString",
        &["YWI=", "YQ==", ""],
        &["a", "!"],
    ),
];

async fn are_accepted_and_stored_unchanged(plane: &ControlPlane) -> Outcome {
    let mut fields = String::new();
    for (at, (type_, ..)) in TYPES.iter().enumerate() {
        fields += &format!("f{at}: Option<{type_}>, ");
    }
    let apis = format!(
        "pub mod v1 {{ use genclient::prelude::*; \
         #[genclient] #[group = \"builtin.example.com\"] pub struct Text {{ metadata: ObjectMeta, spec: TextSpec }} \
         #[derive(CrdSchema)] #[serde(default)] pub struct TextSpec {{ {fields} }} }}"
    );
    for crd in crds(&apis)? {
        let applied = plane.apply_crd(&crd).await?;
        assert_eq!(applied.warnings, [""; 0]);
    }
    for (at, (type_, taken, refused)) in TYPES.iter().enumerate() {
        for text in *taken {
            let spec = json!({ (format!("f{at}")): text });
            let stored = create(plane, "Text", spec.clone())
                .await
                .map_err(|error| format!("{type_} {text}: {error}"))?;
            assert_eq!(stored["spec"], spec, "{type_}");
        }
        for text in *refused {
            let spec = json!({ (format!("f{at}")): text });
            match create(plane, "Text", spec).await {
                Err(Error::Api(status)) if status.code == 422 => {}
                other => return Err(format!("{type_} {text}: {other:?}").into()),
            }
        }
    }
    Ok(())
}
