//! Kinds that random programs write.

/// A kind that programs write.
#[derive(Debug)]
pub(crate) struct Written {
    /// The path of its objects in a namespace.
    pub(crate) path: &'static str,
    pub(crate) api_version: &'static str,
    pub(crate) kind: &'static str,
    pub(crate) status: bool,
    pub(crate) scale: bool,
}

impl Written {
    const fn new(path: &'static str, api_version: &'static str, kind: &'static str) -> Self {
        Self {
            path,
            api_version,
            kind,
            status: false,
            scale: false,
        }
    }

    const fn with_status(self) -> Self {
        Self {
            status: true,
            ..self
        }
    }

    const fn with_scale(self) -> Self {
        Self {
            scale: true,
            ..self
        }
    }

    pub(crate) fn plural(&self) -> &'static str {
        self.path.rsplit('/').next().unwrap_or_default()
    }
}

pub(crate) const KINDS: &[Written] = &[
    Written::new(
        "/apis/diff.example.com/v1/namespaces/{namespace}/widgets",
        "diff.example.com/v1",
        "Widget",
    )
    .with_status()
    .with_scale(),
    Written::new(
        "/apis/diff.example.com/v1/namespaces/{namespace}/ruleds",
        "diff.example.com/v1",
        "Ruled",
    ),
    Written::new(
        "/apis/diff.example.com/v2/namespaces/{namespace}/plains",
        "diff.example.com/v2",
        "Plain",
    ),
    Written::new(
        "/apis/diff.example.com/v1/namespaces/{namespace}/plains",
        "diff.example.com/v1",
        "Plain",
    ),
    Written::new(
        "/api/v1/namespaces/{namespace}/configmaps",
        "v1",
        "ConfigMap",
    ),
    Written::new("/api/v1/namespaces/{namespace}/secrets", "v1", "Secret"),
    Written::new(
        "/apis/coordination.k8s.io/v1/namespaces/{namespace}/leases",
        "coordination.k8s.io/v1",
        "Lease",
    ),
    Written::new(
        "/apis/apps/v1/namespaces/{namespace}/deployments",
        "apps/v1",
        "Deployment",
    )
    .with_status()
    .with_scale(),
    Written::new("/api/v1/namespaces/{namespace}/pods", "v1", "Pod").with_status(),
    // A webhook converts these.
    Written::new(
        "/apis/diff.example.com/v1/namespaces/{namespace}/hosts",
        "diff.example.com/v1",
        "Host",
    )
    .with_status()
    .with_scale(),
    Written::new(
        "/apis/diff.example.com/v2/namespaces/{namespace}/hosts",
        "diff.example.com/v2",
        "Host",
    )
    .with_status()
    .with_scale(),
    Written::new(
        "/apis/diff.example.com/v1beta1/namespaces/{namespace}/hosts",
        "diff.example.com/v1beta1",
        "Host",
    )
    .with_status(),
];

/// Index of the first kind that a webhook converts. Programs write all of its versions.
pub(crate) const HOSTS: usize = 9;
