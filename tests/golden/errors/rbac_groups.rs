//! Groups that do not exist, verbs that a resource does not have, rules for a namespace.
use genclient::prelude::*;
use genclient::rbac;

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

#[rbac(group = "sale.acme.dev", resources = ["orders"], verbs = ["get"])]
#[rbac(group = "sales", resources = ["orders"], verbs = ["get"])]
#[rbac(group = "app", resources = ["deployments"], verbs = ["get"])]
#[rbac(groups = ["", "app"], resources = ["pods"], verbs = ["get"])]
#[rbac(group = "networking", resources = ["ingresses"], verbs = ["get"])]
#[rbac(group = "coordinaton.k8s.io", resources = ["leases"], verbs = ["get"])]
#[rbac(group = "extensions", resources = ["ingresses"], verbs = ["get"])]
#[rbac(group = "extensions", resources = ["podsecuritypolicies"], verbs = ["use"])]
#[rbac(group = "autoscaling.k8s.io", resources = ["horizontalpodautoscalers"], verbs = ["get"])]
#[rbac(group = "v1", resources = ["pods"], verbs = ["get"])]
#[rbac(group = "zoo", resources = ["animals"], verbs = ["get"])]
#[rbac(group = "apps", resources = ["deployments"], verbs = ["get", "bind"])]
#[rbac(group = "", resources = ["pods", "nodes"], verbs = ["get", "impersonate"])]
#[rbac(group = "certificates.k8s.io", resources = ["certificatesigningrequests"], verbs = ["approve"])]
#[rbac(group = "sales.acme.dev", resources = ["orders/scale"], verbs = ["get"])]
#[rbac(group = "", resources = ["secrets"], names = ["one"], verbs = ["deletecollection"])]
#[rbac(group = "", resources = ["nodes"], verbs = ["get"], namespace = "lab")]
#[rbac(group = "sales.acme.dev", resources = ["orders", "regions"], verbs = ["get"], namespace = "lab")]
#[rbac(resource = Pod, verbs = ["get"])]
#[rbac(group = "sales.acme.dev", resources = ["regions", "orders/scale"], verbs = ["get"])]
#[rbac(group = "", resources = ["secrets"], names = ["a"], verbs = ["get", "deletecollection"])]
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
