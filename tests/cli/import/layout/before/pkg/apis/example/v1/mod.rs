//! Version `v1`.

use genclient::prelude::*;
