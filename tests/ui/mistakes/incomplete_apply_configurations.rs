//! Apply configurations without the name, the namespace or the key that an apply needs.

use fixture::client::applyconfiguration::v1::{FleetApply, PortApply};

fn main() {
    let _fleet = FleetApply::new("fleet");
    let _fleet = FleetApply::default();
    let _port = PortApply::new();
    let _port = PortApply::default();
    let _port = PortApply {
        name: None,
        number: Some(80),
        protocol: None,
    };
}
