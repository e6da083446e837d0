//! Codes of findings.

/// The subject of a [`Diagnostic`](super::Diagnostic), which tools can filter by. An editor shows
/// the code beside the message.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Code {
    /// Text that cannot be parsed as Rust. rustc reports it, too.
    Syntax,
    /// Files and `mod` lines of the modules that are read.
    Module,
    /// Settings in Cargo.toml, and versions of dependencies.
    Settings,
    /// The form of an attribute. The macros report it, too.
    Attribute,
    /// Group, version, names and verbs of a kind.
    Kind,
    /// The schema of a type.
    Schema,
    /// A default value.
    Default,
    /// A regular expression.
    Pattern,
    /// A rule in CEL.
    Cel,
    /// Other parts of a CRD, such as columns.
    Crd,
    /// The versions of a kind, and conversion between them.
    Version,
    /// Apply configurations.
    ApplyConfiguration,
    /// Roles and the rules of controllers.
    Rbac,
    /// Admission webhooks.
    Webhook,
    /// The module of the generated client, and folders of generated files.
    Client,
    /// A generated file that `genclient update` would change.
    OutOfDate,
    /// Everything else.
    Other,
}

impl Code {
    /// All codes.
    pub const ALL: [Self; 17] = [
        Self::Syntax,
        Self::Module,
        Self::Settings,
        Self::Attribute,
        Self::Kind,
        Self::Schema,
        Self::Default,
        Self::Pattern,
        Self::Cel,
        Self::Crd,
        Self::Version,
        Self::ApplyConfiguration,
        Self::Rbac,
        Self::Webhook,
        Self::Client,
        Self::OutOfDate,
        Self::Other,
    ];

    /// The code with its namespace, as rustc writes codes of tools: `genclient::cel`.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Syntax => "genclient::syntax",
            Self::Module => "genclient::module",
            Self::Settings => "genclient::settings",
            Self::Attribute => "genclient::attribute",
            Self::Kind => "genclient::kind",
            Self::Schema => "genclient::schema",
            Self::Default => "genclient::default",
            Self::Pattern => "genclient::pattern",
            Self::Cel => "genclient::cel",
            Self::Crd => "genclient::crd",
            Self::Version => "genclient::version",
            Self::ApplyConfiguration => "genclient::apply-configuration",
            Self::Rbac => "genclient::rbac",
            Self::Webhook => "genclient::webhook",
            Self::Client => "genclient::client",
            Self::OutOfDate => "genclient::out-of-date",
            Self::Other => "genclient::other",
        }
    }
}
