//! Context of docs/controller-gen.md.

mod v1 {
    use genclient::prelude::*;

    // block: Coming from controller-gen
}
