//! Version `v1`.

use genclient::prelude::*;

pub mod bare;
