//! Version `v1`.

pub mod bare;

use genclient::prelude::*;
