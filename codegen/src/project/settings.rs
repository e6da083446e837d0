//! Documentation of the settings, for `genclient explain` and `docs/attributes.md`.

/// A key of `[package.metadata.genclient]`.
pub(crate) struct Setting {
    pub(crate) name: &'static str,
    /// Purpose and default.
    pub(crate) summary: &'static str,
    /// Example line.
    pub(crate) example: &'static str,
}

/// The keys of `[package.metadata.genclient.deploy]`.
pub(crate) const DEPLOY: &[Setting] = &[
    Setting {
        name: "name",
        summary: "The name that the names of all objects begin with. Default: that of the package.",
        example: "name = \"gpu\"",
    },
    Setting {
        name: "namespace",
        summary: "The namespace of the program. Default: its name with `-system`.",
        example: "namespace = \"gpu-system\"",
    },
    Setting {
        name: "namespaced",
        summary: "The program sees its own namespace alone: its rules are in a Role there, and `--namespace` is that of the Pod.",
        example: "namespaced = true",
    },
    Setting {
        name: "replicas",
        summary: "How many Pods run, of which one leads. Default: 1.",
        example: "replicas = 2",
    },
    Setting {
        name: "certificates",
        summary: "Where the certificate of webhooks comes from: \"own\", issued by the program, or \"cert-manager\". Default: \"own\".",
        example: "certificates = \"cert-manager\"",
    },
    Setting {
        name: "metrics",
        summary: "Whether metrics are served, over TLS to those who may read them: genclient-controller needs its feature `tls`, which `webhook` has. Default: true.",
        example: "metrics = false",
    },
    Setting {
        name: "prometheus",
        summary: "Whether a ServiceMonitor has the Prometheus operator read the metrics. Default: false.",
        example: "prometheus = true",
    },
    Setting {
        name: "network-policy",
        summary: "Whether network policies say who may connect: namespaces labelled `metrics: enabled` to the metrics, everybody to the webhooks. Default: false.",
        example: "network-policy = true",
    },
];

/// Every key.
pub(crate) const SETTINGS: &[Setting] = &[
    Setting {
        name: "apis",
        summary: "Where the API types are. Default: pkg/apis, or src/apis.",
        example: "apis = \"src/apis\"",
    },
    Setting {
        name: "client",
        summary: "Where clients are written, maybe in another package. Default: `client` beside the types.",
        example: "client = \"../client/src\"",
    },
    Setting {
        name: "config",
        summary: "The folder of crd/, rbac/ and webhook/, where CRDs, roles and webhook configurations are written. Default: config.",
        example: "config = \"deploy\"",
    },
    Setting {
        name: "domain",
        summary: "The domain that the groups of new kinds end in: `genclient create api --group webapp` makes one of webapp.example.com. Default: none, and groups are typed whole.",
        example: "domain = \"example.com\"",
    },
    Setting {
        name: "webhooks",
        summary: "Where the admission webhooks are, each an impl with `#[webhook]`. Default: `webhook` beside the types; those among the types are found as well. A package may have webhooks alone.",
        example: "webhooks = \"src/webhook\"",
    },
    Setting {
        name: "controllers",
        summary: "Where the controllers are, with `#[rbac(..)]` for what they may write; what they may read follows from their watches. Default: `controller` beside the types, if a file there has `rbac(`; rules among the types and the webhooks are found as well.",
        example: "controllers = \"src/controller\"",
    },
    Setting {
        name: "types",
        summary: "The path by which generated code reaches the types, where it cannot be determined.",
        example: "types = \"::demo_api::apis\"",
    },
    Setting {
        name: "boilerplate",
        summary: "A file whose text every generated file starts with.",
        example: "boilerplate = \"hack/boilerplate.txt\"",
    },
    Setting {
        name: "group-aliases",
        summary: "Module names for groups whose first label will not do.",
        example: "group-aliases = { \"net.example.com\" = \"network\" }",
    },
    Setting {
        name: "crd-annotations",
        summary: "Annotations that every CRD gets.",
        example: "crd-annotations = { \"example.com/owner\" = \"team\" }",
    },
    Setting {
        name: "max-desc-len",
        summary: "Longest description in a CRD, in characters; 0 leaves them all out. Default: they are kept whole.",
        example: "max-desc-len = 200",
    },
    Setting {
        name: "server-side-apply",
        summary: "CRDs are installed by `kubectl apply --server-side`, so that one of more than 256 KiB is no reason to warn.",
        example: "server-side-apply = true",
    },
    Setting {
        name: "schemas",
        summary: "Schemas of types by their paths, for every field of such a type: of another crate, or from a macro.",
        example: "schemas = { \"semver::Version\" = { type = \"string\", maxLength = 64 } }",
    },
    Setting {
        name: "nullable",
        summary: "`\"kube\"`: every `Option` of kube's kinds is `nullable`, as kube's derive has it. Default: where serde writes `null`. docs/moving.md says when to use it.",
        example: "nullable = \"kube\"",
    },
    Setting {
        name: "skip",
        summary: "Kinds that nothing is generated for, by their names or those of their types, or by the path of a type or of a module: `crate::drafts`.",
        example: "skip = [\"Draft\"]",
    },
    Setting {
        name: "kinds",
        summary: "Kinds whose types a macro or a build makes: the path of the type, and the file that the program writes its CRD to. Without a file, `group`, `version`, `kind`, `plural`, `scope` and `status = true`; docs/kube-rs.md.",
        example: "kinds = [{ type = \"crate::apis::Task\", crd = \"deploy/crds/task.yaml\" }]",
    },
    Setting {
        name: "storage",
        summary: "The version that a kind of kube is stored as, where no `storage = false` says so.",
        example: "storage = { Task = \"v1\" }",
    },
    Setting {
        name: "deploy",
        summary: "How the program is deployed; the table has the manifests for that written, also if it is empty. `genclient explain package.metadata.genclient.deploy` lists its keys.",
        example: "deploy = { namespace = \"gpu-system\", replicas = 2 }",
    },
    Setting {
        name: "diff-allow",
        summary: "Breaking changes that are meant, which `genclient diff` lets pass; docs/diff.md.",
        example: "diff-allow = [{ crd = \"tasks.example.com\", path = \".spec.cpu\", change = \"field-removed\", reason = \"never used\" }]",
    },
];
