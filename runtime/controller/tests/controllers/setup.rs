//! Tests of errors when a component is added.

use genclient_controller::{SetupError, Watch};

use super::*;

#[tokio::test(start_paused = true)]
async fn setup_errors_say_what_to_do() {
    let api = Api::new();
    let mut manager = Manager::builder("tests")
        .client(api.client())
        .build()
        .await
        .unwrap();
    let add = |manager: &mut Manager, controller| chain(&manager.add(controller).unwrap_err());
    manager.add(Scripted::idle().controller()).unwrap();
    assert_eq!(
        add(&mut manager, Scripted::idle().controller()),
        "two components are called `configmap`: name one of them by `Controller::named` or `Task::new`"
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
        "controller `other` has a watch that cannot be added: two watches of configmaps.v1. have a transform each, and share one informer; transform in one of them, or give them different selectors"
    );
    let controller = Scripted::idle().controller().named("selector");
    assert_eq!(
        add(&mut manager, controller.caches(watch().labels("app of x"))),
        "controller `selector` has a watch that cannot be added: `app of x` is not a label selector: `app of x` is not the key of a label"
    );
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
async fn controller_that_nothing_wakes_is_an_error() {
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
