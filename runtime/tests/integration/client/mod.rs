//! Tests of the verbs of a client: requests sent, and arguments rejected before sending.

mod apply;
mod paths;
mod verbs;
mod watch;

use std::sync::{Arc, Mutex};

use genclient::client::TypedClient;
use genclient::kube::Client;
use genclient::kube::client::Body;
use http::{Request, Response};
use http_body_util::BodyExt;
use serde_json::{Value, json};

use apis::v1::GPUTask;

mod apis {
    pub(crate) mod v1 {
        use genclient::prelude::*;

        /// A kind as written by users, without a schema.
        #[genclient]
        #[group = "falldio.com"]
        pub(crate) struct GPUTask {
            pub(crate) metadata: ObjectMeta,
            pub(crate) spec: GPUTaskSpec,
            #[serde(skip_serializing_if = "Option::is_none")]
            pub(crate) status: Option<GPUTaskStatus>,
        }

        #[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
        pub(crate) struct GPUTaskSpec {
            pub(crate) gpu: String,
            pub(crate) note: Option<String>,
        }

        #[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
        pub(crate) struct GPUTaskStatus {
            pub(crate) phase: String,
        }
    }
}

/// An API server that answers every request with the same body and records the last request.
#[derive(Clone, Default)]
struct Server {
    seen: Arc<Mutex<Vec<(String, String, Value)>>>,
    /// The last body as text.
    text: Arc<Mutex<String>>,
}

impl Server {
    fn client(&self, answer: impl ToString) -> Client {
        let (server, answer) = (self.clone(), answer.to_string());
        let service = tower::service_fn(move |request: Request<Body>| {
            let (server, answer) = (server.clone(), answer.clone());
            async move {
                let (head, body) = request.into_parts();
                let body = body.collect().await?.to_bytes();
                *server.text.lock().unwrap() = String::from_utf8_lossy(&body).into_owned();
                let content_type = head
                    .headers
                    .get("content-type")
                    .map_or("", |value| value.to_str().unwrap());
                server.seen.lock().unwrap().push((
                    format!("{} {}", head.method, head.uri),
                    content_type.to_owned(),
                    serde_json::from_slice(&body).unwrap_or(Value::Null),
                ));
                Ok::<_, genclient::kube::Error>(Response::new(Body::from(answer.into_bytes())))
            }
        });
        Client::new(service, "default")
    }

    fn text(&self) -> String {
        self.text.lock().unwrap().clone()
    }

    /// Returns the last request: method and path, content type, body.
    fn last(&self) -> (String, String, Value) {
        self.seen.lock().unwrap().pop().expect("a request was sent")
    }

    fn is_untouched(&self) -> bool {
        self.seen.lock().unwrap().is_empty()
    }
}

const TASKS: &str = "/apis/falldio.com/v1/namespaces/default/gputasks";

fn stored() -> Value {
    json!({
        "apiVersion": "falldio.com/v1",
        "kind": "GPUTask",
        "metadata": {"name": "train", "namespace": "default"},
        "spec": {"gpu": "h100", "note": null},
    })
}

fn task() -> GPUTask {
    serde_json::from_value(stored()).unwrap()
}

/// Returns a server that answers with `answer`, and a client of its tasks in the namespace
/// `default`.
fn serve(answer: &Value) -> (Server, TypedClient<GPUTask>) {
    let server = Server::default();
    let client = server.client(answer);
    (server, TypedClient::namespaced(client, "default"))
}
