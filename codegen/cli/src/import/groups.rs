//! Module names of imported groups: existing ones, and unused names for new groups.

use std::collections::{BTreeMap, BTreeSet};

use genclient_codegen::{Group, group_module};

use super::names;

/// The modules of the groups of an import.
#[derive(Debug, Default)]
pub(super) struct GroupModules {
    /// Module names by group.
    pub(super) modules: BTreeMap<String, String>,
    /// The module names that Cargo.toml must declare as aliases, by group.
    pub(super) aliases: BTreeMap<String, String>,
}

/// Chooses a module for each group: the existing one if the package has the group (see `known`),
/// else an unused name. `types` is the path of the API types.
pub(super) fn choose_group_modules(
    groups: &BTreeSet<&str>,
    known: &[Group],
    aliases: &BTreeMap<String, String>,
    types: &str,
) -> GroupModules {
    let mut taken: BTreeSet<String> = BTreeSet::new();
    for group in known {
        taken.insert(group.module.clone());
        taken.extend(source_module(group, types));
    }
    let mut chosen = GroupModules::default();
    for group in groups {
        let served = known.iter().find(|known| known.name == *group);
        let name = match served {
            Some(served) => source_module(served, types).unwrap_or(served.module.clone()),
            None => {
                let name = group_module::group_module_name(group, aliases, types);
                let is_free = !taken.contains(&name) && !group_module::is_factory_method(&name);
                if is_free {
                    name
                } else {
                    let alias = names::unique_name(full_group_name(group), &mut taken);
                    chosen.aliases.insert((*group).to_owned(), alias.clone());
                    alias
                }
            }
        };
        taken.insert(name.clone());
        chosen.modules.insert((*group).to_owned(), name);
    }
    chosen
}

/// The source module that contains the kinds of a group: `web` of `crate::apis::web::v1::Shop`.
fn source_module(group: &Group, types: &str) -> Option<String> {
    let mut resources = group.versions.iter().flat_map(|version| &version.resources);
    resources.find_map(|resource| {
        let below = resource.type_path.strip_prefix(types)?.strip_prefix("::")?;
        let (module, rest) = below.split_once("::")?;
        let has_version = rest.contains("::");
        has_version.then(|| module.trim_start_matches("r#").to_owned())
    })
}

/// The full name of a group as a module name: `shop_example_com`.
fn full_group_name(group: &str) -> String {
    let name = group.replace(['.', '-'], "_");
    if name.starts_with(|first: char| first.is_ascii_digit()) {
        format!("group_{name}")
    } else {
        name
    }
}

#[cfg(test)]
mod tests {
    use std::collections::{BTreeMap, BTreeSet};

    use super::choose_group_modules;

    #[test]
    fn group_modules_get_unique_names_and_aliases() {
        let groups = BTreeSet::from([
            "a.example.com",
            "a.example.org",
            "crds.example.com",
            "new.example.com",
            "3d.example.com",
            "3d.example.org",
        ]);
        let chosen = choose_group_modules(&groups, &[], &BTreeMap::new(), "crate::apis");
        let lines: Vec<_> = chosen
            .modules
            .iter()
            .map(|(group, module)| {
                let is_alias = chosen.aliases.contains_key(group);
                format!("{group} {module}{}", if is_alias { " alias" } else { "" })
            })
            .collect();
        assert_eq!(
            lines,
            [
                "3d.example.com _3d",
                "3d.example.org group_3d_example_org alias",
                "a.example.com a",
                "a.example.org a_example_org alias",
                "crds.example.com crds_",
                "new.example.com new_example_com alias",
            ]
        );
    }
}
