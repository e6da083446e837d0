//! Types that `genclient import` writes: they compile without a warning, and round-trip objects.

#![deny(warnings)]
#![expect(clippy::unwrap_used, reason = "a test may fail anywhere")]

/// `cli/import/keywords`
#[path = "../../../cli/import/keywords/expected/pkg/apis/mod.rs"]
pub mod keywords;

/// `cli/import/kubernetes`
#[path = "../../../cli/import/kubernetes/expected/pkg/apis/mod.rs"]
pub mod kubernetes;

/// `cli/import/names`
#[path = "../../../cli/import/names/expected/pkg/apis/mod.rs"]
pub mod names;

/// `cli/import/open`
#[path = "../../../cli/import/open/expected/pkg/apis/mod.rs"]
pub mod open;

/// `cli/import/shared`
#[path = "../../../cli/import/shared/expected/pkg/apis/mod.rs"]
pub mod shared;

/// `cli/import/undocumented`
#[path = "../../../cli/import/undocumented/expected/pkg/apis/mod.rs"]
pub mod undocumented;

/// `cli/import/versions`
#[path = "../../../cli/import/versions/expected/pkg/apis/mod.rs"]
pub mod versions;

/// `cli/import/client_only`
#[path = "../../../cli/import/client_only/expected/pkg/apis/mod.rs"]
pub mod client_only;

use serde::Serialize;
use serde::de::DeserializeOwned;
use serde_json::{Value, json};

fn rewritten<K: DeserializeOwned + Serialize>(object: &Value) -> Value {
    serde_json::to_value(serde_json::from_value::<K>(object.clone()).unwrap()).unwrap()
}

#[test]
fn objects_are_written_as_they_were_read() {
    let shop = json!({
        "apiVersion": "example.com/v1", "kind": "Shop", "metadata": { "name": "a" },
        "spec": {
            "address": "here", "closed": true, "kind": "", "port": "http", "hours": { "Monday": [8, 18] },
            "owner": { "company": "b" }, "shelves": [{ "name": "c" }], "since": "2024-01-01T00:00:00Z", "tags": [],
        },
    });
    assert_eq!(rewritten::<keywords::example::v1::Shop>(&shop), shop);
    let open = json!({
        "apiVersion": "example.com/v1", "kind": "Open", "metadata": {},
        "spec": {
            "any": [1], "needed": null, "anyOfThese": [null, "a"], "object": { "a": {} }, "other": { "b": 1 },
            "words": [null, "c"], "empty": {}, "either": 1,
        },
    });
    assert_eq!(rewritten::<open::example::v1::Open>(&open), open);
}
