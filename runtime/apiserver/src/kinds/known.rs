//! Built-in kinds.

use super::{Kind, Strategy};
use crate::store::Resource;

struct Known {
    group: &'static str,
    version: &'static str,
    plural: &'static str,
    kind: &'static str,
    short_names: &'static [&'static str],
    is_namespaced: bool,
    has_status: bool,
    strategy: Strategy,
}

const PLAIN: Strategy = Strategy {
    creates_on_update: false,
    updates_unconditionally: true,
    has_generation: false,
    returns_deleted: false,
    orphans_by_default: false,
};

const COUNTED: Strategy = Strategy {
    has_generation: true,
    ..PLAIN
};

const RETURNED: Strategy = Strategy {
    returns_deleted: true,
    ..PLAIN
};

const ON_UPDATE: Strategy = Strategy {
    creates_on_update: true,
    ..PLAIN
};

const fn known(
    group: &'static str,
    plural: &'static str,
    kind: &'static str,
    short_names: &'static [&'static str],
    strategy: Strategy,
) -> Known {
    Known {
        group,
        version: "v1",
        plural,
        kind,
        short_names,
        is_namespaced: true,
        has_status: false,
        strategy,
    }
}

const KNOWN: &[Known] = &[
    Known {
        is_namespaced: false,
        has_status: true,
        ..known("", "namespaces", "Namespace", &["ns"], RETURNED)
    },
    known("", "configmaps", "ConfigMap", &["cm"], PLAIN),
    known("", "secrets", "Secret", &[], PLAIN),
    known("", "events", "Event", &["ev"], ON_UPDATE),
    known("", "serviceaccounts", "ServiceAccount", &["sa"], RETURNED),
    Known {
        has_status: true,
        ..known(
            "",
            "pods",
            "Pod",
            &["po"],
            Strategy {
                has_generation: true,
                ..RETURNED
            },
        )
    },
    Known {
        has_status: true,
        ..known(
            "",
            "services",
            "Service",
            &["svc"],
            Strategy {
                creates_on_update: true,
                ..RETURNED
            },
        )
    },
    known("events.k8s.io", "events", "Event", &["ev"], ON_UPDATE),
    known(
        "coordination.k8s.io",
        "leases",
        "Lease",
        &[],
        Strategy {
            updates_unconditionally: false,
            ..ON_UPDATE
        },
    ),
    known(
        "apps",
        "controllerrevisions",
        "ControllerRevision",
        &[],
        PLAIN,
    ),
    Known {
        has_status: true,
        ..known("apps", "deployments", "Deployment", &["deploy"], COUNTED)
    },
    Known {
        is_namespaced: false,
        has_status: true,
        ..known(
            "apiextensions.k8s.io",
            "customresourcedefinitions",
            "CustomResourceDefinition",
            &["crd", "crds"],
            Strategy {
                updates_unconditionally: false,
                ..COUNTED
            },
        )
    },
];

/// The built-in kinds.
pub(crate) fn all() -> impl Iterator<Item = Kind> {
    KNOWN.iter().map(|known| Kind {
        resource: Resource {
            group: known.group.to_owned(),
            plural: known.plural.to_owned(),
        },
        version: known.version.to_owned(),
        storage_version: known.version.to_owned(),
        kind: known.kind.to_owned(),
        list_kind: format!("{}List", known.kind),
        singular: known.kind.to_lowercase(),
        short_names: known
            .short_names
            .iter()
            .map(|name| (*name).to_owned())
            .collect(),
        categories: Vec::new(),
        is_namespaced: known.is_namespaced,
        has_status: known.has_status,
        strategy: known.strategy,
        custom: None,
    })
}

/// Whether a group and version is one of the built-in ones.
pub(crate) fn has_version(group: &str, version: &str) -> bool {
    KNOWN
        .iter()
        .any(|known| known.group == group && known.version == version)
}
