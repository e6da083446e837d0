//! Identity of a replica in a leader election.

use crate::host_name::HOST_NAME;
use crate::wait::random;

/// Returns an identity for [`LeaseLock`](super::LeaseLock) that no other replica has: the host
/// name, which in a Pod is the name of the Pod, and a random number.
///
/// It differs after every start, so that a restarted program is not taken for the previous holder
/// of the lease.
///
/// ```
/// use genclient::leaderelection::unique_identity;
///
/// assert_ne!(unique_identity(), unique_identity());
/// ```
#[must_use]
pub fn unique_identity() -> String {
    let chance = format!("{:016x}{:016x}", random(), random());
    match HOST_NAME.as_ref() {
        Some(host) => format!("{host}_{chance}"),
        None => chance,
    }
}
