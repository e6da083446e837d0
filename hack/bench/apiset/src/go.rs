//! Go output of the set, for code-generator and controller-gen.

use crate::model::{Enum, Field, Group, Kind, Literal, Shape, Struct, Type, TypeKind};
use crate::set::{COLUMNS, capital};
use crate::{Files, VERSION};

/// Returns `pkg/apis/<group>/v1/…`. The caller writes `go.mod`, and register-gen the
/// registration.
pub(crate) fn files(groups: &[Group]) -> Files {
    let mut files = Files::new();
    for group in groups {
        let folder = format!("pkg/apis/{}/{VERSION}", group.package);
        files.insert(format!("{folder}/doc.go").into(), package(group));
        files.insert(format!("{folder}/types.go").into(), types(group));
    }
    files
}

fn package(group: &Group) -> String {
    format!(
        "// Package {VERSION} holds the kinds of {0}.
//
// +k8s:deepcopy-gen=package
// +k8s:register-gen=package
// +groupName={0}
package {VERSION}
",
        group.name
    )
}

fn types(group: &Group) -> String {
    const IMPORTS: [(&str, &str); 4] = [
        ("corev1.", "corev1 \"k8s.io/api/core/v1\""),
        ("resource.", "\"k8s.io/apimachinery/pkg/api/resource\""),
        ("metav1.", "metav1 \"k8s.io/apimachinery/pkg/apis/meta/v1\""),
        ("intstr.", "\"k8s.io/apimachinery/pkg/util/intstr\""),
    ];
    let kinds: String = group.kinds.iter().map(kind).collect();
    let used = IMPORTS.iter().filter(|(prefix, _)| kinds.contains(prefix));
    let imports: String = used.map(|(_, import)| format!("\t{import}\n")).collect();
    format!("package {VERSION}\n\nimport (\n{imports})\n{kinds}")
}

fn kind(kind: &Kind) -> String {
    let Kind {
        name,
        plural,
        short_name,
        doc,
        ..
    } = kind;
    let non_namespaced = if kind.cluster {
        "// +genclient:nonNamespaced\n"
    } else {
        ""
    };
    let scope = if kind.cluster {
        "Cluster"
    } else {
        "Namespaced"
    };
    let columns = COLUMNS.map(|(name, type_, path)| {
        format!("// +kubebuilder:printcolumn:name={name},type={type_},JSONPath=`{path}`\n")
    });
    let object = "// +k8s:deepcopy-gen:interfaces=k8s.io/apimachinery/pkg/runtime.Object\n";
    let root = format!(
        "
// +genclient
{non_namespaced}{object}// +kubebuilder:object:root=true
// +kubebuilder:subresource:status
// +kubebuilder:resource:path={plural},shortName={short_name},scope={scope}
{}
// {name}: {doc}
type {name} struct {{
\tmetav1.TypeMeta   `json:\",inline\"`
\tmetav1.ObjectMeta `json:\"metadata,omitempty\"`

\tSpec {name}Spec `json:\"spec\"`
\t// +optional
\tStatus *{name}Status `json:\"status,omitempty\"`
}}

{object}// +kubebuilder:object:root=true

// {name}List is a list of {name}.
type {name}List struct {{
\tmetav1.TypeMeta `json:\",inline\"`
\tmetav1.ListMeta `json:\"metadata\"`

\tItems []{name} `json:\"items\"`
}}
",
        columns.concat()
    );
    root + &kind.types.iter().map(type_).collect::<String>()
}

fn type_(type_: &Type) -> String {
    let name = &type_.name;
    let head = format!("\n// {name}: {}\n", type_.doc);
    let body = match &type_.kind {
        TypeKind::Struct(Struct { fields }) => {
            let fields: String = fields.iter().map(field).collect();
            format!("type {name} struct {{\n{fields}}}\n")
        }
        TypeKind::Enum(Enum { variants }) => {
            let constants = variants
                .iter()
                .map(|v| format!("\t{name}{v} {name} = {v:?}\n"));
            format!(
                "// +kubebuilder:validation:Enum={}\ntype {name} string\n\nconst (\n{})\n",
                variants.join(";"),
                constants.collect::<String>()
            )
        }
    };
    head + &body
}

fn field(field: &Field) -> String {
    let collection = matches!(field.shape, Shape::List(_) | Shape::Map(_));
    let pointer = if field.optional && !collection {
        "*"
    } else {
        ""
    };
    let omit = if field.optional { ",omitempty" } else { "" };
    let mut out: String = field
        .doc
        .lines()
        .map(|line| format!("\t// {line}\n"))
        .collect();
    for marker in markers(field) {
        out += &format!("\t// +{marker}\n");
    }
    let type_ = shape(&field.shape);
    out + &format!(
        "\t{} {pointer}{type_} `json:\"{}{omit}\"`\n",
        capital(field.name),
        field.name
    )
}

fn markers(field: &Field) -> Vec<String> {
    let limits = &field.limits;
    let mut out = Vec::new();
    if field.optional {
        out.push("optional".to_owned());
    }
    let mut add = |name: &str, value: Option<String>| {
        out.extend(value.map(|value| format!("{name}={value}")));
    };
    add("kubebuilder:default", field.default.map(literal));
    add(
        "kubebuilder:validation:Minimum",
        limits.minimum.map(|n| n.to_string()),
    );
    add(
        "kubebuilder:validation:Maximum",
        limits.maximum.map(|n| n.to_string()),
    );
    add(
        "kubebuilder:validation:MinLength",
        limits.min_length.map(|n| n.to_string()),
    );
    add(
        "kubebuilder:validation:MaxLength",
        limits.max_length.map(|n| n.to_string()),
    );
    add(
        "kubebuilder:validation:Pattern",
        limits.pattern.map(|text| format!("`{text}`")),
    );
    add(
        "kubebuilder:validation:MaxItems",
        limits.max_items.map(|n| n.to_string()),
    );
    add("listType", limits.list.map(|(kind, _)| kind.to_owned()));
    add(
        "listMapKey",
        limits.list.and_then(|(_, key)| key).map(str::to_owned),
    );
    out
}

fn literal(value: Literal) -> String {
    match value {
        Literal::Int(number) => number.to_string(),
        Literal::Bool(value) => value.to_string(),
        Literal::Text(text) | Literal::Variant(text) => format!("{text:?}"),
    }
}

fn shape(of: &Shape) -> String {
    let name = match of {
        Shape::Text => "string",
        Shape::Int32 => "int32",
        Shape::Int64 => "int64",
        Shape::Bool => "bool",
        Shape::Quantity => "resource.Quantity",
        Shape::IntOrString => "intstr.IntOrString",
        Shape::Duration => "metav1.Duration",
        Shape::Time => "metav1.Time",
        Shape::LabelSelector => "metav1.LabelSelector",
        Shape::Condition => "metav1.Condition",
        Shape::PodTemplate => "corev1.PodTemplateSpec",
        Shape::Own(name) => name,
        Shape::List(item) => return format!("[]{}", shape(item)),
        Shape::Map(value) => return format!("map[string]{}", shape(value)),
    };
    name.to_owned()
}
