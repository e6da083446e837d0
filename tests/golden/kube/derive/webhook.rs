//! Webhooks for kinds that kube makes of their specs.
use genclient::webhook;

use crate::admission::{Defaulter, Validator};
use crate::kube_derive::apis::v1::Press;

#[webhook]
impl Defaulter for Press {
    type Object = Self;
}

pub mod paths {
    use genclient::webhook;

    use crate::admission::Validator;
    use crate::kube_derive::apis::v1;

    pub struct Presses;

    #[webhook]
    impl Validator for Presses {
        type Object = v1::Press;
    }
}

mod globs {
    use genclient::webhook;

    use crate::admission::Validator;
    use crate::kube_derive::apis::v1::*;

    #[webhook]
    impl Validator for ArchiveSpec {
        type Object = Archive;
    }
}

pub struct Renamed;

#[webhook(name = "renamed.press.print.example.com")]
impl Validator for Renamed {
    type Object = crate::kube_derive::apis::v1::Press;
}
