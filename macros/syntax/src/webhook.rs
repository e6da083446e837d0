//! Admission webhooks: `#[webhook(…)]` on an `impl Defaulter` or an `impl Validator`.
//!
//! Configurations that the API server rejects are errors here
//! (`k8s.io/kubernetes/pkg/apis/admissionregistration/validation`).

use syn::spanned::Spanned as _;

use super::{
    AttributeTarget, FailurePolicy, Help, Json, JsonValue, MatchPolicy, Operation, Problems,
    ReinvocationPolicy, ServiceReference, SideEffects, Spanned, TypeRef, attributes, dns, rule,
    service, suggest, url,
};
use crate::keys::{Keys, duplicate_problem, is_webhook, report_misspelt};
use crate::table::{Key, Within};

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
    pub fn from_impl(item: &syn::ItemImpl) -> Option<Self> {
        let (path, _) = item.trait_.as_ref()?;
        match path.segments.last()?.ident.to_string().as_str() {
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
        let attrs = attributes::item_attributes(item);
        report_misspelt(attrs, Within::Webhook, problems);
        let mut written = attrs.iter().filter(|attr| is_webhook(attr));
        let first = written.next()?;
        if let Some(second) = written.next() {
            let again = duplicate_problem("#[webhook]", second.path().span());
            problems.push(again.with_earlier(first.path().span()));
        }
        let Some((item, role)) = webhook_impl(item) else {
            problems.report(
                first.path().span(),
                "`#[webhook]` must be applied to an `impl Defaulter` or `impl Validator`",
                "move it to the impl, or remove it",
            );
            return None;
        };
        let keys = Keys::from_attributes(
            attrs,
            Within::Webhook,
            &AttributeTarget::webhook(),
            problems,
        );
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
        let operations = rule::read_operations(keys, problems);
        let service = keys.text(Key::SERVICE);
        let url = url::read_url(keys, problems);
        Self {
            role,
            object: object_type(item, keys, problems),
            operations: if operations.is_empty() {
                vec![Operation::Create, Operation::Update]
            } else {
                operations
            },
            failure_policy: read_value(keys, Key::FAILURE_POLICY, FailurePolicy::from_name)
                .unwrap_or(FailurePolicy::Fail),
            timeout: read_timeout(keys, problems),
            match_policy: read_value(keys, Key::MATCH_POLICY, MatchPolicy::from_name),
            side_effects: read_value(keys, Key::SIDE_EFFECTS, SideEffects::from_name)
                .unwrap_or(SideEffects::None),
            reinvocation_policy: read_value(
                keys,
                Key::REINVOCATION_POLICY,
                ReinvocationPolicy::from_name,
            ),
            path: read_path(keys, url.as_ref(), item, problems),
            service: service.and_then(|service| ServiceReference::parse(&service, problems)),
            port: read_port(keys, problems),
            url: url.map(|url| url.value),
            name: read_name(keys, problems),
            review_versions: read_review_versions(keys, problems),
            configuration: read_configuration(keys, problems),
            groups: rule::into_plain_values(rule::read_groups(keys, problems)),
            versions: rule::read_versions(keys, problems),
            resources: rule::read_resources(keys, problems),
            namespace_selector: read_selector(Key::NAMESPACE_SELECTOR, keys, problems),
            object_selector: read_selector(Key::OBJECT_SELECTOR, keys, problems),
            match_conditions: read_match_conditions(keys, problems),
        }
    }
}

/// Returns the impl and its role if it implements `Defaulter` or `Validator`.
fn webhook_impl(item: &syn::Item) -> Option<(&syn::ItemImpl, WebhookRole)> {
    let syn::Item::Impl(item) = item else {
        return None;
    };
    Some((item, WebhookRole::from_impl(item)?))
}

/// Returns `type Object` of the impl. Reports its absence, unless the key `resources` is written.
fn object_type(item: &syn::ItemImpl, keys: &Keys, problems: &mut Problems) -> Option<TypeRef> {
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

fn read_value<T>(keys: &Keys, key: Key, from_name: impl FnOnce(&str) -> Option<T>) -> Option<T> {
    keys.value(key, from_name).map(|value| value.value)
}

fn check_role(keys: &Keys, role: WebhookRole, problems: &mut Problems) {
    let reinvocation = keys.get(Key::REINVOCATION_POLICY);
    if let Some(key) = reinvocation.filter(|_| role == WebhookRole::Validating) {
        problems.report(
            key.span,
            "`reinvocation_policy` applies only to a Defaulter",
            Help::remove("remove it: a Validator is called after all mutating webhooks"),
        );
    }
}

fn read_timeout(keys: &Keys, problems: &mut Problems) -> Option<u8> {
    let timeout = keys.number(Key::TIMEOUT)?;
    let seconds = timeout
        .value
        .as_i128()
        .and_then(|value| u8::try_from(value).ok());
    let fitting = seconds.filter(|seconds| (1..=30).contains(seconds));
    if fitting.is_none() {
        let is_small = timeout.value.as_f64() < 1.0;
        let help = Help::write_key(format!("timeout = {}", if is_small { 1 } else { 30 }));
        let message = "`timeout` must be between 1 and 30 seconds";
        problems.report(timeout.span, message, help);
    }
    fitting
}

fn read_name(keys: &Keys, problems: &mut Problems) -> Option<Spanned<String>> {
    let name = keys.text(Key::NAME)?;
    let is_name = |name: &str| dns::is_subdomain(name) && name.split('.').count() >= 3;
    if !is_name(&name.value) {
        problems.report(
            name.span,
            format!(
                "invalid webhook name `{}`: must have at least three segments separated by dots",
                name.value
            ),
            dns::suggest_lower_case(
                &name.value,
                is_name,
                "write lower-case segments, for example `\"quota.tasks.example.com\"`",
            ),
        );
    }
    Some(name)
}

fn read_configuration(keys: &Keys, problems: &mut Problems) -> Option<String> {
    let name = keys.text(Key::CONFIGURATION)?;
    if !dns::is_subdomain(&name.value) {
        problems.report(
            name.span,
            format!("invalid name `{}` for `configuration`", name.value),
            dns::suggest_lower_case(
                &name.value,
                dns::is_subdomain,
                "use lower-case letters, digits, `-` and `.`",
            ),
        );
    }
    Some(name.value)
}

/// The API server's limit on the match conditions of one webhook.
const MAX_CONDITIONS: usize = 64;

const CONDITION_SAMPLE: &str = "write `{ \"name\": \"..\", \"expression\": \"..\" }`";

/// A named CEL expression.
#[derive(Clone, Debug, PartialEq)]
pub struct MatchCondition {
    /// Name, unique in the webhook.
    pub name: Spanned<String>,
    /// The expression.
    pub expression: Spanned<String>,
}

fn read_match_conditions(keys: &Keys, problems: &mut Problems) -> Vec<MatchCondition> {
    let list = keys.json(Key::MATCH_CONDITIONS);
    let Some(JsonValue::Array(items)) = list.map(|list| list.value) else {
        return Vec::new();
    };
    if let Some(one) = items.get(MAX_CONDITIONS) {
        let message = format!("a webhook may have at most {MAX_CONDITIONS} match conditions");
        problems.report(one.span, message, "combine some of them with `&&`");
    }
    let mut conditions: Vec<MatchCondition> = Vec::new();
    for item in items {
        let Some(condition) = read_condition(&item, problems) else {
            continue;
        };
        let mut known = conditions.iter();
        if known.any(|known| known.name == condition.name) {
            let message = format!("duplicate match condition `{}`", condition.name.value);
            problems.report(condition.name.span, message, "rename it");
        }
        conditions.push(condition);
    }
    conditions
}

fn read_condition(item: &Json, problems: &mut Problems) -> Option<MatchCondition> {
    let clear = problems.len();
    let members = read_members(item, &["name", "expression"], problems);
    let text = |wanted: &str| {
        let mut members = members.iter();
        let found = members.find(|(name, _)| name.value == wanted);
        found.and_then(|(_, value)| value.text())
    };
    let (Some(name), Some(expression)) = (text("name"), text("expression")) else {
        if problems.len() == clear {
            let message = "a match condition needs `name` and `expression`, both strings";
            problems.report(item.span, message, CONDITION_SAMPLE);
        }
        return None;
    };
    if !dns::is_qualified(&name.value) {
        problems.report(
            name.span,
            format!("invalid match condition name `{}`", name.value),
            "use letters, digits, `-`, `_` and `.`, with a letter or digit at both ends",
        );
    }
    if expression.value.trim().is_empty() {
        let message = "the expression of a match condition must not be empty";
        problems.report(
            expression.span,
            message,
            "write a CEL expression that evaluates to bool",
        );
    }
    Some(MatchCondition { name, expression })
}

/// Returns the path of the key `path`, or else the path in the URL. Reports a hand-written constant
/// `PATH` in the impl, since the generator does not read it.
pub(super) fn read_path(
    keys: &Keys,
    url: Option<&Spanned<String>>,
    item: &syn::ItemImpl,
    problems: &mut Problems,
) -> Option<Spanned<String>> {
    let written = item.items.iter().find_map(|inner| match inner {
        syn::ImplItem::Const(constant) if constant.ident == "PATH" => Some(constant.span()),
        _ => None,
    });
    if let Some(span) = written {
        problems.report(
            span,
            "a hand-written `PATH` is not part of the webhook configuration",
            "remove it, and write `#[webhook(path = \"..\")]`",
        );
    }
    let of_url = url.map(|url| Spanned::new(url::url_path(&url.value).to_owned(), url.span));
    service::read_path(keys, problems).or(of_url)
}

pub(super) fn read_port(keys: &Keys, problems: &mut Problems) -> Option<u16> {
    service::read_port(keys, problems).map(|port| port.value)
}

/// Reads the versions of `AdmissionReview`. The API server has to support at least one of them.
pub(super) fn read_review_versions(keys: &Keys, problems: &mut Problems) -> Vec<String> {
    const KNOWN: [&str; 2] = ["v1", "v1beta1"];
    let versions = keys.texts(Key::REVIEW_VERSIONS);
    for version in versions
        .iter()
        .filter(|version| !dns::is_label(&version.value))
    {
        problems.report(
            version.span,
            format!("invalid AdmissionReview version `{}`", version.value),
            dns::suggest_lower_case(&version.value, dns::is_label, "write `\"v1\"`"),
        );
    }
    let is_known = |version: &Spanned<String>| KNOWN.contains(&&*version.value);
    if let Some(key) = keys.get(Key::REVIEW_VERSIONS)
        && !versions.iter().any(is_known)
        && versions.iter().all(|version| dns::is_label(&version.value))
    {
        problems.report(
            key.span,
            "`review_versions` must include `v1` or `v1beta1`",
            Help::write_key("review_versions = [\"v1\"]"),
        );
    }
    versions.into_iter().map(|version| version.value).collect()
}

const SELECTOR_OPERATORS: [&str; 4] = ["In", "NotIn", "Exists", "DoesNotExist"];

type Member = (Spanned<String>, Json);

fn read_selector(key: Key, keys: &Keys, problems: &mut Problems) -> Option<Json> {
    let selector = keys.json(key)?;
    for (name, value) in read_members(&selector, &["matchLabels", "matchExpressions"], problems) {
        match (name.value.as_str(), &value.value) {
            ("matchLabels", JsonValue::Object(labels)) => {
                labels.iter().for_each(|label| check_label(label, problems));
            }
            ("matchExpressions", JsonValue::Array(expressions)) => {
                expressions
                    .iter()
                    .for_each(|one| check_expression(one, problems));
            }
            ("matchLabels", _) => problems.report(
                value.span,
                "expected an object of strings for `matchLabels`",
                "write `\"matchLabels\": { \"key\": \"value\" }`",
            ),
            _ => problems.report(
                value.span,
                "expected a list for `matchExpressions`",
                EXPRESSION,
            ),
        }
    }
    Some(selector)
}

const EXPRESSION: &str = "write `\"matchExpressions\": [{ \"key\": \"tier\", \"operator\": \"In\", \"values\": [\"a\", \"b\"] }]`";

/// Returns the known members of an object and reports others.
pub(super) fn read_members<'j>(
    object: &'j Json,
    known: &[&str],
    problems: &mut Problems,
) -> Vec<&'j Member> {
    let JsonValue::Object(members) = &object.value else {
        let known = suggest::all_of(known);
        problems.report(
            object.span,
            "expected an object",
            format!("write an object with {known}"),
        );
        return Vec::new();
    };
    let (members, unknown): (Vec<_>, Vec<_>) = members
        .iter()
        .partition(|(name, _)| known.contains(&&*name.value));
    for (name, _) in unknown {
        let help = match suggest::similar(&name.value, known) {
            Some(meant) => Help::did_you_mean(&name.value, meant),
            None => format!("the fields are {}", suggest::all_of(known)).into(),
        };
        problems.report(name.span, format!("unknown field `{}`", name.value), help);
    }
    members
}

fn check_label((key, value): &Member, problems: &mut Problems) {
    check_key(key, problems);
    match value.text() {
        Some(text) => check_value(&text, problems),
        None => problems.report(
            value.span,
            "expected a string for the label value",
            Help::write(value, format!("{:?}", value.to_string())),
        ),
    }
}

fn check_key(key: &Spanned<String>, problems: &mut Problems) {
    if !dns::is_qualified(&key.value) {
        let message = format!("invalid label key `{}`", key.value);
        let help = "write a name such as `\"example.com/owner\"`";
        problems.report(key.span, message, help);
    }
}

fn check_value(value: &Spanned<String>, problems: &mut Problems) {
    if !dns::is_label_value(&value.value) {
        let help =
            "use up to 63 letters, digits, `-`, `_` and `.`, with a letter or digit at both ends";
        let message = format!("invalid label value `{}`", value.value);
        problems.report(value.span, message, help);
    }
}

fn check_expression(expression: &Json, problems: &mut Problems) {
    let clear = problems.len();
    let members = read_members(expression, &["key", "operator", "values"], problems);
    let member = |name: &str| {
        let mut members = members.iter();
        members
            .find(|(known, _)| known.value == name)
            .map(|(_, value)| value)
    };
    let text = |name: &str| member(name).and_then(Json::text);
    match text("key") {
        Some(key) => check_key(&key, problems),
        None if problems.len() > clear => return,
        None => {
            return problems.report(expression.span, "missing field `key`", EXPRESSION);
        }
    }
    let Some(operator) = text("operator") else {
        let help = format!(
            "add `\"operator\"`: {}",
            suggest::one_of(&SELECTOR_OPERATORS)
        );
        return problems.report(expression.span, "missing field `operator`", help);
    };
    let name = operator.value.as_str();
    let values = member("values");
    match (name, values) {
        ("In" | "NotIn", Some(values)) => check_values(name, values, problems),
        ("In" | "NotIn", None) => problems.report(
            operator.span,
            format!("`{name}` needs `values`"),
            "add `\"values\": [\"..\"]`",
        ),
        ("Exists" | "DoesNotExist", Some(values)) => problems.report(
            values.span,
            format!("`values` is not allowed with `{name}`"),
            Help::remove("remove `\"values\"`"),
        ),
        ("Exists" | "DoesNotExist", None) => {}
        _ => problems.report(
            operator.span,
            format!("unknown operator `{name}` in a label selector"),
            suggest::value(name, &SELECTOR_OPERATORS),
        ),
    }
}

fn check_values(operator: &str, values: &Json, problems: &mut Problems) {
    let texts = match &values.value {
        JsonValue::Array(items) => items.iter().map(Json::text).collect(),
        _ => None,
    };
    let texts: Vec<_> = texts.unwrap_or_default();
    if texts.is_empty() {
        problems.report(
            values.span,
            format!("`{operator}` needs a list of strings"),
            "write `\"values\": [\"..\"]`",
        );
    }
    texts.iter().for_each(|text| check_value(text, problems));
}
