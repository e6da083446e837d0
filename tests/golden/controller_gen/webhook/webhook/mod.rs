//! Webhooks of the valid cases in controller-gen's `pkg/webhook/testdata`.
pub mod crosspkg;
pub mod custom_name;
pub mod custom_service;
pub mod ordered;
pub mod selectors;
pub mod url;
pub mod valid;
