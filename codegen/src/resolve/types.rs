//! The attributes of the types that derive `CrdSchema` and that no kind uses: the derive reads them, too.

use genclient_syntax::{Problems, TypeAttrs};
use syn::punctuated::Punctuated;
use syn::{Attribute, Item, Path, Token};

use super::schema::Made;
use crate::diagnostic::Sink;
use crate::sources::{Sources, is_cfg_test};

/// Reports what the derive reports, of the types that were not made into schemas.
pub(super) fn check(sources: &Sources, made: &Made<'_>, sink: &mut Sink) {
    for (_, module) in sources.api_modules() {
        for item in module.items.iter().filter(|item| !made.has_read(item)) {
            let mut problems = Problems::new();
            match item {
                Item::Struct(item) if is_derived(&item.attrs) => {
                    TypeAttrs::of_struct(item, &mut problems);
                }
                Item::Enum(item) if is_derived(&item.attrs) => {
                    TypeAttrs::of_enum(item, &mut problems);
                }
                Item::Union(item) if is_derived(&item.attrs) => {
                    TypeAttrs::of_derive(&item.clone().into(), &mut problems);
                }
                _ => {}
            }
            sink.problems(problems, &module.source);
        }
    }
}

fn is_derived(attrs: &[Attribute]) -> bool {
    let derives = attrs.iter().filter(|attr| attr.path().is_ident("derive"));
    let derived = derives
        .filter_map(|attr| {
            attr.parse_args_with(Punctuated::<Path, Token![,]>::parse_terminated)
                .ok()
        })
        .flatten()
        .any(|path| {
            path.segments
                .last()
                .is_some_and(|last| last.ident == "CrdSchema")
        });
    derived && !attrs.iter().any(is_cfg_test)
}
