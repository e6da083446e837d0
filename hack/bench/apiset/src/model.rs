//! Language-independent model of an API.

/// An API group, with one version.
#[derive(Clone, Debug)]
pub struct Group {
    /// `edge.bench.example.com`
    pub name: String,
    /// `edge`
    pub package: String,
    /// Its kinds.
    pub kinds: Vec<Kind>,
}

/// A kind with its types.
#[derive(Clone, Debug)]
pub struct Kind {
    /// `EdgeQueue`
    pub name: String,
    /// `edgequeues`
    pub plural: String,
    /// `eq3`
    pub short_name: String,
    /// Whether it is cluster-scoped.
    pub cluster: bool,
    /// Its description.
    pub doc: String,
    /// The spec, the status, and the types below them.
    pub types: Vec<Type>,
}

/// A type below a kind.
#[derive(Clone, Debug)]
pub struct Type {
    /// Its name.
    pub name: String,
    /// Its description.
    pub doc: String,
    /// A struct or an enum.
    pub kind: TypeKind,
}

/// Definition of a type.
#[derive(Clone, Debug)]
pub enum TypeKind {
    /// A struct.
    Struct(Struct),
    /// An enum.
    Enum(Enum),
}

/// The fields of a struct.
#[derive(Clone, Debug)]
pub struct Struct {
    /// The fields, in order.
    pub fields: Vec<Field>,
}

/// The names of an enum.
#[derive(Clone, Debug)]
pub struct Enum {
    /// The names, in order.
    pub variants: &'static [&'static str],
}

/// A field.
#[derive(Clone, Debug)]
pub struct Field {
    /// As in JSON: `retentionDays`.
    pub name: &'static str,
    /// Its type.
    pub shape: Shape,
    /// Its description, one sentence a line.
    pub doc: &'static str,
    /// Whether it is optional.
    pub optional: bool,
    /// The default value.
    pub default: Option<Literal>,
    /// The constraints.
    pub limits: Limits,
}

/// The type of a field.
#[derive(Clone, Debug)]
pub enum Shape {
    /// Text.
    Text,
    /// 32 bits.
    Int32,
    /// 64 bits.
    Int64,
    /// Yes or no.
    Bool,
    /// `resource.Quantity`
    Quantity,
    /// `intstr.IntOrString`
    IntOrString,
    /// `metav1.Duration`
    Duration,
    /// `metav1.Time`
    Time,
    /// `metav1.LabelSelector`
    LabelSelector,
    /// `metav1.Condition`
    Condition,
    /// `corev1.PodTemplateSpec`
    PodTemplate,
    /// A list.
    List(Box<Shape>),
    /// A map with string keys.
    Map(Box<Shape>),
    /// A struct or enum of the kind.
    Own(String),
}

/// A default value.
#[derive(Clone, Copy, Debug)]
pub enum Literal {
    /// A number.
    Int(i64),
    /// Yes or no.
    Bool(bool),
    /// Text.
    Text(&'static str),
    /// A variant of an enum.
    Variant(&'static str),
}

/// Constraints of a field.
#[derive(Clone, Copy, Debug, Default)]
pub struct Limits {
    /// Minimum.
    pub minimum: Option<i64>,
    /// Maximum.
    pub maximum: Option<i64>,
    /// Minimum length in characters.
    pub min_length: Option<u32>,
    /// Maximum length in characters.
    pub max_length: Option<u32>,
    /// A regular expression.
    pub pattern: Option<&'static str>,
    /// Maximum number of items.
    pub max_items: Option<u32>,
    /// `atomic`, `set`, or `map` with its key.
    pub list: Option<(&'static str, Option<&'static str>)>,
}

impl Field {
    /// A required field without limits.
    pub(crate) fn new(name: &'static str, shape: Shape, doc: &'static str) -> Self {
        Self {
            name,
            shape,
            doc,
            optional: false,
            default: None,
            limits: Limits::default(),
        }
    }

    pub(crate) fn optional(mut self) -> Self {
        self.optional = true;
        self
    }

    pub(crate) fn default(mut self, value: Literal) -> Self {
        self.default = Some(value);
        self
    }

    pub(crate) fn between(mut self, minimum: i64, maximum: i64) -> Self {
        self.limits.minimum = Some(minimum);
        self.limits.maximum = Some(maximum);
        self
    }

    pub(crate) fn from(mut self, minimum: i64) -> Self {
        self.limits.minimum = Some(minimum);
        self
    }

    pub(crate) fn length(mut self, minimum: u32, maximum: u32) -> Self {
        self.limits.min_length = (minimum > 0).then_some(minimum);
        self.limits.max_length = Some(maximum);
        self
    }

    pub(crate) fn pattern(mut self, pattern: &'static str) -> Self {
        self.limits.pattern = Some(pattern);
        self
    }

    pub(crate) fn items(mut self, maximum: u32) -> Self {
        self.limits.max_items = Some(maximum);
        self
    }

    pub(crate) fn list(mut self, kind: &'static str) -> Self {
        self.limits.list = Some((kind, None));
        self
    }

    pub(crate) fn by_key(mut self, key: &'static str) -> Self {
        self.limits.list = Some(("map", Some(key)));
        self
    }
}

impl Shape {
    pub(crate) fn list(self) -> Self {
        Self::List(Box::new(self))
    }

    pub(crate) fn map(self) -> Self {
        Self::Map(Box::new(self))
    }
}

impl Type {
    pub(crate) fn structure(name: String, doc: &str, fields: Vec<Field>) -> Self {
        Self {
            name,
            doc: doc.to_owned(),
            kind: TypeKind::Struct(Struct { fields }),
        }
    }

    pub(crate) fn enumeration(name: String, doc: &str, variants: &'static [&'static str]) -> Self {
        Self {
            name,
            doc: doc.to_owned(),
            kind: TypeKind::Enum(Enum { variants }),
        }
    }
}
