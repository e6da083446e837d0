//! Access and token reviews: requests that ask for the identity or the permissions of a user
//! (pkg/registry/authorization and pkg/registry/authentication).

use genclient_apimachinery::errors::aggregate;
use serde_json::{Map, Value, json};

use super::authenticate::{bearer_token, user_of_token};
use super::authorizer::{self, Wording, bindings_for};
use super::review_validation::{evaluation_error, validate_access_review};
use crate::kinds::Kind;
use crate::rbac::Attributes;
use crate::rbac::policy::PolicyRule;
use crate::rbac::tokens::AUDIENCE;
use crate::rbac::user::{ANONYMOUS, User};
use crate::request::ObjectRequest;
use crate::state::ServerState;
use crate::status_error::StatusError;

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
pub(crate) fn answer_review(
    server: &ServerState,
    request: &ObjectRequest,
    mut review: Value,
) -> Result<Value, StatusError> {
    let kind = &*request.kind.kind;
    let status = match kind {
        "SelfSubjectReview" => {
            let created = server.clock.timestamp();
            let user = user_info(&request.user);
            review = json!({ "metadata": { "creationTimestamp": created } });
            json!({ "userInfo": user })
        }
        "TokenReview" => token_status(server, &review["spec"])?,
        "SelfSubjectRulesReview" => {
            let status = rules_status(server, &request.user, &review["spec"])?;
            review = json!({ "metadata": {}, "spec": {} });
            status
        }
        _ => {
            let causes = validate_access_review(kind, &review);
            if !causes.is_empty() {
                return Err(StatusError::invalid(AUTHORIZATION, "", "", causes));
            }
            access_status(server, request, &review["spec"])
        }
    };
    review["status"] = status;
    review["apiVersion"] = request.kind.api_version().into();
    review["kind"] = kind.into();
    Ok(review)
}

/// Returns the status of a TokenReview.
fn token_status(server: &ServerState, spec: &Value) -> Result<Value, StatusError> {
    let token = spec["token"].as_str().unwrap_or_default();
    if token.is_empty() {
        let message = "token is required for TokenReview in authentication";
        return Err(StatusError::bad_request(message));
    }
    let mut audiences: Vec<_> = spec["audiences"]
        .as_array()
        .into_iter()
        .flatten()
        .filter_map(Value::as_str)
        .collect();
    if audiences.is_empty() {
        audiences.push(AUDIENCE);
    }
    // A token with a leading space counts as absent, as in an `Authorization` header. The review
    // then describes the anonymous user.
    let header = format!("Bearer {token}");
    let authenticated = match bearer_token(&header) {
        None => {
            let audiences = audiences.into_iter().map(str::to_owned);
            Ok((User::new(ANONYMOUS), audiences.collect()))
        }
        Some(token) => user_of_token(server, token, &audiences),
    };
    Ok(match authenticated {
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
fn access_status(server: &ServerState, request: &ObjectRequest, spec: &Value) -> Value {
    let user = match &*request.kind.kind {
        "SelfSubjectAccessReview" => (*request.user).clone(),
        _ => reviewed_user(spec),
    };
    let asked = reviewed_attributes(spec);
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
fn reviewed_user(spec: &Value) -> User {
    let str_field = |field: &str| spec[field].as_str().unwrap_or_default().to_owned();
    let groups = spec["groups"]
        .as_array()
        .into_iter()
        .flatten()
        .filter_map(Value::as_str)
        .map(str::to_owned);
    User {
        name: str_field("user"),
        uid: str_field("uid"),
        groups: groups.collect(),
        extra: serde_json::from_value(spec["extra"].clone()).unwrap_or_default(),
    }
}

/// Returns the request that an access review asks about (`AuthorizationAttributesFrom` in
/// pkg/registry/authorization/util). Roles do not depend on its selectors.
fn reviewed_attributes(spec: &Value) -> Attributes {
    let str_field =
        |object: &Value, field: &str| object[field].as_str().unwrap_or_default().to_owned();
    let resource = &spec["resourceAttributes"];
    if !resource.is_object() {
        let path = &spec["nonResourceAttributes"];
        return Attributes {
            verb: str_field(path, "verb"),
            path: str_field(path, "path"),
            ..Attributes::default()
        };
    }
    Attributes {
        verb: str_field(resource, "verb"),
        is_resource: true,
        path: String::new(),
        group: str_field(resource, "group"),
        resource: str_field(resource, "resource"),
        subresource: str_field(resource, "subresource"),
        namespace: str_field(resource, "namespace"),
        name: str_field(resource, "name"),
    }
}

/// Returns the status of a SelfSubjectRulesReview.
fn rules_status(server: &ServerState, user: &User, spec: &Value) -> Result<Value, StatusError> {
    let namespace = spec["namespace"].as_str().unwrap_or_default();
    if namespace.is_empty() {
        return Err(StatusError::bad_request("no namespace on request"));
    }
    let found = bindings_for(server, user, namespace, Wording::Authorizer);
    let rules: Vec<&PolicyRule> = found
        .grants
        .iter()
        .flat_map(|grant| &grant.role.rules)
        .collect();
    let without_empty = |lists: &[(&str, &Vec<String>)]| {
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
            without_empty(&[
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
            without_empty(&[("verbs", &rule.verbs), ("nonResourceURLs", urls)])
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
