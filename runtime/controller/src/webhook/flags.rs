//! [`WebhookFlags`]: command-line flags of a program that serves webhooks.

use std::env;
use std::net::SocketAddr;
use std::path::PathBuf;

use clap::Args;

use super::certificates::Certificates;
use crate::flags::{BindAddress, parse_address};

/// Variable that the kubelet sets in every container, as in client-go's `InClusterConfig`.
const IN_CLUSTER: &str = "KUBERNETES_SERVICE_HOST";

/// Flags of a program that serves webhooks, in addition to [`ManagerFlags`](crate::ManagerFlags).
/// The `--webhook-cert-…` flags have the same names as in kubebuilder's programs.
///
/// ```no_run
/// use clap::Parser;
/// use genclient_controller::webhook::{WebhookFlags, WebhookServer, Webhooks};
/// use genclient_controller::{Manager, ManagerFlags};
///
/// #[derive(Parser)]
/// struct Flags {
///     #[command(flatten)]
///     manager: ManagerFlags,
///     #[command(flatten)]
///     webhook: WebhookFlags,
/// }
///
/// # async fn example() -> Result<(), genclient_controller::SetupError> {
/// let flags = Flags::parse();
/// let mut manager = Manager::builder("guestbook").flags(&flags.manager).build().await?;
/// manager.add(WebhookServer::from_flags(Webhooks::new(), &flags.webhook))?;
/// # Ok(())
/// # }
/// ```
#[derive(Args, Clone, Debug)]
#[command(next_help_heading = "Webhooks")]
#[non_exhaustive]
pub struct WebhookFlags {
    /// Address to serve webhooks on, over TLS; 0 disables them. Defaults to :9443; outside of a
    /// cluster, only with --webhook-url or --webhook-cert-path
    #[arg(long, value_name = "ADDRESS", value_parser = parse_address)]
    pub webhook_bind_address: Option<BindAddress>,

    /// Folder with the certificate of the webhook server, such as cert-manager's; by default, the
    /// program issues its own
    #[arg(long, value_name = "FOLDER")]
    pub webhook_cert_path: Option<PathBuf>,

    /// File name of the webhook server's certificate
    #[arg(long, value_name = "NAME", default_value = "tls.crt")]
    pub webhook_cert_name: String,

    /// File name of the webhook server's key
    #[arg(long, value_name = "NAME", default_value = "tls.key")]
    pub webhook_cert_key: String,

    /// Secret that stores the certificates issued by the program
    #[arg(long, value_name = "NAME", default_value = "webhook-server-cert")]
    pub webhook_secret: String,

    /// Service that the API server calls, in the namespace of the Pod
    #[arg(long, value_name = "NAME", default_value = "webhook-service")]
    pub webhook_service: String,

    /// Prefix of the URLs that the API server calls instead of the Service, such as
    /// https://127.0.0.1:9443
    #[arg(long, value_name = "URL")]
    pub webhook_url: Option<String>,
}

impl WebhookFlags {
    /// Returns the address to listen on, or why there is none.
    pub(super) fn address(&self, default: SocketAddr) -> Result<SocketAddr, &'static str> {
        self.address_if(env::var_os(IN_CLUSTER).is_some(), default)
    }

    /// Outside of a cluster, no Service leads to the program. Unless the flags ask for webhooks,
    /// the program would write a Secret to a namespace of the kubeconfig, and its authority into
    /// configurations that call another program.
    fn address_if(
        &self,
        is_in_cluster: bool,
        default: SocketAddr,
    ) -> Result<SocketAddr, &'static str> {
        let is_asked_for = self.webhook_url.is_some() || self.webhook_cert_path.is_some();
        match self.webhook_bind_address {
            Some(address) => address.ok_or("--webhook-bind-address is 0"),
            None if is_asked_for || is_in_cluster => Ok(default),
            None => Err("not running in a cluster: set --webhook-url to serve webhooks"),
        }
    }

    /// Returns the certificate source that the flags select.
    pub fn certificates(&self) -> Certificates {
        if let Some(folder) = &self.webhook_cert_path {
            let (name, key) = (&self.webhook_cert_name, &self.webhook_cert_key);
            return Certificates::files(folder.join(name), folder.join(key));
        }
        let own = Certificates::own(&self.webhook_secret).service(&self.webhook_service);
        match &self.webhook_url {
            Some(url) => own.url(url),
            None => own,
        }
    }
}

#[cfg(test)]
mod tests {
    use clap::Parser;

    use super::*;

    #[derive(Parser)]
    struct FlagsOfWebhooks {
        #[command(flatten)]
        webhook: WebhookFlags,
    }

    #[test]
    fn webhooks_are_off_outside_of_a_cluster_unless_asked_for() {
        let outside = "not running in a cluster: set --webhook-url to serve webhooks";
        let zero = "--webhook-bind-address is 0";
        let default = ([127, 0, 0, 1], 9443).into();
        for (flag, in_cluster, expected) in [
            (None, true, Ok(9443)),
            (None, false, Err(outside)),
            (Some("--webhook-secret=a"), false, Err(outside)),
            (Some("--webhook-service=a"), false, Err(outside)),
            (Some("--webhook-url=https://127.0.0.1:1"), false, Ok(9443)),
            (Some("--webhook-cert-path=/certs"), false, Ok(9443)),
            (Some("--webhook-bind-address=:8443"), false, Ok(8443)),
            (Some("--webhook-bind-address=:8443"), true, Ok(8443)),
            (Some("--webhook-bind-address=0"), true, Err(zero)),
            (Some("--webhook-bind-address=0"), false, Err(zero)),
        ] {
            let program = FlagsOfWebhooks::parse_from(["program"].into_iter().chain(flag));
            let address = program.webhook.address_if(in_cluster, default);
            let port = address.map(|address| address.port());
            assert_eq!(port, expected, "{flag:?} {in_cluster}");
        }
    }
}
