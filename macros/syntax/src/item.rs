//! Attributes of a whole `#[derive(CrdSchema)]` item: the type, its fields and its variants.

use syn::spanned::Spanned as _;

use super::{AttributeTarget, Help, Problem, Problems, SchemaAttrs, serde};
use crate::foreign::ForeignAttr;
use crate::keys::{self, Keys};
use crate::table::{Key, Within};

/// The attributes of a struct or an enum.
#[derive(Clone, Debug)]
pub struct TypeAttrs {
    /// Attributes of the type itself.
    pub schema: SchemaAttrs,
    /// Attributes of its fields or variants.
    pub members: Members,
}

/// Fields or variants of a type, in source order.
#[derive(Clone, Debug)]
pub enum Members {
    /// One entry for each field of a struct.
    Fields(Vec<SchemaAttrs>),
    /// One list for each variant of an enum, with an entry for each field of the variant.
    Variants(Vec<Vec<SchemaAttrs>>),
}

impl TypeAttrs {
    /// Reads and checks a struct.
    pub fn of_struct(item: &syn::ItemStruct, problems: &mut Problems) -> Self {
        struct_attrs(&item.attrs, &item.fields, problems)
    }

    /// Reads and checks an enum.
    pub fn of_enum(item: &syn::ItemEnum, problems: &mut Problems) -> Self {
        enum_attrs(&item.attrs, item.variants.iter(), problems)
    }

    /// Reads and checks the input of a derive macro. A union is reported and has no members.
    pub fn of_derive(item: &syn::DeriveInput, problems: &mut Problems) -> Self {
        match &item.data {
            syn::Data::Struct(data) => struct_attrs(&item.attrs, &data.fields, problems),
            syn::Data::Enum(data) => enum_attrs(&item.attrs, data.variants.iter(), problems),
            syn::Data::Union(_) => {
                problems.report(
                    item.ident.span(),
                    "unions are not supported",
                    "use a struct or an enum",
                );
                Self {
                    schema: SchemaAttrs::default(),
                    members: Members::Fields(Vec::new()),
                }
            }
        }
    }
}

fn struct_attrs(
    attrs: &[syn::Attribute],
    fields: &syn::Fields,
    problems: &mut Problems,
) -> TypeAttrs {
    check_conditional(attrs, problems);
    TypeAttrs {
        schema: SchemaAttrs::parse(attrs, AttributeTarget::of_struct(fields), problems),
        members: Members::Fields(fields_attrs(fields, problems)),
    }
}

fn enum_attrs<'v>(
    attrs: &[syn::Attribute],
    variants: impl Iterator<Item = &'v syn::Variant>,
    problems: &mut Problems,
) -> TypeAttrs {
    check_conditional(attrs, problems);
    let schema = SchemaAttrs::parse(attrs, AttributeTarget::of_enum(), problems);
    let variants = variants
        .map(|variant| variant_attrs(variant, problems))
        .collect();
    TypeAttrs {
        schema,
        members: Members::Variants(variants),
    }
}

fn variant_attrs(variant: &syn::Variant, problems: &mut Problems) -> Vec<SchemaAttrs> {
    check_conditional(&variant.attrs, problems);
    // No key is allowed on a variant: each one is reported as misplaced.
    Keys::from_attributes(
        &variant.attrs,
        Within::Crd,
        &AttributeTarget::of_variant(&variant.fields),
        problems,
    );
    fields_attrs(&variant.fields, problems)
}

pub(crate) fn fields_attrs(fields: &syn::Fields, problems: &mut Problems) -> Vec<SchemaAttrs> {
    fields
        .iter()
        .map(|field| field_attrs(field, problems))
        .collect()
}

fn field_attrs(field: &syn::Field, problems: &mut Problems) -> SchemaAttrs {
    check_conditional(&field.attrs, problems);
    for attr in field
        .attrs
        .iter()
        .filter(|attr| attr.path().is_ident("cfg"))
    {
        let help = Help::remove("remove it: the CRD is the same for every build");
        problems.report(attr.path().span(), "`cfg` is not allowed on a field", help);
    }
    for key in [Key::GENCLIENT].into_iter().chain(Key::GVK) {
        for attr in field.attrs.iter().filter(|attr| attr.path().is_ident(&key)) {
            let help = "move it to the struct, below `#[genclient]`";
            problems.report(
                attr.path().span(),
                format!("`{key}` belongs on a kind, not on a field"),
                help,
            );
        }
    }
    SchemaAttrs::parse(&field.attrs, AttributeTarget::of_field(&field.ty), problems)
}

/// Reports `crd`, `group`, `version` and `kind` inside `cfg_attr`. They cannot be conditional,
/// because the CRD is the same for every build.
pub(crate) fn check_conditional(attrs: &[syn::Attribute], problems: &mut Problems) {
    for piece in serde::attribute_pieces(attrs, ForeignAttr::CFG_ATTR) {
        if keys::is_grammar(&piece.key) {
            let message = format!("`{}` is not allowed in `cfg_attr`", piece.key);
            let problem = Problem::new(piece.span(), message);
            problems.push(
                problem
                    .with_help("write it without `cfg_attr`: the CRD is the same for every build"),
            );
        }
    }
}
