//! Tests of the control plane itself, on which the other tests rely.

use e2e::ControlPlane;
use genclient_envtest::ApplyError;
use k8s_openapi::api::core::v1::{ConfigMap, Pod};
use k8s_openapi::api::scheduling::v1::PriorityClass;
use kube::api::{Api, ObjectMeta, PostParams};
use serde_json::json;

use crate::suite::{Outcome, Suite};

pub(crate) fn tests(suite: &mut Suite) {
    suite.both(
        "control_plane::serves_kubernetes_1_36",
        serves_kubernetes_1_36,
    );
    suite.both(
        "control_plane::pods_need_no_service_account",
        pods_need_no_service_account,
    );
    suite.both(
        "control_plane::created_namespaces_have_unique_names",
        created_namespaces_have_unique_names,
    );
    suite.both(
        "control_plane::crd_is_applied_without_warning",
        crd_is_applied_without_warning,
    );
    suite.both(
        "control_plane::crd_warnings_are_returned",
        crd_warnings_are_returned,
    );
    suite.both(
        "control_plane::unknown_fields_of_a_crd_are_rejected",
        unknown_fields_of_a_crd_are_rejected,
    );
    suite.own(
        "control_plane::objects_outlive_the_api_server",
        objects_outlive_the_api_server,
    );
    suite.alone(
        "control_plane::stops_when_the_test_panics",
        stops_when_the_test_panics,
    );
}

async fn serves_kubernetes_1_36(plane: &ControlPlane) -> Outcome {
    let version = plane.client().apiserver_version().await?;
    assert_eq!(
        (version.major.as_str(), version.minor.as_str()),
        ("1", "36")
    );
    let classes: Api<PriorityClass> = Api::all(plane.client());
    assert_eq!(
        classes.get("system-node-critical").await?.value,
        Some(2_000_001_000)
    );
    Ok(())
}

async fn pods_need_no_service_account(plane: &ControlPlane) -> Outcome {
    let namespace = plane.create_namespace("pods").await?;
    let pod: Pod = serde_json::from_value(json!({
        "metadata": { "name": "lone" },
        "spec": { "containers": [{ "name": "main", "image": "example.com/image" }] },
    }))?;
    let pods: Api<Pod> = Api::namespaced(plane.client(), &namespace);
    let created = pods.create(&PostParams::default(), &pod).await?;
    let phase = created.status.and_then(|status| status.phase);
    assert_eq!(phase.as_deref(), Some("Pending"));
    Ok(())
}

async fn created_namespaces_have_unique_names(plane: &ControlPlane) -> Outcome {
    let first = plane.create_namespace("same").await?;
    let second = plane.create_namespace("same").await?;
    assert_ne!(first, second);
    assert!(first.starts_with("same-"), "{first}");
    Ok(())
}

async fn crd_is_applied_without_warning(plane: &ControlPlane) -> Outcome {
    let applied = plane.apply_crd(&crd("plain", "")).await?;
    assert_eq!(applied.warnings, [""; 0]);
    assert_eq!(applied.object["metadata"]["name"], "plains.e2e.example.com");
    let answer = plane
        .client()
        .request_text(http::Request::get("/apis/e2e.example.com/v1/plains").body(Vec::new())?)
        .await?;
    assert!(answer.contains(r#""kind":"PlainList""#), "{answer}");
    Ok(())
}

async fn crd_warnings_are_returned(plane: &ControlPlane) -> Outcome {
    let applied = plane.apply_crd(&crd("warned", "format: uint32")).await?;
    let [warning] = applied.warnings.as_slice() else {
        return Err(format!("{:?}", applied.warnings).into());
    };
    assert!(
        warning.contains(r#"unrecognized format \"uint32\""#),
        "{warning}"
    );
    Ok(())
}

async fn unknown_fields_of_a_crd_are_rejected(plane: &ControlPlane) -> Outcome {
    match plane.apply_crd(&crd("refused", "colour: blue")).await {
        Err(ApplyError::Refused(status)) => {
            assert!(status.contains("colour"), "{status}");
            Ok(())
        }
        other => Err(format!("{other:?}").into()),
    }
}

async fn objects_outlive_the_api_server(plane: &ControlPlane) -> Outcome {
    let namespace = plane.create_namespace("restart").await?;
    let maps: Api<ConfigMap> = Api::namespaced(plane.client(), &namespace);
    let map = ConfigMap {
        metadata: ObjectMeta {
            name: Some("kept".to_owned()),
            ..ObjectMeta::default()
        },
        ..ConfigMap::default()
    };
    let before = maps.create(&PostParams::default(), &map).await?;

    plane.kill_api_server();
    assert!(maps.get("kept").await.is_err(), "a killed server answers");
    plane.start_api_server().await?;

    assert_eq!(maps.get("kept").await?, before);
    Ok(())
}

async fn stops_when_the_test_panics() -> Outcome {
    let plane = e2e::suite::start().await.map_err(|error| error.explain())?;
    let client = plane.client();
    let logs = plane.logs().to_owned();
    client.apiserver_version().await?;

    let failing_test = tokio::spawn(async move {
        let _plane = plane;
        // Like a failing assertion, but without its message.
        std::panic::resume_unwind(Box::new(()));
    });

    assert!(failing_test.await.is_err_and(|error| error.is_panic()));
    assert!(client.apiserver_version().await.is_err(), "still served");
    assert!(!logs.exists(), "{} is left behind", logs.display());
    Ok(())
}

/// Returns a CRD with one string property, `text`, whose schema has `more`, too.
fn crd(singular: &str, more: &str) -> String {
    let kind: String = singular[..1].to_uppercase() + &singular[1..];
    let (head, tail) = (format!("{singular}s"), format!("{kind}List"));
    format!(
        "apiVersion: apiextensions.k8s.io/v1
kind: CustomResourceDefinition
metadata:
  name: {head}.e2e.example.com
spec:
  group: e2e.example.com
  names:
    kind: {kind}
    listKind: {tail}
    plural: {head}
    singular: {singular}
  scope: Namespaced
  versions:
  - name: v1
    served: true
    storage: true
    schema:
      openAPIV3Schema:
        type: object
        properties:
          text:
            type: string
            {more}
"
    )
}
