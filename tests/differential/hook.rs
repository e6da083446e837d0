//! Conversion webhook that both servers call: hosts in three versions.
//!
//! | version | `h` and `1` in it |
//! |---|---|
//! | `v1`, which is stored | `hostPort: "h:1"` |
//! | `v2` | `host: h`, `port: "1"`, and a `note`, which is an annotation in the others |
//! | `v1beta1` | `parts: [h, "1"]` |

use std::error::Error;
use std::fs;
use std::io;
use std::sync::Arc;

use genclient_envtest::LocalWebhooks;
use http::{Request, Response};
use http_body_util::{BodyExt as _, Full};
use hyper::body::{Bytes, Incoming};
use hyper::server::conn::http1;
use hyper::service::service_fn;
use hyper_util::rt::TokioIo;
use rustls::ServerConfig;
use rustls::crypto::ring;
use rustls::pki_types::pem::PemObject as _;
use rustls::pki_types::{CertificateDer, PrivateKeyDer};
use serde_json::{Map, Value, json};
use tokio::net::{TcpListener, TcpStream};
use tokio_rustls::TlsAcceptor;

const NOTE: &str = "example.com/note";

/// Answers the calls of both servers, until the runtime ends.
pub(crate) fn serve(webhooks: &LocalWebhooks) -> Result<(), Box<dyn Error + Send + Sync>> {
    let certificate = CertificateDer::from_pem_slice(&fs::read(webhooks.certificate())?)?;
    let key = PrivateKeyDer::from_pem_slice(&fs::read(webhooks.key())?)?;
    let config = ServerConfig::builder_with_provider(Arc::new(ring::default_provider()))
        .with_safe_default_protocol_versions()?
        .with_no_client_auth()
        .with_single_cert(vec![certificate], key)?;
    let acceptor = TlsAcceptor::from(Arc::new(config));
    let listener = webhooks.listener()?;
    listener.set_nonblocking(true)?;
    let listener = TcpListener::from_std(listener)?;
    tokio::spawn(async move {
        while let Ok((stream, _)) = listener.accept().await {
            tokio::spawn(connection(acceptor.clone(), stream));
        }
    });
    Ok(())
}

async fn connection(acceptor: TlsAcceptor, stream: TcpStream) -> io::Result<()> {
    let stream = TokioIo::new(acceptor.accept(stream).await?);
    let served = http1::Builder::new().serve_connection(stream, service_fn(answer));
    served.await.map_err(io::Error::other)
}

async fn answer(
    request: Request<Incoming>,
) -> Result<Response<Full<Bytes>>, Box<dyn Error + Send + Sync>> {
    let body = request.into_body().collect().await?.to_bytes();
    let review: Value = serde_json::from_slice(&body)?;
    let answer = reviewed(&review).to_string();
    let response = Response::builder().header("content-type", "application/json");
    Ok(response.body(Full::from(answer))?)
}

fn reviewed(review: &Value) -> Value {
    let request = &review["request"];
    let to = request["desiredAPIVersion"].as_str().unwrap_or_default();
    let objects = request["objects"].as_array();
    let mut response = json!({ "uid": request["uid"], "result": { "status": "Success" } });
    let mut converted = Vec::new();
    for object in objects.into_iter().flatten() {
        match convert(object, to) {
            Ok(objects) => converted.extend(objects),
            Err(message) => {
                response["result"] = json!({ "status": "Failure", "message": message });
            }
        }
    }
    response["convertedObjects"] = converted.into();
    let api_version = &review["apiVersion"];
    json!({ "apiVersion": api_version, "kind": "ConversionReview", "response": response })
}

/// Converts an object. The host may name a fault, such as `drop`, which returns no object. Faults
/// apply only to conversions to the storage version, because an object that cannot be converted
/// stops every list.
fn convert(object: &Value, to: &str) -> Result<Vec<Value>, &'static str> {
    let mut object = object.clone();
    let from = object["apiVersion"].as_str().unwrap_or_default().to_owned();
    object["apiVersion"] = to.into();
    let mut spec = match object["spec"].take() {
        Value::Object(spec) => spec,
        _ => Map::new(),
    };
    let (host, port) = read(&mut spec, &from, &mut object);
    let fault = host.as_deref().unwrap_or_default().to_owned();
    write(&mut spec, to, host, port, &mut object);
    object["spec"] = spec.into();
    // A pruned object may have no metadata while managed fields are computed.
    if object["metadata"].is_null() {
        object["metadata"] = json!({});
    }
    let metadata = &mut object["metadata"];
    if !to.ends_with("/v1") {
        return Ok(vec![object]);
    }
    match &*fault {
        "fail" => return Err("this host fails"),
        "drop" => return Ok(Vec::new()),
        "rename" => metadata["name"] = "other".into(),
        "kind" => object["kind"] = "Other".into(),
        "label" => metadata["labels"]["stored"] = "yes".into(),
        "bad" => metadata["labels"] = json!({ "bad key!": "x" }),
        "number" => metadata["annotations"] = json!({ "a": 1 }),
        "finalize" => metadata["finalizers"] = json!(["example.com/more"]),
        "unknown" => object["spec"]["unknown"] = 1.into(),
        _ => {}
    }
    Ok(vec![object])
}

fn read(
    spec: &mut Map<String, Value>,
    from: &str,
    object: &mut Value,
) -> (Option<String>, Option<String>) {
    let text = |value: Option<Value>| match value {
        Some(Value::String(text)) => Some(text),
        _ => None,
    };
    match from.rsplit('/').next() {
        Some("v1") => match text(spec.remove("hostPort")) {
            Some(both) => match both.split_once(':') {
                Some((host, port)) => (Some(host.to_owned()), Some(port.to_owned())),
                None => (Some(both), None),
            },
            None => (None, None),
        },
        Some("v2") => {
            if let Some(note) = text(spec.remove("note")) {
                object["metadata"]["annotations"][NOTE] = note.into();
            }
            (text(spec.remove("host")), text(spec.remove("port")))
        }
        _ => {
            let parts = spec.remove("parts");
            let part = |at: usize| text(parts.as_ref().and_then(|parts| parts.get(at)).cloned());
            (part(0), part(1))
        }
    }
}

fn write(
    spec: &mut Map<String, Value>,
    to: &str,
    host: Option<String>,
    port: Option<String>,
    object: &mut Value,
) {
    match to.rsplit('/').next() {
        Some("v1") => {
            let both = match (host, port) {
                (None, None) => return,
                (Some(host), None) => host,
                (host, Some(port)) => format!("{}:{port}", host.unwrap_or_default()),
            };
            spec.insert("hostPort".to_owned(), both.into());
        }
        Some("v2") => {
            // A field that a version does not have is left out: otherwise nobody could apply the
            // object.
            spec.remove("own");
            for (field, text) in [("host", host), ("port", port)] {
                spec.extend(text.map(|text| (field.to_owned(), text.into())));
            }
            let annotations = object["metadata"]["annotations"].as_object_mut();
            let note = annotations.and_then(|annotations| annotations.remove(NOTE));
            spec.extend(note.map(|note| ("note".to_owned(), note)));
        }
        _ => {
            spec.remove("own");
            let parts: Vec<_> = match (host, port) {
                (None, None) => return,
                (host, port) => [host.or(Some(String::new())), port]
                    .into_iter()
                    .flatten()
                    .collect(),
            };
            spec.insert("parts".to_owned(), json!(parts));
        }
    }
}
