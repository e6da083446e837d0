//! A version is gone since the client was generated.

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
            pub struct Train {
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
