//! Tests of the protocol in a simulated cluster, and of the handle to a replica's objects.

mod balance;
mod cluster;
mod exploration;
mod faults;
mod shards;
mod start;
mod weights;
