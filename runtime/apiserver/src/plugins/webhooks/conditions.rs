//! `matchConditions` of webhooks: CEL expressions over the request and its objects.
//!
//! Source: k8s.io/apiserver/pkg/admission/plugin/webhook/matchconditions.

use genclient_apimachinery::errors::aggregate;
use genclient_cel::evaluate::{
    AccessCheck, AccessDecision, Authorizer, CONDITIONS_BUDGET, ConditionVariables, MatchCondition,
};
use serde_json::{Value, json};

use super::configured::ConfiguredWebhook;
use super::review::{self, Invocation};
use crate::admission::AdmissionRequest;
use crate::authorization;
use crate::plugins::context::Plugins;
use crate::rbac::{Attributes, User};
use crate::state::ServerState;
use crate::status_error::StatusError;

/// Returns whether all match conditions are true. If one condition is false, the result is false,
/// even if another condition cannot be evaluated.
///
/// # Errors
///
/// 403 if a condition cannot be evaluated or the cost budget runs out. With `failurePolicy:
/// Ignore`, the webhook is skipped instead.
pub(super) fn conditions_hold(
    plugins: Plugins<'_>,
    webhook: &ConfiguredWebhook,
    invocation: &Invocation,
    admission: &AdmissionRequest,
) -> Result<bool, StatusError> {
    if webhook.conditions().is_empty() {
        return Ok(true);
    }
    let values = condition_variables(invocation, admission);
    let authorizer = RoleAuthorizer {
        state: plugins.state,
        user: &admission.user,
    };
    let variables = ConditionVariables {
        values: &values,
        authorizer: &authorizer,
        request_resource: AccessCheck {
            group: admission.resource.group.clone(),
            resource: admission.resource.resource.clone(),
            subresource: admission.subresource.clone(),
            namespace: admission.namespace.clone(),
            name: admission.name.clone(),
            ..AccessCheck::default()
        },
    };
    let reason = match evaluate_conditions(webhook, &variables) {
        Ok(holds) => return Ok(holds),
        Err(_) if webhook.fails_open() => return Ok(false),
        Err(reason) => reason,
    };
    let resource = &admission.resource;
    let (group, plural) = (&resource.group, &resource.resource);
    Err(StatusError::forbidden(
        group,
        plural,
        &admission.name,
        &reason,
    ))
}

fn evaluate_conditions(
    webhook: &ConfiguredWebhook,
    variables: &ConditionVariables<'_>,
) -> Result<bool, String> {
    let mut budget = CONDITIONS_BUDGET;
    let mut results = Vec::new();
    for condition in webhook.conditions() {
        let expression = condition["expression"].as_str().unwrap_or_default();
        let (holds, cost) = match MatchCondition::compile(expression) {
            Ok(condition) => condition.holds(variables),
            Err(error) => (Err(format!("compilation error: {error}")), 0),
        };
        budget = budget.checked_sub(cost).ok_or(OUT_OF_BUDGET)?;
        results.push(holds);
    }
    if results.contains(&Ok(false)) {
        return Ok(false);
    }
    aggregate(results.into_iter().filter_map(Result::err)).map_or(Ok(true), Err)
}

const OUT_OF_BUDGET: &str = "validation failed due to running out of cost budget, no further \
                             validation rules will be run";

/// Returns the variables of match conditions: `object`, `oldObject`, `request` and
/// `namespaceObject`, which is null for every webhook, as in kube-apiserver.
fn condition_variables(invocation: &Invocation, admission: &AdmissionRequest) -> Value {
    let mut request = review::review_request("", invocation, admission);
    if let Value::Object(members) = &mut request {
        for field in ["object", "oldObject", "uid"] {
            members.remove(field);
        }
    }
    json!({
        "object": invocation.object,
        "oldObject": invocation.old_object,
        "request": request,
        "namespaceObject": null,
    })
}

/// Value of the variable `authorizer` in match conditions. It decides by the roles and bindings in
/// the store.
struct RoleAuthorizer<'a> {
    state: &'a ServerState,
    user: &'a User,
}

impl Authorizer for RoleAuthorizer<'_> {
    fn decide(&self, check: &AccessCheck) -> AccessDecision {
        let account = check
            .service_account
            .as_ref()
            .map(|(namespace, name)| User::service_account(namespace, name));
        let user = account.as_ref().unwrap_or(self.user);
        let decision = authorization::decide(self.state, user, &to_attributes(check.clone()));
        AccessDecision {
            is_allowed: decision.is_allowed,
            reason: decision.reason,
        }
    }
}

fn to_attributes(check: AccessCheck) -> Attributes {
    Attributes {
        verb: check.verb,
        is_resource: check.path.is_none(),
        path: check.path.unwrap_or_default(),
        group: check.group,
        resource: check.resource,
        subresource: check.subresource,
        namespace: check.namespace,
        name: check.name,
    }
}
