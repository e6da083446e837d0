//! Tests of errors when a component is added.

use genclient_controller::{SetupError, Watch};

use super::*;

#[tokio::test(start_paused = true)]
async fn setup_errors_suggest_a_fix() {
    let api = Api::new();
    let mut manager = Manager::builder("tests")
        .client(api.client())
        .build()
        .await
        .unwrap();
    let add = |manager: &mut Manager, controller| {
        format_error_chain(&manager.add(controller).unwrap_err())
    };
    manager.add(Scripted::idle().controller()).unwrap();
    assert_eq!(
        add(&mut manager, Scripted::idle().controller()),
        "duplicate component name `configmap`: rename one with `Controller::named` or `Task::new`"
    );
    let watch = || Watch::<ConfigMap>::new();
    let slim = |map: &mut ConfigMap| map.data = None;
    let other = |map: &mut ConfigMap| map.binary_data = None;
    let controller = Scripted::idle().controller().named("slim");
    manager
        .add(controller.caches(watch().transform(slim)))
        .unwrap();
    let controller = Scripted::idle().controller().named("other");
    assert_eq!(
        add(&mut manager, controller.caches(watch().transform(other))),
        "cannot add a watch to controller `other`: two watches of configmaps.v1 share one informer, but have different transforms: remove one transform, or use different selectors"
    );
    let controller = Scripted::idle().controller().named("selector");
    assert_eq!(
        add(&mut manager, controller.caches(watch().labels("app of x"))),
        "cannot add a watch to controller `selector`: invalid label selector `app of x`: unable to parse requirement: found 'of', expected: in, notin, =, ==, !=, gt, lt"
    );
    // The cache of a controller above drops fields, so an update through the manager's client could
    // delete them.
    let error = manager
        .client()
        .update(&ConfigMap::default())
        .await
        .unwrap_err();
    assert!(
        error.to_string().contains("a transform drops fields"),
        "{error}"
    );
}

#[tokio::test(start_paused = true)]
async fn controller_without_watches_or_sources_is_an_error() {
    struct Never;

    impl genclient_controller::RequestReconciler for Never {
        type Request = u8;

        async fn reconcile(&self, _request: &u8, _cx: &Context) -> Result {
            Ok(Action::done())
        }
    }

    let api = Api::new();
    let mut manager = Manager::builder("tests")
        .client(api.client())
        .build()
        .await
        .unwrap();
    let error = manager
        .add(Controller::for_requests("never", Never))
        .unwrap_err();
    assert!(matches!(error, SetupError::NothingToWatch(name) if name == "never"));
}
