//! [`ManifestValue`]: a Kubernetes object as data, with parts that depend on deployment settings.

use serde_json::Value;

use super::settings::{Condition, Rendering, Variable};
use crate::yaml::YamlNode;

/// A value of an object.
#[derive(Clone, Debug, PartialEq)]
pub(crate) enum ManifestValue {
    /// A value without settings.
    Fixed(YamlNode),
    List(Vec<ManifestValue>),
    Map(Vec<(String, ManifestValue)>),
    /// The namespace of the deployment, between a prefix and a suffix.
    Namespace {
        before: String,
        after: String,
    },
    /// A value that a deployment may set.
    Variable(Variable),
    /// An entry or item that is present under a condition.
    When(Condition, Box<ManifestValue>),
}

impl ManifestValue {
    /// Makes the value conditional.
    pub(crate) fn when(self, condition: Condition) -> Self {
        Self::When(condition, Box::new(self))
    }

    /// Renders the value; `None` if it is absent. A map or list with only conditional members is
    /// present if one of the conditions holds.
    pub(crate) fn render(&self, rendering: &dyn Rendering) -> Option<YamlNode> {
        let node = match self {
            Self::Fixed(node) => rendering.fixed(node),
            Self::List(items) => {
                let rendered = items.iter().filter_map(|item| item.render(rendering));
                let node = YamlNode::List(rendered.collect());
                return render_if_any(items, node, rendering);
            }
            Self::Map(entries) => {
                let rendered = entries.iter().filter_map(|(key, value)| {
                    let value = value.render(rendering)?;
                    Some((key.clone(), value))
                });
                let node = YamlNode::Map(rendered.collect());
                return render_if_any(entries.iter().map(|(_, value)| value), node, rendering);
            }
            Self::Namespace { before, after } => {
                YamlNode::Text(format!("{before}{}{after}", rendering.namespace()))
            }
            Self::Variable(variable) => rendering.variable(*variable),
            Self::When(condition, tree) => {
                let node = tree.render(rendering)?;
                return rendering.when(&[condition], node);
            }
        };
        Some(node)
    }
}

/// Renders a map or list; it is absent if all members are conditional and no condition holds.
fn render_if_any<'t>(
    members: impl IntoIterator<Item = &'t ManifestValue>,
    node: YamlNode,
    rendering: &dyn Rendering,
) -> Option<YamlNode> {
    let conditions = members.into_iter().map(|member| match member {
        ManifestValue::When(condition, _) => Some(condition),
        _ => None,
    });
    match conditions.collect::<Option<Vec<_>>>() {
        Some(conditions) if !conditions.is_empty() => rendering.when(&conditions, node),
        _ => Some(node),
    }
}

impl From<&str> for ManifestValue {
    fn from(text: &str) -> Self {
        Self::Fixed(YamlNode::Text(text.to_owned()))
    }
}

impl From<String> for ManifestValue {
    fn from(text: String) -> Self {
        Self::Fixed(YamlNode::Text(text))
    }
}

impl From<&String> for ManifestValue {
    fn from(text: &String) -> Self {
        Self::from(text.as_str())
    }
}

impl From<i32> for ManifestValue {
    fn from(number: i32) -> Self {
        Self::Fixed(YamlNode::plain(number))
    }
}

impl From<bool> for ManifestValue {
    fn from(value: bool) -> Self {
        Self::Fixed(YamlNode::plain(value))
    }
}

impl From<YamlNode> for ManifestValue {
    fn from(node: YamlNode) -> Self {
        Self::Fixed(node)
    }
}

impl From<&Value> for ManifestValue {
    fn from(value: &Value) -> Self {
        Self::Fixed(value.into())
    }
}

impl From<Variable> for ManifestValue {
    fn from(variable: Variable) -> Self {
        Self::Variable(variable)
    }
}

impl From<Vec<Self>> for ManifestValue {
    fn from(items: Vec<Self>) -> Self {
        Self::List(items)
    }
}

/// Builds a [`ManifestValue`] from JSON-like syntax, with expressions in parentheses.
macro_rules! tree {
    ({ $($key:literal: $value:tt),* $(,)? }) => {
        $crate::manifests::value::ManifestValue::Map(vec![$(($key.to_owned(), tree!($value))),*])
    };
    ([ $($item:tt),* $(,)? ]) => {
        $crate::manifests::value::ManifestValue::List(vec![$(tree!($item)),*])
    };
    (($value:expr)) => { $crate::manifests::value::ManifestValue::from($value) };
    ($value:literal) => { $crate::manifests::value::ManifestValue::from($value) };
}

pub(crate) use tree;
