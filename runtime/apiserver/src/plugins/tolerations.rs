//! Admission plug-in DefaultTolerationSeconds: by default, Pods stay for five minutes on nodes that
//! become unreachable or not ready (plugin/pkg/admission/defaulttolerationseconds in Kubernetes'
//! sources).

use serde_json::{Value, json};

use crate::admission::{AdmissionRequest, Operation};
use crate::kinds::Kind;

const TAINTS: [&str; 2] = [
    "node.kubernetes.io/not-ready",
    "node.kubernetes.io/unreachable",
];

/// Returns whether the plug-in handles writes of a kind.
pub(super) fn handles(kind: &Kind) -> bool {
    kind.group().is_empty() && kind.plural() == "pods"
}

/// Adds the default tolerations that a Pod lacks.
pub(super) fn add_default_tolerations(admission: &mut AdmissionRequest) {
    if !admission.is("", "pods") || admission.operation == Operation::Delete {
        return;
    }
    let spec = admission.object.as_mut().and_then(|it| it.get_mut("spec"));
    let Some(Value::Object(spec)) = spec else {
        return;
    };
    let tolerations = spec.entry("tolerations").or_insert_with(|| json!([]));
    let Value::Array(tolerations) = tolerations else {
        return;
    };
    // Both are looked up before either is added, as in `Admit`.
    let missing = TAINTS.map(|taint| !tolerations.iter().any(|it| tolerates(it, taint)));
    for (taint, _) in TAINTS.iter().zip(missing).filter(|(_, missing)| *missing) {
        tolerations.push(json!({
            "key": taint,
            "operator": "Exists",
            "effect": "NoExecute",
            "tolerationSeconds": 300,
        }));
    }
}

fn tolerates(toleration: &Value, taint: &str) -> bool {
    // An empty key tolerates every taint, an empty effect every effect.
    let is_empty_or = |field: &str, expected: &str| {
        let value = toleration[field].as_str().unwrap_or_default();
        value.is_empty() || value == expected
    };
    is_empty_or("key", taint) && is_empty_or("effect", "NoExecute")
}
