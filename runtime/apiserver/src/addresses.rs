//! Allocator of the cluster IPs and node ports of Services.

/// Number of node ports in the range 30000 to 32767.
pub(crate) const NODE_PORTS: u16 = 2768;

/// Allocates cluster IPs and node ports in ascending order. After the end of a range, it begins
/// again at the start of the range. The caller skips the IPs and ports that are in use.
#[derive(Debug, Default)]
pub(crate) struct Addresses {
    ips: u32,
    ports: u16,
}

impl Addresses {
    /// Returns the next address of the service range 10.96.0.0/12, which is kubeadm's default.
    pub(crate) fn cluster_ip(&mut self) -> String {
        // The first address is 10.96.0.2. 10.96.0.1 belongs to the Service `kubernetes`.
        self.ips = (self.ips + 1) % 0x000f_fff0;
        let address = std::net::Ipv4Addr::from(0x0a60_0001 + self.ips);
        address.to_string()
    }

    /// Returns the next node port in the range 30000 to 32767.
    pub(crate) fn node_port(&mut self) -> u16 {
        let port = 30_000 + self.ports;
        self.ports = (self.ports + 1) % NODE_PORTS;
        port
    }
}
