//! Module names of API groups, in sources and in generated clients.

use std::collections::BTreeMap;

use genclient_syntax::names;

use crate::model::Artefact;

/// Methods of the informer factory. A group's accessor is a method of the same struct, so it must
/// not have one of these names.
const FACTORY_METHODS: [&str; 7] = [
    "builder",
    "for_resource",
    "informer_for",
    "new",
    "shutdown",
    "start",
    "wait_for_cache_sync",
];

/// The module name of a group: its alias or first label. An underscore follows if this is a keyword
/// or the name of a crate or generated module. `types` is the path of the API types.
pub fn group_module_name(group: &str, aliases: &BTreeMap<String, String>, types: &str) -> String {
    let module = match aliases.get(group) {
        Some(alias) => alias.clone(),
        None => names::group_module(group),
    };
    // A group's module must not hide the crate of the types. It must not have the name of a module
    // of the client either, such as `listers`.
    let mut artefacts = Artefact::ALL.iter();
    let hides = types.split("::").next() == Some(&*module)
        || artefacts.any(|artefact| artefact.module() == module);
    let module = if hides { format!("{module}_") } else { module };
    names::module(&module)
}

/// True if a method of the informer factory has the name, so that the group needs an alias.
pub fn is_factory_method(module: &str) -> bool {
    FACTORY_METHODS.contains(&module)
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeMap;

    use super::{group_module_name, is_factory_method};

    #[test]
    fn reserved_group_module_names_get_an_underscore() {
        let aliases = BTreeMap::from([("a.example.com".to_owned(), "first".to_owned())]);
        for (group, module) in [
            ("shop.example.com", "shop"),
            ("a.example.com", "first"),
            ("type.example.com", "type_"),
            ("crate.example.com", "crate_"),
            ("crds.example.com", "crds_"),
            ("std.example.com", "std_"),
            ("demo-api.example.com", "demo_api_"),
        ] {
            assert_eq!(group_module_name(group, &aliases, "demo_api::apis"), module);
        }
    }

    #[test]
    fn informer_factory_method_names_are_reserved() {
        assert!(is_factory_method("start") && !is_factory_method("stop"));
    }
}
