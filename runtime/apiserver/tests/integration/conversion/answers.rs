//! Tests of the validation of conversion webhook responses.

use super::{Lab, V2, definition};

const FAILED: &str = "conversion webhook for lab.example.com/v1, Kind=Host failed: ";
const INVALID: &str = "conversion webhook for lab.example.com/v1, Kind=Host returned invalid ";

/// Returns faulty responses, each with the message of a read in `v2`.
#[expect(clippy::too_many_lines, reason = "a table")]
fn faulty_responses() -> Vec<(&'static str, String)> {
    let failed = |text: &str| format!("{FAILED}{text}");
    let invalid = |text: &str| format!("{INVALID}{text}");
    let name = "name part must consist of alphanumeric characters, '-', '_' or '.', and must \
                start and end with an alphanumeric character (e.g. 'MyName',  or 'my.name',  or \
                '123-abc', regex used for validation is \
                '([A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9]')";
    let value = "a valid label must be an empty string or consist of alphanumeric characters, '-', \
                 '_' or '.', and must start and end with an alphanumeric character (e.g. \
                 'MyValue',  or 'my_value',  or '12345', regex used for validation is \
                 '(([A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9])?')";
    let no_type = "couldn't get version/kind; json parse error: json: cannot unmarshal";
    let head = "into Go value of type struct { APIVersion string \
                \"json:\\\"apiVersion,omitempty\\\"\"; Kind string \
                \"json:\\\"kind,omitempty\\\"\" }";
    let field = "json: cannot unmarshal";
    let expected = "expected webhook response of apiextensions.k8s.io/v1, Kind=ConversionReview";
    vec![
        ("fail", failed("no way")),
        (
            "/response/result={\"status\":\"Failure\"}",
            failed("response.result.status was 'Failure', not 'Success'"),
        ),
        (
            "/response/result={}",
            failed("response.result.status was '', not 'Success'"),
        ),
        ("/response=null", failed("no response provided")),
        (
            "/response/convertedObjects=[]",
            "conversion webhook for lab.example.com/v1, Kind=Host returned 0 objects, expected 1"
                .to_owned(),
        ),
        (
            "more",
            "conversion webhook for lab.example.com/v1, Kind=Host returned 2 objects, expected 1"
                .to_owned(),
        ),
        (
            "/0/apiVersion=\"lab.example.com/v9\"",
            invalid(
                "object at index 0: invalid groupVersion (expected lab.example.com/v2, received \
                 lab.example.com/v9)",
            ),
        ),
        (
            "/0/apiVersion=null",
            invalid(
                "object at index 0: invalid groupVersion (expected lab.example.com/v2, received )",
            ),
        ),
        (
            "/0/kind=\"Other\"",
            invalid("object at index 0: invalid kind (expected Host, received Other)"),
        ),
        (
            "no kind",
            "Object 'Kind' is missing in '{\"apiVersion\":\"lab.example.com/v2\"}'".to_owned(),
        ),
        (
            "/0/metadata/name=\"z\"",
            invalid("object: must have the same name: a != z"),
        ),
        (
            "/0/metadata/namespace=\"z\"",
            invalid("object: must have the same namespace: default != z"),
        ),
        (
            "/0/metadata=\"x\"",
            invalid("object: must have the same name: a != "),
        ),
        (
            "/0/metadata/labels={\"bad key!\":\"x\"}",
            invalid(&format!(
                "metadata: metadata.labels: Invalid value: \"bad key!\": {name}"
            )),
        ),
        (
            "/0/metadata/labels={\"a\":\"b b\",\"c\":\"d d\"}",
            invalid(&format!(
                "metadata: [metadata.labels: Invalid value: \"b b\": {value}, metadata.labels: \
                 Invalid value: \"d d\": {value}]"
            )),
        ),
        (
            "/0/metadata/labels={\"a\":1}",
            invalid(
                "metadata: metadata.labels[a] must be a string, but is int64 in converted object",
            ),
        ),
        (
            "/0/metadata/labels=[1]",
            invalid("metadata: invalid metadata.labels of type []interface {} in converted object"),
        ),
        (
            "/0/metadata/annotations={\"a\":null}",
            invalid(
                "metadata: metadata.annotations[a] must be a string, but is <nil> in converted \
                 object",
            ),
        ),
        (
            "/0/metadata/annotations={\"bad key!\":\"x\"}",
            invalid(&format!(
                "metadata: metadata.annotation: Invalid value: \"bad key!\": {name}"
            )),
        ),
        (
            "500",
            failed(
                "an error on the server (\"unknown\") has prevented the request from succeeding",
            ),
        ),
        (
            "404",
            failed("the server could not find the requested resource"),
        ),
        ("status", failed("boom")),
        ("html", failed(&format!("{no_type} string {head}"))),
        ("list", failed(&format!("{no_type} array {head}"))),
        (
            "half",
            failed("couldn't get version/kind; json parse error: unexpected end of JSON input"),
        ),
        (
            "empty",
            failed("0-length response with status code: 200 and content type: application/json"),
        ),
        (
            "/0=\"abc\"",
            format!("{field} string into Go value of type map[string]interface {{}}"),
        ),
        ("/0=null", "unexpected end of JSON input".to_owned()),
        (
            "/apiVersion=\"apiextensions.k8s.io/v1beta1\"",
            failed(
                "converting (v1beta1.ConversionReview) to (v1.ConversionReview): unknown conversion",
            ),
        ),
        (
            "/kind=\"Other\"",
            failed(
                "no kind \"Other\" is registered for version \"apiextensions.k8s.io/v1\" in scheme \
                 \"pkg/runtime/scheme.go:111\"",
            ),
        ),
        (
            "/kind=null",
            failed(&format!("{expected}, got apiextensions.k8s.io/v1, Kind=")),
        ),
        (
            "/apiVersion=null",
            failed(&format!("{expected}, got /, Kind=ConversionReview")),
        ),
        (
            "/response=\"x\"",
            failed(&format!(
                "{field} string into Go struct field ConversionReview.response of type \
                 v1.ConversionResponse"
            )),
        ),
        (
            "/response/uid=5",
            failed(&format!(
                "{field} number into Go struct field ConversionResponse.response.uid of type \
                 types.UID"
            )),
        ),
        (
            "/response/convertedObjects={}",
            failed(&format!(
                "{field} object into Go struct field ConversionResponse.response.convertedObjects \
                 of type []runtime.RawExtension"
            )),
        ),
        (
            "/response/result={\"status\":5}",
            failed(&format!(
                "{field} number into Go struct field Status.response.result.status of type string"
            )),
        ),
    ]
}

#[tokio::test]
async fn invalid_conversion_responses_fail_the_request() {
    let lab = Lab::new();
    lab.create("a").await;
    for (mode, expected) in faulty_responses() {
        lab.hook.set(mode);
        let (code, answer) = lab.get(&format!("{V2}/a")).await;
        assert_eq!(
            (code, answer["message"].as_str()),
            (500, Some(&*expected)),
            "{mode}"
        );
        assert_eq!(answer.get("reason"), None, "{mode}");
    }
}

#[tokio::test]
async fn conversion_response_uid_must_match_the_request() {
    let lab = Lab::new();
    lab.create("a").await;
    lab.hook.set("/response/uid=\"other\"");
    let (_, answer) = lab.get(&format!("{V2}/a")).await;
    let uid = lab.hook.review.lock()["request"]["uid"].clone();
    let expected = format!("{FAILED}expected response.uid={uid}, got \"other\"");
    assert_eq!(answer["message"], expected);

    // Responses of v1beta1 need no uid.
    let lab = Lab::with(definition(&["v1beta1", "v1"]));
    lab.create("a").await;
    lab.hook.set("/response/uid=\"other\"");
    let (code, _) = lab.get(&format!("{V2}/a")).await;
    assert_eq!(code, 200);
    let version = lab.hook.review.lock()["apiVersion"].clone();
    assert_eq!(version, "apiextensions.k8s.io/v1beta1");
}

#[tokio::test]
async fn conversion_webhook_may_change_only_labels_and_annotations() {
    let lab = Lab::new();
    lab.create("a").await;
    let table = [
        (
            "/0/metadata/labels={\"app\":\"web\"}",
            "labels",
            "{\"app\":\"web\"}",
        ),
        ("/0/metadata/labels=null", "labels", "null"),
        (
            "/0/metadata/annotations={\"A\":\"x\"}",
            "annotations",
            "{\"A\":\"x\"}",
        ),
        ("/0/metadata/finalizers=[\"a.b/c\"]", "finalizers", "null"),
        ("/0/metadata/generation=9", "generation", "1"),
    ];
    for (mode, field, expected) in table {
        lab.hook.set(mode);
        let (code, answer) = lab.get(&format!("{V2}/a")).await;
        assert_eq!(code, 200, "{answer}");
        assert_eq!(answer["metadata"][field].to_string(), expected, "{mode}");
    }
}
