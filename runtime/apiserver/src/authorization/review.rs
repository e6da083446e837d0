//! Access and token reviews: requests that ask for the identity or the permissions of a user
//! (pkg/registry/authorization and pkg/registry/authentication).

use genclient_apimachinery::errors::aggregate;
use serde_json::{Map, Value, json};

use super::authenticate::{bearer_token, user_of_token};
use super::authorizer::{self, Wording, grants};
use super::review_rules::{evaluation_error, validate};
use crate::failure::Failure;
use crate::kinds::Kind;
use crate::rbac::Attributes;
use crate::rbac::policy::PolicyRule;
use crate::rbac::tokens::AUDIENCE;
use crate::rbac::user::{ANONYMOUS, User};
use crate::request::ObjectRequest;
use crate::state::ServerState;

const AUTHORIZATION: &str = "authorization.k8s.io";
const AUTHENTICATION: &str = "authentication.k8s.io";

/// Returns whether a kind is a review. A review is answered in the response and not stored.
pub(crate) fn is_review(kind: &Kind) -> bool {
    matches!(kind.group(), AUTHORIZATION | AUTHENTICATION)
}

/// Returns a decoded review with its status.
///
/// # Errors
///
/// If the review is invalid.
pub(crate) fn answer(
    server: &ServerState,
    request: &ObjectRequest,
    mut review: Value,
) -> Result<Value, Failure> {
    let kind = &*request.kind.kind;
    let status = match kind {
        "SelfSubjectReview" => {
            let created = server.clock.timestamp();
            let user = user_info(&request.user);
            review = json!({ "metadata": { "creationTimestamp": created } });
            json!({ "userInfo": user })
        }
        "TokenReview" => token(server, &review["spec"])?,
        "SelfSubjectRulesReview" => {
            let status = rules(server, &request.user, &review["spec"])?;
            review = json!({ "metadata": {}, "spec": {} });
            status
        }
        _ => {
            let causes = validate(kind, &review);
            if !causes.is_empty() {
                return Err(Failure::invalid(AUTHORIZATION, "", "", causes));
            }
            access(server, request, &review["spec"])
        }
    };
    review["status"] = status;
    review["apiVersion"] = request.kind.api_version().into();
    review["kind"] = kind.into();
    Ok(review)
}

/// Returns the status of a TokenReview.
fn token(server: &ServerState, spec: &Value) -> Result<Value, Failure> {
    let token = spec["token"].as_str().unwrap_or_default();
    if token.is_empty() {
        let message = "token is required for TokenReview in authentication";
        return Err(Failure::bad_request(message));
    }
    let asked: Vec<_> = spec["audiences"]
        .as_array()
        .into_iter()
        .flatten()
        .filter_map(Value::as_str)
        .collect();
    let asked = if asked.is_empty() {
        vec![AUDIENCE]
    } else {
        asked
    };
    // A token with a leading space counts as absent, as in an `Authorization` header. The review
    // then describes the anonymous user.
    let header = format!("Bearer {token}");
    let found = match bearer_token(&header) {
        None => {
            let audiences = asked.into_iter().map(str::to_owned);
            Ok((User::new(ANONYMOUS), audiences.collect()))
        }
        Some(token) => user_of_token(server, token, &asked),
    };
    Ok(match found {
        Ok((user, audiences)) => json!({
            "authenticated": true,
            "user": user_info(&user),
            "audiences": audiences,
        }),
        Err(error) => json!({ "user": {}, "error": error }),
    })
}

/// Returns a `UserInfo` without empty fields.
fn user_info(user: &User) -> Value {
    let members = [
        ("username", json!(user.name)),
        ("uid", json!(user.uid)),
        ("groups", json!(user.groups)),
        ("extra", json!(user.extra)),
    ];
    let is_empty = |value: &Value| *value == "" || *value == json!([]) || *value == json!({});
    let members = members
        .into_iter()
        .filter(|(_, value)| !is_empty(value))
        .map(|(name, value)| (name.to_owned(), value));
    Value::Object(members.collect())
}

/// Returns the status of a SubjectAccessReview or one of its variants.
fn access(server: &ServerState, request: &ObjectRequest, spec: &Value) -> Value {
    let user = match &*request.kind.kind {
        "SelfSubjectAccessReview" => (*request.user).clone(),
        _ => user_of(spec),
    };
    let asked = attributes(spec);
    let decision = authorizer::decide(server, &user, &asked);
    let mut status = Map::new();
    status.insert("allowed".to_owned(), decision.is_allowed.into());
    let error = evaluation_error(&spec["resourceAttributes"]);
    for (name, text) in [("reason", decision.reason), ("evaluationError", error)] {
        if !text.is_empty() {
            status.insert(name.to_owned(), text.into());
        }
    }
    Value::Object(status)
}

/// Returns the user that a SubjectAccessReview is about. The user has only the groups in the
/// review, not those that the user name implies, such as `system:serviceaccounts`.
fn user_of(spec: &Value) -> User {
    let text = |field: &str| spec[field].as_str().unwrap_or_default().to_owned();
    let groups = spec["groups"]
        .as_array()
        .into_iter()
        .flatten()
        .filter_map(Value::as_str)
        .map(str::to_owned);
    User {
        name: text("user"),
        uid: text("uid"),
        groups: groups.collect(),
        extra: serde_json::from_value(spec["extra"].clone()).unwrap_or_default(),
    }
}

fn attributes(spec: &Value) -> Attributes {
    let of = |part: &str, field: &str| spec[part][field].as_str().unwrap_or_default().to_owned();
    let part = "resourceAttributes";
    if !spec[part].is_object() {
        let part = "nonResourceAttributes";
        return Attributes {
            verb: of(part, "verb"),
            path: of(part, "path"),
            ..Attributes::default()
        };
    }
    Attributes {
        verb: of(part, "verb"),
        is_resource: true,
        path: String::new(),
        group: of(part, "group"),
        resource: of(part, "resource"),
        subresource: of(part, "subresource"),
        namespace: of(part, "namespace"),
        name: of(part, "name"),
    }
}

/// Returns the status of a SelfSubjectRulesReview.
fn rules(server: &ServerState, user: &User, spec: &Value) -> Result<Value, Failure> {
    let namespace = spec["namespace"].as_str().unwrap_or_default();
    if namespace.is_empty() {
        return Err(Failure::bad_request("no namespace on request"));
    }
    let found = grants(server, user, namespace, Wording::Authorizer);
    let rules: Vec<&PolicyRule> = found
        .grants
        .iter()
        .flat_map(|grant| &grant.role.rules)
        .collect();
    let shown = |lists: &[(&str, &Vec<String>)]| {
        let lists = lists
            .iter()
            .filter(|(_, list)| !list.is_empty())
            .map(|(name, list)| ((*name).to_owned(), json!(list)));
        Value::Object(lists.collect())
    };
    let resources = rules
        .iter()
        .filter(|rule| !rule.resources.is_empty())
        .map(|rule| {
            shown(&[
                ("verbs", &rule.verbs),
                ("apiGroups", &rule.api_groups),
                ("resources", &rule.resources),
                ("resourceNames", &rule.resource_names),
            ])
        });
    let paths = rules
        .iter()
        .filter(|rule| !rule.non_resource_urls.is_empty())
        .map(|rule| {
            let urls = &rule.non_resource_urls;
            shown(&[("verbs", &rule.verbs), ("nonResourceURLs", urls)])
        });
    let mut status = json!({
        "resourceRules": resources.collect::<Vec<_>>(),
        "nonResourceRules": paths.collect::<Vec<_>>(),
        "incomplete": false,
    });
    if let Some(errors) = aggregate(&found.errors) {
        status["evaluationError"] = errors.into();
    }
    Ok(status)
}
