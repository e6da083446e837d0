//! Context of README.md.

mod v1 {
    // block: From a type to its output

    #[derive(Clone, Debug, Serialize, Deserialize, CrdSchema)]
    pub struct GPUTaskSpec {
        gpu: String,
    }
}

mod controller {
    use std::time::Duration;

    use genclient::config;
    use genclient::informer::Enqueue;
    use genclient::workqueue::Queue;
    use gputask::apis::falldio::v1::GPUTask;
    use gputask::client::clientset::Clientset;
    use gputask::client::informers::SharedInformerFactory;

    async fn run() -> anyhow::Result<()> {
        // block: A controller with the generated code
        Ok(())
    }

    async fn sync(clientset: &Clientset, task: &GPUTask) -> anyhow::Result<()> {
        Ok(())
    }
}
