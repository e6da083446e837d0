//! Tests for reading valid kube specs, and field attributes of schemars and similar crates.

use genclient_syntax::{
    KubeAttrs, ListType, MapType, Members, Problem, Problems, Reason, SchemaAttrs, SchemaMode,
    Scope, TypeAttrs, Verb, derives, is_kube,
};

#[track_caller]
fn assert_no_problems(source: &str, problems: &Problems) {
    let texts: Vec<String> = problems.iter().map(Problem::text).collect();
    assert!(texts.is_empty(), "{source}: {texts:?}");
}

#[track_caller]
fn kube(keys: &str) -> KubeAttrs {
    let source = format!(
        "#[kube(group = \"a.example.com\", version = \"v1\", {keys})] struct ThingSpec {{ a: String }}"
    );
    let item: syn::ItemStruct = syn::parse_str(&source).unwrap();
    let mut problems = Problems::new();
    let kube = KubeAttrs::parse(&item.attrs, &item.ident, Some(&item.fields), &mut problems);
    assert_no_problems(&source, &problems);
    kube.unwrap()
}

/// Reads the attributes of the single field of a struct.
#[track_caller]
fn field(source: &str) -> SchemaAttrs {
    let mut problems = Problems::new();
    let item = syn::parse_str(&format!("struct S {{ {source} }}")).unwrap();
    let attrs = TypeAttrs::of_struct(&item, &mut problems);
    assert_no_problems(source, &problems);
    let Members::Fields(mut fields) = attrs.members else {
        unreachable!("a struct has fields")
    };
    fields.remove(0)
}

#[test]
fn keys_of_older_kube_versions_are_read() {
    let kube = kube(
        "kind = \"Policy\", struct = \"Rules\", apiextensions = \"v1\", kube_core = \"::core\"",
    );
    assert_eq!(kube.resource.ident, "Rules");
    assert_eq!(kube.resource.kind.value, "Policy");
}

#[test]
fn kube_attributes_describe_the_root_type() {
    let plain = kube("kind = \"Policy\"");
    let resource = &plain.resource;
    assert_eq!(resource.ident, "Policy");
    assert_eq!(resource.plural.value, "policies");
    assert_eq!(resource.scope, Scope::Cluster);
    assert!(
        resource.has_spec && !resource.has_status && !resource.verbs.contains(&Verb::UpdateStatus)
    );
    assert_eq!(
        (plain.schema, plain.storage.is_none()),
        (SchemaMode::Derived, true)
    );

    let full = kube(
        "kind = \"HTTPRoute\", root = \"HttpRoute\", singular = \"way\", namespaced, status = \"a::Status\", doc = \"A way.\", \
         shortname = \"w\", shortname = \"ws\", category = \"all\", selectable = \".spec.a\", served = false, storage = false, \
         deprecated = \"old\", schema = \"manual\", derive = \"Default\", attr = \"cfg(unix)\", crates(kube_core = \"::kube\"), cel",
    );
    let resource = &full.resource;
    assert_eq!(
        (resource.ident.to_string(), &*resource.plural.value),
        ("HttpRoute".into(), "ways")
    );
    assert_eq!(resource.scope, Scope::Namespaced);
    assert_eq!(
        (resource.short_names.len(), resource.categories.len()),
        (2, 1)
    );
    assert!(
        resource.status_subresource && resource.unserved.is_set() && !resource.storage.is_set()
    );
    assert_eq!(
        resource
            .deprecated
            .as_ref()
            .unwrap()
            .warning
            .as_ref()
            .unwrap()
            .value,
        "old"
    );
    assert_eq!(
        (full.schema, full.doc.unwrap().value),
        (SchemaMode::Manual, "A way.".into())
    );
    assert_eq!(format!("{:?}", full.status.unwrap().value), "a :: Status");
}

#[test]
fn columns_and_scale_are_json_or_calls() {
    let kube = kube(
        r##"kind = "A", status = "S",
            printcolumn = r#"{"name":"A","type":"string","jsonPath":".spec.a"}, {"name":"B","type":"date","jsonPath":".b","priority":1}"#,
            printcolumn(name = "C", type_ = "integer", json_path = ".c", description = "d"),
            scale = r#"{"specReplicasPath":".spec.a","statusReplicasPath":".status.b"}"#"##,
    );
    let columns = kube.resource.printcolumns.iter();
    let names: Vec<_> = columns.map(|column| &*column.name.value).collect();
    assert_eq!(names, ["A", "B", "C"]);
    assert_eq!(
        kube.resource.printcolumns[1]
            .priority
            .as_ref()
            .unwrap()
            .value,
        1
    );
    assert_eq!(
        kube.resource.scale.unwrap().status_replicas_path.value,
        ".status.b"
    );
    assert!(
        self::kube("kind = \"A\", scale = \"{}\"")
            .dropped_scale
            .is_set()
    );
}

#[test]
fn rules_are_read_in_every_form() {
    let rules = [
        "\"self.a\"",
        "(\"self.a\", \"m\")",
        "Rule::new(\"self.a\").message(\"m\").reason(Reason::FieldValueForbidden).field_path(\".a\")",
        "Rule::new(\"self.a == oldSelf.orValue(self).a\").message(Message::Expression(\"'m'\".into())).optional_old_self(true)",
    ];
    let read = |rule: &str| {
        kube(&format!("kind = \"A\", validation = {rule}"))
            .resource
            .schema
            .validations
            .remove(0)
    };
    assert_eq!(read(rules[0]).rule.value, "self.a");
    assert_eq!(read(rules[1]).message.unwrap().value, "m");
    assert_eq!(read(rules[2]).reason.unwrap().value, Reason::Forbidden);
    let last = read(rules[3]);
    assert!(last.optional_old_self.is_set() && last.message_expression.unwrap().value == "'m'");
}

#[test]
fn x_kube_is_read_on_fields() {
    let list = field("#[x_kube(merge_strategy = ListMerge::Map(vec![\"name\".into()]))] a: Vec<B>");
    assert_eq!(list.list_type.unwrap().value, ListType::Map);
    assert_eq!(list.list_map_keys[0].value, "name");
    let map =
        field("#[x_kube(merge_strategy = kube::core::MapMerge::Granular)] a: BTreeMap<String, B>");
    assert_eq!(map.map_type.unwrap().value, MapType::Granular);
    let rule = field("#[x_kube(validation = \"self > 1\")] a: i32");
    assert_eq!(rule.validations.len(), 1);
}

#[test]
fn schemars_constraints_equal_crd_constraints() {
    for (written, ours) in [
        (
            "#[schemars(length(min = 1, max = 2))] a: String",
            "#[crd(min_length = 1, max_length = 2)] a: String",
        ),
        (
            "#[schemars(length(equal = 2))] a: Vec<B>",
            "#[crd(min_items = 2, max_items = 2)] a: Vec<B>",
        ),
        (
            "#[schemars(range(min = -1, max = 2.5))] a: f64",
            "#[crd(minimum = -1, maximum = 2.5)] a: f64",
        ),
        (
            "#[schemars(range(max = u16::MAX))] a: i32",
            "#[crd(maximum = 65535)] a: i32",
        ),
        (
            "#[schemars(regex(pattern = \"^a$\"))] a: String",
            "#[crd(pattern = \"^a$\")] a: String",
        ),
        (
            "#[garde(pattern(\"^a$\"))] a: Option<String>",
            "#[crd(pattern = \"^a$\")] a: Option<String>",
        ),
        (
            "#[schemars(contains(pattern = \"a.b\"))] a: String",
            "#[crd(pattern = \"a\\\\.b\")] a: String",
        ),
        (
            "#[validate(url)] a: String",
            "#[crd(format = \"uri\")] a: String",
        ),
        ("#[schemars(ip)] a: String", "a: String"),
    ] {
        assert_eq!(field(written), field(ours), "{written}");
    }
}

#[test]
fn other_schemars_keys_equal_crd_keys() {
    for (written, ours) in [
        (
            "#[schemars(inner(length(min = 1)))] a: Vec<String>",
            "#[crd(items(min_length = 1))] a: Vec<String>",
        ),
        ("#[schemars(length(min = 1))] a: bool", "a: bool"),
        (
            "#[schemars(required)] a: Option<i32>",
            "#[crd(required)] a: Option<i32>",
        ),
        (
            "#[schemars(required)] #[serde(default)] a: Option<i32>",
            "#[serde(default)] a: Option<i32>",
        ),
        (
            "#[schemars(title = \"A\", example = &\"b c\")] a: String",
            "#[crd(title = \"A\", example = \"b c\")] a: String",
        ),
        (
            "#[schemars(extend(\"default\" = \"b\", \"x-other\" = 1))] a: String",
            "#[crd(default = \"b\")] a: String",
        ),
        (
            "#[schemars(extend(\"nullable\" = false, \"x-kubernetes-int-or-string\" = false))] a: String",
            "a: String",
        ),
        (
            "#[schemars(extend(\"x-kubernetes-validations\" = [{ \"rule\": \"self == oldSelf\", \"optionalOldSelf\": false }]))] a: String",
            "#[crd(validation(rule = \"self == oldSelf\"))] a: String",
        ),
        (
            "#[cfg_attr(feature = \"x\", schemars(length(max = 2)))] a: String",
            "#[crd(max_length = 2)] a: String",
        ),
        (
            "#[crd(max_length = 2)] #[schemars(length(max = 2))] a: String",
            "#[crd(max_length = 2)] a: String",
        ),
    ] {
        assert_eq!(field(written), field(ours), "{written}");
    }
}

#[test]
fn schemars_schema_overrides_are_kept() {
    let other = field("#[schemars(with = \"Vec<String>\")] a: Hidden");
    assert_eq!(format!("{:?}", other.with.unwrap().value), "Vec < String >");
    let function = field("#[schemars(schema_with = \"made\")] a: Hidden");
    assert_eq!(function.schema_with.unwrap().value, "made");
    let default = field("#[schemars(default = \"Self::usual\")] a: i32");
    assert_eq!(default.default_with.unwrap().value, "Self::usual");
    let open = field("#[schemars(extend(\"maxLength\" = 3))] a: String");
    assert_eq!(open.extend[0].0.value, "maxLength");
}

#[test]
fn derives_and_attributes_are_found_in_cfg_attr() {
    let item: syn::ItemStruct = syn::parse_str(
        "#[cfg_attr(a, derive(kube::CustomResource), kube(kind = \"A\"))] struct A;",
    )
    .unwrap();
    assert!(is_kube(&item.attrs) && derives(&item.attrs, "CustomResource"));
    assert!(!derives(&item.attrs, "Clone"));
}
