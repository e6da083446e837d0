//! Documentation of the settings, for `genclient explain` and `docs/attributes.md`.

/// A key of `[package.metadata.genclient]` or of its table `deploy`.
pub struct Setting {
    /// The key.
    pub name: &'static str,
    /// Purpose and default.
    pub summary: &'static str,
    /// Example line.
    pub example: &'static str,
}

/// The keys of `[package.metadata.genclient.deploy]`.
pub const DEPLOY_SETTINGS: &[Setting] = &[
    Setting {
        name: "name",
        summary: "Prefix of the names of all objects. Default: the name of the package.",
        example: "name = \"gpu\"",
    },
    Setting {
        name: "namespace",
        summary: "Namespace of the program. Default: `name` with the suffix `-system`.",
        example: "namespace = \"gpu-system\"",
    },
    Setting {
        name: "namespaced",
        summary: "Restricts the program to its own namespace: its RBAC rules are in a Role there, and its flag `--namespace` gets the namespace of the Pod.",
        example: "namespaced = true",
    },
    Setting {
        name: "replicas",
        summary: "Number of Pods, one of which is the leader. Default: 1.",
        example: "replicas = 2",
    },
    Setting {
        name: "shard-by",
        summary: "Lets the Pods share the objects, by the hash of their \"namespace\", or of namespace and \"name\". The program gets the flag `--shard-by`, and its role permits the Leases of all Pods. Default: one Pod reconciles everything.",
        example: "shard-by = \"namespace\"",
    },
    Setting {
        name: "certificates",
        summary: "Issuer of the webhooks' certificate: \"own\", which is the program, or \"cert-manager\". Default: \"own\".",
        example: "certificates = \"cert-manager\"",
    },
    Setting {
        name: "metrics",
        summary: "Whether metrics are served, over TLS and only to authorized clients. This requires the feature `tls` of genclient-controller, which its feature `webhook` enables. Default: true.",
        example: "metrics = false",
    },
    Setting {
        name: "prometheus",
        summary: "Whether there is a ServiceMonitor, by which the Prometheus operator scrapes the metrics. Default: false.",
        example: "prometheus = true",
    },
    Setting {
        name: "network-policy",
        summary: "Whether there are network policies. They admit clients in namespaces labelled `metrics: enabled` to the metrics, and all clients to the webhooks. Default: false.",
        example: "network-policy = true",
    },
];

/// The keys of `[package.metadata.genclient]`.
pub const PACKAGE_SETTINGS: &[Setting] = &[
    Setting {
        name: "apis",
        summary: "Folder of the API types. Default: pkg/apis, or src/apis.",
        example: "apis = \"src/apis\"",
    },
    Setting {
        name: "client",
        summary: "Folder of the generated clients, which may be in another package. Default: `client` beside the types.",
        example: "client = \"../client/src\"",
    },
    Setting {
        name: "config",
        summary: "Folder of the manifests: crd/, rbac/ and webhook/ with CRDs, roles and webhook configurations. Default: config.",
        example: "config = \"deploy\"",
    },
    Setting {
        name: "domain",
        summary: "Domain suffix of the groups of new kinds: `genclient create api --group webapp` adds a kind of webapp.example.com. Default: none, and `--group` takes the full group.",
        example: "domain = \"example.com\"",
    },
    Setting {
        name: "webhooks",
        summary: "Folder of the admission webhooks, each an impl with `#[webhook]`. Default: `webhook` beside the types; webhooks among the types are found as well. A package may have only webhooks.",
        example: "webhooks = \"src/webhook\"",
    },
    Setting {
        name: "controllers",
        summary: "Folder of the controllers. `#[rbac(..)]` there grants write access; read access follows from watches. Default: `controller` beside the types, if a file there has `rbac(` or the package has the table `deploy`. Rules among the types and the webhooks are found as well.",
        example: "controllers = \"src/controller\"",
    },
    Setting {
        name: "types",
        summary: "Module path of the types in generated code, if it cannot be determined.",
        example: "types = \"::demo_api::apis\"",
    },
    Setting {
        name: "boilerplate",
        summary: "File with a text that every generated file starts with.",
        example: "boilerplate = \"hack/boilerplate.txt\"",
    },
    Setting {
        name: "apply-configurations",
        summary: "Whether the clients have apply configurations: types for server-side apply, with which a field manager states only the fields that it owns. Kinds without the verbs `apply` and `apply_status` get none. Default: false.",
        example: "apply-configurations = true",
    },
    Setting {
        name: "group-aliases",
        summary: "Module names of groups, if the first label of a group is not suitable.",
        example: "group-aliases = { \"net.example.com\" = \"network\" }",
    },
    Setting {
        name: "crd-annotations",
        summary: "Annotations of every CRD.",
        example: "crd-annotations = { \"example.com/owner\" = \"team\" }",
    },
    Setting {
        name: "max-desc-len",
        summary: "Maximum length of a description in a CRD, in characters; 0 omits all descriptions. Default: no maximum.",
        example: "max-desc-len = 200",
    },
    Setting {
        name: "server-side-apply",
        summary: "Whether CRDs are installed with `kubectl apply --server-side`: CRDs of more than 256 KiB then get no warning. Default: true in a package with a deployment, whose commands do so.",
        example: "server-side-apply = true",
    },
    Setting {
        name: "schemas",
        summary: "Schemas of types from other crates or macros, by the path of the type. Every field of the type gets the schema.",
        example: "schemas = { \"semver::Version\" = { type = \"string\", maxLength = 64 } }",
    },
    Setting {
        name: "nullable",
        summary: "`\"kube\"`: every `Option` of kube's kinds is `nullable`, as with kube's derive. Default: only an `Option` that serde writes as `null`. See docs/moving.md.",
        example: "nullable = \"kube\"",
    },
    Setting {
        name: "skip",
        summary: "Kinds to leave out, by the name of the kind or of its type, or by the path of a type or of a module: `crate::drafts`.",
        example: "skip = [\"Draft\"]",
    },
    Setting {
        name: "kinds",
        summary: "Kinds whose types a macro or a build generates: the path of the type, and the file that the program writes its CRD to. Without a file: `group`, `version`, `kind`, `plural`, `scope` and `status = true`. See docs/kube-rs.md.",
        example: "kinds = [{ type = \"crate::apis::Task\", crd = \"deploy/crds/task.yaml\" }]",
    },
    Setting {
        name: "storage",
        summary: "Storage versions of kube's kinds, if no `storage = false` determines them.",
        example: "storage = { Task = \"v1\" }",
    },
    Setting {
        name: "deploy",
        summary: "Deployment of the program. With this table, even an empty one, `update` also writes the manifests that deploy it. `genclient explain package.metadata.genclient.deploy` lists its keys.",
        example: "deploy = { namespace = \"gpu-system\", replicas = 2 }",
    },
    Setting {
        name: "diff-allow",
        summary: "Intended breaking changes, which `genclient diff` allows. See docs/diff.md.",
        example: "diff-allow = [{ crd = \"tasks.example.com\", path = \".spec.cpu\", change = \"field-removed\", reason = \"never used\" }]",
    },
];
