//! RBAC rules: `#[rbac(…)]` on any item or method.
//!
//! Rules that the API server rejects are errors here
//! (`k8s.io/kubernetes/pkg/apis/rbac/validation`).

use proc_macro2::{Ident, Span, TokenStream, TokenTree};
use syn::Meta;
use syn::spanned::Spanned as _;

use super::{
    AttributeTarget, Help, Problems, Shape, Spanned, Target, TypeRef, attributes, dns, rule,
    suggest,
};
use crate::keys::{Keys, duplicate_problem, is_rbac, report_misspelt};
use crate::table::{self, Key, Within};

/// The verbs of API requests.
pub const API_VERBS: [&str; 8] = [
    "get",
    "list",
    "watch",
    "create",
    "update",
    "patch",
    "delete",
    "deletecollection",
];

/// The other verbs of rules: of built-in resources, and of non-resource URLs.
const OTHER_VERBS: [&str; 11] = [
    "bind",
    "escalate",
    "impersonate",
    "use",
    "approve",
    "sign",
    "attest",
    // Verbs of non-resource URLs.
    "head",
    "post",
    "put",
    "options",
];

/// An RBAC rule as its attribute states it. A list is empty if its key is absent.
#[derive(Clone, Debug)]
pub struct RbacRule {
    /// The type that determines group and plural.
    pub resource: Option<TypeRef>,
    /// The API groups.
    pub groups: Vec<Spanned<String>>,
    /// The resources.
    pub resources: Vec<Spanned<String>>,
    /// The names of the objects (`resourceNames`).
    pub names: Vec<String>,
    /// Non-resource URLs.
    pub urls: Vec<String>,
    /// The permitted verbs.
    pub verbs: Vec<Spanned<String>>,
    /// The namespace of the role. `None` makes the role a ClusterRole, or a Role if the program is
    /// limited to its own namespace.
    pub namespace: Option<String>,
    /// The name of the role; `None` for the default, such as `manager-role`.
    pub role: Option<String>,
    /// Span of the attribute.
    pub span: Span,
}

impl RbacRule {
    /// Reads and checks the rules on an item and, for an impl or a trait, on its members. Every
    /// error goes to `problems`; a rule with an error is omitted.
    pub fn of_item(item: &syn::Item, problems: &mut Problems) -> Vec<Self> {
        let attrs = attributes::attributes_within(item);
        report_misspelt(attrs.iter().copied(), Within::Rbac, problems);
        attrs
            .into_iter()
            .filter(|attr| is_rbac(attr))
            .filter_map(|attr| Self::parse(attr, problems))
            .collect()
    }

    /// Reads and checks one `#[rbac(…)]`. Returns `None` if it has an error, which goes to
    /// `problems`.
    pub fn parse(attr: &syn::Attribute, problems: &mut Problems) -> Option<Self> {
        let known = problems.len();
        let rule = Self::from_attribute(attr, problems);
        rule.filter(|_| problems.len() == known)
    }

    fn from_attribute(attr: &syn::Attribute, problems: &mut Problems) -> Option<Self> {
        let at = attr.path().span();
        let Meta::List(list) = &attr.meta else {
            let help = "write `#[rbac(resource = Pod, verbs = [\"create\"])]`";
            problems.report(at, "expected keys in parentheses after `rbac`", help);
            return None;
        };
        let (resource, rest) = take_resource(list.tokens.clone(), problems);
        let target = AttributeTarget {
            kind: Target::Item,
            shape: Shape::Unknown,
        };
        let keys = Keys::read_list(rest, Within::Rbac, &target, problems);
        let rule = Self {
            groups: read_groups(&keys, problems),
            resources: rule::read_resources(&keys, problems),
            names: rule::into_plain_values(rule::read_texts(Key::NAMES, &keys, problems)),
            urls: read_urls(&keys, problems),
            verbs: read_verbs(&keys, at, problems),
            namespace: read_namespace(&keys, problems),
            role: read_role(&keys, problems),
            resource,
            span: at,
        };
        rule.check_target(&keys, at, problems);
        Some(rule)
    }

    /// Checks that a rule has exactly one target: a type (`resource`), resources with their API
    /// groups (`resources`), or non-resource URLs (`urls`).
    fn check_target(&self, keys: &Keys, at: Span, problems: &mut Problems) {
        let pairs = [
            (Key::GROUP, Key::GROUPS),
            (Key::GROUP, Key::URLS),
            (Key::GROUPS, Key::URLS),
            (Key::RESOURCES, Key::URLS),
            (Key::NAMES, Key::URLS),
            (Key::NAMESPACE, Key::URLS),
        ];
        keys.check_exclusive(&pairs, problems);
        if self.resource.is_some() {
            let others = [Key::GROUP, Key::GROUPS, Key::RESOURCES, Key::URLS];
            for other in others.iter().filter_map(|key| keys.get(*key)) {
                let message = format!("`resource` cannot be combined with `{}`", other.key);
                problems.report(other.span, message, "keep one of them");
            }
            return;
        }
        if keys.mentions(Key::RESOURCE) || keys.mentions(Key::URLS) {
            return;
        }
        if !keys.mentions(Key::RESOURCES) {
            let message = "`rbac` needs `resource`, `resources` or `urls`";
            let help = "add `resource = Pod`, `resources = [\"pods\"]` or `urls = [\"/metrics\"]`";
            problems.report(at, message, help);
        } else if !keys.mentions(Key::GROUP) && !keys.mentions(Key::GROUPS) {
            let help = "add `group = \"apps\"`, or `group = \"\"` for the core group";
            problems.report(at, "`resources` needs `group`", help);
        }
    }
}

/// Separates `resource = Pod`, whose value is a type, from the keys whose values are literals.
fn take_resource(tokens: TokenStream, problems: &mut Problems) -> (Option<TypeRef>, TokenStream) {
    let mut found: Option<TypeRef> = None;
    let mut rest = TokenStream::new();
    let pieces = split_keys(tokens);
    let has_group = pieces.iter().any(|piece| is_group(piece));
    for piece in pieces {
        if let Some(name) = resource_name(&piece).filter(|_| has_group) {
            let help = Help::write_key(format!("resources = [{name}]"));
            problems.report(name.span(), "expected a type for `resource`", help);
            // The rule is read as if the help was applied.
            rest.extend(quote::quote!(resources = [#name],));
            continue;
        }
        match parse_resource(&piece) {
            Some((key, _)) if found.is_some() => {
                problems.push(duplicate_problem(Key::RESOURCE, key.span()))
            }
            Some((key, ty)) => {
                if key != Key::RESOURCE {
                    let message = format!("unknown key `{key}` in `{}`", Within::Rbac);
                    problems.report(key.span(), message, Help::did_you_mean(&key, Key::RESOURCE));
                }
                found = Some(ty);
            }
            None => rest.extend(piece),
        }
    }
    (found, rest)
}

fn is_group(piece: &[TokenTree]) -> bool {
    matches!(piece, [TokenTree::Ident(key), ..] if *key == Key::GROUP || *key == Key::GROUPS)
}

/// Returns the string of `resource = "deployments"`.
fn resource_name(piece: &[TokenTree]) -> Option<&proc_macro2::Literal> {
    match piece {
        [
            TokenTree::Ident(key),
            TokenTree::Punct(_),
            TokenTree::Literal(name),
            ..,
        ] => (*key == Key::RESOURCE && name.to_string().starts_with('"')).then_some(name),
        _ => None,
    }
}

/// Splits the tokens into keys, each with the comma after it.
fn split_keys(tokens: TokenStream) -> Vec<Vec<TokenTree>> {
    let mut pieces = vec![Vec::new()];
    for token in tokens {
        let is_comma = matches!(&token, TokenTree::Punct(comma) if comma.as_char() == ',');
        if let Some(piece) = pieces.last_mut() {
            piece.push(token);
        }
        if is_comma {
            pieces.push(Vec::new());
        }
    }
    pieces
}

/// Returns the key and the type of `resource = path::Type`. The key may be misspelt.
fn parse_resource(piece: &[TokenTree]) -> Option<(Ident, TypeRef)> {
    let [TokenTree::Ident(key), TokenTree::Punct(equals), value @ ..] = piece else {
        return None;
    };
    let name = key.to_string();
    let is_slip = table::entry(Within::Rbac, &name).is_none()
        && suggest::closest(&name, [Key::RESOURCE.as_str()]).is_some();
    if (*key != Key::RESOURCE && !is_slip) || equals.as_char() != '=' {
        return None;
    }
    let is_comma = |token: &TokenTree| matches!(token, TokenTree::Punct(p) if p.as_char() == ',');
    let value = value.iter().filter(|token| !is_comma(token)).cloned();
    let path = syn::parse2::<syn::TypePath>(value.collect()).ok()?;
    Some((key.clone(), TypeRef(syn::Type::Path(path))))
}

fn read_groups(keys: &Keys, problems: &mut Problems) -> Vec<Spanned<String>> {
    match keys.text(Key::GROUP) {
        Some(group) => {
            rule::check_group(&group, problems);
            vec![group]
        }
        None => rule::read_groups(keys, problems),
    }
}

fn read_urls(keys: &Keys, problems: &mut Problems) -> Vec<String> {
    let urls = rule::read_texts(Key::URLS, keys, problems);
    rule::check_wildcard(Key::URLS, &urls, problems);
    for Spanned { value, span } in &urls {
        let path = value.strip_suffix('*').unwrap_or(value);
        if value == rule::WILDCARD || (path.starts_with('/') && !path.contains('*')) {
            continue;
        }
        let help = if path.contains('*') {
            "write `*` at the end only".into()
        } else {
            Help::write(format!("{value:?}"), format!("{:?}", format!("/{value}")))
        };
        problems.report(*span, format!("invalid URL path `{value}`"), help);
    }
    rule::into_plain_values(urls)
}

fn read_verbs(keys: &Keys, at: Span, problems: &mut Problems) -> Vec<Spanned<String>> {
    if !keys.mentions(Key::VERBS) {
        let help = "add `verbs = [\"get\", \"list\", \"watch\"]`";
        problems.report(at, "`rbac` needs `verbs`", help);
    }
    let verbs = rule::read_texts(Key::VERBS, keys, problems);
    rule::check_wildcard(Key::VERBS, &verbs, problems);
    let known = [&API_VERBS[..], &OTHER_VERBS].concat();
    for Spanned { value, span } in &verbs {
        if value != rule::WILDCARD && !known.contains(&value.as_str()) {
            let help = match value.as_str() {
                "apply" => "write `\"patch\"`, the verb of server-side apply".into(),
                "read" => Help::write("\"read\"", "\"get\""),
                "write" | "edit" => Help::write(format!("{value:?}"), "\"update\""),
                "remove" => Help::write("\"remove\"", "\"delete\""),
                _ => rule::suggest_several(value)
                    .map(Help::from)
                    .or_else(|| suggest::help(value, &known))
                    .unwrap_or_else(|| format!("write {}", suggest::one_of(&known)).into()),
            };
            problems.report(*span, format!("unknown verb `{value}`"), help);
        }
    }
    verbs
}

fn read_namespace(keys: &Keys, problems: &mut Problems) -> Option<String> {
    let namespace = keys.text(Key::NAMESPACE)?;
    if !dns::is_label(&namespace.value) {
        let sample = "write lower-case letters, digits and `-`";
        let help = dns::suggest_lower_case(&namespace.value, dns::is_label, sample);
        let message = format!("invalid namespace `{}`", namespace.value);
        problems.report(namespace.span, message, help);
    }
    Some(namespace.value)
}

/// Reads the name of the role, which has to be a valid path segment (`ValidateRBACName`).
fn read_role(keys: &Keys, problems: &mut Problems) -> Option<String> {
    let role = keys.text(Key::ROLE)?;
    let name = &role.value;
    if name.is_empty() || name == "." || name == ".." || name.contains(['/', '%']) {
        let help = "write a name without `/` and `%`, for example `\"manager-role\"`";
        let message = format!("invalid name `{name}` for `role`");
        problems.report(role.span, message, help);
    }
    Some(role.value)
}
