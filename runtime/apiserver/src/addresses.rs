//! Allocator of the cluster IPs and node ports of Services.

use std::net::Ipv4Addr;

/// Number of node ports in the range 30000 to 32767.
pub(crate) const NODE_PORTS: u16 = 2768;

/// Cluster IP of the Service `kubernetes`: the first address of the service range 10.96.0.0/12,
/// which is kubeadm's default.
pub(crate) const KUBERNETES: Ipv4Addr = Ipv4Addr::new(10, 96, 0, 1);

/// Allocates cluster IPs and node ports in ascending order. After the end of a range, it begins
/// again at the start of the range. The caller skips the IPs and ports that are in use.
#[derive(Debug, Default)]
pub(crate) struct Addresses {
    ips: u32,
    ports: u16,
}

impl Addresses {
    /// Returns the next address of the service range after [`KUBERNETES`].
    pub(crate) fn cluster_ip(&mut self) -> String {
        self.ips = self.ips % 0x000f_fff0 + 1;
        Ipv4Addr::from(u32::from(KUBERNETES) + self.ips).to_string()
    }

    /// Returns the next node port in the range 30000 to 32767.
    pub(crate) fn node_port(&mut self) -> u16 {
        let port = 30_000 + self.ports;
        self.ports = (self.ports + 1) % NODE_PORTS;
        port
    }
}
