//! What a replica calls itself.

use crate::host_name::HOST_NAME;
use crate::wait::random;

/// A name that no other replica has, for [`LeaseLock`](super::LeaseLock): the host's, which in a Pod is the Pod's, and chance.
///
/// It is another one at every start: a program that begins again must not be taken for the one that held the lease.
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
