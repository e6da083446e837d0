//! Helm chart of a deployment: its metadata, its values, and templates whose settings are
//! expressions over the values.

use std::collections::BTreeMap;
use std::path::Path;

use genclient_codegen::manifests::{
    self, Condition, DEFAULT_IMAGE, Feature, ObjectManifest, RESOURCE_AMOUNTS, Rendering, Variable,
};
use genclient_codegen::yaml::{self, Lines, Yaml, YamlNode};
use genclient_codegen::{Certificates, Deploy, FileSet, HEADER, Model};

/// The Helm chart of a deployment, in a folder.
pub(crate) fn build_chart(model: &Model, deploy: &Deploy, folder: &Path) -> FileSet {
    let mut files = FileSet::default();
    files.own(folder.to_owned());
    let mut add = |file: &str, text: String| files.insert(folder.join(file), text);
    add("Chart.yaml", chart_metadata(deploy));
    add("values.yaml", chart_values(deploy));
    for (file, text) in render_templates(&manifests::deployment_objects(model, deploy)) {
        add(&format!("templates/{file}"), text);
    }
    files
}

/// The chart version; `helm package --version` overrides it.
const CHART_VERSION: &str = "0.1.0";

/// `Chart.yaml`.
fn chart_metadata(deploy: &Deploy) -> String {
    with_header(&Yaml::build(|yaml| {
        yaml.text("apiVersion", "v2");
        let description = format!("Deploys {}", deploy.name);
        yaml.text("description", description.as_str());
        yaml.text("name", deploy.name.as_str());
        yaml.text("type", "application");
        yaml.text("version", CHART_VERSION);
    }))
}

/// `values.yaml`: the settings of the package, as defaults of an installation.
fn chart_values(deploy: &Deploy) -> String {
    let add_toggle = |yaml: &mut Yaml, name: &str, is_on: bool| {
        yaml.map(name, |yaml| yaml.plain("enabled", Some(is_on)));
    };
    with_header(&Yaml::build(|yaml| {
        add_toggle(
            yaml,
            "certManager",
            deploy.certificates == Certificates::CertManager,
        );
        yaml.map("crd", |yaml| {
            yaml.plain("enabled", Some(true));
            yaml.plain("keep", Some(true));
        });
        yaml.text("image", DEFAULT_IMAGE);
        add_toggle(yaml, "metrics", deploy.metrics);
        add_toggle(yaml, "networkPolicy", deploy.network_policy);
        add_toggle(yaml, "prometheus", deploy.prometheus);
        yaml.map("rbac", |yaml| {
            yaml.map("helpers", |yaml| yaml.plain("enabled", Some(true)));
        });
        yaml.plain("replicas", Some(deploy.replicas));
        yaml.map("resources", |yaml| {
            for list in ["limits", "requests"] {
                yaml.map(list, |yaml| {
                    for amount in RESOURCE_AMOUNTS
                        .iter()
                        .filter(|amount| amount.section == list)
                    {
                        yaml.text(amount.resource, amount.default);
                    }
                });
            }
        });
    }))
}

/// A document with the header of generated files.
fn with_header(node: &YamlNode) -> String {
    format!("# {HEADER}\n{}", yaml::render_document(node))
}

/// Rendering as Helm templates.
struct Template;

/// The templates by file.
fn render_templates(objects: &[ObjectManifest]) -> BTreeMap<String, String> {
    let mut files: BTreeMap<String, String> = BTreeMap::new();
    for object in objects {
        let document = yaml::render_document(&object.render(&Template));
        let presence = Presence::of_any(&[&object.when]);
        if matches!(presence, Presence::Never) {
            continue;
        }
        let file = files.entry(object.file.clone());
        let text = file.or_insert_with(|| format!("# {HEADER}\n"));
        let parts = match presence {
            Presence::If(Lines { above, below }) => {
                [above, "\n---\n".into(), document, below, "\n".into()]
            }
            Presence::Always | Presence::Never => [
                "---\n".into(),
                document,
                String::new(),
                String::new(),
                String::new(),
            ],
        };
        text.extend(parts);
    }
    files
}

impl Rendering for Template {
    fn namespace(&self) -> &'static str {
        "{{ .Release.Namespace }}"
    }

    fn variable(&self, variable: Variable) -> YamlNode {
        match variable {
            Variable::Image => YamlNode::Text("{{ .Values.image }}".to_owned()),
            Variable::Replicas => YamlNode::Plain("{{ .Values.replicas }}".to_owned()),
            Variable::Amount(amount) => YamlNode::Text(format!(
                "{{{{ .Values.resources.{}.{} }}}}",
                amount.section, amount.resource
            )),
        }
    }

    fn when(&self, conditions: &[&Condition], node: YamlNode) -> Option<YamlNode> {
        match Presence::of_any(conditions) {
            Presence::Always => Some(node),
            Presence::Never => None,
            Presence::If(lines) => Some(YamlNode::Between(lines, Box::new(node))),
        }
    }

    fn fixed(&self, node: &YamlNode) -> YamlNode {
        match node {
            YamlNode::Text(text) => YamlNode::Text(escape_delimiters(text)),
            YamlNode::Plain(_) => node.clone(),
            YamlNode::List(items) => {
                YamlNode::List(items.iter().map(|item| self.fixed(item)).collect())
            }
            YamlNode::Map(entries) => {
                let entries = entries
                    .iter()
                    .map(|(key, value)| (escape_delimiters(key), self.fixed(value)));
                YamlNode::Map(entries.collect())
            }
            YamlNode::Between(lines, node) => {
                YamlNode::Between(lines.clone(), Box::new(self.fixed(node)))
            }
        }
    }
}

/// Escapes template delimiters, so that Helm reproduces the text.
fn escape_delimiters(text: &str) -> String {
    text.replace("{{", "{{ `{{` }}")
}

/// When a template renders an element.
enum Presence {
    Always,
    Never,
    /// Between these lines, which hold the condition.
    If(Lines),
}

impl Presence {
    /// The presence of an element that is rendered if one of the conditions holds.
    fn of_any(conditions: &[&Condition]) -> Self {
        let mut any = Vec::new();
        for condition in conditions {
            match translate_condition(condition) {
                Expression::Always => return Self::Always,
                Expression::Never => {}
                Expression::Of(text) if any.contains(&text) => {}
                Expression::Of(text) => any.push(text),
            }
        }
        // If a condition and its negation are both listed, the element is always present.
        if any.iter().any(|one| any.contains(&format!("not {one}"))) {
            return Self::Always;
        }
        let any = match &any[..] {
            [] => return Self::Never,
            [one] => one.clone(),
            several => format!("or ({})", several.join(") (")),
        };
        Self::If(Lines {
            above: format!("{{{{- if {any} }}}}"),
            below: "{{- end }}".to_owned(),
        })
    }
}

/// A condition as a template expression.
enum Expression {
    Always,
    Never,
    Of(String),
}

/// Translates a condition to an expression over the chart's values.
fn translate_condition(condition: &Condition) -> Expression {
    let mut all = Vec::new();
    for (feature, is_on) in &condition.0 {
        match (chart_value(*feature), is_on) {
            (Some(value), true) => all.push(format!(".Values.{value}")),
            (Some(value), false) => all.push(format!("not .Values.{value}")),
            (None, true) => return Expression::Never,
            (None, false) => {}
        }
    }
    match &all[..] {
        [] => Expression::Always,
        [one] => Expression::Of(one.clone()),
        several => Expression::Of(format!("and ({})", several.join(") ("))),
    }
}

/// The chart value of a feature; `None` for the namespace, which charts do not create.
fn chart_value(feature: Feature) -> Option<&'static str> {
    match feature {
        Feature::CertManager => Some("certManager.enabled"),
        Feature::Metrics => Some("metrics.enabled"),
        Feature::Prometheus => Some("prometheus.enabled"),
        Feature::NetworkPolicy => Some("networkPolicy.enabled"),
        Feature::Crds => Some("crd.enabled"),
        Feature::KeptCrds => Some("crd.keep"),
        Feature::Helpers => Some("rbac.helpers.enabled"),
        Feature::Namespace => None,
    }
}
