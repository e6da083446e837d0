//! Tests of recorded events on the real API server, with both event APIs.

use std::time::Duration;

use e2e::{ControlPlane, NotYet, eventually};
use genclient::record::{EventBroadcaster, EventRecorder, EventType, EventsApi, field_selector};
use k8s_openapi::api::core::v1::{self as core, ConfigMap, Namespace};
use k8s_openapi::api::events::v1 as events;
use k8s_openapi::api::rbac::v1::ClusterRole;
use kube::api::{Api, DeleteParams, ListParams, ObjectMeta, PostParams};
use kube::{Resource, ResourceExt};
use libtest_mimic::Failed;

use crate::suite::{Outcome, Suite};

const COMPONENT: &str = "falldio.com/gputask-controller";
const DEADLINE: Duration = Duration::from_secs(10);

pub(crate) fn tests(suite: &mut Suite) {
    suite.both("record::series", series);
    suite.both("record::expired_series", expired_series);
    suite.both("record::limits", limits);
    suite.both("record::core_v1", core_v1);
}

/// The object of events, in a separate namespace.
struct Stage {
    namespace: Namespace,
    object: ConfigMap,
    events: Api<events::Event>,
}

impl Stage {
    async fn new(plane: &ControlPlane) -> Result<Self, Failed> {
        let name = plane.create_namespace("record").await?;
        let object = ConfigMap {
            metadata: ObjectMeta {
                name: Some("train".to_owned()),
                ..ObjectMeta::default()
            },
            ..ConfigMap::default()
        };
        let objects = Api::<ConfigMap>::namespaced(plane.client(), &name);
        Ok(Self {
            object: objects.create(&PostParams::default(), &object).await?,
            namespace: Api::all(plane.client()).get(&name).await?,
            events: Api::namespaced(plane.client(), &name),
        })
    }

    /// Records that the object was mounted. Another note does not create another event.
    fn record(&self, recorder: &EventRecorder, note: &str) {
        recorder
            .regarding(&self.object)
            .related(&self.namespace)
            .action("Mounting")
            .event(EventType::Normal, "Mounted", note);
    }

    /// Waits for the only event about the object, with that count in its series.
    async fn event(&self, count: Option<i32>) -> Result<events::Event, NotYet> {
        let about = field_selector(EventsApi::EventsV1, &self.object.object_ref(&()));
        let about = ListParams::default().fields(&about);
        eventually(&format!("one event with the count {count:?}"), async || {
            let events = self.events.list(&about).await.map_err(|e| e.to_string())?;
            let series = |event: &events::Event| event.series.as_ref().map(|series| series.count);
            match events.items.as_slice() {
                [event] if series(event) == count => Ok(event.clone()),
                other => Err(format!("{other:?}")),
            }
        })
        .await
    }
}

fn broadcaster(plane: &ControlPlane, api: EventsApi) -> EventBroadcaster {
    EventBroadcaster::builder(plane.client()).api(api).build()
}

async fn series(plane: &ControlPlane) -> Outcome {
    let stage = Stage::new(plane).await?;
    let broadcaster = broadcaster(plane, EventsApi::EventsV1);
    let recorder = broadcaster.recorder(COMPONENT).with_host("node-1");
    stage.record(&recorder, "the first");
    let event = stage.event(None).await?;
    assert_eq!(event.action.as_deref(), Some("Mounting"));
    assert_eq!(event.reason.as_deref(), Some("Mounted"));
    assert_eq!(event.note.as_deref(), Some("the first"));
    assert_eq!(event.reporting_controller.as_deref(), Some(COMPONENT));
    let instance = format!("{COMPONENT}-node-1");
    assert_eq!(event.reporting_instance, Some(instance));
    let related = event.related.and_then(|related| related.name);
    assert_eq!(related, stage.namespace.metadata.name);

    stage.record(&recorder, "the second");
    let patched = stage.event(Some(2)).await?;
    assert_eq!(patched.metadata.uid, event.metadata.uid);
    let last = patched.series.map(|series| series.last_observed_time);
    assert!(last > patched.event_time);

    for note in ["the third", "the fourth", "the fifth"] {
        stage.record(&recorder, note);
    }
    broadcaster.shutdown(DEADLINE).await?;
    let finished = stage.event(Some(5)).await?;
    assert_eq!(finished.metadata.uid, event.metadata.uid);

    // The other API returns the same event.
    let about = field_selector(EventsApi::CoreV1, &stage.object.object_ref(&()));
    let shown: Vec<_> = Api::<core::Event>::namespaced(plane.client(), &stage.namespace.name_any())
        .list(&ListParams::default().fields(&about))
        .await?
        .items
        .into_iter()
        .map(|event| event.series)
        .collect();
    assert_eq!(shown.len(), 1);
    assert_eq!(shown[0].as_ref().and_then(|series| series.count), Some(5));
    Ok(())
}

async fn expired_series(plane: &ControlPlane) -> Outcome {
    let stage = Stage::new(plane).await?;
    let broadcaster = broadcaster(plane, EventsApi::EventsV1);
    let recorder = broadcaster.recorder(COMPONENT);
    stage.record(&recorder, "again");
    let event = stage.event(None).await?;
    let name = event.name_any();
    stage.events.delete(&name, &DeleteParams::default()).await?;
    stage.record(&recorder, "again");
    let created = stage.event(Some(2)).await?;
    assert_ne!(created.metadata.uid, event.metadata.uid);
    broadcaster.shutdown(DEADLINE).await?;
    Ok(())
}

/// Limits of events that the server would refuse if they were sent as recorded.
async fn limits(plane: &ControlPlane) -> Outcome {
    let stage = Stage::new(plane).await?;
    let broadcaster = broadcaster(plane, EventsApi::EventsV1);
    let host = "h".repeat(200);
    let recorder = broadcaster.recorder(COMPONENT).with_host(&host);
    stage.record(&recorder, &"ü".repeat(1000));
    let name = stage.namespace.name_any();
    let role = ClusterRole {
        metadata: ObjectMeta {
            name: Some(format!("system:{name}")),
            ..ObjectMeta::default()
        },
        ..ClusterRole::default()
    };
    recorder.event(&role, EventType::Warning, "TooMuch", "for a role");
    broadcaster.shutdown(DEADLINE).await?;

    let note = stage.event(None).await?.note.unwrap_or_default();
    assert_eq!(note.len(), 1024);
    let about = field_selector(EventsApi::EventsV1, &role.object_ref(&()));
    let shared = Api::<events::Event>::namespaced(plane.client(), "default");
    let events = shared.list(&ListParams::default().fields(&about)).await?;
    assert_eq!(
        events.items.len(),
        1,
        "a name with a colon, in no namespace"
    );
    Ok(())
}

async fn core_v1(plane: &ControlPlane) -> Outcome {
    let stage = Stage::new(plane).await?;
    let broadcaster = broadcaster(plane, EventsApi::CoreV1);
    let recorder = broadcaster.recorder(COMPONENT);
    for _ in 0..3 {
        stage.record(&recorder, "it is there");
    }
    broadcaster.shutdown(DEADLINE).await?;
    let event = stage.event(None).await?;
    assert_eq!(event.deprecated_count, Some(3));
    assert_eq!(event.action.as_deref(), Some("Mounting"));
    let related = event.related.and_then(|related| related.name);
    assert_eq!(related, stage.namespace.metadata.name);
    Ok(())
}
