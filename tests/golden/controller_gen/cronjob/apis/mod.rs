//! A kind with a field for nearly everything that a schema can say, in three versions: one is stored, one is not served, one is deprecated.

pub mod v1;
pub mod v1beta1;
pub mod v1beta2;
