//! Two ways to read: a typed client asks the API server, and a lister reads an informer's cache.

use clap::Parser;
use demo_client::clientset::Clientset;
use demo_client::informers::SharedInformerFactory;
use genclient::client::ListParams;
use genclient::kube::ResourceExt;

/// Prints all Demos of a namespace, and then one of them
#[derive(Debug, Parser)]
struct Flags {
    #[command(flatten)]
    connection: demo::Connection,

    #[command(flatten)]
    logging: demo::Logging,

    /// The namespace to read
    #[arg(long, default_value = "default")]
    namespace: String,

    /// The Demo to get from the cache
    #[arg(default_value = "hello")]
    name: String,
}

#[tokio::main]
async fn main() -> anyhow::Result<()> {
    let flags = Flags::parse();
    flags.logging.start();
    let clientset = Clientset::new(flags.connection.config().await?)?;

    let demos = clientset.democontroller_v1alpha1().demos(&flags.namespace);
    for demo in demos.list(&ListParams::default()).await? {
        println!(
            "{} wants the Deployment {}",
            demo.name_any(),
            demo.spec.deployment_name
        );
    }

    let factory = SharedInformerFactory::builder(clientset)
        .namespace(&flags.namespace)
        .build();
    let lister = factory.democontroller().v1alpha1().demos().lister();
    factory.start();
    factory.wait_for_cache_sync().await?;
    match lister.namespace(&flags.namespace).get(&flags.name) {
        Some(demo) => println!("in the cache: {}, {:?}", demo.name_any(), demo.spec),
        None => println!("in the cache: no {}", flags.name),
    }
    factory.shutdown().await;
    Ok(())
}
