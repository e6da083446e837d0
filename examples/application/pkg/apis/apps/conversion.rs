//! Conversion of Applications between `v1alpha1` and the storage version.

use genclient::conversion::{Inconvertible, Spoke};

use super::{v1alpha1, v1beta1};

impl Spoke for v1alpha1::Application {
    type Hub = v1beta1::Application;

    fn to_hub(self) -> Result<v1beta1::Application, Inconvertible> {
        let v1alpha1::ApplicationSpec {
            name,
            replicas,
            image,
            port,
            env,
        } = self.spec;
        Ok(v1beta1::Application {
            metadata: self.metadata,
            spec: v1beta1::ApplicationSpec {
                name,
                replicas,
                container: v1beta1::ContainerSpec { image, port, env },
            },
            status: self.status,
        })
    }

    fn from_hub(hub: v1beta1::Application) -> Result<Self, Inconvertible> {
        let v1beta1::ApplicationSpec {
            name,
            replicas,
            container: v1beta1::ContainerSpec { image, port, env },
        } = hub.spec;
        Ok(Self {
            metadata: hub.metadata,
            spec: v1alpha1::ApplicationSpec {
                name,
                replicas,
                image,
                port,
                env,
            },
            status: hub.status,
        })
    }
}
