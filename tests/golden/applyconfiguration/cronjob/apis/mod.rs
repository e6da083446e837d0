//! controller-gen's fixture of apply configurations: the kind `CronJob` with a field for nearly
//! every feature of schemas, a cluster-scoped kind, and one with a single field.

pub mod external;
pub mod v1;
