//! Tests of missing conversion webhooks, and of in-process conversions.

use genclient_apiserver::ApiServer;
use serde_json::{Value, json};

use super::{Lab, V1, V2, definition, host};

#[tokio::test]
async fn missing_webhook_service_fails_conversions_only() {
    let mut definition = definition(&["v1"]);
    let webhook = &mut definition["spec"]["conversion"]["webhook"];
    webhook["clientConfig"]["service"]["name"] = "nosvc".into();
    let lab = Lab::with(definition);
    lab.create("a").await;
    let (code, answer) = lab.get(&format!("{V2}/a")).await;
    let message = "conversion webhook for lab.example.com/v1, Kind=Host failed: Post \
                   \"https://nosvc.default.svc:443/convert?timeout=30s\": service \"nosvc\" not \
                   found";
    assert_eq!((code, &answer["message"]), (500, &json!(message)));
    assert_eq!(lab.get(V1).await.0, 200);
}

#[tokio::test]
async fn conversion_function_replaces_the_webhook() {
    let convert = |object: &Value, version: &str| {
        let mut object = object.clone();
        if object["spec"]["hostPort"] == "fail" {
            return Err("no way");
        }
        object["apiVersion"] = version.into();
        Ok(object)
    };
    let objects = [
        host("v1", "a", json!({ "hostPort": "h:1", "replicas": 2 })),
        host("v2", "b", json!({ "host": "h", "replicas": 3 })),
        host("v1", "c", json!({ "hostPort": "fail" })),
    ];
    let server = ApiServer::builder()
        .objects([definition(&["v1"])])
        .conversion_by("hosts.lab.example.com", convert)
        .objects(objects)
        .build()
        .unwrap();
    let get = async |path: &str| -> Result<Value, String> {
        let request = http::Request::get(path).body(Vec::new()).unwrap();
        let answer = server.client().request(request).await;
        answer.map_err(|error| error.to_string())
    };
    let a = get(&format!("{V2}/a")).await.unwrap();
    assert_eq!(a["spec"], json!({ "replicas": 2 }));
    let b = get(&format!("{V1}/b")).await.unwrap();
    assert_eq!(b["spec"], json!({ "replicas": 3, "d1": "one" }));
    let c = get(&format!("{V2}/c")).await.unwrap_err();
    let expected = "conversion webhook for lab.example.com/v1, Kind=Host failed: no way";
    assert!(c.contains(expected), "{c}");
}
