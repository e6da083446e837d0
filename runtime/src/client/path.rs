//! URL paths of objects: their segments, checked and escaped.

use std::fmt::Write;

use genclient_apimachinery::sharding::ShardSelector;
use http::uri::InvalidUri;
use kube::core::Request;
use kube::core::request::Error as RequestError;
use kube::{Error, Resource};

use super::Result;

/// Returns a request builder for `collection`, an object in it, or a subresource of that object.
pub(super) fn object_request_builder(
    mut collection: String,
    name: Option<&str>,
    subresource: Option<&str>,
) -> Result<Request> {
    for part in [name, subresource].into_iter().flatten() {
        collection.push('/');
        push_segment(&mut collection, part)?;
    }
    Ok(Request::new(collection))
}

/// Returns the error for a request that cannot be sent.
pub(super) fn invalid_request(message: impl Into<String>) -> kube::Error {
    kube::Error::BuildRequest(RequestError::Validation(message.into()))
}

/// Returns the path of a collection in `namespace`. `None` means all namespaces, or the cluster
/// scope.
pub(crate) fn collection_path<K: Resource>(
    types: &K::DynamicType,
    namespace: Option<&str>,
) -> Result<String> {
    let Some(namespace) = namespace else {
        return Ok(K::url_path(types, None));
    };
    // Namespaces are DNS labels, which need no escapes. Anything else is rejected or escaped.
    let mut segment = String::new();
    push_segment(&mut segment, namespace)?;
    Ok(K::url_path(types, Some(&segment)))
}

/// Adds a shard selector to the request of a list or a watch. kube's parameters have none.
pub(crate) fn add_shard_selector(
    request: &mut http::Request<Vec<u8>>,
    shards: &ShardSelector,
) -> Result<()> {
    let selector = shards.to_string().replace(' ', "%20").replace('|', "%7C");
    add_parameter(request, "shardSelector", &selector)
}

/// Adds a parameter to a request of kube's builder, which always has a query.
pub(crate) fn add_parameter(
    request: &mut http::Request<Vec<u8>>,
    name: &str,
    value: &str,
) -> Result<()> {
    let uri = format!("{}&{name}={value}", request.uri());
    *request.uri_mut() = uri.parse().map_err(|error: InvalidUri| {
        Error::BuildRequest(RequestError::BuildRequest(error.into()))
    })?;
    Ok(())
}

/// Appends a segment to a path, with escapes. Rejects an empty segment, and one that Kubernetes'
/// `IsValidPathSegmentName` rejects.
pub(super) fn push_segment(path: &mut String, segment: &str) -> Result<()> {
    if segment.is_empty() {
        return Err(invalid_request("name may not be empty"));
    }
    if matches!(segment, "." | "..") || segment.contains(['/', '%']) {
        return Err(invalid_request(format!(
            "invalid name `{segment}`: it must not be `.` or `..`, or contain `/` or `%`"
        )));
    }
    for byte in segment.bytes() {
        if byte.is_ascii_alphanumeric() || b"-._~!$&'()*+,;=:@".contains(&byte) {
            path.push(char::from(byte));
        } else {
            // Writing to a string cannot fail.
            let _ = write!(path, "%{byte:02X}");
        }
    }
    Ok(())
}
