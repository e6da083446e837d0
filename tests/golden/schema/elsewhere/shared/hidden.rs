//! Private module, which is only reachable through the re-export in `facade`.

use serde::{Deserialize, Serialize};

#[derive(Clone, Debug, Serialize, Deserialize, genclient::CrdSchema)]
pub struct Inner {
    pub limits: super::Limits,
    pub home: crate::schema_elsewhere::apis::v1::Home,
}
