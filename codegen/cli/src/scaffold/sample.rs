//! Sample objects of kinds in `config/samples`, for `kubectl apply` and for tests.

use genclient_codegen::yaml::{self, YamlNode};
use genclient_codegen::{JsonType, Schema, rust};
use genclient_schema::values;
use serde_json::{Map, Value, json};

use super::existing::ExistingProject;
use super::files::Scaffold;
use super::kind::KindNames;

/// Required fields of built-in kinds. Each section has a heading with the kinds that it is for.
const REQUIRED_FIELDS: &str = include_str!("samples.yaml");

/// Fields that the sample template sets or omits.
const OWN_FIELDS: [&str; 4] = ["apiVersion", "kind", "metadata", "status"];

pub(super) struct Sample {
    pub(super) name: String,
    pub(super) path: String,
}

impl Sample {
    /// The existing sample of a kind.
    pub(super) fn find(
        kind: &KindNames,
        existing: &ExistingProject,
        files: &mut Scaffold,
    ) -> Option<Self> {
        let path = sample_path(kind, existing, files);
        let object = parse_yaml(&files.read_text(&path)?)?;
        let name = object["metadata"]["name"].as_str()?.to_owned();
        is_of_kind(&object, kind).then_some(Self { name, path })
    }

    /// The sample of a kind. If the file is missing, the minimal object of the schema is added. If
    /// the schema determines no object, or the file is not a sample of the kind, returns `None` and
    /// adds the manual step to write a sample. The step says what the sample is for: `test`.
    pub(super) fn find_or_add(
        kind: &KindNames,
        test: &str,
        existing: &ExistingProject,
        files: &mut Scaffold,
    ) -> Option<Self> {
        let path = sample_path(kind, existing, files);
        if !files.has(&path) {
            add_minimal_sample(kind, existing, files);
        }
        let found = Self::find(kind, existing, files);
        if found.is_none() {
            let what = format!(
                "write a valid {} for {test}: its schema alone does not determine one",
                kind.kind
            );
            files.add_manual_step_in(&path, &what);
        }
        found
    }
}

/// The path of a kind's sample, named as in kubebuilder's projects: `webapp_v1_guestbook.yaml`. If
/// this is the sample of another kind, as with CronJob of `batch.example.com` and of `batch`, the
/// name has the full group: `batch.example.com_v1_cronjob.yaml`.
fn sample_path(kind: &KindNames, existing: &ExistingProject, files: &mut Scaffold) -> String {
    let KindNames {
        group,
        group_module,
        version,
        lower,
        ..
    } = kind;
    let config = existing.relative_path(&existing.project.config);
    let full = if group.contains('.') {
        group.clone()
    } else {
        format!("kubernetes_{group_module}")
    };
    let at = |group: &str| format!("{config}/samples/{group}_{version}_{lower}.yaml");
    let short = at(group_module);
    let object = files.read_text(&short).and_then(|text| parse_yaml(&text));
    let other = object.filter(|object| object["kind"].is_string() && !is_of_kind(object, kind));
    match other {
        Some(_) => at(&full),
        None => short,
    }
}

fn parse_yaml(text: &str) -> Option<Value> {
    serde_saphyr::from_str(text).ok()
}

fn is_of_kind(object: &Value, kind: &KindNames) -> bool {
    object["kind"] == *kind.kind && object["apiVersion"] == *kind.api_version
}

/// Adds the sample of a new type, unless the kind has one.
pub(super) fn add_sample(kind: &KindNames, existing: &ExistingProject, files: &mut Scaffold) {
    if Sample::find(kind, existing, files).is_none() {
        let path = sample_path(kind, existing, files);
        let text = render_sample(kind, "spec:\n  message: hello", "", existing);
        files.create(&path, text);
    }
}

/// Adds the sample of a type copied from another version, if that version has a sample to copy and
/// the new version has none.
pub(super) fn copy_sample(
    kind: &KindNames,
    copied: &KindNames,
    existing: &ExistingProject,
    files: &mut Scaffold,
) {
    if Sample::find(kind, existing, files).is_none()
        && let Some(sample) = Sample::find(copied, existing, files)
        && let Some(text) = files.read_text(&sample.path)
    {
        let path = sample_path(kind, existing, files);
        files.create(&path, text.replace(&copied.api_version, &kind.api_version));
    }
}

/// Adds the minimal object of a kind with an imported or hand-written type, if the schema
/// determines one.
fn add_minimal_sample(kind: &KindNames, existing: &ExistingProject, files: &mut Scaffold) {
    let schema = existing.schema(&kind.group, &kind.version, &kind.kind);
    let Some(Value::Object(mut object)) = schema.and_then(minimal_value) else {
        return;
    };
    object.retain(|field, _| !OWN_FIELDS.contains(&field.as_str()));
    let rest = if object.is_empty() {
        String::new()
    } else {
        yaml::render_document(&YamlNode::from(&Value::Object(object)))
    };
    let path = sample_path(kind, existing, files);
    files.create(&path, render_sample(kind, rest.trim_end(), "", existing));
}

/// Adds the sample of a built-in kind, if it is missing.
pub(super) fn add_of_kubernetes(
    kind: &KindNames,
    existing: &ExistingProject,
    files: &mut Scaffold,
) {
    let path = sample_path(kind, existing, files);
    if !files.has(&path) {
        let (key, value) = existing.selector_label();
        let labels = format!("  labels:\n    {key}: {value}");
        files.create(
            &path,
            render_sample(kind, required_fields(kind), &labels, existing),
        );
    }
}

/// The name of a sample. It differs from that of a kind with the same name in another group: both
/// controllers would write the ConfigMap of that name.
fn sample_name(kind: &KindNames, existing: &ExistingProject) -> String {
    let KindNames {
        lower,
        group_module,
        ..
    } = kind;
    if existing.has_kind_in_other_group(&kind.group, &kind.kind) {
        format!("{}-{lower}-sample", group_module.replace('_', "-"))
    } else {
        format!("{lower}-sample")
    }
}

fn render_sample(kind: &KindNames, rest: &str, labels: &str, existing: &ExistingProject) -> String {
    let namespace = match existing.own_namespace() {
        Some(namespace) if kind.namespaced => format!("  namespace: {namespace}"),
        _ => String::new(),
    };
    let name = sample_name(kind, existing);
    let (api_version, kind) = (&kind.api_version, &kind.kind);
    rust!(api_version, kind, name, namespace, labels, rest =>
        include_str!("templates/sample.yaml.tmpl"))
}

/// The required fields of a built-in kind.
fn required_fields(kind: &KindNames) -> &'static str {
    let KindNames {
        kind, group_module, ..
    } = kind;
    // Only the two kinds `Event` have a heading with the group: `core/Event` and `events/Event`.
    let names = [kind.clone(), format!("{group_module}/{kind}")];
    let sections = REQUIRED_FIELDS
        .split("\n# ")
        .filter_map(|section| section.split_once('\n'));
    let mut of_kind = sections.filter(|(kinds, _)| {
        kinds
            .split(' ')
            .any(|kind| names.iter().any(|it| it == kind))
    });
    of_kind.next().map_or("", |(_, fields)| fields)
}

/// The default, example or first `enum` value of a schema that has one, else the schema's minimal
/// value. Returns `None` if no value can be derived, as from a schema with rules or without a type,
/// or if the value violates the schema, for example its pattern.
fn minimal_value(schema: &Schema) -> Option<Value> {
    let least = derive_value(schema)?;
    values::mistakes(schema, &least).is_empty().then_some(least)
}

fn derive_value(schema: &Schema) -> Option<Value> {
    if !schema.validations.is_empty() {
        return None;
    }
    let named = [&schema.default, &schema.example].into_iter().flatten();
    if let Some(value) = named.chain(schema.enum_.first()).next() {
        return Some(value.clone());
    }
    Some(match schema.type_ {
        Some(JsonType::Object) => derive_fields(schema)?,
        Some(JsonType::Array) => {
            let count = usize::try_from(schema.min_items.unwrap_or(0)).ok()?;
            let items = (0..count).map(|_| derive_value(schema.items.as_deref()?));
            Value::Array(items.collect::<Option<_>>()?)
        }
        Some(JsonType::String) => {
            let length = usize::try_from(schema.min_length.unwrap_or(1)).ok()?;
            json!("a".repeat(length.max(1)))
        }
        Some(JsonType::Integer | JsonType::Number) => match &schema.minimum {
            Some(least) => Value::Number(least.clone()),
            None => json!(0),
        },
        Some(JsonType::Boolean) => json!(false),
        None if schema.int_or_string => json!(1),
        None => return None,
    })
}

fn derive_fields(schema: &Schema) -> Option<Value> {
    let mut fields = Map::new();
    for name in &schema.required {
        fields.insert(name.clone(), derive_value(schema.properties.get(name)?)?);
    }
    Some(fields.into())
}
