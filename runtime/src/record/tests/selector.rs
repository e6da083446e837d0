//! Tests of `field_selector`: client-go's `helper_test.go`.

use k8s_openapi::api::core::v1::ObjectReference;

use crate::record::EventsApi::{self, CoreV1, EventsV1};
use crate::record::field_selector;

#[track_caller]
fn check_selector(api: EventsApi, regarding: [&str; 4], expected: &str) {
    let [api_version, kind, name, uid] = regarding.map(|value| Some(value.to_owned()));
    let regarding = ObjectReference {
        api_version,
        kind,
        name,
        uid,
        ..ObjectReference::default()
    };
    assert_eq!(field_selector(api, &regarding), expected);
}

#[test]
fn get_field_selector() {
    let uid = "2c55cad7-ee4e-11e9-abe1-525400e7bc6b";
    let deployment = ["apps/v1", "Deployment", "test-deployment", uid];
    check_selector(EventsV1, ["", "", "", ""], "");
    check_selector(CoreV1, ["", "", "", ""], "");
    for (api, object) in [(EventsV1, "regarding"), (CoreV1, "involvedObject")] {
        let expected = format!(
            "{object}.apiVersion=apps/v1,{object}.kind=Deployment,\
             {object}.name=test-deployment,{object}.uid={uid}"
        );
        check_selector(api, deployment, &expected);
    }
    assert_eq!(field_selector(CoreV1, &ObjectReference::default()), "");
}

#[test]
fn field_selector_values_are_escaped() {
    check_selector(
        CoreV1,
        ["", "", r"a=b,c\d", ""],
        r"involvedObject.name=a\=b\,c\\d",
    );
}
