//! Conversion of the versions of a kind to and from the hub, the one that is stored.

use genclient_syntax::names::{accessor, ident};

use super::admission::LIST;
use super::api::{CONVERTED, STORED};
use super::existing::{Existing, Served};
use super::files::Scaffold;
use super::kind::{KindNames, parent};
use super::{conversion, insert, modules, testing};
use crate::diagnostic::Diagnostic;

/// Adds conversions between the version `hub` and others: `spokes`, or all of them.
pub(super) fn add(hub: &KindNames, spokes: &[String], existing: &Existing, files: &mut Scaffold) {
    let (group, kind) = (&hub.group, &hub.kind);
    let others = existing.versions(group, kind);
    let others: Vec<_> = others.filter(|(_, of, _)| of.name != hub.version).collect();
    check(hub, spokes, &others, files);
    let Some((file, text)) = modules::source(&hub.module_path, hub, existing, files) else {
        files.report(no_source(hub));
        return;
    };
    for served in &others {
        if spokes.is_empty() || spokes.contains(&served.1.name) {
            add_spoke(*served, hub, &text, existing, files);
        }
    }
    store(hub, &file, &others, existing, files);
    testing::serve_webhooks(existing, files);
    let folder = existing.beside(existing.project.webhooks.as_deref(), "webhook");
    let list = modules::beside(&folder, LIST, existing, files);
    modules::add(&list, "use crate::client::conversion;", files);
    let call = format!(".conversion(conversion::{}())", accessor(kind));
    let what = format!("add `{call}` to the webhooks");
    files.insert(&list, &what, |text| insert::call(text, "webhooks", &call));
}

/// Reports spokes that are no versions of the kind.
fn check(hub: &KindNames, spokes: &[String], others: &[Served<'_>], files: &mut Scaffold) {
    let (group, kind) = (&hub.group, &hub.kind);
    let known: Vec<_> = others.iter().map(|(_, of, _)| of.name.as_str()).collect();
    if known.is_empty() {
        files.report(
            Diagnostic::error(format!(
                "{kind} of {group} has one version: there is nothing to convert"
            ))
            .help(format!(
                "create another one first: `genclient create api --group {group} --version v2 --kind {kind}`"
            )),
        );
        return;
    }
    for spoke in spokes
        .iter()
        .filter(|spoke| !known.contains(&spoke.as_str()))
    {
        files.report(
            Diagnostic::error(format!("{kind} of {group} has no other version `{spoke}`"))
                .help(format!("type `--spoke {}`", known.join(","))),
        );
    }
}

/// Adds the file with the conversion of one version.
fn add_spoke(
    (_, version, resource): Served<'_>,
    hub: &KindNames,
    hub_text: &str,
    existing: &Existing,
    files: &mut Scaffold,
) {
    let (kind, file) = (&hub.kind, &hub.file);
    let module_path = parent(&resource.type_path);
    let hub_module = hub.module_path.rsplit("::").next().unwrap_or_default();
    let hub_module = ident(hub_module.trim_start_matches("r#")).to_string();
    let source = modules::source(module_path, hub, existing, files);
    let conversions = source.and_then(|(_, text)| {
        let names = insert::types(&text).join(", ");
        Some((
            names,
            conversion::between(&text, hub_text, kind, &hub_module)?,
        ))
    });
    let Some((names, conversions)) = conversions else {
        files.report(no_source(hub));
        return;
    };
    let text = format!(
        "//! Conversion of `{kind}` between `{}` and `{}`, which is stored.\n\n\
         use genclient::conversion::{{Inconvertible, Spoke}};\n\n\
         use super::{{{names}}};\nuse {};\n{conversions}",
        version.name, hub.version, hub.module_path
    );
    let folder = modules::folder(module_path, existing);
    let list = modules::file(&folder, "", files);
    modules::add(&list, &format!("mod {file}_conversion;"), files);
    files.create(&format!("{folder}/{file}_conversion.rs"), text);
}

/// Has objects stored as the hub, and no longer as another version.
fn store(
    hub: &KindNames,
    file: &str,
    others: &[Served<'_>],
    existing: &Existing,
    files: &mut Scaffold,
) {
    for (_, version, resource) in others {
        let module = parent(&resource.type_path);
        if existing.is_stored(&hub.group, &hub.kind, &version.name)
            && let Some((file, _)) = modules::source(module, hub, existing, files)
        {
            let by_hand = format!("remove `storage` from the `#[crd(..)]` of {}", hub.kind);
            files.insert(&file, &by_hand, |text| insert::without_line(text, STORED));
        }
    }
    let what = format!("add `{CONVERTED}` to {}", hub.kind);
    files.insert(file, &what, |text| {
        let text = insert::without_line(text, STORED).unwrap_or_else(|| text.to_owned());
        insert::attribute(&text, &hub.kind, CONVERTED)
    });
}

fn no_source(about: &KindNames) -> Diagnostic {
    let (kind, file) = (&about.kind, &about.file);
    Diagnostic::error(format!("the source of {kind} was not found")).help(format!(
        "put `struct {kind}` into `{file}.rs` below the module of its version"
    ))
}
