//! A flattened map does not receive `apiVersion` and `kind`.
use std::collections::BTreeMap;

use genclient::prelude::*;

#[genclient(skip_crd)]
#[group = ""]
#[version = "v1"]
pub struct Loose {
    pub metadata: ObjectMeta,
    #[serde(flatten)]
    pub rest: BTreeMap<String, String>,
}

#[test]
fn flattened_maps_do_not_contain_the_type() {
    let text = r#"{"apiVersion":"v1","kind":"Loose","metadata":{},"a":"b"}"#;
    let read: Loose = serde_json::from_str(text).unwrap();
    assert_eq!(read.rest.len(), 1);
    assert_eq!(serde_json::to_string(&read).unwrap(), text);
}
