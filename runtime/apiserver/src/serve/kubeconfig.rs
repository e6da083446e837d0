//! Kubeconfig for a server that listens on a TCP address.

use std::fs::OpenOptions;
use std::io::{self, Write as _};
use std::path::Path;

/// Returns a kubeconfig with one cluster, one user without credentials, and one context.
///
/// The server has no TLS. `insecure-skip-tls-verify` is there for @kubernetes/client-node, which
/// refuses plain HTTP without it (`createAgent` in its config.ts). Other clients ignore it.
pub(super) fn render_kubeconfig(url: &str) -> String {
    format!(
        "# Written by genclient-apiserver
apiVersion: v1
kind: Config
clusters:
- name: genclient
  cluster:
    server: {url}
    insecure-skip-tls-verify: true
users:
- name: genclient
  user: {{}}
contexts:
- name: genclient
  context:
    cluster: genclient
    user: genclient
current-context: genclient
"
    )
}

/// Writes a file that only its owner can read. Some versions of Helm warn about a kubeconfig that
/// other users can read.
pub(super) fn write_private(path: &Path, text: &str) -> io::Result<()> {
    let mut options = OpenOptions::new();
    options.write(true).create(true).truncate(true);
    #[cfg(unix)]
    std::os::unix::fs::OpenOptionsExt::mode(&mut options, 0o600);
    let mut file = options.open(path)?;
    #[cfg(unix)]
    {
        use std::os::unix::fs::PermissionsExt as _;
        file.set_permissions(std::fs::Permissions::from_mode(0o600))?;
    }
    file.write_all(text.as_bytes())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_kubeconfig_allows_plain_http() {
        let text = render_kubeconfig("http://127.0.0.1:7");
        let cluster = "    server: http://127.0.0.1:7\n    insecure-skip-tls-verify: true\n";
        assert!(text.contains(cluster), "{text}");
    }
}
