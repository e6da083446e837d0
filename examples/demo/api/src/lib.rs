//! The API of the group `democontroller.example.com`: types alone. The crate `demo-client` has the clients for them.

pub mod apis;
