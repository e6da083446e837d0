//! Clients of a server in the process.

use genclient::kube::Client;

use crate::server::ApiServer;

impl ApiServer {
    /// A client with the settings of [`genclient::client::connect`]: retries, warnings and rate
    /// limits are those of programs that talk to a cluster.
    ///
    /// # Panics
    ///
    /// Outside of a Tokio runtime, which the client belongs to.
    pub fn client(&self) -> Client {
        Client::new(self.clone(), "default")
    }
}
