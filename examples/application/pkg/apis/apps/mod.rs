//! The group `apps.example.io`.

mod conversion;
pub mod v1alpha1;
pub mod v1beta1;
