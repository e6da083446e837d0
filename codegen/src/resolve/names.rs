//! Names of generated modules, types and functions.

use genclient_syntax::names;

use crate::model::{Names, Resource};

/// Returns the names of a kind's generated items.
pub(super) fn of_kind(kind: &str) -> Names {
    Names {
        module: names::module(&names::snake_case(kind)),
        accessor: names::accessor(kind),
        all: format!("all_{}", names::accessor(kind)),
        client: names::client_type(kind),
    }
}

/// Returns all names that a kind claims in the modules of its version.
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
    // The module and the accessor of a one-letter kind have the same name, but do not clash.
    all.sort();
    all.dedup();
    all
}
