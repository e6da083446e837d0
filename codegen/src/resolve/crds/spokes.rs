//! Unused conversions: an `impl Spoke` for a kind without a conversion webhook.

use syn::{Item, Type};

use super::definition::CrdOfKinds;
use crate::diagnostic::{Diagnostic, Sink};
use crate::project::Project;
use crate::resolve::paths::{Found, Paths};
use crate::sources::Sources;

/// Warns about every `impl Spoke` among the API types if the kind's definition names no webhook.
pub(super) fn check(
    definitions: &[CrdOfKinds<'_>],
    sources: &Sources,
    paths: &Paths<'_>,
    project: &Project,
    sink: &mut Sink,
) {
    let webhook = match project.deploy {
        Some(_) => "webhook",
        None => "webhook(service = \"namespace/name\")",
    };
    // An error may be in the attribute that names the webhook.
    let idle = definitions
        .iter()
        .filter(|one| one.crd.conversion.is_none() && !one.faulty);
    let idle: Vec<_> = idle.collect();
    for (id, module) in sources.api_modules() {
        for item in &module.items {
            let Some(ty) = spoke(item) else { continue };
            let Some(Found::Item(owner, Item::Struct(found))) = paths.find(id, &ty.path) else {
                continue;
            };
            let of_kind = |definition: &&&CrdOfKinds<'_>| {
                let mut versions = definition.versions.iter();
                versions.any(|kind| kind.module == owner && kind.attrs.ident == found.ident)
            };
            if let Some(definition) = idle.iter().find(of_kind) {
                let kind = &definition.crd.kind;
                let stored = &definition.stored.version.value;
                let message = format!("nothing calls this conversion: `{kind}` names no webhook");
                sink.push(
                    Diagnostic::warning(message)
                        .at(module.locate(ty))
                        .help(format!("write `#[crd(conversion({webhook}))]` on {stored}")),
                );
            }
        }
    }
}

/// Returns the type that implements `Spoke`.
fn spoke(item: &Item) -> Option<&syn::TypePath> {
    let Item::Impl(item) = item else { return None };
    let (of, _) = item.trait_.as_ref()?;
    match &*item.self_ty {
        Type::Path(ty) if of.segments.last()?.ident == "Spoke" => Some(ty),
        _ => None,
    }
}
