//! Sample objects of kinds, below `config/samples`: for `kubectl apply`, and for tests.

use serde_json::Value;

use super::existing::Existing;
use super::files::Scaffold;
use super::kind::KindNames;
use super::least;
use crate::template::rust;
use crate::yaml::{self, YamlNode};

/// Fields that objects of Kubernetes' kinds need, in sections that begin with the kinds.
const NEEDED: &str = include_str!("samples.yaml");

/// Fields that a sample has by its template, or not at all.
const OWN_FIELDS: [&str; 4] = ["apiVersion", "kind", "metadata", "status"];

/// An object of a kind, for its tests.
pub(super) struct Sample {
    pub(super) name: String,
    /// Its file.
    pub(super) path: String,
}

impl Sample {
    /// The sample of a kind, if there is a file with one.
    pub(super) fn find(
        about: &KindNames,
        existing: &Existing,
        files: &mut Scaffold,
    ) -> Option<Self> {
        let path = path(about, existing);
        let object: Value = serde_saphyr::from_str(&files.text(&path)?).ok()?;
        let is_of_kind =
            object["kind"] == *about.kind && object["apiVersion"] == *about.api_version;
        let name = object["metadata"]["name"].as_str()?.to_owned();
        is_of_kind.then_some(Self { name, path })
    }

    /// The sample of a kind. Without one, the least object that its schema admits is written, or it
    /// is left to be written by hand, and `test` with it.
    pub(super) fn expect(
        about: &KindNames,
        test: &str,
        existing: &Existing,
        files: &mut Scaffold,
    ) -> Option<Self> {
        if !files.has(&path(about, existing)) {
            add_least(about, existing, files);
        }
        let found = Self::find(about, existing, files);
        if found.is_none() {
            let path = path(about, existing);
            let what = format!(
                "a {}, which its schema alone does not tell, for {test}",
                about.kind
            );
            files.by_hand(&path, &what);
        }
        found
    }
}

/// The file with the sample of a kind, named as kubebuilder does: `webapp_v1_guestbook.yaml`.
fn path(about: &KindNames, existing: &Existing) -> String {
    let KindNames {
        group_module,
        version,
        lower,
        ..
    } = about;
    let config = existing.below(&existing.project.config);
    format!("{config}/samples/{group_module}_{version}_{lower}.yaml")
}

/// Adds the sample of a new type.
pub(super) fn add(about: &KindNames, existing: &Existing, files: &mut Scaffold) {
    let text = text(about, "spec:\n  message: hello", "", existing);
    files.create(&path(about, existing), text);
}

/// Adds the sample of a type that was copied from another version: that one's, in this version.
pub(super) fn copy(
    about: &KindNames,
    copied: &KindNames,
    existing: &Existing,
    files: &mut Scaffold,
) {
    if let Some(sample) = Sample::find(copied, existing, files)
        && let Some(text) = files.text(&sample.path)
    {
        let text = text.replace(&copied.api_version, &about.api_version);
        files.create(&path(about, existing), text);
    }
}

/// Adds the least object of a kind whose type was imported or written by hand.
fn add_least(about: &KindNames, existing: &Existing, files: &mut Scaffold) {
    let schema = existing.schema(&about.group, &about.version, &about.kind);
    let Some(Value::Object(mut object)) = schema.and_then(least::value) else {
        return;
    };
    object.retain(|field, _| !OWN_FIELDS.contains(&field.as_str()));
    let rest = match object.is_empty() {
        true => String::new(),
        false => yaml::text(&YamlNode::from(&Value::Object(object))),
    };
    files.create(
        &path(about, existing),
        text(about, rest.trim_end(), "", existing),
    );
}

/// Adds the sample of a kind of Kubernetes' own, if there is none.
pub(super) fn add_of_kubernetes(about: &KindNames, existing: &Existing, files: &mut Scaffold) {
    let path = path(about, existing);
    if !files.has(&path) {
        let (key, value) = existing.selected();
        let labels = format!("  labels:\n    {key}: {value}");
        files.create(&path, text(about, needed(about), &labels, existing));
    }
}

fn text(about: &KindNames, rest: &str, labels: &str, existing: &Existing) -> String {
    let (api_version, kind, lower) = (&about.api_version, &about.kind, &about.lower);
    let namespace = match existing.own_namespace() {
        Some(namespace) if about.namespaced => format!("  namespace: {namespace}"),
        _ => String::new(),
    };
    rust!(api_version, kind, lower, namespace, labels, rest =>
        include_str!("templates/sample.yaml.tmpl"))
}

/// The fields that an object of a kind needs.
fn needed(about: &KindNames) -> &'static str {
    let KindNames {
        kind, group_module, ..
    } = about;
    // Two groups have a kind `Event`.
    let names = [kind.clone(), format!("{group_module}/{kind}")];
    let sections = NEEDED
        .split("\n# ")
        .filter_map(|section| section.split_once('\n'));
    let mut of_kind = sections.filter(|(kinds, _)| {
        kinds
            .split(' ')
            .any(|kind| names.iter().any(|it| it == kind))
    });
    of_kind.next().map_or("", |(_, fields)| fields)
}
