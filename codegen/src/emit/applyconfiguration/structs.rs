//! Apply configurations of kinds and of the structs below them.

use super::fields;
use super::head::type_head;
use super::imports::Imports;
use crate::emit::names::{cfg, ident};
use crate::emit::package::doc_comments;
use crate::emit::wrap::is_ambiguous_pattern;
use crate::model::{
    ApplyField, ApplyKey, ApplyKind, ApplyPlace, ApplyStruct, ApplyType, ApplyValue,
};
use crate::template::{join_with_blank_lines, rust};

/// The struct of a kind, its functions and its traits.
pub(super) fn kind_items(
    type_: &ApplyType,
    kind: &ApplyKind,
    body: &ApplyStruct,
    imports: &mut Imports<'_>,
) -> String {
    // The kind's name takes precedence over other imports.
    let object = imports.name(&kind.type_path, &type_.cfg);
    let head = type_head(type_, &serde_arguments(body), false, imports);
    let members = kind_members(kind, &object, type_, imports);
    let definition = definition(&head, members, type_, body, imports);
    let functions = [
        kind_constructor(kind, type_, body, imports),
        extract_functions(kind, &object, type_, imports),
        metadata_setters(kind),
    ];
    let functions = implementation(functions, type_, body, imports);
    let traits = trait_impls(kind, &object, type_, imports);
    join_with_blank_lines([definition, functions, traits])
}

/// The struct and its functions.
pub(super) fn struct_items(
    type_: &ApplyType,
    body: &ApplyStruct,
    imports: &mut Imports<'_>,
) -> String {
    let has_default = body.keys.is_empty();
    let head = type_head(type_, &serde_arguments(body), has_default, imports);
    let definition = definition(&head, String::new(), type_, body, imports);
    let constructor = if has_default {
        default_constructor(body)
    } else {
        key_constructor(type_, body, imports)
    };
    let functions = implementation([constructor], type_, body, imports);
    join_with_blank_lines([definition, functions])
}

fn serde_arguments(body: &ApplyStruct) -> Vec<String> {
    let rename = body.rename_all.as_ref();
    let rename = rename.map(|rule| format!("rename_all = {rule:?}"));
    ["crate = \"genclient::serde\"".to_owned()]
        .into_iter()
        .chain(rename)
        .collect()
}

/// The struct, with `members` before its fields.
fn definition(
    head: &str,
    members: String,
    type_: &ApplyType,
    body: &ApplyStruct,
    imports: &mut Imports<'_>,
) -> String {
    let name = ident(&type_.name);
    let fields: String = body
        .fields
        .iter()
        .map(|field| fields::declaration(type_, field, imports))
        .collect();
    let fields = members + &fields;
    rust!(head, name, fields => "
        $head
        pub struct $name {
            $fields
        }
    ")
}

/// The functions before the setters, and the setters.
fn implementation(
    functions: impl IntoIterator<Item = String>,
    type_: &ApplyType,
    body: &ApplyStruct,
    imports: &mut Imports<'_>,
) -> String {
    let conditions = cfg(&type_.cfg);
    let name = ident(&type_.name);
    let functions: Vec<_> = functions
        .into_iter()
        .filter(|function| !function.is_empty())
        .collect();
    let setters = body
        .fields
        .iter()
        .map(|field| fields::setter(type_, field, imports));
    let functions = join_with_blank_lines(functions.into_iter().chain(setters));
    rust!(conditions, name, functions => "
        $conditions
        impl $name {
            $functions
        }
    ")
}

/// The members that a kind has in addition to its fields.
fn kind_members(
    kind: &ApplyKind,
    object: &str,
    type_: &ApplyType,
    imports: &mut Imports<'_>,
) -> String {
    let [api_version, kind_name] = type_meta(type_, imports);
    let metadata = object_meta(type_, imports);
    let docs = doc_comments([if kind.is_namespaced {
        "Name, namespace, labels and other metadata."
    } else {
        "Name, labels and other metadata."
    }]);
    rust!(api_version, object, kind_name, docs, metadata => "
        #[serde(rename = \"apiVersion\")]
        api_version: $api_version<$object>,
        kind: $kind_name<$object>,
        $docs
        #[serde(default)]
        pub metadata: $metadata,
    ")
}

fn type_meta(type_: &ApplyType, imports: &mut Imports<'_>) -> [String; 2] {
    ["ApiVersion", "KindName"].map(|name| {
        imports.name(
            &format!("genclient::applyconfiguration::{name}"),
            &type_.cfg,
        )
    })
}

fn object_meta(type_: &ApplyType, imports: &mut Imports<'_>) -> String {
    imports.name(
        "genclient::k8s_openapi::apimachinery::pkg::apis::meta::v1::ObjectMeta",
        &type_.cfg,
    )
}

fn kind_constructor(
    kind: &ApplyKind,
    type_: &ApplyType,
    body: &ApplyStruct,
    imports: &mut Imports<'_>,
) -> String {
    let [api_version, kind_name] = type_meta(type_, imports);
    let metadata = object_meta(type_, imports);
    let fields = initial_values(type_, body, imports).concat();
    let (identity, parameters, namespace) = if kind.is_namespaced {
        (
            "name and namespace",
            "name: impl Into<String>, namespace: impl Into<String>",
            "namespace: Some(namespace.into()),",
        )
    } else {
        ("name", "name: impl Into<String>", "")
    };
    let docs = doc_comments([&*format!(
        "Returns a configuration of the `{}` with this {identity} that states no other field.",
        type_.of
    )]);
    rust!(docs, parameters, api_version, kind_name, metadata, namespace, fields => "
        $docs
        pub fn new($parameters) -> Self {
            Self {
                api_version: $api_version::default(),
                kind: $kind_name::default(),
                metadata: $metadata {
                    name: Some(name.into()),
                    $namespace
                    ..$metadata::default()
                },
                $fields
            }
        }
    ")
}

fn default_constructor(body: &ApplyStruct) -> String {
    // An inherent function of this name hides that of the trait.
    let hides_default = body.fields.iter().any(|field| field.setter == "default");
    let value = if hides_default {
        "Default::default()"
    } else {
        "Self::default()"
    };
    rust!(value => "
        /// Returns a configuration that states no field.
        pub fn new() -> Self {
            $value
        }
    ")
}

/// The constructor of an item of a list, with its keys as parameters.
fn key_constructor(type_: &ApplyType, body: &ApplyStruct, imports: &mut Imports<'_>) -> String {
    let parameters: Vec<_> = body
        .keys
        .iter()
        .map(|key| {
            let parameter = key.value.parameter(&type_.cfg, imports);
            format!("{}: {parameter}", ident(&key.name))
        })
        .collect();
    let parameters = parameters.join(", ");
    let keys = if body.keys.len() == 1 {
        "this key"
    } else {
        "these keys"
    };
    let value = struct_literal(&initial_values(type_, body, imports));
    rust!(keys, parameters, value => "
        /// Returns a configuration with $keys that states no other field.
        pub fn new($parameters) -> Self {
            $value
        }
    ")
}

/// rustfmt's `struct_lit_width`.
const LITERAL_WIDTH: usize = 18;

/// A struct literal of lines that end with a comma.
fn struct_literal(fields: &[String]) -> String {
    if let [only] = fields {
        let field = only.trim_end().trim_end_matches(',');
        if field.len() <= LITERAL_WIDTH {
            return format!("Self {{ {field} }}\n");
        }
    }
    let fields = fields.concat();
    rust!(fields => "
        Self {
            $fields
        }
    ")
}

/// The initializers of the fields: the keys have values, and all else is not stated.
fn initial_values(type_: &ApplyType, body: &ApplyStruct, imports: &mut Imports<'_>) -> Vec<String> {
    body.fields
        .iter()
        .map(|field| {
            let name = ident(&field.name);
            let value = initial_value(type_, field, &body.keys, imports);
            format!("{}{name}: {value},\n", cfg(&field.cfg))
        })
        .collect()
}

fn initial_value(
    type_: &ApplyType,
    field: &ApplyField,
    keys: &[ApplyKey],
    imports: &mut Imports<'_>,
) -> String {
    let own = keys
        .iter()
        .find(|key| key.within.is_none() && key.field == field.name);
    let inner: Vec<_> = keys
        .iter()
        .filter(|key| key.within.as_deref() == Some(&*field.name))
        .map(|key| ident(&key.name))
        .collect();
    let conditions = [&*type_.cfg, &*field.cfg].concat();
    match (own, field.place, &field.value) {
        (Some(key), ..) => {
            let name = ident(&key.name);
            if key.value == ApplyValue::Text {
                format!("Some({name}.into())")
            } else {
                format!("Some({name})")
            }
        }
        (None, ApplyPlace::Member | ApplyPlace::FlattenedOption, _) => "None".to_owned(),
        (None, _, ApplyValue::Config(configuration)) => {
            let configuration = imports.name(&configuration.path, &conditions);
            format!("{configuration}::new({})", inner.join(", "))
        }
        (None, ..) => "Default::default()".to_owned(),
    }
}

fn extract_functions(
    kind: &ApplyKind,
    object: &str,
    type_: &ApplyType,
    imports: &mut Imports<'_>,
) -> String {
    let error = imports.name("genclient::applyconfiguration::ExtractError", &type_.cfg);
    let functions = [
        ("extract", "", ""),
        ("extract_status", " to the status", "status"),
    ];
    let functions = functions
        .into_iter()
        .take(if kind.has_status { 2 } else { 1 })
        .map(|(function, place, subresource)| {
            let docs = doc_comments([
                &*format!("Returns the fields of `object` that `manager` has applied{place}, as"),
                "[`extract`](genclient::applyconfiguration::extract) does.",
                "",
                "# Errors",
                "",
                "See [`ExtractError`].",
            ]);
            rust!(docs, function, object, error, subresource => "
                $docs
                pub fn $function(object: &$object, manager: &str) -> Result<Self, $error> {
                    genclient::applyconfiguration::extract(object, manager, \"$subresource\")
                }
            ")
        });
    join_with_blank_lines(functions)
}

fn metadata_setters(kind: &ApplyKind) -> String {
    join_with_blank_lines(kind.metadata_setters.iter().map(|field| {
        if *field == "finalizers" {
            rust!("
                /// Adds finalizers.
                pub fn finalizers(mut self, finalizers: impl IntoIterator<Item = impl Into<String>>) -> Self {
                    self.metadata.finalizers.get_or_insert_default().extend(finalizers.into_iter().map(Into::into));
                    self
                }
            ")
        } else {
            rust!(field => "
                /// Adds $field.
                pub fn $field(mut self, $field: impl IntoIterator<Item = (impl Into<String>, impl Into<String>)>) -> Self {
                    let entries = self.metadata.$field.get_or_insert_default();
                    for (key, value) in $field {
                        entries.insert(key.into(), value.into());
                    }
                    self
                }
            ")
        }
    }))
}

fn trait_impls(
    kind: &ApplyKind,
    object: &str,
    type_: &ApplyType,
    imports: &mut Imports<'_>,
) -> String {
    let [applicable, configuration] = ["Applicable", "ApplyConfiguration"].map(|name| {
        imports.name(
            &format!("genclient::applyconfiguration::{name}"),
            &type_.cfg,
        )
    });
    let metadata = object_meta(type_, imports);
    let (conditions, name) = (cfg(&type_.cfg), ident(&type_.name));
    let granular = is_granular(&kind.granular);
    rust!(conditions, applicable, name, object, metadata, configuration, granular => "
        $conditions
        impl $applicable for $name {
            type Object = $object;

            fn metadata(&self) -> &$metadata {
                &self.metadata
            }

            fn metadata_mut(&mut self) -> &mut $metadata {
                &mut self.metadata
            }
        }

        $conditions
        impl $configuration for $name {
            $granular
        }
    ")
}

/// The function that knows the paths; empty without paths, since the trait has a default.
fn is_granular(paths: &[Vec<Option<String>>]) -> String {
    if paths.is_empty() {
        return String::new();
    }
    let patterns: Vec<_> = paths.iter().map(|path| slice_pattern(path)).collect();
    let skip = if patterns.iter().any(|pattern| is_ambiguous_pattern(pattern)) {
        "#[rustfmt::skip]"
    } else {
        ""
    };
    let patterns = patterns.join(" | ");
    rust!(skip, patterns => "
        $skip
        fn is_granular(path: &[&str]) -> bool {
            matches!(path, $patterns)
        }
    ")
}

fn slice_pattern(path: &[Option<String>]) -> String {
    let segments: Vec<_> = path
        .iter()
        .map(|segment| match segment {
            Some(name) => format!("{name:?}"),
            None => "_".to_owned(),
        })
        .collect();
    format!("[{}]", segments.join(", "))
}

#[cfg(test)]
mod tests {
    use super::{is_granular, struct_literal};
    use crate::emit::wrap::wrap;

    #[test]
    fn short_patterns_of_many_segments_keep_their_layout() {
        let path = |text: &str| {
            let segment = |name| (name != "*").then(|| str::to_owned(name));
            text.split('.').map(segment).collect::<Vec<_>>()
        };
        assert_eq!(is_granular(&[]), "");
        assert_eq!(
            is_granular(&[path("spec"), path("spec.pools.*")]),
            "fn is_granular(path: &[&str]) -> bool {\n    \
                 matches!(path, [\"spec\"] | [\"spec\", \"pools\", _])\n}\n"
        );
        let long = path("spec.template.spec.template.spec.template.metadata");
        assert_eq!(
            wrap(&is_granular(&[path("spec"), long])),
            r#"#[rustfmt::skip]
fn is_granular(path: &[&str]) -> bool {
    matches!(
        path,
        ["spec"]
            | [
                "spec",
                "template",
                "spec",
                "template",
                "spec",
                "template",
                "metadata"
            ]
    )
}
"#
        );
    }

    #[test]
    fn a_short_struct_literal_is_one_line() {
        let field = |text: &str| text.to_owned() + ",\n";
        assert_eq!(
            struct_literal(&[field("id: Some(id)")]),
            "Self { id: Some(id) }\n"
        );
        assert_eq!(
            struct_literal(&[field("name: Some(name.into())")]),
            "Self {\n    name: Some(name.into()),\n}\n"
        );
    }
}
