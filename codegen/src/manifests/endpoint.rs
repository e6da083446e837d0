//! `clientConfig` of admission and conversion webhooks.

use super::object::namespace;
use super::tree::{Tree, tree};
use crate::model::WebhookEndpoint;
use crate::project::Deploy;

/// `clientConfig`.
pub(super) fn client_config(endpoint: &WebhookEndpoint, deploy: Option<&Deploy>) -> Tree {
    match endpoint {
        WebhookEndpoint::Url(url) => tree!({ "url": (url) }),
        WebhookEndpoint::Service {
            namespace: stated,
            name,
            path,
            port,
        } => {
            let mut service = vec![
                ("name".to_owned(), Tree::from(name)),
                ("namespace".to_owned(), namespace(stated, deploy)),
                ("path".to_owned(), Tree::from(path)),
            ];
            service.extend(port.map(|port| ("port".to_owned(), Tree::from(i32::from(port)))));
            tree!({ "service": (Tree::Map(service)) })
        }
    }
}
