//! Tests of leader election between two replicas.

use super::*;

pub(super) fn tests(suite: &mut Suite) {
    suite.both(
        "controller::leadership_is_handed_over",
        leadership_is_handed_over,
    );
    suite.both(
        "controller::leader_that_dies_is_replaced",
        leader_that_dies_is_replaced,
    );
}

/// Two replicas. The leader stops as if by a signal.
async fn leadership_is_handed_over(plane: &ControlPlane) -> Outcome {
    let namespace = plane.create_namespace("handover").await?;
    let (first, second) = replicas(plane, &namespace).await?;
    let begun = Instant::now();
    first.stop().await?;
    create_and_wait(plane, &namespace, "second", &second.counting).await?;
    assert!(
        begun.elapsed() < Duration::from_secs(3),
        "{:?}",
        begun.elapsed()
    );
    second.stop().await
}

/// Two replicas. The leader ends without releasing its lease.
async fn leader_that_dies_is_replaced(plane: &ControlPlane) -> Outcome {
    let namespace = plane.create_namespace("replaced").await?;
    let (first, second) = replicas(plane, &namespace).await?;
    first.run.abort();
    create_and_wait(plane, &namespace, "second", &second.counting).await?;
    // The second replica also reconciles what the first one has reconciled.
    assert_eq!(second.counting.of("first"), 1);
    second.stop().await
}

/// Starts two replicas, the first of which leads.
async fn replicas(
    plane: &ControlPlane,
    namespace: &str,
) -> std::result::Result<(Running, Running), Failed> {
    let first = Running::start(plane, namespace, elected).await?;
    create_and_wait(plane, namespace, "first", &first.counting).await?;
    let second = Running::start(plane, namespace, elected).await?;
    tokio::time::sleep(Duration::from_secs(1)).await;
    assert_eq!(second.counting.of("first"), 0);
    Ok((first, second))
}
