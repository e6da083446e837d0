//! Scaffolding of conversion between the versions of a kind and its storage version, the hub.

mod code;
mod impls;
mod pairs;
mod value;
mod version_types;

use genclient_codegen::Diagnostic;
use genclient_syntax::names::{accessor, ident};

use super::existing::{ExistingProject, ServedKind, parent_path};
use super::files::Scaffold;
use super::kind::KindNames;
use super::{modules, testing};
use crate::insert;
use code::generate_conversion;
use pairs::VersionSide;
use version_types::VersionTypes;

/// One version of a kind with its source, which may not be on disk yet.
struct KindVersion {
    version: String,
    name: String,
    types: VersionTypes,
}

/// Makes the version `hub` the storage version, and adds conversions between it and `spokes`, or
/// all other versions if `spokes` is empty.
pub(super) fn add_conversion(
    hub: &KindNames,
    spokes: &[String],
    existing: &ExistingProject,
    files: &mut Scaffold,
) {
    let others: Vec<_> = existing
        .versions(&hub.group, &hub.kind)
        .filter(|(_, version, _)| version.name != hub.version)
        .collect();
    check_spokes(hub, spokes, &others, files);
    let Some(stored) = read_served_version(hub, &hub.version, existing, files) else {
        return;
    };
    let mut conversion = None;
    for (_, version, _) in &others {
        let Some(spoke) = read_served_version(hub, &version.name, existing, files) else {
            continue;
        };
        let is_wanted = spokes.is_empty() || spokes.contains(&version.name);
        if is_wanted {
            add_spoke(&spoke, &stored, hub, existing, files);
        } else {
            remind_of_spoke(&spoke, hub, existing, files);
        }
        conversion = remove_storage_mark(&spoke, files).or(conversion);
    }
    if stored.hub(existing, files).is_some() {
        let what = format!(
            "remove `impl Spoke for {}` with its conversions: {} is the storage version now",
            stored.name, stored.version
        );
        files.add_manual_step_in(&stored.conversion_file(hub, existing), &what);
    }
    add_storage_mark(
        &stored,
        conversion.as_deref().unwrap_or(CONVERSION_ARGUMENT),
        files,
    );
    register_conversion(hub, existing, files);
}

/// Adds the conversion of a new version, if a webhook converts the other versions of the kind.
pub(super) fn add_conversion_of_new_version(
    kind: &KindNames,
    existing: &ExistingProject,
    files: &mut Scaffold,
) {
    let stored = existing.hub(&kind.group, &kind.kind);
    let Some(stored) = stored.filter(|stored| *stored != kind.version) else {
        return;
    };
    let spoke =
        VersionTypes::parse_module(&kind.module_path, existing, files).map(|types| KindVersion {
            version: kind.version.clone(),
            name: kind.kind.clone(),
            types,
        });
    let hub = read_served_version(kind, &stored, existing, files);
    if let (Some(spoke), Some(hub)) = (spoke, hub) {
        add_spoke(&spoke, &hub, kind, existing, files);
        register_conversion(kind, existing, files);
    }
}

/// A served version of a project's kind, with its source. A missing source is reported.
fn read_served_version(
    kind: &KindNames,
    version: &str,
    existing: &ExistingProject,
    files: &mut Scaffold,
) -> Option<KindVersion> {
    let mut versions = existing.versions(&kind.group, &kind.kind);
    let (_, _, resource) = versions.find(|(_, served, _)| served.name == version)?;
    let name = resource.type_path.rsplit("::").next()?;
    let types = VersionTypes::parse_module(parent_path(&resource.type_path), existing, files);
    let types = types.filter(|types| types.file_of(name).is_some());
    if types.is_none() {
        files.report(no_source(kind));
    }
    Some(KindVersion {
        version: version.to_owned(),
        name: name.to_owned(),
        types: types?,
    })
}

/// Reports spokes that are not versions of the kind, and a kind with only one version.
fn check_spokes(
    hub: &KindNames,
    spokes: &[String],
    others: &[ServedKind<'_>],
    files: &mut Scaffold,
) {
    let (group, kind) = (&hub.group, &hub.kind);
    let known: Vec<_> = others
        .iter()
        .map(|(_, version, _)| version.name.as_str())
        .collect();
    if known.is_empty() {
        files.report(
            Diagnostic::error(format!(
                "nothing to convert: {kind} of {group} has only one version"
            ))
            .help(format!(
                "create another version first: `genclient create api --group {group} --version v2 \
                 --kind {kind}`"
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
                .help(format!("pass `--spoke {}`", known.join(","))),
        );
    }
}

/// Adds the conversion file of one version. An existing conversion is kept.
fn add_spoke(
    spoke: &KindVersion,
    hub: &KindVersion,
    kind: &KindNames,
    existing: &ExistingProject,
    files: &mut Scaffold,
) {
    let folder = modules::module_folder(&spoke.types.module_path, existing);
    let path = spoke.conversion_file(kind, existing);
    if let Some(converted) = spoke.hub(existing, files) {
        let module = hub.types.module();
        let is_other = converted.segments.iter().rev().nth(1);
        if is_other.is_some_and(|it| it.ident != module) {
            let what = format!(
                "let `impl Spoke for {}` convert to {module}::{}, the new storage version",
                spoke.name, hub.name
            );
            files.add_manual_step_in(&path, &what);
        }
        return;
    }
    let impl_spoke = format!("write `impl Spoke for {}`", spoke.name);
    if files.has(&path) {
        files.add_manual_step_in(&path, &impl_spoke);
        return;
    }
    let conversion = if spoke.types.module_path == hub.types.module_path {
        None
    } else {
        generate_conversion(spoke.side(false), hub.side(true))
    };
    let list = modules::find_or_create_file(&folder, "", files);
    let Some(conversion) = conversion else {
        files.add_manual_step_in(&list, &impl_spoke);
        return;
    };
    let refusals = if conversion.gaps.is_empty() {
        ""
    } else {
        "//!\n//! An object that cannot be converted is refused with an error that says why.\n"
    };
    let text = format!(
        "//! Conversion of `{}` between `{}` and `{}`, the storage version.\n{refusals}\n{}",
        kind.kind, spoke.version, hub.version, conversion.text
    );
    let module = ident(&format!("{}_conversion", kind.file));
    modules::add_item(&list, &format!("mod {module};"), files);
    files.create(&path, text);
    for gap in &conversion.gaps {
        files.add_manual_step_in(&path, &format!("convert {gap}"));
    }
}

/// Adds a manual step if a version that is not among the wanted spokes has no `impl Spoke`. The
/// generated code converts every version of a kind, so it does not compile without this `impl`.
fn remind_of_spoke(
    spoke: &KindVersion,
    hub: &KindNames,
    existing: &ExistingProject,
    files: &mut Scaffold,
) {
    if spoke.hub(existing, files).is_some() {
        return;
    }
    let KindNames { group, kind, .. } = hub;
    let folder = modules::module_folder(&spoke.types.module_path, existing);
    let list = modules::find_or_create_file(&folder, "", files);
    let what = format!(
        "convert {} as well: `genclient create webhook --group {group} --version {} --kind {kind} \
         --conversion --spoke {}`",
        spoke.version, hub.version, spoke.version
    );
    files.add_manual_step_in(&list, &what);
}

/// Removes `storage` and `conversion` from the `#[crd(..)]` of a version. Returns the removed
/// `conversion` argument.
fn remove_storage_mark(version: &KindVersion, files: &mut Scaffold) -> Option<String> {
    let what = format!(
        "move `storage` and `conversion` from the `#[crd(..)]` of {} to the new storage version",
        version.name
    );
    let file = version.types.file_of(&version.name)?;
    let mut conversion = None;
    files.insert(file, &what, |text| {
        let (text, removed) = unmark_stored(text, &version.name)?;
        conversion = removed;
        Some(text)
    });
    conversion
}

/// Marks the hub as the storage version. `conversion` is the argument that states how the kind is
/// converted.
fn add_storage_mark(hub: &KindVersion, conversion: &str, files: &mut Scaffold) {
    let what = format!("add `#[crd(storage, {conversion})]` to {}", hub.name);
    if let Some(file) = hub.types.file_of(&hub.name) {
        files.insert(file, &what, |text| mark_stored(text, &hub.name, conversion));
    }
}

/// Registers the conversion of the kind with the webhook servers of the program and of the tests.
fn register_conversion(hub: &KindNames, existing: &ExistingProject, files: &mut Scaffold) {
    testing::serve_conversions(hub, existing, files);
    let folder = existing.folder_or_default(existing.project.webhooks.as_deref(), "webhook");
    let list = modules::declared_file(&folder, modules::WEBHOOK_LIST, existing, files);
    let module = format!("{}::conversion", existing.project.client.path);
    let short = format!("{module}::{}()", ident(&accessor(&hub.kind)));
    for (group, function) in existing.conversions(&hub.group, &hub.kind) {
        let named = format!("{module}::{function}()");
        let call = format!(".conversion({named})");
        if group == hub.group {
            let what = format!("add `{call}` to the webhooks");
            files.insert(&list, &what, |text| {
                insert::add_call(text, "webhooks", &call)
            });
        } else {
            // If kinds of this name are converted in several groups, the name of each conversion
            // function contains its group: `shop_example_com_widgets`. A call that was added for
            // another group, while that was the only one, lacks the group and must change.
            let what = format!("write `{call}` for {} of {group}", hub.kind);
            files.insert(&list, &what, |text| {
                let is_called = text.contains(&short) || text.contains(&named);
                is_called.then(|| text.replace(&short, &named))
            });
        }
    }
}

impl KindVersion {
    fn side(&self, is_hub: bool) -> VersionSide<'_> {
        VersionSide {
            version: &self.version,
            kind: &self.name,
            types: &self.types,
            is_hub,
        }
    }

    fn conversion_file(&self, kind: &KindNames, existing: &ExistingProject) -> String {
        let folder = modules::module_folder(&self.types.module_path, existing);
        format!("{folder}/{}_conversion.rs", kind.file)
    }

    /// The hub that an existing `impl Spoke` of this version converts to. The `impl` is in the
    /// version's module or the parent module.
    fn hub(&self, existing: &ExistingProject, files: &mut Scaffold) -> Option<syn::Path> {
        self.types.hub_of(&self.name, None).or_else(|| {
            let path = &self.types.module_path;
            let group = VersionTypes::parse_module(parent_path(path), existing, files)?;
            group.hub_of(&self.name, path.rsplit("::").next())
        })
    }
}

fn no_source(kind: &KindNames) -> Diagnostic {
    let (kind, file) = (&kind.kind, &kind.file);
    Diagnostic::error(format!("cannot find the source of {kind}")).help(format!(
        "put `struct {kind}` into `{file}.rs` below the module of its version"
    ))
}

/// The attribute of the storage version.
pub(super) const STORAGE_ATTRIBUTE: &str = "#[crd(storage)]";

/// The argument of `#[crd(..)]` for conversion by a webhook.
const CONVERSION_ARGUMENT: &str = "conversion(webhook)";

/// Marks a version as the storage version. Its existing `conversion` argument takes precedence over
/// the parameter `conversion`.
fn mark_stored(text: &str, kind: &str, conversion: &str) -> Option<String> {
    let (left, removed) = insert::remove_arguments(text, kind, "crd", &["storage", "conversion"])?;
    let own = conversion_argument(&removed);
    if own.is_some() && removed.iter().any(|it| it == "storage") {
        return Some(text.to_owned());
    }
    let (text, conversion) = (left, own.unwrap_or(conversion));
    insert::add_attribute(&text, kind, &format!("#[crd(storage, {conversion})]"))
}

/// Removes `storage` and `conversion` from the `#[crd(..)]` of a type. Returns the new text and the
/// removed `conversion` argument.
pub(super) fn unmark_stored(text: &str, kind: &str) -> Option<(String, Option<String>)> {
    let (text, removed) = insert::remove_arguments(text, kind, "crd", &["storage", "conversion"])?;
    let conversion = conversion_argument(&removed).map(str::to_owned);
    Some((text, conversion))
}

fn conversion_argument(arguments: &[String]) -> Option<&str> {
    let mut arguments = arguments.iter().map(String::as_str);
    arguments.find(|argument| argument.starts_with("conversion"))
}
