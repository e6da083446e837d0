//! Admission webhooks: `#[webhook(…)]` on an `impl Defaulter` or an `impl Validator`.
//!
//! Configurations that the API server rejects are errors here
//! (`k8s.io/kubernetes/pkg/apis/admissionregistration/validation`).

mod conditions;
mod endpoint;
mod selector;

use syn::spanned::Spanned as _;

pub use conditions::MatchCondition;

use crate::keys::{Keys, is_webhook, repeated};
use crate::table::{Key, Within};
use crate::{
    FailurePolicy, Json, MatchPolicy, Operation, Place, Problems, ReinvocationPolicy,
    ServiceReference, SideEffects, Spanned, TypeRef, attributes, dns, rule, url,
};

/// An admission webhook as its attribute states it. If a key is absent, its field is `None` or
/// empty, or has the default that the field's documentation names.
#[derive(Clone, Debug)]
pub struct WebhookAttrs {
    /// Mutating or validating.
    pub role: WebhookRole,
    /// `type Object` of the impl.
    pub object: Option<TypeRef>,
    /// The operations for which it is called; by default create and update.
    pub operations: Vec<Operation>,
    /// Policy for requests if the webhook call fails; by default `Fail`.
    pub failure_policy: FailurePolicy,
    /// Timeout of the call, in seconds.
    pub timeout: Option<u8>,
    /// Whether it is also called for requests in other versions of the kind.
    pub match_policy: Option<MatchPolicy>,
    /// Whether it changes anything besides the object; by default [`SideEffects::None`].
    pub side_effects: SideEffects,
    /// Whether it is called again after other webhooks have changed the object.
    pub reinvocation_policy: Option<ReinvocationPolicy>,
    /// The path at which it is served: the key `path`, or the path in the URL.
    pub path: Option<Spanned<String>>,
    /// The service that is called.
    pub service: Option<ServiceReference>,
    /// The port of the service.
    pub port: Option<u16>,
    /// The URL, in place of a service.
    pub url: Option<String>,
    /// Name of the webhook.
    pub name: Option<Spanned<String>>,
    /// The versions of `AdmissionReview` that it accepts.
    pub review_versions: Vec<String>,
    /// Name of the webhook configuration.
    pub configuration: Option<String>,
    /// The API groups for which it is called.
    pub groups: Vec<String>,
    /// The API versions for which it is called.
    pub versions: Vec<String>,
    /// The resources for which it is called.
    pub resources: Vec<Spanned<String>>,
    /// Label selector for namespaces.
    pub namespace_selector: Option<Json>,
    /// Label selector for objects.
    pub object_selector: Option<Json>,
    /// CEL expressions that a request must satisfy for the webhook to be called.
    pub match_conditions: Vec<MatchCondition>,
}

/// Role of a webhook, determined by its trait.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum WebhookRole {
    /// `Defaulter`: it changes objects.
    Mutating,
    /// `Validator`: it accepts or rejects requests.
    Validating,
}

impl WebhookRole {
    /// Returns the role of an impl by the name of its trait.
    pub fn of(item: &syn::ItemImpl) -> Option<Self> {
        let (of, _) = item.trait_.as_ref()?;
        match of.segments.last()?.ident.to_string().as_str() {
            "Defaulter" => Some(Self::Mutating),
            "Validator" => Some(Self::Validating),
            _ => None,
        }
    }
}

impl WebhookAttrs {
    /// Reads and checks a webhook. Every error goes to `problems`.
    ///
    /// Returns `None` if the item has no `#[webhook]`, or is no impl of `Defaulter` or `Validator`.
    pub fn parse(item: &syn::Item, problems: &mut Problems) -> Option<Self> {
        let attrs = attributes::of(item);
        let mut written = attrs.iter().filter(|attr| is_webhook(attr));
        let first = written.next()?;
        if let Some(second) = written.next() {
            let again = repeated("#[webhook]", second.path().span());
            problems.push(again.with_earlier(first.path().span()));
        }
        let Some((item, role)) = webhook(item) else {
            problems.report(
                first.path().span(),
                "`#[webhook]` must be applied to an `impl Defaulter` or `impl Validator`",
                "move it to the impl, or remove it",
            );
            return None;
        };
        let keys = Keys::read(attrs, Within::Webhook, &Place::webhook(), problems);
        Some(Self::of_keys(&keys, item, role, problems))
    }

    fn of_keys(
        keys: &Keys,
        item: &syn::ItemImpl,
        role: WebhookRole,
        problems: &mut Problems,
    ) -> Self {
        let pairs = [
            (Key::PATH, Key::URL),
            (Key::SERVICE, Key::URL),
            (Key::PORT, Key::URL),
        ];
        keys.check_exclusive(&pairs, problems);
        check_role(keys, role, problems);
        let operations = rule::operations(keys, problems);
        let service = keys.text(Key::SERVICE);
        let url = url::read(keys, problems);
        Self {
            role,
            object: object(item, keys, problems),
            operations: if operations.is_empty() {
                vec![Operation::Create, Operation::Update]
            } else {
                operations
            },
            failure_policy: value(keys, Key::FAILURE_POLICY, FailurePolicy::from_name)
                .unwrap_or(FailurePolicy::Fail),
            timeout: timeout(keys, problems),
            match_policy: value(keys, Key::MATCH_POLICY, MatchPolicy::from_name),
            side_effects: value(keys, Key::SIDE_EFFECTS, SideEffects::from_name)
                .unwrap_or(SideEffects::None),
            reinvocation_policy: value(
                keys,
                Key::REINVOCATION_POLICY,
                ReinvocationPolicy::from_name,
            ),
            path: endpoint::path(keys, url.as_ref(), item, problems),
            service: service.and_then(|service| ServiceReference::read(&service, problems)),
            port: endpoint::port(keys, problems),
            url: url.map(|url| url.value),
            name: name(keys, problems),
            review_versions: endpoint::review_versions(keys, problems),
            configuration: configuration(keys, problems),
            groups: rule::values(rule::groups(keys, problems)),
            versions: rule::versions(keys, problems),
            resources: rule::resources(keys, problems),
            namespace_selector: selector::read(Key::NAMESPACE_SELECTOR, keys, problems),
            object_selector: selector::read(Key::OBJECT_SELECTOR, keys, problems),
            match_conditions: conditions::read(keys, problems),
        }
    }
}

/// Returns the impl and its role if it implements `Defaulter` or `Validator`.
fn webhook(item: &syn::Item) -> Option<(&syn::ItemImpl, WebhookRole)> {
    let syn::Item::Impl(item) = item else {
        return None;
    };
    Some((item, WebhookRole::of(item)?))
}

/// Returns `type Object` of the impl. Reports its absence, unless the key `resources` is written.
fn object(item: &syn::ItemImpl, keys: &Keys, problems: &mut Problems) -> Option<TypeRef> {
    let is_self = |ty: &syn::Type| matches!(ty, syn::Type::Path(ty) if ty.path.is_ident("Self"));
    let object = item.items.iter().find_map(|inner| match inner {
        syn::ImplItem::Type(ty) if ty.ident != "Object" => None,
        syn::ImplItem::Type(ty) if is_self(&ty.ty) => Some(TypeRef((*item.self_ty).clone())),
        syn::ImplItem::Type(ty) => Some(TypeRef(ty.ty.clone())),
        _ => None,
    });
    if object.is_none() && !keys.mentions(Key::RESOURCES) {
        problems.report(
            item.self_ty.span(),
            "the webhook needs a `type Object`",
            "add `type Object = ..;` to the impl",
        );
    }
    object
}

fn value<T>(keys: &Keys, key: Key, from_name: impl FnOnce(&str) -> Option<T>) -> Option<T> {
    keys.value(key, from_name).map(|value| value.value)
}

fn check_role(keys: &Keys, role: WebhookRole, problems: &mut Problems) {
    let reinvocation = keys.get(Key::REINVOCATION_POLICY);
    if let Some(key) = reinvocation.filter(|_| role == WebhookRole::Validating) {
        problems.report(
            key.span,
            "`reinvocation_policy` applies only to a Defaulter",
            "remove it: a Validator is called after all mutating webhooks",
        );
    }
}

fn timeout(keys: &Keys, problems: &mut Problems) -> Option<u8> {
    let timeout = keys.number(Key::TIMEOUT)?;
    let seconds = timeout
        .value
        .as_i128()
        .and_then(|value| u8::try_from(value).ok());
    let fitting = seconds.filter(|seconds| (1..=30).contains(seconds));
    if fitting.is_none() {
        let is_small = timeout.value.as_f64() < 1.0;
        let help = format!("write `timeout = {}`", if is_small { 1 } else { 30 });
        let message = "`timeout` must be between 1 and 30 seconds";
        problems.report(timeout.span, message, help);
    }
    fitting
}

fn name(keys: &Keys, problems: &mut Problems) -> Option<Spanned<String>> {
    let name = keys.text(Key::NAME)?;
    let is_name = |name: &str| dns::is_subdomain(name) && name.split('.').count() >= 3;
    if !is_name(&name.value) {
        problems.report(
            name.span,
            format!(
                "invalid webhook name `{}`: must have at least three segments separated by dots",
                name.value
            ),
            dns::lower_case(
                &name.value,
                is_name,
                "write lower-case segments, for example `\"quota.tasks.example.com\"`",
            ),
        );
    }
    Some(name)
}

fn configuration(keys: &Keys, problems: &mut Problems) -> Option<String> {
    let name = keys.text(Key::CONFIGURATION)?;
    if !dns::is_subdomain(&name.value) {
        problems.report(
            name.span,
            format!("invalid name `{}` for `configuration`", name.value),
            dns::lower_case(
                &name.value,
                dns::is_subdomain,
                "use lower-case letters, digits, `-` and `.`",
            ),
        );
    }
    Some(name.value)
}
