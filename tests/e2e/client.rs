//! Tests of connection settings and runtime helpers, on the real API server.

use std::sync::{Arc, Mutex};
use std::time::Duration;

use e2e::ControlPlane;
use futures::TryStreamExt;
use futures::future::try_join_all;
use genclient::client::{
    self, ClientBuilder, DeleteParams, Deletion, GetParams, ListParams, PostParams, TypedClient,
    ValidationDirective, WatchEvent, WatchParams,
};
use genclient::pager::ListPager;
use genclient::retry::{DEFAULT_RETRY, retry_on_conflict};
use genclient::wait::{self, conditions};
use k8s_openapi::api::core::v1::ConfigMap;
use k8s_openapi::apiextensions_apiserver::pkg::apis::apiextensions::v1::CustomResourceDefinition;
use kube::Error;
use kube::api::ObjectMeta;
use libtest_mimic::Failed;
use tokio::time::timeout;

use crate::crds::GPU_TASKS;
use crate::suite::{Outcome, Suite};

pub(crate) fn tests(suite: &mut Suite) {
    suite.both("client::field_managers", field_managers);
    suite.both("client::dry_run", dry_run);
    suite.both(
        "client::field_validation_and_warnings",
        field_validation_and_warnings,
    );
    suite.both("client::pages", pages);
    suite.both(
        "client::pages_of_selected_objects",
        pages_of_selected_objects,
    );
    suite.both("client::conflicts", conflicts);
    suite.both("client::conditions", waiting);
    suite.own(
        "client::more_watches_than_streams",
        more_watches_than_streams,
    );
}

fn config_maps(builder: ClientBuilder, namespace: &str) -> Result<TypedClient<ConfigMap>, Failed> {
    Ok(TypedClient::namespaced(builder.connect()?, namespace))
}

fn config_map(name: &str) -> ConfigMap {
    ConfigMap {
        metadata: ObjectMeta {
            name: Some(name.to_owned()),
            ..ObjectMeta::default()
        },
        ..ConfigMap::default()
    }
}

/// Returns the field manager of the object.
fn manager(object: &ConfigMap) -> Option<&str> {
    let fields = object.metadata.managed_fields.as_ref()?;
    fields.first()?.manager.as_deref()
}

/// The API server limits the requests on an HTTP/2 connection. If watches exhaust one connection,
/// other requests use another one.
async fn more_watches_than_streams(plane: &ControlPlane) -> Outcome {
    const STREAMS: &str = "--http2-max-streams-per-connection=10";
    const WATCHES: usize = 35;
    plane.start_api_server_with(&[STREAMS]).await?;
    let namespace = plane.create_namespace("client").await?;
    let maps = config_maps(client::builder(plane.config()), &namespace)?;
    let version = maps
        .list(&ListParams::default())
        .await?
        .metadata
        .resource_version
        .unwrap_or_default();
    let within = Duration::from_secs(20);
    let params = WatchParams::default();
    let opening = (0..WATCHES).map(|_| maps.watch(&params, &version));
    let mut watches = timeout(within, try_join_all(opening)).await??;

    let names: Vec<_> = (0..30).map(|number| format!("map-{number}")).collect();
    let created = names.iter().map(|name| {
        let maps = maps.clone();
        async move { maps.create(&config_map(name), &PostParams::default()).await }
    });
    timeout(within, try_join_all(created)).await??;
    for watch in &mut watches {
        for _ in &names {
            let event = timeout(within, watch.try_next()).await??;
            assert!(matches!(event, Some(WatchEvent::Added(_))), "{event:?}");
        }
    }
    Ok(())
}

async fn field_managers(plane: &ControlPlane) -> Outcome {
    let namespace = plane.create_namespace("client").await?;
    let builder = || client::builder(plane.config());
    let post = PostParams::default();

    let named = config_maps(builder().field_manager("my controller"), &namespace)?;
    let mut object = config_map("named");
    object.data = Some([("state".to_owned(), "new".to_owned())].into());
    let object = named.create(&object, &post).await?;
    assert_eq!(manager(&object), Some("my controller"));

    let agent = config_maps(builder().user_agent("gputask/v1 (linux/amd64)"), &namespace)?;
    let mut object = config_map("agent");
    object.data = Some([("state".to_owned(), "new".to_owned())].into());
    let object = agent.create(&object, &post).await?;
    assert_eq!(manager(&object), Some("gputask"));
    Ok(())
}

async fn dry_run(plane: &ControlPlane) -> Outcome {
    let namespace = plane.create_namespace("client").await?;
    let real = config_maps(client::builder(plane.config()), &namespace)?;
    let dry = config_maps(client::builder(plane.config()).dry_run(), &namespace)?;
    let (post, get) = (PostParams::default(), GetParams::default());

    let created = dry.create(&config_map("a"), &post).await?;
    assert!(created.metadata.uid.is_some(), "as it would have been");
    assert!(real.get("a", &get).await.is_err());

    let mut object = real.create(&config_map("a"), &post).await?;
    object.immutable = Some(true);
    assert_eq!(dry.update(&object, &post).await?.immutable, Some(true));
    let _ = dry.delete("a", &DeleteParams::default()).await?;
    let params = ListParams::default();
    let _ = dry
        .delete_collection(&DeleteParams::foreground(), &params)
        .await?;
    let stored = real.get("a", &get).await?;
    assert_eq!(
        (stored.immutable, stored.metadata.deletion_timestamp),
        (None, None)
    );
    Ok(())
}

async fn field_validation_and_warnings(plane: &ControlPlane) -> Outcome {
    plane.apply_crd(GPU_TASKS).await?;
    let namespace = plane.create_namespace("client").await?;
    let path = format!("/apis/falldio.com/v1/namespaces/{namespace}/gputasks");
    let task = serde_json::json!({
        "apiVersion": "falldio.com/v1", "kind": "GPUTask", "metadata": {"name": "train"}, "gpus": 1,
        "spec": {"memory": "4Gi", "gpu": "a100", "gpu-amount": "1", "cpu": "1", "priority": ""},
    });
    let create = async |builder: ClientBuilder| {
        let request = http::Request::post(&path).body(task.to_string().into_bytes())?;
        let created = builder
            .connect()?
            .request::<serde_json::Value>(request)
            .await;
        Ok::<_, Failed>(created)
    };
    let told = Arc::new(Mutex::new(Vec::new()));
    let telling = Arc::clone(&told);
    let builder = client::builder(plane.config());
    let strict = create(builder.field_validation(ValidationDirective::Strict)).await?;
    assert!(
        matches!(&strict, Err(Error::Api(status)) if status.message.contains("gpus")),
        "{strict:?}"
    );

    let builder = client::builder(plane.config()).on_warning(move |text| {
        if let Ok(mut told) = telling.lock() {
            told.push(text.to_owned());
        }
    });
    create(builder).await??;
    let told = told.lock().map_err(|error| error.to_string())?;
    assert_eq!(*told, ["unknown field \"gpus\""]);
    Ok(())
}

async fn pages(plane: &ControlPlane) -> Outcome {
    let namespace = plane.create_namespace("client").await?;
    let client = config_maps(client::builder(plane.config()), &namespace)?;
    for number in 0..7 {
        let object = config_map(&format!("object-{number}"));
        client.create(&object, &PostParams::default()).await?;
    }
    let pager = ListPager {
        page_size: 3,
        ..ListPager::default()
    };
    let params = ListParams::default().fields("metadata.name!=kube-root-ca.crt");
    let mut sizes = Vec::new();
    assert_eq!(
        pager
            .list(params.clone(), async |params| {
                let page = client.list(&params).await?;
                sizes.push(page.items.len());
                Ok(page)
            })
            .await?
            .items
            .len(),
        7
    );
    assert_eq!(sizes, [3, 3, 1]);
    let items: Vec<_> = pager
        .items(params, async |params| client.list(&params).await)
        .try_collect()
        .await?;
    assert_eq!(items.len(), 7);
    Ok(())
}

/// The API server has a next page if objects are left, even if none of them is selected.
async fn pages_of_selected_objects(plane: &ControlPlane) -> Outcome {
    let namespace = plane.create_namespace("client").await?;
    let client = config_maps(client::builder(plane.config()), &namespace)?;
    for (name, app) in [("a", "web"), ("b", "web"), ("c", "db")] {
        let mut object = config_map(name);
        object.metadata.labels = Some([("app".to_owned(), app.to_owned())].into());
        client.create(&object, &PostParams::default()).await?;
    }
    let selected = ListParams::default();
    for (params, sizes) in [
        (selected.clone().labels("app=web").limit(2), &[2, 0][..]),
        (selected.clone().labels("app=web").limit(3), &[2]),
        (selected.clone().labels("app=db").limit(1), &[1]),
        (selected.clone().fields("metadata.name=a").limit(1), &[1]),
        (
            selected.clone().fields("metadata.name!=c").limit(2),
            &[2, 0],
        ),
    ] {
        let mut found = Vec::new();
        let list = async |params| {
            let page = client.list(&params).await?;
            found.push((page.items.len(), page.metadata.remaining_item_count));
            Ok(page)
        };
        ListPager::default().list(params.clone(), list).await?;
        let expected: Vec<_> = sizes.iter().map(|size| (*size, None)).collect();
        assert_eq!(found, expected, "{params:?}");
    }
    Ok(())
}

async fn conflicts(plane: &ControlPlane) -> Outcome {
    let namespace = plane.create_namespace("client").await?;
    let client = config_maps(client::builder(plane.config()), &namespace)?;
    let post = PostParams::default();
    client.create(&config_map("a"), &post).await?;
    let mut tries = 0;
    let written = retry_on_conflict(DEFAULT_RETRY, async || {
        let mut object = client.get("a", &GetParams::default()).await?;
        tries += 1;
        if tries == 1 {
            // Another client is faster.
            let mut other = object.clone();
            other.data = Some([("by".to_owned(), "other".to_owned())].into());
            client.update(&other, &post).await?;
        }
        let data = object.data.get_or_insert_default();
        data.insert("by-us".to_owned(), tries.to_string());
        client.update(&object, &post).await
    })
    .await?;
    let data = written.data.unwrap_or_default();
    assert_eq!(
        (data["by"].as_str(), data["by-us"].as_str()),
        ("other", "2")
    );
    Ok(())
}

async fn waiting(plane: &ControlPlane) -> Outcome {
    plane.apply_crd(GPU_TASKS).await?;
    let patience = Duration::from_secs(30);
    let definitions = TypedClient::<CustomResourceDefinition>::cluster(plane.client());
    let served = wait::for_condition(
        &definitions,
        "gputasks.falldio.com",
        conditions::established,
    );
    assert!(timeout(patience, served).await??.is_some());

    let namespace = plane.create_namespace("client").await?;
    let client = config_maps(client::builder(plane.config()), &namespace)?;
    let created = client
        .create(&config_map("a"), &PostParams::default())
        .await?;
    let gone = wait::for_condition(&client, "a", conditions::deleted(created.metadata.uid));
    let params = DeleteParams::default();
    let (gone, deleted) = tokio::join!(timeout(patience, gone), client.delete("a", &params));
    assert!(matches!(deleted?, Deletion::Completed(_)) && gone??.is_none());
    Ok(())
}
