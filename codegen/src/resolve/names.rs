//! What generated things are called.

use genclient_syntax::names;

use crate::model::{Names, Resource};

/// The names of what is generated for a kind.
pub(super) fn of_kind(kind: &str) -> Names {
    Names {
        module: module(&names::snake_case(kind)),
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

/// Crates that generated modules name, and whose names their children cannot have.
const CRATES: [&str; 2] = ["genclient", "std"];

/// A name for a module and its file: a keyword gets an underscore, and so does `mod`, whose file has another meaning.
pub(super) fn module(name: &str) -> String {
    if syn::parse_str::<syn::Ident>(name).is_err() || CRATES.contains(&name) {
        format!("{name}_")
    } else {
        name.to_owned()
    }
}

#[cfg(test)]
mod tests {
    use super::module;

    #[test]
    fn keywords_make_modules_with_an_underscore() {
        for (name, expected) in [
            ("type", "type_"),
            ("mod", "mod_"),
            ("std", "std_"),
            ("pod", "pod"),
        ] {
            assert_eq!(module(name), expected);
        }
    }
}
