//! Schema of all variants of an enum: one structure, with a branch for each variant.

use syn::Ident;

use super::variants::Part;
use super::{Around, Tagging, scalars};
use crate::model::Schema;
use crate::resolve::schema::union::{self, Cause, Conflict, Union};
use crate::resolve::schema::{Resolver, flatten};

const STATE_IT: &str = "leave `untagged` out, so that each variant has a property of its own, or state a schema that takes all: \
     `#[crd(schema = { \"x-kubernetes-preserve-unknown-fields\": true })]`";

impl Resolver<'_, '_> {
    pub(super) fn choice(&mut self, parts: &[Part<'_>], around: &Around) -> Schema {
        let schemas: Vec<&Schema> = parts.iter().map(|part| &part.schema).collect();
        if let Some(schema) = scalars::mixed(&schemas) {
            return schema;
        }
        match union::merge(&schemas) {
            Ok(mut union) => {
                close(&mut union, parts);
                let tagged = !matches!(around.tagging, Tagging::Untagged)
                    && parts.iter().all(|part| !part.member.serde.untagged);
                if tagged {
                    exactly_one(union, around.tagging.tag())
                } else {
                    at_least_one(union)
                }
            }
            Err(Conflict {
                cause: Cause::Types(one, another),
                path,
                between: (left, right),
            }) if path.is_empty() && self.is_of_schemars() => {
                let [left, right] = [left, right].map(|at| &parts[at].member.variant.ident);
                let message = format!("`{left}` is {one} and `{right}` is {another}");
                self.any_value(right, message)
            }
            Err(conflict) => {
                self.report_conflict(&conflict, parts, around);
                Schema::default()
            }
        }
    }

    /// Returns a schema that accepts any value, for variants of kube's types that no structural
    /// schema can express together, and warns about it.
    pub(in crate::resolve::schema) fn any_value(&mut self, at: &Ident, message: String) -> Schema {
        self.warn(
            at,
            format!("{message}, which no structural schema can say together: any value is accepted"),
            "to have values checked, write all of them as objects: an enum without `untagged`, and with braces where a variant has no fields",
        );
        Schema {
            preserve_unknown_fields: true,
            ..Schema::default()
        }
    }

    fn report_conflict(&mut self, conflict: &Conflict, parts: &[Part<'_>], around: &Around) {
        let (left, right) = conflict.between;
        let name = |place: usize| &parts[place].member.variant.ident;
        let (left, variant) = (name(left), name(right));
        let path = conflict.path.join(".");
        let content = match &around.tagging {
            Tagging::Adjacent { content, .. } => Some(content),
            _ => None,
        };
        let on_the_enum = on_the_enum(parts, conflict.between);
        let (message, help) = match &conflict.cause {
            Cause::Types(one, another) if path.is_empty() => (
                format!(
                    "`{left}` is {one} and `{variant}` is {another}, which no structural schema can say together"
                ),
                STATE_IT,
            ),
            Cause::Types(one, another) => (
                format!("`{path}` is {one} in `{left}` and {another} in `{variant}`"),
                if conflict.path.first() == content {
                    "leave `content` and `tag` out, so that each variant has a property of its own"
                } else {
                    "give the two fields one type, or different names"
                },
            ),
            Cause::Default => (
                format!(
                    "the default of `{path}` in `{left}` would be filled in for `{variant}` as well"
                ),
                "remove `#[crd(default = …)]`, or add `#[crd(no_default)]`: `#[serde(default)]` fills it in for the \
                 reader alone",
            ),
            Cause::Part(what) if path.is_empty() => (
                format!("a {what} of `{left}` would hold for `{variant}` as well"),
                on_the_enum.as_str(),
            ),
            Cause::Part(what) => (
                format!("`{path}` has one {what} in `{left}` and another in `{variant}`"),
                "make the two fields equal, or give them different names",
            ),
        };
        // The default is in the first of the two variants.
        let at = match conflict.cause {
            Cause::Default => left,
            _ => variant,
        };
        self.report(at, message, help);
    }
}

/// Help for a rule of one variant: a rule on the enum, guarded by a field of that variant.
fn on_the_enum(parts: &[Part<'_>], (left, right): (usize, usize)) -> String {
    let fields = |at: usize| parts[at].schema.properties.keys();
    let is_ruled = |at: usize, field: &str| {
        let mut rules = parts[at].schema.validations.iter();
        rules.any(|rule| rule.rule.contains(&format!("self.{field}")))
    };
    let named = [left, right]
        .into_iter()
        .find_map(|at| fields(at).find(|field| is_ruled(at, field)));
    let field = named.map_or("…", String::as_str);
    format!("write it on the enum: `!has(self.{field}) || …`")
}

/// Forbids fields of other variants if serde refuses unknown fields.
fn close(union: &mut Union, parts: &[Part<'_>]) {
    for (branch, part) in union.branches.iter_mut().zip(parts) {
        let others = union.structure.properties.keys();
        let others: Vec<&String> = others
            .filter(|name| !part.schema.properties.contains_key(*name))
            .collect();
        if part.closed && !others.is_empty() {
            flatten::demand(branch, flatten::absent(&others));
        }
    }
}

/// Requires exactly one branch, unless the branches differ in the tag only.
fn exactly_one(union: Union, tag: Option<&str>) -> Schema {
    let Union {
        mut structure,
        branches,
    } = union;
    let says_more = |branch: &Schema| {
        let mut rest = branch.clone();
        rest.required
            .retain(|name| !structure.required.contains(name));
        if let Some(tag) = tag {
            rest.properties.remove(tag);
        }
        rest != Schema::default()
    };
    if branches.iter().any(says_more) {
        let one_of = Schema {
            one_of: branches,
            ..Schema::default()
        };
        flatten::demand(&mut structure, one_of);
    }
    structure
}

/// Requires at least one branch: serde reads the first variant that fits. No branch is needed if
/// one variant admits everything, or if the branches hold only values, which the structure lists.
fn at_least_one(union: Union) -> Schema {
    let Union {
        mut structure,
        branches,
    } = union;
    let values_alone = |branch: &Schema| {
        let rest = Schema {
            enum_: Vec::new(),
            ..branch.clone()
        };
        rest == Schema::default()
    };
    let free = branches.iter().any(|branch| *branch == Schema::default());
    if !free && !branches.iter().all(values_alone) {
        let any_of = Schema {
            any_of: branches,
            ..Schema::default()
        };
        flatten::demand(&mut structure, any_of);
    }
    structure
}
