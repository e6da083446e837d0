//! Errors and help for types without the derive `CrdSchema`, which `#[crd(…)]` needs.

use genclient_syntax::{SchemaAttrs, derives, is_genclient};
use syn::{Attribute, Fields, Item};

use super::Resolver;
use crate::resolve::cel::{FieldOrigin, SchemaDialect, WITH_DERIVE};
use crate::resolve::kind::attributes;
use crate::sources::ModuleId;

impl Resolver<'_, '_> {
    /// Reports `#[crd(…)]` on a type without `CrdSchema`: rustc refuses the attribute. In a crate
    /// from a registry, the attribute belongs to another derive, so it is not reported.
    pub(super) fn refuse_crd_without_derive(&mut self, item: &Item, module: ModuleId) {
        if reads_crd(item) || self.sources[self.sources[module].krate].foreign {
            return;
        }
        let Some(attr) = crd_attribute(item) else {
            return;
        };
        self.within(module, |resolver| {
            resolver.report(
                attr.path(),
                "`crd` needs the derive `CrdSchema`",
                "add `genclient::CrdSchema` to the derives of the type",
            );
        });
    }

    /// If help suggests `#[crd(…)]` and the current type lacks the derive `CrdSchema`, adds the
    /// derive to the help.
    pub(super) fn with_derive(&self, help: String) -> String {
        if self.lacks_derive() {
            add_derive(help)
        } else {
            help
        }
    }

    /// Adds the derive to the help of findings since a mark, as [`Self::with_derive`] does.
    pub(super) fn add_derive_since(&mut self, mark: usize) {
        if self.lacks_derive() {
            for finding in self.sink.since(mark) {
                finding.help = finding.help.take().map(add_derive);
            }
        }
    }

    /// True if the current type must derive `CrdSchema` before `#[crd(…)]` is allowed on it.
    pub(super) fn lacks_derive(&self) -> bool {
        let is_underived = |item: &Item| !matches!(item, Item::Type(_)) && !reads_crd(item);
        self.container().is_some_and(is_underived)
    }
}

impl Resolver<'_, '_> {
    /// Returns the origin of a field of the current type, for help about rules.
    pub(super) fn origin(&self, attrs: &SchemaAttrs) -> FieldOrigin {
        FieldOrigin {
            dialect: if self.is_of_schemars() {
                SchemaDialect::of_schemars(self.sources)
            } else if self.lacks_derive() {
                SchemaDialect::CrdWithoutDerive
            } else {
                SchemaDialect::Crd
            },
            has_schema_with: attrs.schema_with.is_some(),
        }
    }
}

/// Adds the derive that `#[crd(…)]` needs to help that suggests the attribute and not the derive.
fn add_derive(help: String) -> String {
    if help.contains("#[crd(") && !help.contains("CrdSchema") {
        format!("{help}{WITH_DERIVE}")
    } else {
        help
    }
}

/// True for a type with a macro that reads `#[crd(…)]`.
fn reads_crd(item: &Item) -> bool {
    let attrs = attributes(item);
    derives(attrs, "CrdSchema") || attrs.iter().any(is_genclient)
}

/// Returns the first `#[crd(…)]` on the type, its variants or its fields.
fn crd_attribute(item: &Item) -> Option<&Attribute> {
    crd(attributes(item)).or_else(|| match item {
        Item::Struct(item) => of_fields(&item.fields),
        Item::Enum(item) => item
            .variants
            .iter()
            .find_map(|variant| crd(&variant.attrs).or_else(|| of_fields(&variant.fields))),
        _ => None,
    })
}

fn of_fields(fields: &Fields) -> Option<&Attribute> {
    fields.iter().find_map(|field| crd(&field.attrs))
}

fn crd(attrs: &[Attribute]) -> Option<&Attribute> {
    attrs.iter().find(|attr| attr.path().is_ident("crd"))
}
