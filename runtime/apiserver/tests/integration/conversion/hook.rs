//! Conversion webhook of the tests, which converts hosts or returns a faulty response.

use std::convert::Infallible;
use std::sync::Arc;

use bytes::Bytes;
use futures::future::BoxFuture;
use http::{Request, Response};
use http_body_util::{BodyExt, Full};
use parking_lot::Mutex;
use serde_json::{Value, json};
use tower::util::BoxCloneService;
use tower::{ServiceExt, service_fn};

#[derive(Default)]
pub(crate) struct Hook {
    /// Fault of the responses; a version or the name of an object after `@` limits it to those.
    pub(crate) mode: Mutex<&'static str>,
    /// One entry `v1 a -> v2` for each review.
    pub(crate) log: Mutex<Vec<String>>,
    /// Last review.
    pub(crate) review: Mutex<Value>,
}

pub(crate) fn service(
    hook: Arc<Hook>,
) -> BoxCloneService<Request<Full<Bytes>>, Response<Full<Bytes>>, Infallible> {
    let answer = move |request: Request<Full<Bytes>>| -> BoxFuture<'static, _> {
        let hook = Arc::clone(&hook);
        Box::pin(async move {
            let path = request.uri().path_and_query().unwrap().to_string();
            assert_eq!(path, "/convert?timeout=30s");
            let body = request.into_body().collect().await.unwrap().to_bytes();
            let review: Value = serde_json::from_slice(&body).unwrap();
            Ok::<_, Infallible>(hook.answer(review))
        })
    };
    service_fn(answer).boxed_clone()
}

impl Hook {
    pub(crate) fn set(&self, mode: &'static str) {
        *self.mode.lock() = mode;
        self.log.lock().clear();
    }

    pub(crate) fn log(&self) -> Vec<String> {
        std::mem::take(&mut *self.log.lock())
    }

    fn answer(&self, review: Value) -> Response<Full<Bytes>> {
        let request = &review["request"];
        let to = request["desiredAPIVersion"].as_str().unwrap();
        let objects = request["objects"].as_array().unwrap();
        for object in objects {
            let from = version_of(object["apiVersion"].as_str().unwrap());
            let name = object["metadata"]["name"].as_str().unwrap();
            let line = format!("{from} {name} -> {}", version_of(to));
            self.log.lock().push(line);
        }
        let converted: Vec<_> = objects
            .iter()
            .map(|object| convert_host(object, to))
            .collect();
        let mode = *self.mode.lock();
        let mode = match mode.split_once('@') {
            Some((mode, when)) if when == version_of(to) => mode,
            Some((mode, when)) if objects.iter().any(|it| it["metadata"]["name"] == when) => mode,
            Some(_) => "",
            None => mode,
        };
        let answer = json!({
            "apiVersion": review["apiVersion"],
            "kind": "ConversionReview",
            "response": {
                "uid": request["uid"],
                "convertedObjects": converted,
                "result": { "status": "Success" },
            },
        });
        let (code, text) = break_response(mode, answer);
        *self.review.lock() = review;
        let response = Response::builder()
            .status(code)
            .header("content-type", "application/json");
        response.body(Full::from(text)).unwrap()
    }
}

fn version_of(api_version: &str) -> &str {
    api_version.rsplit('/').next().unwrap()
}

/// Converts a host: `hostPort: h:1` is `host: h` and `port: 1` in `v2`.
fn convert_host(object: &Value, to: &str) -> Value {
    let mut object = object.clone();
    object["apiVersion"] = to.into();
    let Some(spec) = object["spec"].as_object_mut() else {
        return object;
    };
    if version_of(to) == "v1" {
        spec.remove("d2");
        let mut take = |field| match spec.remove(field) {
            Some(Value::String(text)) => text,
            _ => String::new(),
        };
        let (host, port) = (take("host"), take("port"));
        if !host.is_empty() || !port.is_empty() {
            spec.insert("hostPort".to_owned(), format!("{host}:{port}").into());
        }
    } else if let Some(Value::String(both)) = spec.remove("hostPort") {
        let (host, port) = both.split_once(':').unwrap_or((&both, ""));
        spec.insert("host".to_owned(), host.into());
        spec.insert("port".to_owned(), port.into());
    }
    if version_of(to) == "v2" {
        spec.remove("d1");
    }
    object
}

/// Returns a response with the fault of a mode.
fn break_response(mode: &str, mut answer: Value) -> (u16, String) {
    let (path, value) = match mode {
        "" => return (200, answer.to_string()),
        "500" => return (500, "broken".to_owned()),
        "404" => return (404, "broken".to_owned()),
        "status" => {
            let status = json!({
                "kind": "Status", "apiVersion": "v1", "status": "Failure", "message": "boom",
            });
            return (500, status.to_string());
        }
        "html" => return (200, "<html>hi</html>".to_owned()),
        "half" => return (200, "{\"a\":".to_owned()),
        "list" => return (200, "[1]".to_owned()),
        "empty" => return (200, String::new()),
        "fail" => {
            let result = json!({ "status": "Failure", "message": "no way" });
            ("/response/result", result)
        }
        "more" => {
            let objects = &mut answer["response"]["convertedObjects"];
            let one = objects[0].clone();
            objects.as_array_mut().unwrap().push(one);
            return (200, answer.to_string());
        }
        "no kind" => {
            let object = &mut answer["response"]["convertedObjects"][0];
            *object = json!({ "apiVersion": object["apiVersion"] });
            return (200, answer.to_string());
        }
        mode => {
            let (path, value) = mode.split_once('=').unwrap();
            (path, serde_json::from_str(value).unwrap())
        }
    };
    let path = path.replace("/0", "/response/convertedObjects/0");
    let (parent, field) = path.rsplit_once('/').unwrap();
    match answer.pointer_mut(parent).unwrap() {
        Value::Array(items) => items[0] = value,
        parent => parent[field] = value,
    }
    (200, answer.to_string())
}
