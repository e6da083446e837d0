//! The `clientConfig` of admission and conversion webhooks.

use super::object::{is_own, namespace};
use super::tree::{Tree, tree};
use crate::model::{Model, WebhookEndpoint};
use crate::project::Deploy;

/// The `clientConfig` of a webhook.
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

/// The model for a program outside of the cluster: the API server calls its webhooks at a URL
/// instead of the deployment's Service.
pub(crate) fn called_at(url: &str, model: &Model, deploy: &Deploy) -> Model {
    let mut model = model.clone();
    let webhooks = model.webhooks.iter_mut().flat_map(|it| &mut it.webhooks);
    let of_admission = webhooks.map(|webhook| &mut webhook.endpoint);
    let conversions = model
        .crds
        .iter_mut()
        .filter_map(|it| it.conversion.as_mut());
    let endpoints = of_admission.chain(conversions.map(|conversion| &mut conversion.endpoint));
    for endpoint in endpoints.filter(|endpoint| is_own(endpoint, deploy)) {
        if let WebhookEndpoint::Service { path, .. } = endpoint {
            *endpoint = WebhookEndpoint::Url(format!("{url}{path}"));
        }
    }
    model
}
