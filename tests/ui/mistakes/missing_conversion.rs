//! Version without `impl Spoke` among the convertible versions of a kind.

use genclient::conversion::Versions;

mod v1 {
    use genclient::prelude::*;

    #[genclient]
    #[group = "example.com"]
    pub struct Task {
        pub metadata: ObjectMeta,
    }
}

mod v1alpha1 {
    use genclient::prelude::*;

    #[genclient]
    #[group = "example.com"]
    pub struct Task {
        pub metadata: ObjectMeta,
    }
}

fn main() {
    let _ = Versions::<v1::Task>::hub().spoke::<v1alpha1::Task>();
}
