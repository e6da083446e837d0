//! Context of docs/package.md.

mod controller {
    use std::time::Duration;

    use genclient::config;
    use genclient::informer::Enqueue;
    use genclient::workqueue::Queue;
    use gputask::apis::falldio::v1::GPUTask;
    use gputask::client::clientset::Clientset;
    use gputask::client::informers::SharedInformerFactory;

    async fn run() -> anyhow::Result<()> {
        // block: A controller by hand
        Ok(())
    }

    async fn sync(clientset: &Clientset, task: &GPUTask) -> anyhow::Result<()> {
        Ok(())
    }
}
