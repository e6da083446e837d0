//! A kind has another name since the client was generated.

#[path = "../../golden/client/several_types"]
mod client_several_types {
    pub mod apis {
        pub mod v1 {
            use genclient::prelude::*;

            pub use super::Gauge;

            #[genclient(method(
                name = "get_timetable",
                verb = "get",
                subresource = "timetable",
                result = "Timetable"
            ))]
            #[group = "lines.example.com"]
            #[crd(storage, conversion(webhook(service = "system/converter")))]
            pub struct Railway {
                pub metadata: ObjectMeta,
                pub gauge: Gauge,
                pub fuel: Fuel,
            }

            #[genclient(non_namespaced)]
            #[group = "lines.example.com"]
            pub struct Station {
                pub metadata: ObjectMeta,
                pub gauges: Vec<Gauge>,
            }

            #[derive(Clone, Debug, Serialize, Deserialize, CrdSchema)]
            pub enum Fuel {
                Coal,
                Electricity,
            }

            #[derive(Clone, Debug, Deserialize)]
            pub struct Timetable {
                pub departures: Vec<String>,
            }
        }

        pub mod v1beta1 {
            use genclient::conversion::{Inconvertible, Spoke};
            use genclient::prelude::*;

            use super::{Gauge, v1};

            #[genclient]
            #[group = "lines.example.com"]
            pub struct Train {
                pub metadata: ObjectMeta,
                pub gauge: Gauge,
            }

            impl Spoke for Train {
                type Hub = v1::Railway;

                fn to_hub(self) -> Result<v1::Railway, Inconvertible> {
                    Ok(v1::Railway {
                        metadata: self.metadata,
                        gauge: self.gauge,
                        fuel: v1::Fuel::Coal,
                    })
                }

                fn from_hub(hub: v1::Railway) -> Result<Self, Inconvertible> {
                    Ok(Self {
                        metadata: hub.metadata,
                        gauge: hub.gauge,
                    })
                }
            }
        }

        use genclient::prelude::*;

        #[derive(Clone, Debug, Serialize, Deserialize, CrdSchema)]
        pub enum Gauge {
            Standard,
            Narrow,
        }
    }

    #[path = "expected/client/mod.rs"]
    pub mod client;
}

fn main() {}
