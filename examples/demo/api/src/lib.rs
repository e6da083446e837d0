//! API of the group `democontroller.example.com`: types only. Its clients are in the crate
//! `demo-client`.

pub mod apis;
