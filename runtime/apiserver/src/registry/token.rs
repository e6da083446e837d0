//! Subresource `token` of service accounts: TokenRequests
//! (pkg/registry/core/serviceaccount/storage/token.go in Kubernetes' sources).

use std::sync::Arc;

use genclient::k8s_openapi::jiff::Timestamp;
use genclient_apimachinery::field;
use serde_json::{Value, json};

use super::body::Body;
use super::response;
use super::write::Write;
use crate::api_response::ApiResponse;
use crate::authorization;
use crate::clock;
use crate::metadata;
use crate::query::WriteOptions;
use crate::rbac::tokens::{AUDIENCE, BoundKind, ObjectClaim, TokenClaims};
use crate::request::ObjectRequest;
use crate::state::ServerState;
use crate::status_error::StatusError;
use crate::store::Key;

const GROUP: &str = "authentication.k8s.io";
const KIND: &str = "TokenRequest";

/// Default, minimum and maximum lifetime of a token, in seconds.
const DEFAULT_SECONDS: i64 = 60 * 60;
const MIN_SECONDS: i64 = 10 * 60;
const MAX_SECONDS: i64 = 1 << 32;

/// Issues a token for the named service account.
pub(super) async fn create(
    server: &Arc<ServerState>,
    request: &ObjectRequest,
) -> Result<ApiResponse, StatusError> {
    let representation = response::negotiate(request)?;
    let options = WriteOptions::from_query(&request.query, request.verb, false)?;
    let write = Write::new(server, request, &options, representation);
    let mut sent = decode_token_request(&write)?;
    request.check_object_namespace(&mut sent)?;
    write.check_namespace_lifecycle(&sent)?;
    write.drop_duplicate_owners(&mut sent);
    write.update_managed_fields(None, &mut sent).await;
    let mut sent = write.mutate(sent, None).await?;
    let account = find_account(request, server, &sent)?;
    let issued = server.clock.now();
    complete_request(&mut sent, request, &account, issued);
    let seconds = validate_seconds(&sent["spec"]["expirationSeconds"])?;
    write.admit_validating(&sent, None).await?;
    let (bound, node) = find_bound_object(server, request, &sent["spec"]["boundObjectRef"])?;
    let claims = TokenClaims {
        account,
        namespace: request.target.namespace.clone(),
        audiences: audiences(&sent),
        id: server.seed.uid(),
        issued,
        seconds,
        bound,
        node,
    };
    let expires = claims
        .expires()
        .map_or_else(String::new, clock::format_time);
    sent["status"] = json!({
        "expirationTimestamp": expires,
        "token": authorization::issue_token(server, claims),
    });
    Ok(ApiResponse::json(201, sent.to_string().into_bytes()))
}

/// Decodes the TokenRequest in the body and sets defaults.
fn decode_token_request(write: &Write<'_>) -> Result<Value, StatusError> {
    let Body { mut object, sent } = write.decode_subresource(&[])?;
    // Decoding drops an empty list. It is restored, since mutating plug-ins get the list as sent.
    if sent["spec"]["audiences"] == json!([]) {
        object["spec"]["audiences"] = json!([]);
    }
    if object["spec"]["expirationSeconds"].is_null() {
        object["spec"]["expirationSeconds"] = DEFAULT_SECONDS.into();
    }
    Ok(object)
}

/// Returns the service account in the URL. A name or uid in the body must be that of the account.
fn find_account(
    request: &ObjectRequest,
    server: &ServerState,
    sent: &Value,
) -> Result<ObjectClaim, StatusError> {
    let name = &request.target.name;
    let sent_name = metadata::str_field(sent, "name");
    if !sent_name.is_empty() && sent_name != name {
        let detail = "must match the service account name if specified";
        let cause = field::Error::invalid("metadata.name", &sent_name.into(), detail);
        return Err(StatusError::invalid(GROUP, KIND, name, vec![cause]));
    }
    let account = server
        .store
        .get(&request.kind.resource, &request.key())
        .ok_or_else(|| request.not_found())?;
    let sent_uid = metadata::str_field(sent, "uid");
    if !sent_uid.is_empty() && sent_uid != account.uid {
        let reason = format!(
            "the UID in the token request ({sent_uid}) does not match the UID of the service \
             account ({})",
            account.uid
        );
        return Err(StatusError::conflict(GROUP, KIND, name, &reason));
    }
    Ok(ObjectClaim {
        name: name.clone(),
        uid: account.uid.clone(),
    })
}

/// Sets an empty status, and the metadata fields that the server decides. If there are no
/// audiences, also sets the default one.
fn complete_request(
    sent: &mut Value,
    request: &ObjectRequest,
    account: &ObjectClaim,
    now: Timestamp,
) {
    for (field, value) in [
        ("name", account.name.clone()),
        ("namespace", request.target.namespace.clone()),
        ("uid", account.uid.clone()),
        ("creationTimestamp", clock::format_time(now)),
    ] {
        metadata::set_field(sent, field, Some(value.into()));
    }
    for field in [
        "deletionTimestamp",
        "deletionGracePeriodSeconds",
        "selfLink",
    ] {
        metadata::set_field(sent, field, None);
    }
    if audiences(sent).is_empty() {
        sent["spec"]["audiences"] = json!([AUDIENCE]);
    }
    sent["status"] = json!({"expirationTimestamp": null, "token": ""});
}

fn audiences(sent: &Value) -> Vec<String> {
    sent["spec"]["audiences"]
        .as_array()
        .into_iter()
        .flatten()
        .filter_map(Value::as_str)
        .map(str::to_owned)
        .collect()
}

fn validate_seconds(wanted: &Value) -> Result<i64, StatusError> {
    let seconds = wanted.as_i64().unwrap_or_default();
    let detail = match seconds {
        ..MIN_SECONDS => "may not specify a duration less than 10 minutes",
        MIN_SECONDS..=MAX_SECONDS => return Ok(seconds),
        _ => "may not specify a duration larger than 2^32 seconds",
    };
    let cause = field::Error::invalid("spec.expirationSeconds", wanted, detail);
    Err(StatusError::invalid(GROUP, KIND, "", vec![cause]))
}

/// Object that a token is bound to and, if it is a Pod, the Pod's node.
type Bound = (Option<(BoundKind, ObjectClaim)>, Option<ObjectClaim>);

fn find_bound_object(
    server: &ServerState,
    request: &ObjectRequest,
    reference: &Value,
) -> Result<Bound, StatusError> {
    if reference.is_null() {
        return Ok((None, None));
    }
    let text = |field: &str| reference[field].as_str().unwrap_or_default();
    let (api_version, kind, name) = (text("apiVersion"), text("kind"), text("name"));
    let (group, version) = api_version.split_once('/').unwrap_or(("", api_version));
    let Some(bound) = BoundKind::from_kind(kind).filter(|_| group.is_empty()) else {
        let described = format!("{group}/{version}, Kind={kind}");
        let message = format!("cannot bind token to object of type {described}");
        return Err(StatusError::bad_request(message));
    };
    let namespace = match bound {
        BoundKind::Node => "",
        _ => &request.target.namespace,
    };
    let resource = crate::store::GroupResource {
        group: String::new(),
        plural: bound.plural().to_owned(),
    };
    let found = server
        .store
        .get(&resource, &Key::new(namespace, name))
        .ok_or_else(|| StatusError::not_found("", bound.plural(), name))?;
    let mut node = None;
    if bound == BoundKind::Pod {
        let pod = found.value();
        let account = &request.target.name;
        if pod["spec"]["serviceAccountName"] != **account {
            return Err(StatusError::bad_request(format!(
                "cannot bind token for serviceaccount \"{account}\" to pod running with different \
                 serviceaccount name."
            )));
        }
        let name = pod["spec"]["nodeName"].as_str().unwrap_or_default();
        node = Some(name)
            .filter(|name| !name.is_empty())
            .map(|name| ObjectClaim {
                name: name.to_owned(),
                uid: authorization::uid_of(server, "nodes", "", name).unwrap_or_default(),
            });
    }
    let uid = text("uid");
    if !uid.is_empty() && uid != found.uid {
        let reason = format!(
            "the UID in the bound object reference ({uid}) does not match the UID in record. The \
             object might have been deleted and then recreated"
        );
        return Err(StatusError::conflict("", kind, name, &reason));
    }
    let claim = ObjectClaim {
        name: name.to_owned(),
        uid: found.uid.clone(),
    };
    Ok((Some((bound, claim)), node))
}
