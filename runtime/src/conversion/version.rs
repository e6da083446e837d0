//! [`Version`]: one version of a kind, with its conversion to the hub and back.

use super::Inconvertible;
use super::object::Converted;
use super::placeholders::FindFlaw;

pub(super) struct Version<H> {
    pub(super) api_version: String,
    pub(super) to_hub: fn(&str) -> Result<H, Inconvertible>,
    pub(super) from_hub: fn(H) -> Result<Converted, Inconvertible>,
    pub(super) find_flaw: FindFlaw,
}

impl<H> Clone for Version<H> {
    fn clone(&self) -> Self {
        Self {
            api_version: self.api_version.clone(),
            to_hub: self.to_hub,
            from_hub: self.from_hub,
            find_flaw: self.find_flaw,
        }
    }
}
