//! Context of docs/webhooks.md.

mod v1 {
    use genclient::prelude::*;

    #[genclient]
    #[group = "example.com"]
    pub struct Backup {
        pub metadata: ObjectMeta,
        pub spec: BackupSpec,
    }

    #[derive(Clone, Debug, Serialize, Deserialize, CrdSchema)]
    pub struct BackupSpec {
        pub bucket: Option<String>,
    }
}

mod conversion {
    use genclient::conversion::{self, Inconvertible};
    use genclient::prelude::ObjectMeta;

    use super::v1;

    fn convert(mut metadata: ObjectMeta, hub: v1::Backup) -> Result<(), Inconvertible> {
        // block: Conversion 2
        Ok(())
    }
}

mod by_url {
    use genclient::prelude::*;
    use genclient::webhook;
    use genclient_controller::webhook::{Admission, Defaulter, Denied};

    struct ApplicationDefaulter;

    // block: Outside of the cluster
    impl Defaulter for ApplicationDefaulter {
        type Object = v1::Application;

        async fn set_defaults(
            &self,
            application: &mut v1::Application,
            request: &Admission,
        ) -> Result<(), Denied> {
            Ok(())
        }
    }

    mod v1 {
        use genclient::prelude::*;

        #[genclient]
        #[group = "apps.example.io"]
        // block: Outside of the cluster 2
        pub struct Application {
            metadata: ObjectMeta,
        }
    }
}
