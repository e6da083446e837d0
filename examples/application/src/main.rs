//! Program that runs the controller and the webhooks of Applications until SIGINT or SIGTERM.

use application::{controller, webhook};
use clap::Parser;
use genclient::signals;
use genclient_controller::webhook::{WebhookFlags, WebhookServer};
use genclient_controller::{Manager, ManagerFlags};

/// Runs a Deployment behind a Service for each Application
#[derive(Debug, Parser)]
struct Flags {
    #[command(flatten)]
    manager: ManagerFlags,

    #[command(flatten)]
    webhook: WebhookFlags,
}

#[tokio::main]
async fn main() -> anyhow::Result<()> {
    let flags = Flags::parse();
    flags.manager.init_logging();
    let mut manager = Manager::builder(controller::NAME)
        .flags(&flags.manager)
        .build()
        .await?;
    manager.add(WebhookServer::from_flags(
        webhook::webhooks(),
        &flags.webhook,
    ))?;
    controller::add(&mut manager)?;
    Ok(manager.run(signals::shutdown()?).await?)
}
