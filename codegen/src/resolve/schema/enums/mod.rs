//! Schemas of enums in each of serde's representations: external, internal, adjacent, untagged.

mod choice;
mod strings;
mod variants;

use genclient_syntax::{Members, Problems, Shape, TypeAttrs};
use syn::{ItemEnum, Variant};

use super::serde_attrs::SerdeAttrs;
use super::serde_keys::SerdeSite;
use super::{Resolver, Slot};
use crate::model::{JsonType, Schema};
use crate::sources::bare_name;

/// Serde's representation of an enum.
#[derive(Clone, Debug)]
pub(super) enum Tagging {
    /// `{ "Name": … }`
    External,
    /// `{ "tag": "Name", … }`
    Internal { tag: String },
    /// `{ "tag": "Name", "content": … }`
    Adjacent { tag: String, content: String },
    /// Only the content of the variant, without its name.
    Untagged,
}

impl Tagging {
    pub(super) fn of(serde: &SerdeAttrs) -> Self {
        match (&serde.tag, &serde.content) {
            _ if serde.untagged => Self::Untagged,
            (Some(tag), Some(content)) => Self::Adjacent {
                tag: tag.value(),
                content: content.value(),
            },
            (Some(tag), None) => Self::Internal { tag: tag.value() },
            (None, _) => Self::External,
        }
    }

    fn tag(&self) -> Option<&str> {
        match self {
            Self::Internal { tag } | Self::Adjacent { tag, .. } => Some(tag),
            Self::External | Self::Untagged => None,
        }
    }
}

/// A variant that serde reads or writes.
struct Member<'a> {
    variant: &'a Variant,
    /// Name in JSON.
    name: String,
    serde: SerdeAttrs,
    /// Index among all variants.
    place: usize,
}

impl Member<'_> {
    fn is_unit(&self) -> bool {
        matches!(self.variant.fields, syn::Fields::Unit)
    }

    /// True if serde writes the variant as `null`.
    fn is_null(&self, tagging: &Tagging) -> bool {
        self.is_unit() && (matches!(tagging, Tagging::Untagged) || self.serde.untagged)
    }
}

/// Properties of the enum that its variants depend on.
struct Around {
    container: SerdeAttrs,
    tagging: Tagging,
    /// Names in JSON of all variants without `#[serde(other)]`.
    names: Vec<String>,
    /// True if a variant without `#[serde(untagged)]` has content.
    has_content: bool,
}

impl<'a> Resolver<'a, '_> {
    pub(super) fn enumeration(&mut self, item: &'a ItemEnum) -> Slot {
        let mut problems = Problems::new();
        let attrs = TypeAttrs::of_enum(&self.enum_with_literals(item), &mut problems);
        self.report_problems(problems);
        self.refuse_skipped(&attrs.schema, &item.ident);
        let container = self.serde(&item.attrs, SerdeSite::Type);
        let mut slot = if attrs.schema.replaces_type() {
            Slot::default()
        } else if let Some(slot) = self.stated_whole(&attrs.schema) {
            slot
        } else if let Some(slot) = self.converted(&container) {
            slot
        } else {
            let around = Around {
                tagging: Tagging::of(&container),
                names: Vec::new(),
                has_content: false,
                container,
            };
            self.variants(item, &attrs.members, around)
        };
        if let Some(description) = self.description(&item.attrs) {
            slot.schema.description = Some(description);
        }
        let schema = self.constrain(&attrs.schema, slot.schema, &Shape::Enum);
        Slot { schema, ..slot }
    }

    fn variants(&mut self, item: &'a ItemEnum, attrs: &Members, mut around: Around) -> Slot {
        let members = self.members_of(item, &around);
        let with_names = members.iter().filter(|member| !member.serde.other);
        around.names = with_names.map(|member| member.name.clone()).collect();
        let by_name = |member: &Member<'_>| !member.serde.untagged;
        around.has_content = members
            .iter()
            .any(|member| by_name(member) && !member.is_unit());
        if members.is_empty() {
            return Slot::of(self.without_variants(item));
        }
        let names_alone = matches!(around.tagging, Tagging::External)
            && members
                .iter()
                .all(|member| member.is_unit() && !member.serde.untagged);
        if names_alone {
            return Slot::of(names(&members));
        }
        // For a variant that is written as `null`, schemars writes `anyOf` with `null`, which kube
        // rewrites to `nullable`.
        let has_null = |member: &Member<'_>| member.is_null(&around.tagging);
        let is_nullable =
            self.is_of_schemars() && members.iter().any(has_null) && !members.iter().all(has_null);
        let is_part = |member: &&Member<'_>| !(is_nullable && has_null(member));
        let mut parts = Vec::new();
        for member in members.iter().filter(is_part) {
            let attrs = match attrs {
                Members::Variants(variants) => variants.get(member.place),
                Members::Fields(_) => None,
            };
            let attrs = attrs.map(Vec::as_slice).unwrap_or_default();
            parts.extend(self.part(member, attrs, &around));
        }
        let missing = members.iter().filter(is_part).count() - parts.len();
        if missing > 0 {
            let schema = self.beside_strings((&item.ident, missing), &members, &parts, &around);
            return Slot::of(schema);
        }
        let closed = matches!(around.tagging, Tagging::External) && members.iter().all(by_name);
        let slot = Slot {
            optional: is_nullable,
            ..Slot::of(self.choice(&parts, &around))
        };
        Slot {
            // serde reads `{ "Name": … }` only if the object has no second field.
            closed,
            ..Slot::of(slot.nullable())
        }
    }

    /// Returns the schema of an enum without variants, and reports the enum. Only warns if schemars
    /// generates the CRD.
    fn without_variants(&mut self, item: &ItemEnum) -> Schema {
        let name = &item.ident;
        if self.is_of_schemars() {
            let message = format!("`{name}` must have at least one variant");
            self.warn(name, message, "add a variant, such as `Always`");
            return Schema::typed(JsonType::String);
        }
        let message = format!("`{name}` needs a variant that serde reads or writes");
        self.report(name, message, "add a variant, such as `Always`");
        Schema::default()
    }

    fn members_of(&mut self, item: &'a ItemEnum, around: &Around) -> Vec<Member<'a>> {
        let mut members: Vec<Member<'a>> = Vec::new();
        for (place, variant) in item.variants.iter().enumerate() {
            let serde = self.serde(&variant.attrs, SerdeSite::Variant);
            if serde.skipped() {
                continue;
            }
            let name = serde.rename.clone().unwrap_or_else(|| {
                around
                    .container
                    .rename_all
                    .variant(&bare_name(&variant.ident))
            });
            let named = |member: &&Member<'_>| member.name == name && !member.serde.untagged;
            if let Some(other) = members.iter().find(named).filter(|_| !serde.untagged) {
                let message = format!(
                    "duplicate variant name: `{}` has the name `{name}` as well",
                    other.variant.ident
                );
                self.report(
                    &variant.ident,
                    message,
                    "rename it: `#[serde(rename = \"…\")]`",
                );
                continue;
            }
            members.push(Member {
                variant,
                name,
                serde,
                place,
            });
        }
        members
    }
}

/// Returns the string schema of unit variants. A variant with `#[serde(other)]` admits any string.
fn names(members: &[Member<'_>]) -> Schema {
    let mut schema = Schema::typed(JsonType::String);
    if !members.iter().any(|member| member.serde.other) {
        schema.enum_ = members
            .iter()
            .map(|member| member.name.clone().into())
            .collect();
    }
    schema
}
