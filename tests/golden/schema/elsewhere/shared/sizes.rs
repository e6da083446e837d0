//! Types with type and const parameters, with and without defaults.

use serde::{Deserialize, Serialize};

pub const FACES: usize = 6;

#[derive(Clone, Debug, Serialize, Deserialize, genclient::CrdSchema)]
pub struct Pair<A, B = Vec<A>> {
    pub first: A,
    pub second: B,
}

#[derive(Clone, Debug, Serialize, Deserialize, genclient::CrdSchema)]
pub struct Few<T, const N: usize = { FACES - 5 }>
where
    [T; N]: Serialize + for<'a> Deserialize<'a>,
{
    pub items: [T; N],
}

pub type Weights = Pair<u8>;
