//! Periodic rescheduling: unfinished Pods are deleted, so that the scheduler selects a node again.

use std::time::Duration;

use genclient::kube::ResourceExt;
use genclient::kube::core::Expression;
use genclient::lister::Selector;
use k8s_openapi::api::core::v1::Pod;
use tokio::time::{Instant, MissedTickBehavior, interval_at};

use super::Controller;
use super::pod::{self, Relation};

impl Controller {
    /// Reschedules every `period`, and never returns. A `period` of zero does nothing.
    pub(super) async fn reschedule_every(&self, period: Duration) {
        if period.is_zero() {
            return std::future::pending().await;
        }
        let mut ticks = interval_at(Instant::now() + period, period);
        ticks.set_missed_tick_behavior(MissedTickBehavior::Delay);
        loop {
            ticks.tick().await;
            self.reschedule().await;
        }
    }

    /// Deletes every unfinished Pod of this controller. Once a Pod is gone, its task is synced and
    /// gets a new Pod.
    async fn reschedule(&self) {
        let (label, value) = pod::APP;
        let label = Expression::Equal(label.to_owned(), value.to_owned());
        for pod in self.pods.list(&Selector::from_iter([label])) {
            if !self.is_movable(&pod) {
                continue;
            }
            // A Pod that could not be deleted is deleted in the next round.
            if let Err(error) = self.delete(&pod).await {
                tracing::warn!(pod = pod.name_any(), %error, "not rescheduled");
            }
        }
    }

    fn is_movable(&self, pod: &Pod) -> bool {
        let namespace = pod.namespace().unwrap_or_default();
        let task = self.tasks.namespace(&namespace).get(&pod.name_any());
        let is_ours = task.is_some_and(|task| pod::relation(pod, &task) != Relation::Foreign);
        is_ours && pod::is_unfinished(pod) && pod.metadata.deletion_timestamp.is_none()
    }
}
