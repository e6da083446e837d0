//! Types that kinds, versions and groups share, in public and private modules.

pub mod v1;
pub mod v1alpha1;
