//! All rules of controller-gen's fixture `pkg/rbac/testdata`, in the same order.

use genclient::rbac;

/// Rules on an impl.
pub struct Reconciler;

#[rbac(group = "batch.io", resources = ["cronjobs"], verbs = ["get", "watch", "create"])]
#[rbac(group = "batch.io", resources = ["cronjobs/status"], verbs = ["get", "update", "patch"])]
#[rbac(group = "art", resources = ["jobs"], verbs = ["get"])]
#[rbac(group = "wave", resources = ["jobs"], verbs = ["get"], namespace = "zoo")]
#[rbac(group = "batch", resources = ["jobs/status"], verbs = ["watch"])]
#[rbac(groups = ["batch", "cron"], resources = ["jobs/status"], verbs = ["create", "get"])]
#[rbac(group = "art", resources = ["jobs"], verbs = ["get"], namespace = "zoo")]
#[rbac(groups = ["cron", "batch"], resources = ["jobs/status"], verbs = ["get", "create"])]
#[rbac(group = "batch", resources = ["jobs/status"], verbs = ["watch"])]
#[rbac(group = "art", resources = ["jobs"], verbs = ["get"], namespace = "park")]
#[rbac(group = "batch.io", resources = ["cronjobs"], names = ["foo", "bar", "baz"], verbs = ["get", "watch"])]
#[rbac(group = "deduplicate-verbs", resources = ["some"], verbs = ["get", "list"])]
#[rbac(group = "deduplicate-verbs", resources = ["some"], verbs = ["get"])]
#[rbac(group = "deduplicate-verbs", resources = ["some"], verbs = ["list"])]
#[rbac(group = "deduplicate-resources", resources = ["one"], verbs = ["create"])]
#[rbac(group = "deduplicate-resources", resources = ["two"], verbs = ["create"])]
#[rbac(group = "deduplicate-resources", resources = ["three"], verbs = ["create"])]
#[rbac(group = "deduplicate-groups1", resources = ["foo"], verbs = ["patch"])]
#[rbac(group = "deduplicate-groups2", resources = ["foo"], verbs = ["patch"])]
#[rbac(group = "deduplicate-groups3", resources = ["foo"], verbs = ["patch"])]
impl Reconciler {
    #[rbac(group = "deduplicate-all", resources = ["foo", "bar"], verbs = ["get", "list"])]
    #[rbac(group = "deduplicate-all", resources = ["foo"], verbs = ["get"])]
    #[rbac(group = "deduplicate-all", resources = ["bar"], verbs = ["list"])]
    #[rbac(group = "deduplicate-groups4", resources = ["xyz"], verbs = ["get", "update", "patch"])]
    #[rbac(group = "deduplicate-groups4", resources = ["xyz"], verbs = ["*"])]
    #[rbac(group = "deduplicate-all-group", resources = ["foo", "bar"], verbs = ["get", "list"])]
    #[rbac(group = "not-deduplicate-resources", resources = ["some"], verbs = ["get"])]
    #[rbac(group = "not-deduplicate-resources", resources = ["another"], verbs = ["list"])]
    #[rbac(group = "not-deduplicate-groups1", resources = ["some"], verbs = ["get"])]
    #[rbac(group = "not-deduplicate-groups2", resources = ["some"], verbs = ["list"])]
    #[rbac(urls = ["/url-to-duplicate"], verbs = ["get"])]
    #[rbac(urls = ["/another/url-to-duplicate"], verbs = ["get"])]
    #[rbac(group = "", resources = ["deduplicate"], verbs = ["list"])]
    #[rbac(group = "", resources = ["me"], verbs = ["list"])]
    #[rbac(groups = ["", "some-other-to-deduplicate-with-core"], resources = ["me"], verbs = ["list", "get"])]
    #[rbac(group = "deduplicate-groups5", resources = ["abc"], verbs = ["get", "update", "patch", "create"], namespace = "here")]
    #[rbac(group = "deduplicate-groups5", resources = ["abc"], verbs = ["*"], namespace = "here")]
    #[rbac(group = "apps", resources = ["deployments"], verbs = ["get", "list", "watch", "update", "patch"], namespace = "infrastructure", role = "infra-deployment-manager")]
    /// Rules on a method.
    pub fn reconcile(&self) {}
}

#[rbac(group = "", resources = ["secrets"], verbs = ["get", "list", "watch"], namespace = "users", role = "user-secrets-reader")]
#[rbac(group = "apps", resources = ["statefulsets"], verbs = ["get", "list"], namespace = "infrastructure", role = "infra-deployment-manager")]
#[rbac(group = "monitoring", resources = ["prometheuses"], verbs = ["get", "list"], namespace = "observability")]
/// Rules on a function.
pub fn start() {}
