//! Parts of the output that can be chosen.

/// A part of the output that can be chosen.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Artefact {
    /// Typed clients.
    Clientset,
    /// Typed reads of a cache.
    Listers,
    /// Caches that the API server's watch keeps fresh.
    Informers,
    /// The list of kinds, and an enum of them.
    Scheme,
    /// The CRDs as Rust values.
    Crds,
    /// The conversion between versions.
    Conversion,
    /// The CRDs as YAML.
    Crd,
    /// The roles of controllers as YAML.
    Rbac,
    /// The configurations of admission webhooks as YAML.
    Webhook,
    /// What deploys the program, with all other YAML.
    Deploy,
}

impl Artefact {
    /// Every artefact.
    pub const ALL: [Self; 10] = [
        Self::Clientset,
        Self::Listers,
        Self::Informers,
        Self::Scheme,
        Self::Crds,
        Self::Conversion,
        Self::Crd,
        Self::Rbac,
        Self::Webhook,
        Self::Deploy,
    ];

    /// The name by which it is chosen: `clientset`.
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Crd => "crd",
            Self::Rbac => "rbac",
            Self::Webhook => "webhook",
            Self::Deploy => "deploy",
            artefact => artefact.module(),
        }
    }

    /// Its module below the client module; empty for YAML.
    pub const fn module(self) -> &'static str {
        match self {
            Self::Clientset => "clientset",
            Self::Listers => "listers",
            Self::Informers => "informers",
            Self::Scheme => "scheme",
            Self::Crds => "crds",
            Self::Conversion => "conversion",
            Self::Crd | Self::Rbac | Self::Webhook | Self::Deploy => "",
        }
    }

    /// True for a module of the client.
    pub(crate) fn is_module(self) -> bool {
        !self.module().is_empty()
    }
}
