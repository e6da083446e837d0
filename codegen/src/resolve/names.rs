//! What generated things are called.

use genclient_syntax::names;

use crate::model::{Names, Resource};

/// The names of what is generated for a kind.
pub(super) fn of_kind(kind: &str) -> Names {
    Names {
        module: names::module(&names::snake_case(kind)),
        accessor: names::accessor(kind),
        all: format!("all_{}", names::accessor(kind)),
        client: names::client_type(kind),
    }
}

/// The names that a kind's generated items have in the modules of its version.
pub(super) fn generated(resource: &Resource) -> Vec<String> {
    let kind = &resource.kind;
    let mut all = vec![
        resource.names.module.clone(),
        resource.names.client.clone(),
        resource.names.accessor.clone(),
        format!("{kind}Lister"),
        format!("{kind}Informer"),
    ];
    if resource.is_namespaced() {
        all.push(format!("{kind}NamespaceLister"));
        all.push(resource.names.all.clone());
    }
    // The module and the accessor of a kind of one letter are the same, and stand in different places.
    all.sort();
    all.dedup();
    all
}
