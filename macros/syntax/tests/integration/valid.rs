//! Tests for reading valid attributes.

use genclient_syntax::{
    ConversionEndpoint, Flag, ListType, Members, MethodVerb, OneOfKind, Problems, Reason,
    ResourceAttrs, SchemaAttrs, Scope, TypeAttrs, Verb, WebhookAttrs, is_resource,
};

#[track_caller]
fn resource(source: &str) -> ResourceAttrs {
    let mut problems = Problems::new();
    let resource = ResourceAttrs::parse(&syn::parse_str(source).unwrap(), &mut problems);
    let texts: Vec<String> = problems
        .iter()
        .map(genclient_syntax::Problem::text)
        .collect();
    assert!(texts.is_empty(), "{source}: {texts:?}");
    resource.unwrap()
}

/// Reads the attributes of the single field of a struct.
#[track_caller]
fn field(source: &str) -> SchemaAttrs {
    let mut problems = Problems::new();
    let attrs = TypeAttrs::of_struct(
        &syn::parse_str(&format!("struct S {{ {source} }}")).unwrap(),
        &mut problems,
    );
    let texts: Vec<String> = problems
        .iter()
        .map(genclient_syntax::Problem::text)
        .collect();
    assert!(texts.is_empty(), "{source}: {texts:?}");
    let Members::Fields(mut fields) = attrs.members else {
        unreachable!("a struct has fields")
    };
    fields.remove(0)
}

#[track_caller]
fn verbs(genclient: &str, fields: &str) -> Vec<&'static str> {
    let source = format!(
        "#[genclient({genclient})] #[group = \"a.b\"] struct A {{ metadata: ObjectMeta, {fields} }}"
    );
    resource(&source)
        .verbs
        .into_iter()
        .map(Verb::as_str)
        .collect()
}

#[test]
fn genclient_is_recognized_by_its_last_segment() {
    let is = |source: &str| is_resource(&syn::parse_str::<syn::ItemStruct>(source).unwrap().attrs);
    assert!(is("#[genclient] struct A;"));
    assert!(is("#[genclient::genclient(readonly)] struct A;"));
    assert!(!is("#[derive(Clone)] #[group = \"a.b\"] struct A;"));
}

#[test]
fn defaults_follow_from_the_struct() {
    let task = resource(
        "#[genclient] #[group = \"falldio.com\"] struct GPUTask { metadata: ObjectMeta, spec: Spec, status: Option<Status> }",
    );
    assert_eq!(
        (task.kind.value.as_str(), task.plural.value.as_str()),
        ("GPUTask", "gputasks")
    );
    assert_eq!(
        (task.singular.value.as_str(), task.group.value.as_str()),
        ("gputask", "falldio.com")
    );
    assert_eq!((task.version, task.scope), (None, Scope::Namespaced));
    assert!(task.has_spec && task.has_status && task.status_subresource);
    assert_eq!(task.verbs.len(), Verb::ALL.len());
    assert_eq!(task.fields.len(), 3);
}

#[test]
fn names_can_be_stated_in_either_form() {
    let fields = "{ metadata: ObjectMeta }";
    for source in [
        format!(
            "#[genclient(group = \"a.b\", version = \"v2\", kind = \"Foo\")] struct A {fields}"
        ),
        format!(
            "#[genclient::genclient] #[group = \"a.b\"] #[version = \"v2\"] #[kind = \"Foo\"] struct A {fields}"
        ),
    ] {
        let foo = resource(&source);
        assert_eq!(foo.group.value, "a.b");
        assert_eq!(foo.version.unwrap().value, "v2");
        assert_eq!(
            (foo.kind.value.as_str(), foo.plural.value.as_str()),
            ("Foo", "foos")
        );
    }
}

#[test]
fn cluster_scope_can_be_stated_in_two_ways() {
    for attributes in [
        "#[genclient(non_namespaced)]",
        "#[genclient] #[crd(scope = \"Cluster\")]",
    ] {
        let source = format!("{attributes} #[group = \"a.b\"] struct A {{ metadata: ObjectMeta }}");
        assert_eq!(resource(&source).scope, Scope::Cluster, "{source}");
    }
}

#[test]
fn verbs_follow_the_options() {
    const STATUS: &str = "status: Option<Status>";
    assert_eq!(verbs("no_verbs", ""), Vec::<&str>::new());
    assert_eq!(verbs("readonly", STATUS), ["get", "list", "watch"]);
    assert_eq!(
        verbs("only_verbs = [\"list\", \"create\"]", ""),
        ["create", "list"]
    );
    assert_eq!(
        verbs("readonly, only_verbs = [\"create\"]", ""),
        ["create", "get", "list", "watch"]
    );
    assert_eq!(
        verbs("only_verbs = [\"update_status\"]", STATUS),
        ["update_status"]
    );
    let without_status = [
        "create",
        "update",
        "delete",
        "delete_collection",
        "get",
        "list",
        "watch",
        "patch",
        "apply",
    ];
    assert_eq!(verbs("", ""), without_status);
    assert_eq!(verbs("no_status", STATUS), without_status);
    assert_eq!(
        verbs("skip_verbs = [\"apply\", \"apply_status\"]", STATUS).len(),
        Verb::ALL.len() - 2
    );
}

#[test]
fn no_status_removes_the_subresource_but_not_the_field() {
    let source = "#[genclient(no_status)] #[group = \"a.b\"] struct A { metadata: ObjectMeta, status: Option<S> }";
    let read = resource(source);
    assert!(read.has_status && !read.status_subresource);
}

#[test]
fn crd_status_adds_the_subresource_without_a_field() {
    let source = "#[genclient] #[group = \"a.b\"] #[crd(status)] struct A { metadata: ObjectMeta }";
    let read = resource(source);
    assert!(!read.has_status && read.status_subresource);
}

#[test]
fn methods_keep_their_order_and_types() {
    let read = resource(
        "#[genclient(no_verbs, method(name = \"get\", verb = \"get\", subresource = \"scale\", result = \"autoscaling::Scale\"), \
         method(name = \"evict\", verb = \"create\", input = \"Eviction\"))] #[group = \"a.b\"] struct A { metadata: ObjectMeta }",
    );
    let [get, evict] = read.methods.as_slice() else {
        panic!("{:?}", read.methods)
    };
    assert_eq!(
        (get.name.value.as_str(), get.verb.value),
        ("get", MethodVerb::Get)
    );
    assert_eq!(get.subresource.as_ref().unwrap().value, "scale");
    assert_eq!(get.result.as_ref().unwrap().value.segments.len(), 2);
    assert_eq!(
        (evict.name.value.as_str(), evict.verb.value),
        ("evict", MethodVerb::Create)
    );
    assert!(evict.input.as_ref().unwrap().value.is_ident("Eviction") && evict.result.is_none());
}

const EVERY_OPTION: &str = r#"
    #[genclient(skip_client)]
    #[group = "a.b"]
    #[crd(plural = "as", singular = "an-a", short_names = ["x", "y"], categories = ["all"], storage, unserved, skip_version)]
    #[crd(deprecated = "use v2", annotation("k", "v"), annotation("l", "w"), label("m", "n"))]
    #[crd(printcolumn(name = "A", type = "integer", json_path = ".spec.a", description = "d", format = "int32", priority = 1))]
    #[crd(selectable_field = ".spec.a", selectable_field = ".spec.b")]
    #[crd(scale(spec_replicas_path = ".spec.n", status_replicas_path = ".status.n", label_selector_path = ".status.s"))]
    #[crd(conversion(webhook(service = "ns/name", path = "/c", port = 8443, review_versions = ["v1"])))]
    #[crd(min_properties = 1)]
    struct A { metadata: ObjectMeta }
"#;

#[test]
fn crd_options_of_several_attributes_are_read_together() {
    let read = resource(EVERY_OPTION);
    assert_eq!(read.plural.value, "as");
    assert_eq!(read.singular.value, "an-a");
    assert_eq!((read.short_names.len(), read.categories.len()), (2, 1));
    assert_eq!((read.annotations.len(), read.labels.len()), (2, 1));
    assert_eq!(read.selectable_fields.len(), 2);
    let flags = [
        read.storage,
        read.unserved,
        read.skip_version,
        read.skip_client,
    ];
    assert!(flags.into_iter().all(Flag::is_set));
    assert_eq!(read.deprecated.unwrap().warning.unwrap().value, "use v2");
    assert_eq!(read.schema.min_properties.unwrap().value, 1);
}

#[test]
fn subresources_columns_and_conversion_keep_their_arguments() {
    let read = resource(EVERY_OPTION);
    let column = &read.printcolumns[0];
    assert_eq!(column.name.value, "A");
    assert_eq!(column.column_type.value, "integer");
    assert_eq!(column.json_path.value, ".spec.a");
    assert_eq!(column.priority.unwrap().value, 1);
    assert_eq!(
        read.scale.unwrap().label_selector_path.unwrap().value,
        ".status.s"
    );
    let conversion = read.conversion.unwrap();
    let ConversionEndpoint::Service { service, port, .. } = conversion.endpoint else {
        panic!("{:?}", conversion.endpoint);
    };
    let service = service.unwrap();
    assert_eq!((&*service.namespace, &*service.name), ("ns", "name"));
    assert_eq!(port.unwrap().value, 8443);
    assert_eq!(conversion.review_versions.len(), 1);
}

#[test]
fn conversion_is_called_by_url() {
    let read = resource(
        "#[genclient] #[group = \"a.b\"] #[crd(conversion(webhook(url = \"https://a:1/c\")))] struct A { metadata: ObjectMeta }",
    );
    match read.conversion.unwrap().endpoint {
        ConversionEndpoint::Url(url) => assert_eq!(url.value, "https://a:1/c"),
        other => panic!("{other:?}"),
    }
}

/// The path of a webhook is the one that the API server calls.
#[test]
fn webhook_is_served_at_the_path_of_its_url() {
    for (keys, path) in [
        ("", None),
        ("path = \"/a\"", Some("/a")),
        (
            "url = \"https://127.0.0.1:9443/validate\"",
            Some("/validate"),
        ),
        ("url = \"https://host\"", Some("/")),
        ("url = \"https://host/\"", Some("/")),
    ] {
        let source = format!("#[webhook({keys})] impl Validator for Q {{ type Object = Task; }}");
        let item = syn::parse_str(&source).unwrap();
        let read = WebhookAttrs::parse(&item, &mut Problems::new()).unwrap();
        assert_eq!(read.path.as_ref().map(|path| &*path.value), path, "{keys}");
    }
}

#[test]
fn skip_crd_permits_groups_without_a_dot() {
    for group in ["", "apps"] {
        let source = format!(
            "#[genclient(skip_crd)] #[group = {group:?}] struct A {{ metadata: ObjectMeta }}"
        );
        assert_eq!(resource(&source).group.value, group);
    }
}

#[test]
fn constraints_are_read_at_any_depth() {
    let attrs = field(
        "#[crd(min_items = 1, items(max_items = 3, items(minimum = -5, multiple_of = 0.5)))] a: Vec<Vec<f64>>",
    );
    assert_eq!(attrs.min_items.unwrap().value, 1);
    let inner = attrs.items.unwrap();
    assert_eq!(inner.max_items.unwrap().value, 3);
    let innermost = inner.items.unwrap();
    assert_eq!(innermost.minimum.unwrap().value.as_str(), "-5");
    assert_eq!(innermost.multiple_of.unwrap().value.as_str(), "0.5");

    let attrs = field(
        "#[crd(values(pattern = \"^a\"), keys(max_length = 63))] a: BTreeMap<String, Option<String>>",
    );
    assert_eq!(attrs.values.unwrap().pattern.unwrap().value, "^a");
    assert_eq!(attrs.keys.unwrap().max_length.unwrap().value, 63);
}

#[test]
fn rules_keep_their_order_and_arguments() {
    let attrs = field(
        "#[crd(validation(rule = \"self > 0\"), validation(rule = \"self >= oldSelf\", message = \"m\", message_expression = \"e\", \
         reason = \"FieldValueForbidden\", field_path = \".a\", optional_old_self))] a: i32",
    );
    let [first, second] = attrs.validations.as_slice() else {
        panic!("{:?}", attrs.validations)
    };
    assert_eq!(
        (first.rule.value.as_str(), first.optional_old_self.is_set()),
        ("self > 0", false)
    );
    assert_eq!(second.reason.unwrap().value, Reason::Forbidden);
    assert_eq!(second.field_path.as_ref().unwrap().value, ".a");
    assert!(
        second.optional_old_self.is_set()
            && second.message.is_some()
            && second.message_expression.is_some()
    );
}

#[test]
fn topology_and_choices_are_read() {
    let attrs =
        field("#[crd(list_type = \"map\", list_map_keys = [\"name\", \"protocol\"])] a: Vec<Port>");
    assert_eq!(attrs.list_type.unwrap().value, ListType::Map);
    assert_eq!(attrs.list_map_keys.len(), 2);

    let mut problems = Problems::new();
    let item = "#[crd(at_most_one_of = [\"a\", \"b\"], at_most_one_of = [\"c\", \"d\"], at_least_one_of = [\"a\", \"c\"])] struct S { x: u8 }";
    let choices = TypeAttrs::of_struct(&syn::parse_str(item).unwrap(), &mut problems)
        .schema
        .one_of;
    assert!(problems.is_empty());
    let kinds: Vec<OneOfKind> = choices.iter().map(|choice| choice.kind).collect();
    assert_eq!(
        kinds,
        [OneOfKind::AtMost, OneOfKind::AtMost, OneOfKind::AtLeast]
    );
}

#[test]
fn shape_checks_are_skipped_if_the_type_is_hidden() {
    for source in [
        "#[crd(minimum = 1, type = \"integer\")] a: String",
        "#[crd(pattern = \"a\", int_or_string)] a: i32",
        "#[serde(with = \"hex\")] #[crd(pattern = \"a\")] a: Vec<u8>",
        "#[schemars(with = \"i32\")] #[crd(minimum = 1)] a: String",
        "#[crd(max_length = 3)] a: Alias",
        "#[crd(minimum = 1)] a: Option<Box<u32>>",
        "#[crd(max_length = 3)] a: Box",
    ] {
        assert_ne!(field(source), SchemaAttrs::default(), "{source}");
    }
}

#[test]
fn flags_record_whether_they_are_set() {
    let attrs = field("#[crd(optional, nullable)] a: String");
    assert!(attrs.optional.is_set() && attrs.nullable.is_set());
    assert_eq!(attrs.required, Flag::default());
}

#[test]
fn fields_of_variants_are_read_in_order() {
    let mut problems = Problems::new();
    let item =
        "enum E { A, B { #[crd(minimum = 1)] x: i32, y: u8 }, C(#[crd(min_length = 1)] String) }";
    let attrs = TypeAttrs::of_enum(&syn::parse_str(item).unwrap(), &mut problems);
    assert!(problems.is_empty());
    let Members::Variants(variants) = attrs.members else {
        panic!("an enum has variants")
    };
    assert_eq!(variants.iter().map(Vec::len).collect::<Vec<_>>(), [0, 2, 1]);
    assert!(variants[1][0].minimum.is_some() && variants[2][0].min_length.is_some());
}
