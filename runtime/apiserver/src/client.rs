//! Clients of a server in the process.

use genclient::client;
use genclient::kube::{Client, Config};
use http::Uri;

use crate::server::ApiServer;

impl ApiServer {
    /// A client with the settings of [`genclient::client::connect`]: retries, warnings and rate
    /// limits are those of programs that talk to a cluster.
    ///
    /// # Panics
    ///
    /// Outside of a Tokio runtime, which the client belongs to.
    pub fn client(&self) -> Client {
        let config = Config::new(Uri::from_static("http://apiserver.invalid"));
        let client = client::builder(config).connect_to(self.clone());
        #[expect(
            clippy::expect_used,
            reason = "the user agent is the program's name, escaped"
        )]
        client.expect("the default user agent can be sent")
    }
}
