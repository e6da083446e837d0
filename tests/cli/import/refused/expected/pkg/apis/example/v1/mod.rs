//! Version `v1` of the group `example.com`.

pub mod column;
pub mod crowd;
pub mod defaulted;
pub mod first;
pub mod mistake;
pub mod rule;
pub mod second;
pub mod selected;
pub mod unserved;
