//! Service account tokens: claims, and the list of issued tokens (pkg/serviceaccount in Kubernetes'
//! sources).

use std::collections::HashMap;

use base64::engine::Engine;
use base64::engine::general_purpose::URL_SAFE_NO_PAD;
use genclient::k8s_openapi::jiff::{SignedDuration, Timestamp};
use parking_lot::Mutex;
use serde_json::{Value, json};

use super::user::User;

/// Issuer of tokens, which is also the server's own audience.
pub(crate) const AUDIENCE: &str = "https://kubernetes.default.svc";

const EXTRA_PREFIX: &str = "authentication.kubernetes.io/";

/// Tokens that the server has issued, with their claims.
#[derive(Debug, Default)]
pub(crate) struct IssuedTokens(pub(crate) Mutex<HashMap<String, TokenClaims>>);

#[derive(Clone, Debug)]
pub(crate) struct TokenClaims {
    pub(crate) account: ObjectClaim,
    pub(crate) namespace: String,
    pub(crate) audiences: Vec<String>,
    pub(crate) id: String,
    pub(crate) issued: Timestamp,
    pub(crate) seconds: i64,
    /// Pod, Secret or Node that the token is bound to.
    pub(crate) bound: Option<(BoundKind, ObjectClaim)>,
    /// Node of the Pod that the token is bound to.
    pub(crate) node: Option<ObjectClaim>,
}

/// Object that a claim of a token refers to.
#[derive(Clone, Debug)]
pub(crate) struct ObjectClaim {
    pub(crate) name: String,
    pub(crate) uid: String,
}

/// Kind of object that a token may be bound to.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum BoundKind {
    Pod,
    Secret,
    Node,
}

impl BoundKind {
    /// Returns the variant for a kind of the core group.
    pub(crate) fn from_kind(kind: &str) -> Option<Self> {
        match kind {
            "Pod" => Some(Self::Pod),
            "Secret" => Some(Self::Secret),
            "Node" => Some(Self::Node),
            _ => None,
        }
    }

    pub(crate) fn plural(self) -> &'static str {
        match self {
            Self::Pod => "pods",
            Self::Secret => "secrets",
            Self::Node => "nodes",
        }
    }

    fn claim(self) -> &'static str {
        match self {
            Self::Pod => "pod",
            Self::Secret => "secret",
            Self::Node => "node",
        }
    }
}

impl ObjectClaim {
    fn json(&self) -> Value {
        let mut claim = json!({ "name": self.name });
        if !self.uid.is_empty() {
            claim["uid"] = self.uid.as_str().into();
        }
        claim
    }
}

impl TokenClaims {
    /// Returns when the token expires, or `None` if the time is out of range.
    pub(crate) fn expires(&self) -> Option<Timestamp> {
        let lifetime = SignedDuration::from_secs(self.seconds);
        self.issued.checked_add(lifetime).ok()
    }

    /// Encodes the claims as a JSON Web Token. `signature` is any text. The server does not verify
    /// it, but looks the token up in [`IssuedTokens`].
    pub(crate) fn encode(&self, signature: &str) -> String {
        let mut objects = json!({
            "namespace": self.namespace,
            "serviceaccount": self.account.json(),
        });
        if let Some((kind, object)) = &self.bound {
            objects[kind.claim()] = object.json();
        }
        if let Some(node) = &self.node {
            objects["node"] = node.json();
        }
        let issued = self.issued.as_second();
        let payload = json!({
            "aud": self.audiences,
            "exp": issued + self.seconds,
            "iat": issued,
            "iss": AUDIENCE,
            "jti": self.id,
            "kubernetes.io": objects,
            "nbf": issued,
            "sub": format!("system:serviceaccount:{}:{}", self.namespace, self.account.name),
        });
        let header = json!({ "alg": "ES256", "kid": "genclient" });
        let parts = [
            header.to_string(),
            payload.to_string(),
            signature.to_owned(),
        ];
        parts
            .map(|part| URL_SAFE_NO_PAD.encode(part.as_bytes()))
            .join(".")
    }

    pub(crate) fn user(&self) -> User {
        let mut user =
            User::service_account(&self.namespace, &self.account.name).with_uid(&self.account.uid);
        let mut extra = |name: &str, value: &str| {
            user = std::mem::take(&mut user).extra(format!("{EXTRA_PREFIX}{name}"), value);
        };
        extra("credential-id", &format!("JTI={}", self.id));
        let pod = self
            .bound
            .as_ref()
            .filter(|(kind, _)| *kind == BoundKind::Pod);
        let node = self
            .bound
            .as_ref()
            .filter(|(kind, _)| *kind == BoundKind::Node);
        if let Some((_, pod)) = pod {
            extra("pod-name", &pod.name);
            extra("pod-uid", &pod.uid);
        }
        if let Some(node) = self.node.as_ref().or(node.map(|(_, node)| node)) {
            extra("node-name", &node.name);
            if !node.uid.is_empty() {
                extra("node-uid", &node.uid);
            }
        }
        user
    }
}
