//! Command lines of etcd and kube-apiserver, and the files that the flags name.

use std::fs;
use std::io;
use std::path::{Path, PathBuf};

use genclient_apiserver::User;
use rcgen::KeyPair;

use crate::authority::{Authority, CertAndKey};
use crate::error::UserError;

/// Paths of the files in the control plane's folder.
pub(crate) struct Files<'a>(pub(crate) &'a Path);

impl Files<'_> {
    pub(crate) fn kubeconfig(&self) -> PathBuf {
        self.0.join("kubeconfig.json")
    }

    pub(crate) fn etcd_log(&self) -> PathBuf {
        self.0.join("etcd.log")
    }

    pub(crate) fn api_server_log(&self) -> PathBuf {
        self.0.join("kube-apiserver.log")
    }

    fn authority(&self) -> PathBuf {
        self.0.join("ca.crt")
    }

    fn certificate(&self) -> PathBuf {
        self.0.join("serving.crt")
    }

    fn serving_key(&self) -> PathBuf {
        self.0.join("serving.key")
    }

    fn service_account_key(&self) -> PathBuf {
        self.0.join("service-account.key")
    }

    fn service_account_public_key(&self) -> PathBuf {
        self.0.join("service-account.pub")
    }

    fn tokens(&self) -> PathBuf {
        self.0.join("tokens.csv")
    }

    /// Writes the files that the API server reads: certificates, keys and tokens.
    pub(crate) fn write(
        &self,
        authority: &Authority,
        tokens: &[(String, User)],
    ) -> Result<(), UserError> {
        let names = ["127.0.0.1".to_owned(), "localhost".to_owned()];
        let CertAndKey { certificate, key } = authority.serving(&names)?;
        let service_account_key = KeyPair::generate().map_err(io::Error::other)?;
        fs::write(self.authority(), authority.pem())?;
        fs::write(self.certificate(), certificate)?;
        fs::write(self.serving_key(), key)?;
        fs::write(
            self.service_account_key(),
            service_account_key.serialize_pem(),
        )?;
        fs::write(
            self.service_account_public_key(),
            service_account_key.public_key_pem(),
        )?;
        if !tokens.is_empty() {
            fs::write(self.tokens(), token_file(tokens)?)?;
        }
        Ok(())
    }
}

/// Returns the content of the file for `--token-auth-file`: lines with token, name, uid and groups.
fn token_file(tokens: &[(String, User)]) -> Result<String, UserError> {
    let mut lines = String::new();
    for (token, user) in tokens {
        let name = user.name().to_owned();
        if !user.extras().is_empty() {
            return Err(UserError::Extra { name });
        }
        if user.groups().iter().any(|group| group.contains(',')) {
            return Err(UserError::Comma { name });
        }
        let fields = [token, user.name(), user.uid(), &user.groups().join(",")];
        let quote = |field: &str| format!("\"{}\"", field.replace('"', "\"\""));
        lines.push_str(&fields.map(quote).join(","));
        lines.push('\n');
    }
    Ok(lines)
}

pub(crate) fn etcd_flags(folder: &Path, port: u16) -> Vec<String> {
    vec![
        format!("--data-dir={}", folder.join("etcd").display()),
        format!("--listen-client-urls=http://127.0.0.1:{port}"),
        format!("--advertise-client-urls=http://127.0.0.1:{port}"),
        // etcd has a single member and so no peers; the port does not matter.
        "--listen-peer-urls=http://127.0.0.1:0".to_owned(),
        "--unsafe-no-fsync".to_owned(),
        "--log-level=warn".to_owned(),
    ]
}

pub(crate) fn api_server_flags(files: &Files<'_>, port: u16, etcd_port: u16) -> Vec<String> {
    let show = |path: PathBuf| path.display().to_string();
    let mut flags = vec![
        format!("--etcd-servers=http://127.0.0.1:{etcd_port}"),
        "--bind-address=127.0.0.1".to_owned(),
        "--advertise-address=127.0.0.1".to_owned(),
        format!("--secure-port={port}"),
        format!("--tls-cert-file={}", show(files.certificate())),
        format!("--tls-private-key-file={}", show(files.serving_key())),
        format!("--client-ca-file={}", show(files.authority())),
        "--authorization-mode=RBAC".to_owned(),
        "--service-account-issuer=https://kubernetes.default.svc".to_owned(),
        format!(
            "--service-account-key-file={}",
            show(files.service_account_public_key())
        ),
        format!(
            "--service-account-signing-key-file={}",
            show(files.service_account_key())
        ),
        // No controller manager creates service accounts. The plug-in ServiceAccount would reject
        // every Pod whose service account does not exist.
        "--disable-admission-plugins=ServiceAccount".to_owned(),
        "--service-cluster-ip-range=10.0.0.0/24".to_owned(),
        // With any other value, the API server publishes its address as an endpoint of the Service
        // `kubernetes`. Its address here is a loopback address, which is not valid in endpoints.
        "--endpoint-reconciler-type=none".to_owned(),
        "--allow-privileged=true".to_owned(),
        "--profiling=false".to_owned(),
    ];
    if files.tokens().exists() {
        flags.push(format!("--token-auth-file={}", show(files.tokens())));
    }
    flags
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn token_file_fields_are_quoted() {
        let alice = User::new("alice \"a\"").with_uid("7").group("a").group("b");
        let tokens = [("x".to_owned(), alice), ("y".to_owned(), User::new("bob"))];
        let expected = "\"x\",\"alice \"\"a\"\"\",\"7\",\"a,b\"\n\"y\",\"bob\",\"\",\"\"\n";
        assert_eq!(token_file(&tokens).unwrap(), expected);
    }

    #[test]
    fn users_that_a_token_file_cannot_express_are_rejected() {
        let refusal = |user: User| token_file(&[("x".to_owned(), user)]).unwrap_err();
        let extra = refusal(User::new("a").extra("key", "value"));
        assert!(matches!(extra, UserError::Extra { .. }), "{extra}");
        let comma = refusal(User::new("a").group("b,c"));
        assert!(matches!(comma, UserError::Comma { .. }), "{comma}");
    }
}
