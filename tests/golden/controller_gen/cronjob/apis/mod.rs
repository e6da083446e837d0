//! controller-gen's fixture `cronjob`: a kind with a field for nearly every feature of schemas, in
//! three versions: one stored, one unserved, one deprecated.

pub mod v1;
pub mod v1beta1;
pub mod v1beta2;
