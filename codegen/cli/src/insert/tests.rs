use super::{
    add_call, add_element, add_item, add_items, add_names, has_inline_or_path_module,
    remove_arguments,
};

/// The text, the insertion, and the expected result.
type Case = (&'static str, &'static str, &'static str);

#[test]
fn items_are_inserted_in_order_and_nothing_else_changes() {
    let cases: &[Case] = &[
        ("", "pub mod b;", "pub mod b;\n"),
        ("//! Types.\n", "pub mod b;", "//! Types.\n\npub mod b;\n"),
        (
            "pub mod a;\npub mod c;\n",
            "pub mod b;",
            "pub mod a;\npub mod b;\npub mod c;\n",
        ),
        (
            "pub mod a; // first\npub mod c;\n",
            "pub mod b;",
            "pub mod a; // first\npub mod b;\npub mod c;\n",
        ),
        (
            "/// C.\n#[cfg(x)]\nmod c;\n",
            "pub mod b;",
            "pub mod b;\n/// C.\n#[cfg(x)]\nmod c;\n",
        ),
        (
            "//! T.\n\nuse a::b;\n\nfn f() {}\n",
            "pub mod b;",
            "//! T.\n\npub mod b;\n\nuse a::b;\n\nfn f() {}\n",
        ),
        (
            "\u{feff}mod a;\r\n\r\nfn f() {}\r\n",
            "mod b;",
            "\u{feff}mod a;\r\nmod b;\r\n\r\nfn f() {}\r\n",
        ),
        ("mod r#type;\n", "mod r#use;", "mod r#type;\nmod r#use;\n"),
        ("mod r#type;\n", "mod b;", "mod b;\nmod r#type;\n"),
        ("mod a;\n", "use a::b;", "mod a;\n\nuse a::b;\n"),
        ("use a::c;\n", "use a::b;", "use a::b;\nuse a::c;\n"),
        (
            "pub use a::*;\n",
            "use b::c;",
            "use b::c;\n\npub use a::*;\n",
        ),
        // Existing items stay.
        ("mod b;\n", "pub mod b;", "mod b;\n"),
        ("pub mod b {}\n", "pub mod b;", "pub mod b {}\n"),
        ("use a::{b, c::d};\n", "use a::c::d;", "use a::{b, c::d};\n"),
        ("use a::*;\n", "use a::b;", "use a::*;\n"),
        ("pub use b::*;\n", "pub use b::*;", "pub use b::*;\n"),
    ];
    for (text, line, expected) in cases {
        assert_eq!(add_item(text, line).as_deref(), Some(*expected), "{text}");
    }
    assert_eq!(add_item("mod", "mod a;"), None);
}

#[test]
fn imported_names_join_an_existing_import() {
    let cases: &[Case] = &[
        ("", "B", "use a::{B};\n"),
        ("use a::{C};\n", "B", "use a::{B, C};\n"),
        ("use a::{B, C};\n", "B", "use a::{B, C};\n"),
        ("use a::*;\n", "B", "use a::*;\n"),
        ("use x::{a::B};\n", "B", "use a::{B};\nuse x::{a::B};\n"),
    ];
    for (text, name, expected) in cases {
        assert_eq!(
            add_names(text, "a", &[name]).as_deref(),
            Some(*expected),
            "{text}"
        );
    }
}

#[test]
fn elements_and_calls_are_appended_to_the_last_expression() {
    let cases: &[Case] = &[
        ("fn f() -> V { vec![] }", "b", "fn f() -> V { vec![b] }"),
        (
            "fn f() -> V {\n    vec![\n        a // one\n    ]\n}",
            "b",
            "fn f() -> V {\n    vec![\n        a, b // one\n    ]\n}",
        ),
        ("fn f() -> V { vec![a] }", "b", "fn f() -> V { vec![a, b] }"),
        (
            "fn f() -> V {\n    vec![\n        a,\n    ]\n}",
            "b",
            "fn f() -> V {\n    vec![\n        a, b,\n    ]\n}",
        ),
        (
            "fn f() -> V { vec![a, b] }",
            "b",
            "fn f() -> V { vec![a, b] }",
        ),
    ];
    for (text, new, expected) in cases {
        assert_eq!(
            add_element(text, "f", new).as_deref(),
            Some(*expected),
            "{text}"
        );
    }
    assert_eq!(add_element("fn f() { let v = vec![]; }", "f", "b"), None);
    assert_eq!(
        add_call("fn f() { A::new() }", "f", ".b(1)").as_deref(),
        Some("fn f() { A::new().b(1) }")
    );
    let there = "fn f() { A::new()\n    .b(\n        1,\n    ) }";
    assert_eq!(add_call(there, "f", ".b(1)").as_deref(), Some(there));
}

#[test]
fn inline_modules_and_path_attributes_are_detected() {
    assert!(has_inline_or_path_module("pub mod a { mod b; }", "a"));
    assert!(has_inline_or_path_module(
        "#[path = \"x.rs\"] mod r#type;",
        "r#type"
    ));
    assert!(!has_inline_or_path_module("mod a; mod b {}", "a"));
}

#[test]
fn arguments_are_removed_with_only_their_comma() {
    let cases = [
        ("#[crd(storage)] struct A;", "struct A;", "storage"),
        (
            "\u{feff}#[crd(storage)]\n#[b]\nstruct A;",
            "\u{feff}#[b]\nstruct A;",
            "storage",
        ),
        (
            "#[crd(a, storage)] struct A;",
            "#[crd(a)] struct A;",
            "storage",
        ),
        (
            "#[crd(storage, a)] struct A;",
            "#[crd(a)] struct A;",
            "storage",
        ),
        (
            "#[crd(\n    // Ours.\n    a(\"ü\"),\n    storage,\n    b,\n)]\nstruct A;",
            "#[crd(\n    // Ours.\n    a(\"ü\"),\n    b,\n)]\nstruct A;",
            "storage",
        ),
        (
            "#[crd(a, storage, conversion(webhook(port = 8443)))] struct A;",
            "#[crd(a)] struct A;",
            "storage|conversion(webhook(port = 8443))",
        ),
        (
            "#[crd(storage, a, conversion(webhook), b)] struct A;",
            "#[crd(a, b)] struct A;",
            "storage|conversion(webhook)",
        ),
        (
            "#[crd(example = { \"a\": 1 }, storage)] struct A;",
            "#[crd(example = { \"a\": 1 })] struct A;",
            "storage",
        ),
        (
            "#[crd(a)] #[serde(storage)] struct A;",
            "#[crd(a)] #[serde(storage)] struct A;",
            "",
        ),
    ];
    for (text, left, removed) in cases {
        let found = remove_arguments(text, "A", "crd", &["storage", "conversion"]);
        let (found, arguments) = found.unwrap();
        assert_eq!(
            (found.as_str(), arguments.join("|").as_str()),
            (left, removed),
            "{text}"
        );
    }
}

#[test]
fn items_are_inserted_before_the_test_module() {
    let cases = [
        ("fn a() {}\n", "fn a() {}\n\nfn b() {}\n"),
        (
            "fn a() {}\n\n#[cfg(test)]\nmod tests {}\n",
            "fn a() {}\n\nfn b() {}\n\n#[cfg(test)]\nmod tests {}\n",
        ),
    ];
    for (text, expected) in cases {
        assert_eq!(add_items(text, "fn b() {}\n").as_deref(), Some(expected));
    }
}

#[test]
fn commented_calls_and_conditional_imports_do_not_count() {
    let text = "fn f() -> A {\n    A::new()\n    // .b(c)\n}\n";
    assert_ne!(add_call(text, "f", ".b(c)").as_deref(), Some(text));
    let text = "#[cfg(test)]\nuse a::B;\n";
    assert_ne!(add_item(text, "use a::B;").as_deref(), Some(text));
}
