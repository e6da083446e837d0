//! Cluster IPs and node ports of Services.

/// How many node ports there are.
pub(crate) const NODE_PORTS: u16 = 2768;

/// Hands out addresses one after the other.
#[derive(Debug, Default)]
pub(crate) struct Addresses {
    ips: u32,
    ports: u16,
}

impl Addresses {
    /// The next address of 10.96.0.0/12, kubeadm's default range.
    pub(crate) fn cluster_ip(&mut self) -> String {
        // 10.96.0.1 is that of the Service `kubernetes`.
        self.ips = (self.ips + 1) % 0x000f_fff0;
        let address = std::net::Ipv4Addr::from(0x0a60_0001 + self.ips);
        address.to_string()
    }

    /// The next port of 30000 to 32767.
    pub(crate) fn node_port(&mut self) -> u16 {
        let port = 30_000 + self.ports;
        self.ports = (self.ports + 1) % NODE_PORTS;
        port
    }
}
