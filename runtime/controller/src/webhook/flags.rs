//! [`WebhookFlags`]: command-line flags of a program that serves webhooks.

use std::path::PathBuf;

use clap::Args;

use super::certificates::Certificates;
use crate::flags::{BindAddress, address};

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
/// let mut manager = Manager::builder("guestbook").flags(&flags.manager).await?.build().await?;
/// manager.add(WebhookServer::from_flags(Webhooks::new(), &flags.webhook))?;
/// # Ok(())
/// # }
/// ```
#[derive(Args, Clone, Debug)]
#[command(next_help_heading = "Webhooks")]
#[non_exhaustive]
pub struct WebhookFlags {
    /// Address to serve webhooks on, over TLS; 0 disables them
    #[arg(long, value_name = "ADDRESS", default_value = ":9443", value_parser = address)]
    pub webhook_bind_address: BindAddress,

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
