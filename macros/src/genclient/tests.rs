use proc_macro2::TokenStream;
use quote::quote;

/// The expansion as text, with nothing above the attribute.
#[track_caller]
fn expand(attr: TokenStream, item: TokenStream) -> String {
    let output = super::expand(attr, item, |_| false);
    let file = syn::parse2(output).unwrap();
    prettyplease::unparse(&file)
}

fn options() -> TokenStream {
    quote!(group = "falldio.com", version = "v1")
}

#[track_caller]
fn check(output: &str, contained: &[&str], absent: &[&str]) {
    for text in contained {
        assert!(output.contains(text), "`{text}` is missing in:\n{output}");
    }
    for text in absent {
        assert!(!output.contains(text), "`{text}` is in:\n{output}");
    }
}

#[test]
fn attributes_of_the_grammar_are_consumed() {
    let item = quote! {
        /// Documentation stays.
        #[group = "falldio.com"]
        #[version = "v1"]
        #[kind = "Task"]
        #[crd(storage)]
        struct GPUTask {
            metadata: ObjectMeta,
            #[crd(minimum = 1)]
            spec: u8,
        }
    };
    let output = expand(TokenStream::new(), item);
    check(
        &output,
        &[
            "/// Documentation stays.",
            "Borrowed(\"Task\")",
            "Borrowed(\"tasks\")",
            "\"falldio.com/v1\"",
        ],
        &[
            "#[group",
            "#[version",
            "#[kind",
            "#[crd",
            "#[genclient",
            "compile_error",
        ],
    );
}

#[test]
fn conditional_attributes_of_serde_move_to_the_serialized_struct() {
    let item = quote! {
        #[cfg_attr(all(), serde_with::skip_serializing_none, serde(rename_all = "camelCase"))]
        struct Widget {
            metadata: ObjectMeta,
            spec: Option<u8>,
        }
    };
    let output = expand(options(), item);
    assert_eq!(
        output.matches("serde_with::skip_serializing_none").count(),
        1,
        "{output}"
    );
    let declared = output.split_once("struct Widget").unwrap().0;
    assert!(!declared.contains("cfg_attr"), "{output}");
}

#[test]
fn missing_derives_are_added_and_own_ones_left_out() {
    let derive = |derives: TokenStream| {
        let item = quote! { #derives struct A { metadata: ObjectMeta } };
        expand(options(), item)
            .lines()
            .take_while(|line| !line.contains("struct A"))
            .collect::<String>()
    };
    let both = "#[derive(::core::clone::Clone, ::core::fmt::Debug)]";
    assert_eq!(derive(quote!()), both);
    assert_eq!(
        derive(quote!(#[derive(serde::Serialize, Deserialize, CrdSchema)])),
        both
    );
    assert_eq!(
        derive(quote!(#[derive(Clone, PartialEq, Serialize)])),
        "#[derive(::core::fmt::Debug)]#[derive(Clone, PartialEq)]"
    );
    assert_eq!(
        derive(quote!(#[derive(Clone)] #[derive(std::fmt::Debug)])),
        "#[derive(Clone)]#[derive(std::fmt::Debug)]"
    );
}

#[test]
fn serde_attributes_move_to_the_shadow() {
    let item = quote! {
        #[skip_serializing_none]
        #[serde(rename_all = "camelCase")]
        struct A {
            metadata: ObjectMeta,
            #[serde(default)]
            #[cfg_attr(feature = "x", serde(skip))]
            spec: u8,
        }
    };
    let output = expand(options(), item);
    let (user, rest) = output.split_once("const _: () =").unwrap();
    check(
        user,
        &["spec: u8"],
        &["serde", "skip_serializing_none", "cfg_attr"],
    );
    check(
        rest,
        &[
            "#[skip_serializing_none]",
            "#[serde(rename_all = \"camelCase\")]",
            "#[serde(default)]",
            "serde(skip)",
            "remote = \"A\"",
        ],
        &[],
    );
    let at = |text: &str| rest.find(text).unwrap();
    assert!(
        at("skip_serializing_none") < at("#[derive("),
        "it works on what stands below it"
    );
}

#[test]
fn serde_attributes_stay_for_derives_that_read_them() {
    let item = quote! {
        #[derive(JsonSchema)]
        struct A {
            metadata: ObjectMeta,
            #[serde(rename = "s")]
            spec: u8,
        }
    };
    assert_eq!(
        expand(options(), item)
            .matches("#[serde(rename = \"s\")]")
            .count(),
        2
    );
}

#[test]
fn version_is_by_default_that_of_the_module() {
    let item = quote! { struct A { metadata: ObjectMeta } };
    let output = expand(quote!(group = "falldio.com"), item);
    check(
        &output,
        &[
            "::genclient::__private::version_of(",
            "::core::module_path!()",
        ],
        &[],
    );
}

#[test]
fn self_in_a_field_is_the_kind() {
    let item = quote! { struct A { metadata: ObjectMeta, spec: Spec<Self> } };
    let output = expand(options(), item);
    check(&output, &["spec: Spec<A>,"], &[]);
}

#[test]
fn has_spec_and_has_status_follow_the_fields() {
    let item = quote! { struct A { metadata: ObjectMeta } };
    let output = expand(options(), item);
    check(&output, &[], &["HasSpec", "HasStatus"]);
    let item = quote! { struct A { metadata: ObjectMeta, spec: Spec, status: Status } };
    let output = expand(options(), item);
    check(&output, &["type Spec = Spec;"], &["HasStatus"]);
    let item = quote! { struct A { metadata: ObjectMeta, status: ::core::option::Option<Status> } };
    let output = expand(options(), item);
    check(&output, &["type Status = Status;"], &["HasSpec"]);
}

#[test]
fn scope_is_a_type() {
    let item = || quote! { struct A { metadata: ObjectMeta } };
    check(
        &expand(options(), item()),
        &["type Scope = ::genclient::kube::core::NamespaceResourceScope;"],
        &[],
    );
    let cluster = quote!(group = "falldio.com", version = "v1", non_namespaced);
    check(
        &expand(cluster, item()),
        &["type Scope = ::genclient::kube::core::ClusterResourceScope;"],
        &[],
    );
}

#[test]
fn paths_are_absolute() {
    let item = quote! { struct A { metadata: ObjectMeta, spec: Spec, status: Option<Status> } };
    let output = expand(options(), item);
    for (at, _) in output.match_indices("::") {
        let before = &output[..at];
        let word = before
            .rsplit(|c: char| !c.is_alphanumeric() && c != '_')
            .next()
            .unwrap();
        let is_root = ["core", "std", "genclient", "kube", "serde"].contains(&word);
        let start = &before[..before.len() - word.len()];
        assert!(
            !is_root || start.ends_with("::"),
            "`{word}` is relative in:\n{output}"
        );
    }
}

#[test]
fn invalid_attributes_keep_the_struct_and_stubs() {
    let item = quote! {
        #[crd(storag, minimum = "1")]
        struct A {
            metadata: ObjectMeta,
            spec: Spec,
            status: Option<Status>,
        }
    };
    let output = expand(quote!(readonl), item);
    assert_eq!(output.matches("compile_error").count(), 4, "{output}");
    check(
        &output,
        &[
            "Clone",
            "Debug",
            "struct A {",
            "Serialize for A",
            "Deserialize<'__de> for A",
            "Resource for A",
            "HasSpec for A",
            "HasStatus for A",
        ],
        &["#[crd(storag"],
    );
}

#[test]
fn items_that_are_not_structs_are_emitted_with_an_error() {
    let item = quote! { #[group = "a.b"] enum A { #[crd(title = "b")] B } };
    let output = expand(TokenStream::new(), item);
    check(&output, &["enum A", "compile_error"], &["#[group", "#[crd"]);
    let output = expand(TokenStream::new(), quote! { fn a() {} });
    check(&output, &["fn a() {}", "compile_error"], &[]);
}

#[test]
fn attributes_above_genclient_are_reported() {
    let item = quote! { #[group = "a.b"] #[version = "v1"] struct A { metadata: ObjectMeta } };
    let output = super::expand(TokenStream::new(), item, |_| true).to_string();
    assert_eq!(output.matches("must be below").count(), 2, "{output}");
}

#[test]
fn cfg_of_the_struct_applies_to_its_implementations() {
    let item = quote! { #[cfg(feature = "x")] struct A { metadata: ObjectMeta } };
    let output = expand(options(), item);
    assert_eq!(
        output.matches("#[cfg(feature = \"x\")]").count(),
        2,
        "{output}"
    );
}
