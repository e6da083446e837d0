//! Unused webhooks: impls without `#[webhook]`, which no configuration lists.

use genclient_syntax::{WebhookRole, is_webhook};
use syn::{ImplItem, Item, ItemImpl};

use crate::diagnostic::{Diagnostic, Sink};
use crate::sources::{Module, is_cfg_test};

/// Warns about an impl of a webhook trait without `#[webhook]`.
pub(super) fn check(item: &Item, module: &Module, sink: &mut Sink) {
    let Item::Impl(item) = item else { return };
    let Some(role) = WebhookRole::of(item).filter(|_| has_object(item)) else {
        return;
    };
    if item
        .attrs
        .iter()
        .any(|attr| is_webhook(attr) || is_cfg_test(attr))
    {
        return;
    }
    let message = match role {
        WebhookRole::Mutating => "nothing calls this defaulter: no configuration lists it",
        WebhookRole::Validating => "nothing calls this validator: no configuration lists it",
    };
    sink.push(
        Diagnostic::warning(message)
            .at(module.locate(&item.self_ty))
            .help("write `#[webhook]` above the impl"),
    );
}

/// True if the impl has `type Object`; traits of other crates with the same names have none.
fn has_object(item: &ItemImpl) -> bool {
    let is_object = |inner: &ImplItem| matches!(inner, ImplItem::Type(ty) if ty.ident == "Object");
    item.items.iter().any(is_object)
}
