//! Tests of controllers that share an object by apply configurations.

use fixture::apis::v1::Fleet;
use fixture::client::applyconfiguration::v1::{FleetApply, FleetSpecApply, FleetStatusApply};
use fixture::client::clientset::Clientset;
use genclient::client::{GetParams, PatchParams};
use genclient::conditions;
use k8s_openapi::apimachinery::pkg::apis::meta::v1::Condition;

use super::*;

const FLEETS: &str = include_str!("../fixture/config/crd/fixture.example.com_fleets.yaml");
/// How often a user changes the Fleet.
const CHANGES: i32 = 50;

pub(super) fn tests(suite: &mut Suite) {
    suite.both(
        "controller::apply::two_controllers_share_an_object",
        two_controllers_share_an_object,
    );
    suite.both(
        "controller::apply::configuration_is_applied_with_an_owner",
        configuration_is_applied_with_an_owner,
    );
}

/// Reports the replicas of each Fleet in fields of its own: a label, a condition, a text while they
/// are even, and one more field of the status.
#[derive(Clone, Copy)]
struct Reporter {
    name: &'static str,
    status: fn(i32) -> FleetStatusApply,
}

impl Reconciler for Reporter {
    type Object = Fleet;

    async fn reconcile(&self, fleet: Arc<Fleet>, cx: &Context) -> Result {
        let client = cx.client();
        client.apply(&self.fields(&fleet)).await?;
        client.apply_status(&self.reported(&fleet)).await?;
        Ok(Action::done())
    }
}

impl Reporter {
    fn controller(self) -> Controller<genclient_controller::Request> {
        Controller::new(self)
            .named(self.name)
            .field_manager(self.name)
    }

    fn fields(&self, fleet: &Fleet) -> FleetApply {
        let replicas = fleet.spec.replicas;
        let config = configuration(fleet).labels([(self.name, replicas.to_string())]);
        if replicas % 2 == 0 {
            let texts = [(self.name, replicas.to_string())];
            config.spec(FleetSpecApply::new().texts(texts))
        } else {
            config
        }
    }

    fn reported(&self, fleet: &Fleet) -> FleetApply {
        let mut conditions = fleet.status.clone().unwrap_or_default().conditions;
        conditions::set(&mut conditions, self.condition(fleet));
        conditions.retain(|condition| condition.type_ == self.name);
        let status = (self.status)(fleet.spec.replicas);
        configuration(fleet).status(status.conditions(conditions))
    }

    fn condition(&self, fleet: &Fleet) -> Condition {
        let replicas = fleet.spec.replicas.to_string();
        conditions::new(self.name, fleet.spec.replicas > 0, "Reported", replicas)
    }

    /// Checks that the Fleet has the fields of this controller, and that they are all it owns.
    fn check(&self, fleet: &Fleet) -> std::result::Result<(), String> {
        for (found, expected) in [
            (FleetApply::extract(fleet, self.name), self.fields(fleet)),
            (
                FleetApply::extract_status(fleet, self.name),
                self.reported(fleet),
            ),
        ] {
            if found.as_ref() != Ok(&expected) {
                return Err(format!("expected {expected:?}, found {found:?}"));
            }
        }
        Ok(())
    }
}

fn configuration(fleet: &Fleet) -> FleetApply {
    FleetApply::new(fleet.name_any(), fleet.namespace().unwrap_or_default())
}

/// Neither removes a field of the other, and both stop to write once all fields are right.
async fn two_controllers_share_an_object(plane: &ControlPlane) -> Outcome {
    plane.apply_crd(FLEETS).await?;
    let namespace = plane.create_namespace("shared").await?;
    let reporters = [
        Reporter {
            name: "sizer",
            status: |replicas| FleetStatusApply::new().replicas(replicas),
        },
        Reporter {
            name: "announcer",
            status: |replicas| FleetStatusApply::new().message(format!("{replicas} servers")),
        },
    ];
    let running = Running::start_with(
        plane,
        &namespace,
        |builder| builder,
        |manager| {
            manager.add(reporters[0].controller())?;
            manager.add(reporters[1].controller())
        },
    )
    .await?;

    let fleets = Clientset::from(plane.client())
        .fixture_v1()
        .fleets(&namespace);
    let user = PatchParams::apply("user");
    for replicas in 1..=CHANGES {
        let spec = FleetSpecApply::new().replicas(replicas);
        let config = FleetApply::new("shared", &*namespace).spec(spec);
        fleets.apply_with(&config, &user).await?;
    }
    let settled = eventually("the fields of both", async || {
        let fleet = fleets
            .get("shared", &GetParams::default())
            .await
            .map_err(|error| error.to_string())?;
        reporters
            .iter()
            .try_for_each(|reporter| reporter.check(&fleet))?;
        Ok::<_, String>(fleet)
    })
    .await?;
    let names: Vec<_> = settled.spec.texts.keys().map(String::as_str).collect();
    assert_eq!(
        (settled.spec.replicas, names),
        (CHANGES, vec!["announcer", "sizer"])
    );
    let status = settled.status.clone().unwrap_or_default();
    assert_eq!(status.replicas, Some(CHANGES));
    assert_eq!(status.message, Some(format!("{CHANGES} servers")));
    assert_eq!(status.conditions.len(), 2);

    tokio::time::sleep(Duration::from_secs(1)).await;
    let later = fleets.get("shared", &GetParams::default()).await?;
    assert_eq!(later.resource_version(), settled.resource_version());
    running.stop().await
}

/// `apply_owned` creates an object, adopts an existing one, and reports if nothing changed. The
/// owner is a field of the manager, too.
async fn configuration_is_applied_with_an_owner(plane: &ControlPlane) -> Outcome {
    plane.apply_crd(FLEETS).await?;
    let namespace = plane.create_namespace("owned").await?;
    let running = Running::start_with(
        plane,
        &namespace,
        |builder| builder,
        |manager| {
            let cached = Controller::new(Counting::default()).named("cached");
            manager.add(cached.caches(Watch::<Fleet>::new()))
        },
    )
    .await?;
    let client = &running.client;
    let owner = client
        .create(&config_map(&namespace, "owner", "1")?)
        .await?;
    let config = |name: &str, note: &str| {
        let spec = FleetSpecApply::new().replicas(2).note(note);
        FleetApply::new(name, &*namespace).spec(spec)
    };
    let of_user: Fleet = serde_json::from_value(json!({
        "metadata": { "namespace": namespace, "name": "adopted" },
        "spec": { "replicas": 1, "tier": "front" },
    }))?;
    client.with_field_manager("user").create(&of_user).await?;
    for (name, note, expected) in [
        ("created", "1", OperationResult::Created),
        ("created", "1", OperationResult::Unchanged),
        ("created", "2", OperationResult::Updated),
        ("created", "2", OperationResult::Unchanged),
        ("adopted", "1", OperationResult::Updated),
        ("adopted", "1", OperationResult::Unchanged),
    ] {
        let written = client.apply_owned(&owner, &config(name, note)).await?;
        assert_eq!(written.result, expected, "{name} {note}");
        let uid = owner.uid().unwrap_or_default();
        assert_eq!(written.object.owner_references()[0].uid, uid);
        let extracted = FleetApply::extract(&written.object, "controllers")?;
        let mut owned = config(name, note);
        owned.metadata.owner_references = written.object.metadata.owner_references;
        assert_eq!(extracted, owned, "{name} {note}");
        let again = client.apply_owned(&owner, &extracted).await?;
        assert_eq!(again.result, OperationResult::Unchanged, "{name} {note}");
    }
    let name = ObjectName::namespaced(&namespace, "adopted");
    let adopted = client.get::<Fleet>(&name).await?.ok_or("it is cached")?;
    assert_eq!(adopted.spec.tier.as_deref(), Some("front"));
    running.stop().await
}
