//! Groups that do not exist, verbs that a resource does not have, rules for a namespace.
use genclient::prelude::*;
use genclient::rbac;
use k8s_openapi::api::core::v1::Pod;

pub mod v1 {
    use super::*;

    #[genclient]
    #[group = "sales.acme.dev"]
    pub struct Order {
        pub metadata: ObjectMeta,
    }

    #[genclient]
    #[group = "sales.acme.dev"]
    #[crd(scope = "Cluster")]
    pub struct Region {
        pub metadata: ObjectMeta,
    }
}

#[rbac(group = "sales.acme.dev", resources = ["orders"], verbs = ["get"])]
#[rbac(group = "sales.acme.dev", resources = ["orders"], verbs = ["get"])]
#[rbac(group = "apps", resources = ["deployments"], verbs = ["get"])]
#[rbac(groups = ["", "apps"], resources = ["pods"], verbs = ["get"])]
#[rbac(group = "networking.k8s.io", resources = ["ingresses"], verbs = ["get"])]
#[rbac(group = "coordination.k8s.io", resources = ["leases"], verbs = ["get"])]
#[rbac(group = "networking.k8s.io", resources = ["ingresses"], verbs = ["get"])]
#[rbac(group = "policy", resources = ["podsecuritypolicies"], verbs = ["use"])]
#[rbac(group = "autoscaling", resources = ["horizontalpodautoscalers"], verbs = ["get"])]
#[rbac(group = "", resources = ["pods"], verbs = ["get"])]
#[rbac(group = "apps.example.com", resources = ["animals"], verbs = ["get"])]
#[rbac(group = "apps", resources = ["deployments"], verbs = ["get"])]
#[rbac(group = "", resources = ["pods", "nodes"], verbs = ["get"])]
#[rbac(group = "", resources = ["nodes"], verbs = ["get"])]
#[rbac(group = "sales.acme.dev", resources = ["orders"], verbs = ["get"], namespace = "lab")]
#[rbac(resource = Pod, verbs = ["get"])]
#[rbac(group = "sales.acme.dev", resources = ["regions"], verbs = ["get"])]
#[rbac(group = "", resources = ["secrets"], names = ["a"], verbs = ["get"])]
pub fn reconcile() {}

// Rules that grant something.
#[rbac(group = "autoscaling.k8s.io", resources = ["verticalpodautoscalers"], verbs = ["get"])]
#[rbac(group = "metrics.k8s.io", resources = ["pods"], verbs = ["get"])]
#[rbac(group = "batch.volcano.sh", resources = ["jobs"], verbs = ["get"])]
#[rbac(group = "gateway.networking.k8s.io", resources = ["gateways"], verbs = ["get"])]
#[rbac(group = "security.openshift.io", resources = ["securitycontextconstraints"], verbs = ["use"])]
#[rbac(groups = ["*"], resources = ["*"], verbs = ["impersonate"])]
#[rbac(group = "", resources = ["namespaces"], verbs = ["get"], namespace = "lab")]
#[rbac(group = "", resources = ["serviceaccounts"], verbs = ["impersonate"], namespace = "lab")]
#[rbac(group = "rbac.authorization.k8s.io", resources = ["clusterroles"], verbs = ["bind", "escalate"])]
#[rbac(group = "certificates.k8s.io", resources = ["signers"], verbs = ["approve", "sign"])]
pub fn others() {}
