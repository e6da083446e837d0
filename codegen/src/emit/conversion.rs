//! `conversion.rs`: a function for each kind that a webhook converts, and tests of the conversions.
//! The function returns the kind's versions.

use std::collections::{BTreeMap, BTreeSet};

use super::kind_paths::KindPaths;
use super::names::cfg;
use super::package::{PackageFiles, RustFile};
use super::uses::Uses;
use super::wrap;
use crate::model::{Crd, Model};
use crate::template::{join_with_blank_lines, rust};

/// True if at least one kind is converted by a webhook.
pub(super) fn is_needed(model: &Model) -> bool {
    converted_kinds(model).next().is_some()
}

fn converted_kinds(model: &Model) -> impl Iterator<Item = &Crd> {
    model.crds.iter().filter(|crd| !crd.converted.is_empty())
}

/// Emits the module if a webhook converts a kind. Its tests need the client's module `crds`.
pub(super) fn emit(model: &Model, has_crds: bool, package: &mut PackageFiles<'_>) {
    if !is_needed(model) {
        return;
    }
    let mut uses = Uses::default();
    let versions = uses.name("genclient::conversion", "Versions");
    let modules = modules_by_name(model, package.kinds);
    let kinds: Vec<_> = converted_kinds(model)
        .map(|crd| {
            let types = crd
                .converted
                .iter()
                .map(|ty| spell_type(&package.kinds.path(&ty.path), &ty.cfg, &modules, &mut uses))
                .collect();
            ConvertedKind {
                crd,
                name: function_name(crd, model),
                types,
            }
        })
        .collect();
    let mut items: Vec<_> = kinds
        .iter()
        .map(|kind| versions_function(kind, &versions))
        .collect();
    if has_crds {
        items.push(tests_module(&kinds, &package.module("crds")));
    }
    let source = RustFile {
        docs: vec!["The versions of the kinds that a webhook converts.".to_owned()],
        uses,
        items: join_with_blank_lines(items),
        ..RustFile::default()
    };
    package.rust("conversion.rs", &source);
}

/// A converted kind: the name of its function, and its types as written in the file.
struct ConvertedKind<'m> {
    crd: &'m Crd,
    name: String,
    types: Vec<String>,
}

fn function_name(crd: &Crd, model: &Model) -> String {
    let mut functions = model.conversions(&crd.group, &crd.kind).into_iter();
    let function = functions.find_map(|(group, name)| (group == crd.group).then_some(name));
    function.unwrap_or_default()
}

/// Paths of the modules from which converted types are imported, by their last segments.
fn modules_by_name(model: &Model, kinds: &KindPaths<'_>) -> BTreeMap<String, BTreeSet<String>> {
    let mut modules: BTreeMap<_, BTreeSet<_>> = BTreeMap::new();
    for type_ in converted_kinds(model).flat_map(|crd| &crd.converted) {
        let path = kinds.path(&type_.path);
        if let Some((module, _)) = path.rsplit_once("::")
            && let Some((_, name)) = module.rsplit_once("::")
        {
            let known = modules.entry(name.to_owned()).or_default();
            known.insert(module.to_owned());
        }
    }
    modules
}

/// The type at `path` as written in the file: `v1::GPUTask` with an import of its module, or the
/// full path if several modules are called `v1`.
fn spell_type(
    path: &str,
    cfg: &[String],
    modules: &BTreeMap<String, BTreeSet<String>>,
    uses: &mut Uses,
) -> String {
    let short = path.rsplit_once("::").and_then(|(module, kind)| {
        let (above, name) = module.rsplit_once("::")?;
        let is_alone = modules.get(name).is_some_and(|known| known.len() == 1);
        is_alone.then(|| format!("{}::{kind}", uses.name_if(above, name, cfg)))
    });
    short.unwrap_or_else(|| path.to_owned())
}

/// The `#[cfg(…)]` conditions under which all versions are compiled.
fn common_conditions(crd: &Crd) -> String {
    let mut conditions: Vec<_> = Vec::new();
    for condition in crd.converted.iter().flat_map(|ty| &ty.cfg) {
        if !conditions.contains(condition) {
            conditions.push(condition.clone());
        }
    }
    cfg(&conditions)
}

fn versions_function(kind: &ConvertedKind<'_>, versions: &str) -> String {
    let ConvertedKind { crd, name, types } = kind;
    let (conditions, Crd { kind, group, .. }) = (common_conditions(crd), crd);
    let [hub, spokes @ ..] = &types[..] else {
        return String::new();
    };
    let stored = crd.converted.first().map_or("", |ty| &ty.version);
    let spokes = spokes.iter().map(|ty| format!(".spoke::<{ty}>()"));
    let body = wrap::wrap_calls(&format!("{versions}::hub()"), &spokes.collect::<Vec<_>>());
    rust!(conditions, kind, group, stored, name, versions, hub, body => "
        $conditions
        /// The versions of `$kind` in `$group`; objects are stored as `$stored`.
        pub fn $name() -> $versions<$hub> {
            $body
        }
    ")
}

fn tests_module(kinds: &[ConvertedKind<'_>], crds: &str) -> String {
    let tests = join_with_blank_lines(kinds.iter().flat_map(|kind| {
        let spokes = kind.types.iter().zip(&kind.crd.converted).skip(1);
        spokes.map(|(ty, version)| {
            let conditions = common_conditions(kind.crd);
            let test = format!("{}_{}", kind.name.trim_start_matches("r#"), version.version);
            rust!(conditions, test, ty => "
                #[test]
                $conditions
                fn $test() -> RoundTrip {
                    conversion::round_trip::<$ty>(&crds::all())
                }
            ")
        })
    }));
    let mut types = kinds.iter().flat_map(|kind| &kind.types[1..]);
    let import = if types.any(|ty| !ty.starts_with("crate::")) {
        "use super::*;"
    } else {
        ""
    };
    rust!(import, crds, tests => "
        #[cfg(test)]
        mod tests {
            use genclient::conversion::{self, RoundTrip};

            $import
            use $crds;

            $tests
        }
    ")
}
