//! Scaffolding of conversion between the versions of a kind and its storage version, the hub.

use genclient_codegen::Diagnostic;
use genclient_syntax::names::{accessor, ident};

use super::admission::LIST;
use super::conversion::{self, VersionSide, VersionTypes};
use super::existing::{Existing, Served, parent};
use super::files::Scaffold;
use super::kind::KindNames;
use super::{modules, testing};
use crate::insert;

/// One version of a kind with its source, which may not be on disk yet.
struct KindVersion {
    version: String,
    name: String,
    types: VersionTypes,
}

/// Makes the version `hub` the storage version, and adds conversions between it and `spokes`, or
/// all other versions if `spokes` is empty.
pub(super) fn add(hub: &KindNames, spokes: &[String], existing: &Existing, files: &mut Scaffold) {
    let others: Vec<_> = existing
        .versions(&hub.group, &hub.kind)
        .filter(|(_, of, _)| of.name != hub.version)
        .collect();
    check(hub, spokes, &others, files);
    let Some(stored) = of_served(hub, &hub.version, existing, files) else {
        return;
    };
    let mut conversion = None;
    for (_, version, _) in &others {
        let Some(spoke) = of_served(hub, &version.name, existing, files) else {
            continue;
        };
        let is_wanted = spokes.is_empty() || spokes.contains(&version.name);
        if is_wanted {
            add_spoke(&spoke, &stored, hub, existing, files);
        } else {
            remind(&spoke, hub, existing, files);
        }
        conversion = unstore(&spoke, files).or(conversion);
    }
    if stored.hub(existing, files).is_some() {
        let what = format!(
            "remove `impl Spoke for {}` with its conversions: {} is the storage version now",
            stored.name, stored.version
        );
        files.by_hand(&stored.conversion_file(hub, existing), &what);
    }
    store(&stored, conversion.as_deref().unwrap_or(CONVERSION), files);
    register(hub, existing, files);
}

/// Adds the conversion of a new version, if a webhook converts the other versions of the kind.
pub(super) fn follow(about: &KindNames, existing: &Existing, files: &mut Scaffold) {
    let stored = existing.hub(&about.group, &about.kind);
    let Some(stored) = stored.filter(|stored| *stored != about.version) else {
        return;
    };
    let spoke = VersionTypes::read(&about.module_path, existing, files).map(|types| KindVersion {
        version: about.version.clone(),
        name: about.kind.clone(),
        types,
    });
    let hub = of_served(about, &stored, existing, files);
    if let (Some(spoke), Some(hub)) = (spoke, hub) {
        add_spoke(&spoke, &hub, about, existing, files);
        register(about, existing, files);
    }
}

/// A served version of a project's kind, with its source. A missing source is reported.
fn of_served(
    about: &KindNames,
    version: &str,
    existing: &Existing,
    files: &mut Scaffold,
) -> Option<KindVersion> {
    let mut versions = existing.versions(&about.group, &about.kind);
    let (_, _, resource) = versions.find(|(_, of, _)| of.name == version)?;
    let name = resource.type_path.rsplit("::").next()?;
    let types = VersionTypes::read(parent(&resource.type_path), existing, files);
    let types = types.filter(|types| types.file_of(name).is_some());
    if types.is_none() {
        files.report(no_source(about));
    }
    Some(KindVersion {
        version: version.to_owned(),
        name: name.to_owned(),
        types: types?,
    })
}

/// Reports spokes that are not versions of the kind, and a kind with only one version.
fn check(hub: &KindNames, spokes: &[String], others: &[Served<'_>], files: &mut Scaffold) {
    let (group, kind) = (&hub.group, &hub.kind);
    let known: Vec<_> = others.iter().map(|(_, of, _)| of.name.as_str()).collect();
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
    about: &KindNames,
    existing: &Existing,
    files: &mut Scaffold,
) {
    let folder = modules::folder(&spoke.types.module_path, existing);
    let path = spoke.conversion_file(about, existing);
    if let Some(converted) = spoke.hub(existing, files) {
        let module = hub.types.module();
        let is_other = converted.segments.iter().rev().nth(1);
        if is_other.is_some_and(|it| it.ident != module) {
            let what = format!(
                "let `impl Spoke for {}` convert to {module}::{}, the new storage version",
                spoke.name, hub.name
            );
            files.by_hand(&path, &what);
        }
        return;
    }
    let impl_spoke = format!("write `impl Spoke for {}`", spoke.name);
    if files.has(&path) {
        files.by_hand(&path, &impl_spoke);
        return;
    }
    let conversion = if spoke.types.module_path == hub.types.module_path {
        None
    } else {
        conversion::between(spoke.side(false), hub.side(true))
    };
    let list = modules::file(&folder, "", files);
    let Some(conversion) = conversion else {
        files.by_hand(&list, &impl_spoke);
        return;
    };
    let refusals = if conversion.gaps.is_empty() {
        ""
    } else {
        "//!\n//! An object that cannot be converted is refused with an error that says why.\n"
    };
    let text = format!(
        "//! Conversion of `{}` between `{}` and `{}`, the storage version.\n{refusals}\n{}",
        about.kind, spoke.version, hub.version, conversion.text
    );
    let module = ident(&format!("{}_conversion", about.file));
    modules::add(&list, &format!("mod {module};"), files);
    files.create(&path, text);
    for gap in &conversion.gaps {
        files.by_hand(&path, &format!("convert {gap}"));
    }
}

/// Adds a manual step if a version that is not among the wanted spokes has no `impl Spoke`. The
/// generated code converts every version of a kind, so it does not compile without this `impl`.
fn remind(spoke: &KindVersion, hub: &KindNames, existing: &Existing, files: &mut Scaffold) {
    if spoke.hub(existing, files).is_some() {
        return;
    }
    let KindNames { group, kind, .. } = hub;
    let folder = modules::folder(&spoke.types.module_path, existing);
    let list = modules::file(&folder, "", files);
    let what = format!(
        "convert {} as well: `genclient create webhook --group {group} --version {} --kind {kind} \
         --conversion --spoke {}`",
        spoke.version, hub.version, spoke.version
    );
    files.by_hand(&list, &what);
}

/// Removes `storage` and `conversion` from the `#[crd(..)]` of a version. Returns the removed
/// `conversion` argument.
fn unstore(version: &KindVersion, files: &mut Scaffold) -> Option<String> {
    let what = format!(
        "move `storage` and `conversion` from the `#[crd(..)]` of {} to the new storage version",
        version.name
    );
    let file = version.types.file_of(&version.name)?;
    let mut conversion = None;
    files.insert(file, &what, |text| {
        let (text, stated) = unmark_stored(text, &version.name)?;
        conversion = stated;
        Some(text)
    });
    conversion
}

/// Marks the hub as the storage version. `conversion` is the argument that states how the kind is
/// converted.
fn store(hub: &KindVersion, conversion: &str, files: &mut Scaffold) {
    let what = format!("add `#[crd(storage, {conversion})]` to {}", hub.name);
    if let Some(file) = hub.types.file_of(&hub.name) {
        files.insert(file, &what, |text| mark_stored(text, &hub.name, conversion));
    }
}

/// Registers the conversion of the kind with the webhook servers of the program and of the tests.
fn register(hub: &KindNames, existing: &Existing, files: &mut Scaffold) {
    testing::serve_conversions(hub, existing, files);
    let folder = existing.beside(existing.project.webhooks.as_deref(), "webhook");
    let list = modules::beside(&folder, LIST, existing, files);
    let module = format!("{}::conversion", existing.project.client.path);
    let short = format!("{module}::{}()", ident(&accessor(&hub.kind)));
    for (group, function) in existing.conversions(&hub.group, &hub.kind) {
        let named = format!("{module}::{function}()");
        let call = format!(".conversion({named})");
        if group == hub.group {
            let what = format!("add `{call}` to the webhooks");
            files.insert(&list, &what, |text| insert::call(text, "webhooks", &call));
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

    fn conversion_file(&self, about: &KindNames, existing: &Existing) -> String {
        let folder = modules::folder(&self.types.module_path, existing);
        format!("{folder}/{}_conversion.rs", about.file)
    }

    /// The hub that an existing `impl Spoke` of this version converts to. The `impl` is in the
    /// version's module or the parent module.
    fn hub(&self, existing: &Existing, files: &mut Scaffold) -> Option<syn::Path> {
        self.types.hub_of(&self.name, None).or_else(|| {
            let path = &self.types.module_path;
            let group = VersionTypes::read(parent(path), existing, files)?;
            group.hub_of(&self.name, path.rsplit("::").next())
        })
    }
}

fn no_source(about: &KindNames) -> Diagnostic {
    let (kind, file) = (&about.kind, &about.file);
    Diagnostic::error(format!("cannot find the source of {kind}")).help(format!(
        "put `struct {kind}` into `{file}.rs` below the module of its version"
    ))
}

/// The attribute of the storage version.
pub(super) const STORED: &str = "#[crd(storage)]";

/// The argument of `#[crd(..)]` for conversion by a webhook.
const CONVERSION: &str = "conversion(webhook)";

/// Marks a version as the storage version. Its existing `conversion` argument takes precedence over
/// the parameter `conversion`.
fn mark_stored(text: &str, kind: &str, conversion: &str) -> Option<String> {
    let (left, stated) = insert::without_arguments(text, kind, "crd", &["storage", "conversion"])?;
    let own = conversion_argument(&stated);
    if own.is_some() && stated.iter().any(|it| it == "storage") {
        return Some(text.to_owned());
    }
    let (text, conversion) = (left, own.unwrap_or(conversion));
    insert::attribute(&text, kind, &format!("#[crd(storage, {conversion})]"))
}

/// Removes `storage` and `conversion` from the `#[crd(..)]` of a type. Returns the new text and the
/// removed `conversion` argument.
pub(super) fn unmark_stored(text: &str, kind: &str) -> Option<(String, Option<String>)> {
    let (text, stated) = insert::without_arguments(text, kind, "crd", &["storage", "conversion"])?;
    let conversion = conversion_argument(&stated).map(str::to_owned);
    Some((text, conversion))
}

fn conversion_argument(arguments: &[String]) -> Option<&str> {
    let mut arguments = arguments.iter().map(String::as_str);
    arguments.find(|argument| argument.starts_with("conversion"))
}
