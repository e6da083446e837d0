//! The group `democontroller.example.com`.

pub mod v1alpha1;
