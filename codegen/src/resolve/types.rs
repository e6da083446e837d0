//! Attribute checks of types that derive `CrdSchema` and that no kind uses.

use genclient_syntax::{Problems, TypeAttrs};
use syn::Item;

use super::kind::{attributes, is_derived};
use super::schema::SharedState;
use crate::diagnostic::Sink;
use crate::sources::{Sources, is_cfg_test};

/// Reports the errors that `#[derive(CrdSchema)]` reports, for types that no resolved schema uses.
pub(super) fn check_unused_types(sources: &Sources, shared: &SharedState<'_>, sink: &mut Sink) {
    for (module_id, module) in sources.api_modules() {
        for (id, item) in sources.items(module_id) {
            let attrs = attributes(item);
            let is_checked = is_derived("CrdSchema", attrs) && !attrs.iter().any(is_cfg_test);
            if !is_checked || shared.has_read(id) {
                continue;
            }
            let mut problems = Problems::new();
            match item {
                Item::Struct(item) => {
                    TypeAttrs::of_struct(item, &mut problems);
                }
                Item::Enum(item) => {
                    TypeAttrs::of_enum(item, &mut problems);
                }
                Item::Union(item) => {
                    TypeAttrs::of_derive(&item.clone().into(), &mut problems);
                }
                _ => {}
            }
            sink.problems(problems, &module.source);
        }
    }
}
