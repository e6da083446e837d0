//! Artefacts: the parts of the output that `--only` selects.

/// A part of the output that `--only` selects.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Artefact {
    /// Typed clients.
    Clientset,
    /// Apply configurations: the fields of an object that server-side apply states. They are
    /// generated if the setting `apply-configurations` is on.
    ApplyConfiguration,
    /// Listers: typed reads of a cache.
    Listers,
    /// Informers: caches that a watch keeps up to date.
    Informers,
    /// The list of kinds, and an enum over them.
    Scheme,
    /// The CRDs as Rust values.
    Crds,
    /// Conversion between versions.
    Conversion,
    /// The CRDs as YAML.
    Crd,
    /// The roles of controllers as YAML.
    Rbac,
    /// The configurations of admission webhooks as YAML.
    Webhook,
    /// Manifests that deploy the program. In a package with deployment settings, this artefact
    /// includes all other YAML: [`Self::Crd`], [`Self::Rbac`] and [`Self::Webhook`].
    Deploy,
}

impl Artefact {
    /// Every artefact.
    pub const ALL: [Self; 11] = [
        Self::Clientset,
        Self::ApplyConfiguration,
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

    /// Returns the name that selects the artefact: `clientset`.
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Crd => "crd",
            Self::Rbac => "rbac",
            Self::Webhook => "webhook",
            Self::Deploy => "deploy",
            artefact => artefact.module(),
        }
    }

    /// Returns its module below the client module; empty for YAML.
    pub const fn module(self) -> &'static str {
        match self {
            Self::Clientset => "clientset",
            Self::ApplyConfiguration => "applyconfiguration",
            Self::Listers => "listers",
            Self::Informers => "informers",
            Self::Scheme => "scheme",
            Self::Crds => "crds",
            Self::Conversion => "conversion",
            Self::Crd | Self::Rbac | Self::Webhook | Self::Deploy => "",
        }
    }

    /// Returns whether it is a module below the client module.
    pub fn is_module(self) -> bool {
        !self.module().is_empty()
    }
}
