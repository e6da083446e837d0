//! Admission webhook configurations, from impls with `#[webhook]`.

use std::collections::BTreeMap;

use genclient_syntax::{Problems, WebhookAttrs, WebhookRole, is_webhook};
use syn::{ImplItem, Item, ItemImpl};

use super::cel;
use super::json_values::json;
use super::kind::Kind;
use super::object::{self, Object};
use super::paths::Paths;
use super::rbac;
use crate::diagnostic::{Diagnostic, Location, Sink};
use crate::model::{MatchCondition, Webhook, WebhookConfiguration, WebhookEndpoint};
use crate::project::Deploy;
use crate::sources::{Module, ModuleId, Sources, is_cfg_test};

/// Returns the configurations of the package's webhooks. A webhook is left out if its attribute is
/// invalid or its object type is not found.
pub(super) fn resolve(
    kinds: &[Kind<'_>],
    sources: &Sources,
    paths: &Paths<'_>,
    deploy: Option<&Deploy>,
    sink: &mut Sink,
) -> Vec<WebhookConfiguration> {
    let mut configurations: BTreeMap<_, Vec<NamedWebhook>> = BTreeMap::new();
    for id in sources.webhook_modules() {
        for item in &sources[id].items {
            check_idle(item, &sources[id], sink);
            if let Some((attrs, place)) = read(item, &sources[id], sink)
                && let Some(webhook) = webhook(&attrs, id, kinds, sources, paths, deploy, sink)
            {
                let key = (attrs.role, configuration_name(&attrs, deploy));
                let found = NamedWebhook { webhook, place };
                configurations.entry(key).or_default().push(found);
            }
        }
    }
    let configurations = configurations.into_iter();
    configurations
        .map(|((role, name), mut found)| {
            found.sort_by(|a, b| a.webhook.name.cmp(&b.webhook.name));
            check_unique(&name, &found, sink);
            WebhookConfiguration {
                mutating: role == WebhookRole::Mutating,
                name,
                webhooks: found.into_iter().map(|found| found.webhook).collect(),
            }
        })
        .collect()
}

/// Reads the `#[webhook]` of an item. The location is that of its `name` argument, or else of the
/// implementing type.
fn read(item: &Item, module: &Module, sink: &mut Sink) -> Option<(WebhookAttrs, Location)> {
    let mut problems = Problems::new();
    let attrs = WebhookAttrs::parse(item, &mut problems);
    if let Item::Impl(item) = item
        && item.attrs.iter().any(is_cfg_test)
    {
        return None;
    }
    let clear = problems.is_empty();
    sink.problems(problems, &module.source);
    let attrs = attrs.filter(|_| clear)?;
    let Item::Impl(item) = item else { return None };
    let place = match &attrs.name {
        Some(name) => Location::of(&module.source, name.span),
        None => module.locate(&item.self_ty),
    };
    Some((attrs, place))
}

fn webhook(
    attrs: &WebhookAttrs,
    module: ModuleId,
    kinds: &[Kind<'_>],
    sources: &Sources,
    paths: &Paths<'_>,
    deploy: Option<&Deploy>,
    sink: &mut Sink,
) -> Option<Webhook> {
    cel::check_conditions(attrs, &sources[module], sink);
    let missing = missing(attrs);
    let object = if missing.is_empty() {
        Object::default()
    } else {
        let ty = attrs.object.as_ref()?;
        match object::find(ty, module, kinds, sources, paths) {
            Ok(object) => object?,
            Err(why) => {
                let missing: Vec<_> = missing.iter().map(|key| format!("`{key}`")).collect();
                let help = format!("write {} in `#[webhook(..)]`", missing.join(", "));
                sink.push(object::unknown(ty, why, &help, &sources[module], kinds));
                return None;
            }
        }
    };
    let texts = |stated: &[String], otherwise: &str| match stated {
        [] => vec![otherwise.to_owned()],
        stated => stated.to_vec(),
    };
    let groups = texts(&attrs.groups, &object.group);
    rbac::warn_of_absent(&attrs.resources, &groups, kinds, &sources[module], sink);
    let resources: Vec<_> = attrs
        .resources
        .iter()
        .map(|resource| resource.value.clone())
        .collect();
    let operations = attrs.operations.iter();
    Some(Webhook {
        name: match &attrs.name {
            Some(name) => name.value.clone(),
            None => default_name(attrs.role, &object),
        },
        endpoint: endpoint(attrs, &object, deploy),
        review_versions: texts(&attrs.review_versions, "v1"),
        failure_policy: attrs.failure_policy.as_str(),
        match_conditions: attrs.match_conditions.iter().map(condition).collect(),
        match_policy: attrs.match_policy.map(|policy| policy.as_str()),
        namespace_selector: attrs.namespace_selector.as_ref().map(json),
        object_selector: attrs.object_selector.as_ref().map(json),
        reinvocation_policy: attrs.reinvocation_policy.map(|policy| policy.as_str()),
        groups,
        versions: texts(&attrs.versions, &object.version),
        operations: operations.map(|one| one.as_str().to_uppercase()).collect(),
        resources: texts(&resources, &object.plural),
        side_effects: attrs.side_effects.as_str(),
        timeout: attrs.timeout,
    })
}

/// Returns the omitted keys whose values follow from the webhook's object.
fn missing(attrs: &WebhookAttrs) -> Vec<&'static str> {
    [
        ("groups", attrs.groups.is_empty()),
        ("versions", attrs.versions.is_empty()),
        ("resources", attrs.resources.is_empty()),
        ("path", attrs.path.is_none()),
        ("name", attrs.name.is_none()),
    ]
    .into_iter()
    .filter_map(|(key, is_missing)| is_missing.then_some(key))
    .collect()
}

fn endpoint(attrs: &WebhookAttrs, object: &Object, deploy: Option<&Deploy>) -> WebhookEndpoint {
    if let Some(url) = &attrs.url {
        return WebhookEndpoint::Url(url.clone());
    }
    let (namespace, name) = match (&attrs.service, deploy) {
        (Some(service), _) => (service.namespace.clone(), service.name.clone()),
        (None, Some(deploy)) => (deploy.namespace.clone(), deploy.webhook_service()),
        (None, None) => ("system".to_owned(), "webhook-service".to_owned()),
    };
    WebhookEndpoint::Service {
        namespace,
        name,
        path: match &attrs.path {
            Some(path) => path.value.clone(),
            None => default_path(attrs.role, object),
        },
        port: attrs.port,
    }
}

fn condition(condition: &genclient_syntax::MatchCondition) -> MatchCondition {
    MatchCondition {
        name: condition.name.value.clone(),
        expression: condition.expression.value.clone(),
    }
}

/// Warns about an impl of a webhook trait without `#[webhook]`.
fn check_idle(item: &Item, module: &Module, sink: &mut Sink) {
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
        WebhookRole::Mutating => {
            "this defaulter is never called: no webhook configuration lists it"
        }
        WebhookRole::Validating => {
            "this validator is never called: no webhook configuration lists it"
        }
    };
    sink.push(
        Diagnostic::warning(message)
            .at(module.locate(&item.self_ty))
            .help("write `#[webhook]` above the impl"),
    );
}

/// True if the impl has `type Object`, as impls of genclient's webhook traits do. Traits of other
/// crates may have the same names.
fn has_object(item: &ItemImpl) -> bool {
    let is_object = |inner: &ImplItem| matches!(inner, ImplItem::Type(ty) if ty.ident == "Object");
    item.items.iter().any(is_object)
}

struct NamedWebhook {
    webhook: Webhook,
    place: Location,
}

/// Name of the configuration that lists a webhook: as written, or controller-gen's default. With a
/// deployment in Cargo.toml, the default is prefixed by the deployment's name, as in kubebuilder's
/// projects.
fn configuration_name(attrs: &WebhookAttrs, deploy: Option<&Deploy>) -> String {
    let default = match attrs.role {
        WebhookRole::Mutating => "mutating-webhook-configuration",
        WebhookRole::Validating => "validating-webhook-configuration",
    };
    match (&attrs.configuration, deploy) {
        (Some(written), _) => written.clone(),
        (None, Some(deploy)) => deploy.named(default),
        (None, None) => default.to_owned(),
    }
}

/// Default name of a webhook, such as `validation.gputask.falldio.com`. The API server requires at
/// least three segments.
fn default_name(role: WebhookRole, object: &Object) -> String {
    let first = match role {
        WebhookRole::Mutating => "default",
        WebhookRole::Validating => "validation",
    };
    let group = match object.group.as_str() {
        "" => "core",
        group => group,
    };
    format!("{first}.{}.{group}", object.kind.to_lowercase())
}

/// Default path of a webhook, such as `/validate-falldio-com-v1-gputask`, or `/mutate--v1-pod` in
/// the core group. It is the path that controller-runtime's `generateValidatePath` and
/// `generateMutatePath` return (`pkg/builder/webhook.go`).
fn default_path(role: WebhookRole, object: &Object) -> String {
    let verb = match role {
        WebhookRole::Mutating => "mutate",
        WebhookRole::Validating => "validate",
    };
    let group = object.group.replace('.', "-");
    let (version, kind) = (&object.version, object.kind.to_lowercase());
    format!("/{verb}-{group}-{version}-{kind}")
}

/// Reports duplicate names, which the API server refuses in one configuration. `found` is sorted by
/// name.
fn check_unique(configuration: &str, found: &[NamedWebhook], sink: &mut Sink) {
    for pair in found.windows(2) {
        let [first, second] = pair else { continue };
        let name = &second.webhook.name;
        if first.webhook.name == *name {
            sink.push(
                Diagnostic::error(format!(
                    "duplicate webhook name `{name}` in `{configuration}`"
                ))
                .at(second.place.clone())
                .label(first.place.clone(), "also here")
                .help(format!(
                    "write `name = \"second.{name}\"` in `#[webhook(..)]`"
                )),
            );
        }
    }
}
