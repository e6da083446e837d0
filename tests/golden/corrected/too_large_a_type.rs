//! Types that each contain the next one twice, up to two fields without a schema.

use genclient::prelude::*;

#[genclient]
#[group = "example.com"]
#[version = "v1"]
pub struct Tree {
    pub metadata: ObjectMeta,
    pub spec: Level0,
}

#[derive(Clone, Debug, Serialize, Deserialize, CrdSchema)]
pub struct Level0 {
    pub left: Level1,
    pub right: Level1,
}

#[derive(Clone, Debug, Serialize, Deserialize, CrdSchema)]
pub struct Level1 {
    pub left: Level2,
    pub right: Level2,
}

#[derive(Clone, Debug, Serialize, Deserialize, CrdSchema)]
pub struct Level2 {
    #[crd(schemaless, preserve_unknown_fields)]
    pub left: Level3,
    #[crd(schemaless, preserve_unknown_fields)]
    pub right: Level3,
}

#[derive(Clone, Debug, Serialize, Deserialize, CrdSchema)]
pub struct Level3 {
    pub left: Level4,
    pub right: Level4,
}

#[derive(Clone, Debug, Serialize, Deserialize, CrdSchema)]
pub struct Level4 {
    pub left: Level5,
    pub right: Level5,
}

#[derive(Clone, Debug, Serialize, Deserialize, CrdSchema)]
pub struct Level5 {
    pub left: Level6,
    pub right: Level6,
}

#[derive(Clone, Debug, Serialize, Deserialize, CrdSchema)]
pub struct Level6 {
    pub left: Level7,
    pub right: Level7,
}

#[derive(Clone, Debug, Serialize, Deserialize, CrdSchema)]
pub struct Level7 {
    pub left: Level8,
    pub right: Level8,
}

#[derive(Clone, Debug, Serialize, Deserialize, CrdSchema)]
pub struct Level8 {
    pub left: Level9,
    pub right: Level9,
}

#[derive(Clone, Debug, Serialize, Deserialize, CrdSchema)]
pub struct Level9 {
    pub left: Level10,
    pub right: Level10,
}

#[derive(Clone, Debug, Serialize, Deserialize, CrdSchema)]
pub struct Level10 {
    pub left: Level11,
    pub right: Level11,
}

#[derive(Clone, Debug, Serialize, Deserialize, CrdSchema)]
pub struct Level11 {
    pub left: Level12,
    pub right: Level12,
}

#[derive(Clone, Debug, Serialize, Deserialize, CrdSchema)]
pub struct Level12 {
    pub left: Level13,
    pub right: Level13,
}

#[derive(Clone, Debug, Serialize, Deserialize, CrdSchema)]
pub struct Level13 {
    pub left: Level14,
    pub right: Level14,
}

#[derive(Clone, Debug, Serialize, Deserialize, CrdSchema)]
pub struct Level14 {
    pub left: Level15,
    pub right: Level15,
}

#[derive(Clone, Debug, Serialize, Deserialize, CrdSchema)]
pub struct Level15 {
    pub left: Level16,
    pub right: Level16,
}

#[derive(Clone, Debug, Serialize, Deserialize, CrdSchema)]
pub struct Level16 {
    pub left: Level17,
    pub right: Level17,
}

#[derive(Clone, Debug, Serialize, Deserialize, CrdSchema)]
pub struct Level17 {
    pub left: Level18,
    pub right: Level18,
}

#[derive(Clone, Debug, Serialize, Deserialize, CrdSchema)]
pub struct Level18 {
    pub name: String,
}
