//! Metrics of sharding.

use std::sync::Arc;

use super::status::ShardStatus;
use crate::metrics::{
    Counter, Gauge, LEADER_ELECTION_MASTER_STATUS, Provider, SHARDING_HELD_OBJECTS,
    SHARDING_HELD_SLOTS, SHARDING_MEMBERS, SHARDING_MOVES, SHARDING_OBJECTS, SHARDING_SLOTS,
    SHARDING_UNHELD_SLOTS, SHARDING_UNREAD_SLOTS,
};

/// Metrics of a member.
pub(super) struct ShardMetrics {
    leads: Arc<dyn Gauge>,
    members: Arc<dyn Gauge>,
    slots: Arc<dyn Gauge>,
    held_slots: Arc<dyn Gauge>,
    unheld_slots: Arc<dyn Gauge>,
    unread_slots: Arc<dyn Gauge>,
    objects: Arc<dyn Gauge>,
    held_objects: Arc<dyn Gauge>,
    moves: Arc<dyn Counter>,
}

impl ShardMetrics {
    pub(super) fn new(provider: &dyn Provider, group: &str) -> Self {
        Self {
            leads: provider.gauge(&LEADER_ELECTION_MASTER_STATUS, &[group]),
            members: provider.gauge(&SHARDING_MEMBERS, &[group]),
            slots: provider.gauge(&SHARDING_SLOTS, &[group]),
            held_slots: provider.gauge(&SHARDING_HELD_SLOTS, &[group]),
            unheld_slots: provider.gauge(&SHARDING_UNHELD_SLOTS, &[group]),
            unread_slots: provider.gauge(&SHARDING_UNREAD_SLOTS, &[group]),
            objects: provider.gauge(&SHARDING_OBJECTS, &[group]),
            held_objects: provider.gauge(&SHARDING_HELD_OBJECTS, &[group]),
            moves: provider.counter(&SHARDING_MOVES, &[group]),
        }
    }

    pub(super) fn record(&self, status: &ShardStatus, leads: bool) {
        self.leads.set(if leads { 1.0 } else { 0.0 });
        self.members.set(status.members as f64);
        self.slots.set(status.slots as f64);
        self.held_slots.set(status.held_slots as f64);
        self.unheld_slots.set(status.unheld_slots as f64);
        self.unread_slots.set(status.unread_slots as f64);
        self.objects.set(status.objects as f64);
        self.held_objects.set(status.held_objects as f64);
    }

    /// Counts that the objects of this replica have changed.
    pub(super) fn moved(&self) {
        self.moves.inc();
    }
}
