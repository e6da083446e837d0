//! No type has `#[genclient]`: nothing is never generated in silence.

pub struct Forgotten {
    pub name: String,
}
