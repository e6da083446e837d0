//! An API module without a kind: generating nothing is an error.

pub struct Forgotten {
    pub name: String,
}
