//! Helm templates: objects whose settings are expressions over the chart's values.

use std::collections::BTreeMap;

use genclient_codegen::HEADER;
use genclient_codegen::manifests::{Condition, ObjectManifest, Rendering, Switch, Variable};
use genclient_codegen::yaml::{self, Lines, YamlNode};

/// Rendering as Helm templates.
struct Template;

/// The templates by file.
pub(super) fn files(objects: &[ObjectManifest]) -> BTreeMap<String, String> {
    let mut files: BTreeMap<String, String> = BTreeMap::new();
    for object in objects {
        let document = yaml::text(&object.render(&Template));
        let Some(lines) = lines(&[&object.when]) else {
            continue;
        };
        let file = files.entry(object.file.clone());
        let text = file.or_insert_with(|| format!("# {HEADER}\n"));
        let parts = match lines {
            Some(Lines { above, below }) => [above, "\n---\n".into(), document, below, "\n".into()],
            None => [
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
                amount.of, amount.resource
            )),
        }
    }

    fn when(&self, conditions: &[&Condition], node: YamlNode) -> Option<YamlNode> {
        Some(match lines(conditions)? {
            Some(lines) => YamlNode::Between(lines, Box::new(node)),
            None => node,
        })
    }

    fn fixed(&self, node: &YamlNode) -> YamlNode {
        match node {
            YamlNode::Text(text) => YamlNode::Text(escaped(text)),
            YamlNode::Plain(_) => node.clone(),
            YamlNode::List(items) => {
                YamlNode::List(items.iter().map(|item| self.fixed(item)).collect())
            }
            YamlNode::Map(entries) => {
                let entries = entries
                    .iter()
                    .map(|(key, value)| (escaped(key), self.fixed(value)));
                YamlNode::Map(entries.collect())
            }
            YamlNode::Between(lines, node) => {
                YamlNode::Between(lines.clone(), Box::new(self.fixed(node)))
            }
        }
    }
}

/// Escapes template delimiters, so that Helm reproduces the text.
fn escaped(text: &str) -> String {
    text.replace("{{", "{{ `{{` }}")
}

/// The lines around an element that is present if one of the conditions holds. `Some(None)` if the
/// element is always present, `None` if it never is.
fn lines(conditions: &[&Condition]) -> Option<Option<Lines>> {
    let mut any = Vec::new();
    for condition in conditions {
        match expression(condition) {
            Expression::Always => return Some(None),
            Expression::Never => {}
            Expression::Of(text) if any.contains(&text) => {}
            Expression::Of(text) => any.push(text),
        }
    }
    // If a condition and its negation are both listed, the element is always present.
    if any.iter().any(|one| any.contains(&format!("not {one}"))) {
        return Some(None);
    }
    let any = match &any[..] {
        [] => return None,
        [one] => one.clone(),
        several => format!("or ({})", several.join(") (")),
    };
    Some(Some(Lines {
        above: format!("{{{{- if {any} }}}}"),
        below: "{{- end }}".to_owned(),
    }))
}

/// A condition as a template expression.
enum Expression {
    Always,
    Never,
    Of(String),
}

/// Translates a condition to an expression over the chart's values.
fn expression(condition: &Condition) -> Expression {
    let mut all = Vec::new();
    for (switch, is_on) in &condition.0 {
        match (value(*switch), is_on) {
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

/// The chart value of a switch; `None` for the namespace, which charts do not create.
fn value(switch: Switch) -> Option<&'static str> {
    match switch {
        Switch::CertManager => Some("certManager.enabled"),
        Switch::Metrics => Some("metrics.enabled"),
        Switch::Prometheus => Some("prometheus.enabled"),
        Switch::NetworkPolicy => Some("networkPolicy.enabled"),
        Switch::Crds => Some("crd.enabled"),
        Switch::KeptCrds => Some("crd.keep"),
        Switch::Helpers => Some("rbac.helpers.enabled"),
        Switch::Namespace => None,
    }
}
