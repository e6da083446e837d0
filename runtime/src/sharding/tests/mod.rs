//! Tests of the protocol in a simulated cluster.

mod balance;
mod cluster;
mod exploration;
mod faults;
mod weights;
