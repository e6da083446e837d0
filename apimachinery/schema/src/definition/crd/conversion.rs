//! Validation of `spec.conversion` and of webhook client configurations.

use genclient_apimachinery::field;
use genclient_apimachinery::go::json;
use genclient_apimachinery::unstructured::{list_field, str_field};
use genclient_apimachinery::validation::{label_1035, subdomain};
use serde_json::Value;

use super::internal::Spec;
use super::options::ValidationOptions;

const FORM: &str = "; desired format: https://host[/path]";

/// `ConversionReview` versions that the API server supports.
const REVIEWS: [&str; 2] = ["v1", "v1beta1"];

/// Checks the strategy and the webhook of `spec.conversion` (`validateCustomResourceConversion`).
pub(super) fn validate_conversion(
    spec: &Spec<'_>,
    options: &ValidationOptions<'_>,
) -> field::ErrorList {
    const PATH: &str = "spec.conversion";
    let conversion = spec.value.get("conversion").filter(|it| it.is_object());
    let Some(conversion) = conversion else {
        return Vec::new();
    };
    let mut causes = Vec::new();
    let strategy = str_field(conversion, "strategy");
    if strategy != "None" && spec.preserve_unknown_fields {
        let printed = json(&strategy.into());
        let detail = "must be None if spec.preserveUnknownFields is true";
        causes.push(field::Error::invalid_text(
            format!("{PATH}.strategy"),
            &printed,
            detail,
        ));
    }
    let strategies = ["None", "Webhook"];
    if strategy.is_empty() {
        causes.push(field::Error::required(format!("{PATH}.strategy"), ""));
    } else if !strategies.contains(&strategy) {
        let field = format!("{PATH}.strategy");
        causes.push(field::Error::not_supported(
            field,
            &strategy.into(),
            &strategies,
        ));
    }
    let webhook = conversion.get("webhook").unwrap_or(&Value::Null);
    let client = webhook.get("clientConfig").filter(|it| it.is_object());
    let field = format!("{PATH}.webhookClientConfig");
    let versions_field = format!("{PATH}.conversionReviewVersions");
    if strategy == "Webhook" {
        match client {
            None => causes.push(field::Error::required(
                field,
                "required when strategy is set to Webhook",
            )),
            Some(client) => validate_client_config(client, &field, options, &mut causes),
        }
        validate_conversion_review_versions(webhook, &versions_field, options, &mut causes);
        return causes;
    }
    let detail = "should not be set when strategy is not set to Webhook";
    if client.is_some() {
        causes.push(field::Error::forbidden(field, detail));
    }
    if !list_field(webhook, "conversionReviewVersions").is_empty() {
        causes.push(field::Error::forbidden(versions_field, detail));
    }
    causes
}

fn validate_client_config(
    client: &Value,
    path: &str,
    options: &ValidationOptions<'_>,
    causes: &mut field::ErrorList,
) {
    causes.extend(validate_webhook_client(client, path));
    let bundle = str_field(client, "caBundle");
    if !options.allow_invalid_ca_bundle && !is_valid_bundle(bundle) {
        let field = format!("{path}.caBundle");
        let detail = "unable to load root certificates: unable to parse bytes as PEM block";
        causes.push(field::Error::invalid_text(
            field,
            &json(&bundle.into()),
            detail,
        ));
    }
}

/// Returns whether the bundle is empty or begins like a PEM certificate. No certificate is parsed.
pub(super) fn is_valid_bundle(bundle: &str) -> bool {
    // Base64 of `-----BEGIN CERTIFICATE-----` at the start of the bundle.
    bundle.is_empty() || bundle.starts_with("LS0tLS1CRUdJTiBDRVJUSUZJQ0FURS0tLS0t")
}

/// Returns the errors in the `clientConfig` of a webhook.
pub fn validate_webhook_client(client: &Value, path: &str) -> field::ErrorList {
    let mut causes = Vec::new();
    let url = client.get("url").and_then(Value::as_str);
    let service = client.get("service").filter(|it| it.is_object());
    match (url, service) {
        (Some(url), None) => validate_webhook_url(url, &format!("{path}.url"), &mut causes),
        (None, Some(service)) => {
            validate_webhook_service(service, &format!("{path}.service"), &mut causes);
        }
        _ => {
            let detail = "exactly one of url or service is required";
            causes.push(field::Error::required(path, detail));
        }
    }
    causes
}

/// Checks that a webhook URL has scheme `https`, a host, and no user, query or fragment
/// (`ValidateWebhookURL`).
fn validate_webhook_url(url: &str, path: &str, causes: &mut field::ErrorList) {
    #[cfg(feature = "evaluate")]
    if let Err(error) = genclient_cel::evaluate::check_url(url) {
        let detail = format!("url must be a valid URL: {error}{FORM}");
        causes.push(field::Error::required(path, &detail));
        return;
    }
    let (rest, fragment) = url.split_once('#').unwrap_or((url, ""));
    let (rest, query) = rest.split_once('?').unwrap_or((rest, ""));
    let (scheme, rest) = match rest.split_once(':') {
        Some((scheme, rest)) if scheme.bytes().all(|byte| byte.is_ascii_alphanumeric()) => {
            (scheme.to_lowercase(), rest)
        }
        _ => (String::new(), rest),
    };
    let authority = rest
        .strip_prefix("//")
        .unwrap_or_default()
        .split('/')
        .next()
        .unwrap_or_default();
    let (user, host) = match authority.rsplit_once('@') {
        Some((user, host)) => (Some(user), host),
        None => (None, authority),
    };
    let mut report = |value: &str, detail: String| {
        causes.push(field::Error::invalid(path, &value.into(), &detail));
    };
    if scheme != "https" {
        let detail = format!("'https' is the only allowed URL scheme{FORM}");
        report(&scheme, detail);
    }
    if host.is_empty() {
        report("", format!("host must be specified{FORM}"));
    }
    if let Some(user) = user {
        report(
            user,
            "user information is not permitted in the URL".to_owned(),
        );
    }
    if !fragment.is_empty() {
        report(
            fragment,
            "fragments are not permitted in the URL".to_owned(),
        );
    }
    if !query.is_empty() {
        report(
            query,
            "query parameters are not permitted in the URL".to_owned(),
        );
    }
}

/// Checks a webhook's service (`ValidateWebhookService`). The API server passes name and namespace
/// in the wrong order: if one is missing, the error names the other.
fn validate_webhook_service(service: &Value, path: &str, causes: &mut field::ErrorList) {
    for (missing, field) in [("name", "namespace"), ("namespace", "name")] {
        if str_field(service, missing).is_empty() {
            causes.push(field::Error::required(format!("{path}.{field}"), ""));
        }
    }
    let port = service.get("port").and_then(Value::as_i64).unwrap_or(443);
    if !(1..=65_535).contains(&port) {
        let detail = "port is not valid: must be between 1 and 65535, inclusive";
        causes.push(field::Error::invalid(
            format!("{path}.port"),
            &port.into(),
            detail,
        ));
    }
    let url_path = str_field(service, "path");
    let mut report = |detail: &str| {
        causes.push(field::Error::invalid(
            format!("{path}.path"),
            &url_path.into(),
            detail,
        ));
    };
    if ["", "/"].contains(&url_path) {
        return;
    }
    if url_path == "//" {
        return report("segment[0] may not be empty");
    }
    if !url_path.starts_with('/') {
        report("must start with a '/'");
    }
    let mut letters = url_path.chars();
    letters.next();
    let steps = letters.as_str();
    let steps = steps.strip_suffix('/').unwrap_or(steps);
    for (at, step) in steps.split('/').enumerate() {
        if step.is_empty() {
            report(&format!("segment[{at}] may not be empty"));
            continue;
        }
        for error in subdomain(step) {
            report(&format!("segment[{at}]: {error}"));
        }
    }
}

/// Checks that `conversionReviewVersions` are DNS-1035 labels without duplicates and include a
/// version that the API server supports (`validateConversionReviewVersions`).
fn validate_conversion_review_versions(
    webhook: &Value,
    path: &str,
    options: &ValidationOptions<'_>,
    causes: &mut field::ErrorList,
) {
    let versions = list_field(webhook, "conversionReviewVersions");
    if versions.is_empty() {
        causes.push(field::Error::required(path, ""));
        return;
    }
    for (at, version) in versions.iter().enumerate() {
        let field = format!("{path}[{at}]");
        if versions[..at].contains(version) {
            causes.push(field::Error::invalid(field, version, "duplicate version"));
            continue;
        }
        let name = version.as_str().unwrap_or_default();
        let errors = label_1035(name).into_iter();
        causes.extend(errors.map(|error| field::Error::invalid(&*field, version, &error)));
    }
    if options.require_recognized_conversion_review_version && !has_known_version(versions) {
        causes.push(field::Error::invalid(
            path,
            &Value::Array(versions.to_vec()),
            "must include at least one of v1, v1beta1",
        ));
    }
}

pub(super) fn has_known_version(versions: &[Value]) -> bool {
    let is_known = |version: &Value| version.as_str().is_some_and(|it| REVIEWS.contains(&it));
    versions.iter().any(is_known)
}
