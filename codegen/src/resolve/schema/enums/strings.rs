//! Error or warning for enums that mix strings and objects. The help lists alternatives.

use syn::Ident;

use super::variants::{Part, beside_a_tag};
use super::{Around, Member, Tagging};
use crate::model::Schema;
use crate::resolve::schema::{Resolver, Slot, union};

impl Resolver<'_, '_> {
    /// Returns the schema of an enum that has variants without a schema. `parts` are the variants
    /// with a schema, and `missing` is the number of the other variants. Reports each string among
    /// objects. If schemars generates the CRD, and only strings lack a schema, warns instead, and
    /// the schema accepts any value.
    pub(super) fn beside_strings(
        &mut self,
        (name, missing): (&Ident, usize),
        members: &[Member<'_>],
        parts: &[Part<'_>],
        around: &Around,
    ) -> Schema {
        if !matches!(around.tagging, Tagging::External) || !around.has_content {
            return Schema::default();
        }
        let strings: Vec<_> = members
            .iter()
            .filter(|member| member.is_unit() && !member.serde.untagged)
            .collect();
        if self.is_of_schemars() && strings.len() == missing {
            return self.any_value(name, format!("`{name}` is a string or an object"));
        }
        let tag = tag_that_fits(members, parts).map_or_else(String::new, |tag| {
            format!(
                "; or tag the enum, which changes how all variants are serialized: `#[serde({tag})]`"
            )
        });
        for member in strings {
            let variant = &member.variant.ident;
            let name = &member.name;
            self.report(
                variant,
                format!("`{variant}` is serialized as a string and other variants as objects, which a structural schema cannot combine"),
                format!(
                    "give it braces: `{variant} {{}}`, serialized as `{{\"{name}\": {{}}}}`{tag}; \
                     or keep the serialized form: `#[crd(schema = {{ \
                     \"x-kubernetes-preserve-unknown-fields\": true }})]`"
                ),
            );
        }
        Schema::default()
    }
}

/// Returns serde keys, such as `tag = "type"`, that make a structural schema possible.
fn tag_that_fits(members: &[Member<'_>], parts: &[Part<'_>]) -> Option<String> {
    if members.iter().any(|member| member.serde.untagged) {
        return None;
    }
    let with_content = members.iter().filter(|member| !member.is_unit());
    let contents: Vec<&Schema> = parts
        .iter()
        .filter_map(|part| Some(&**part.schema.properties.get(&part.member.name)?))
        .collect();
    if contents.len() < with_content.count() {
        return None;
    }
    if let Some(tag) = free_name(&contents)
        && fit_beside_a_tag(&contents)
    {
        return Some(format!("tag = \"{tag}\""));
    }
    let fit = union::merge(&contents).is_ok();
    fit.then(|| "tag = \"type\", content = \"value\"".to_owned())
}

/// True if one object can hold a tag and the fields of any variant.
fn fit_beside_a_tag(contents: &[&Schema]) -> bool {
    let objects: Result<Vec<_>, _> = contents
        .iter()
        .map(|content| beside_a_tag(Slot::of((*content).clone())))
        .collect();
    objects.is_ok_and(|objects| {
        let objects: Vec<_> = objects.iter().collect();
        union::merge(&objects).is_ok()
    })
}

/// Returns a name for the tag that no variant has as a field.
fn free_name(contents: &[&Schema]) -> Option<&'static str> {
    ["type", "kind"].into_iter().find(|name| {
        contents
            .iter()
            .all(|content| !content.properties.contains_key(*name))
    })
}
