//! Tests that every example of the table is valid at each of its sites.

use genclient_syntax::table::{Applies, Attribute, Form, TABLE, Within};
use genclient_syntax::{Problems, RbacRule, ResourceAttrs, Site, TypeAttrs, WebhookAttrs};

/// Returns a type that the key applies to.
fn field_type(entry: &Attribute) -> &'static str {
    match entry.applies {
        Applies::Numbers => "i64",
        Applies::Strings => "String",
        Applies::Lists => "Vec<String>",
        Applies::Maps if entry.name == "values" => "BTreeMap<String, i32>",
        Applies::Maps => "BTreeMap<String, String>",
        Applies::All | Applies::Objects | Applies::Structs => "Inner",
    }
}

fn on_resource(attributes: &str) -> String {
    let genclient = if attributes.contains("#[genclient") {
        ""
    } else {
        "#[genclient]"
    };
    let group = if attributes.contains("group") {
        ""
    } else {
        "#[group = \"example.com\"]"
    };
    // `#[crd(status)]` is for kinds without the field.
    let status = if attributes == "#[crd(status)]" {
        ""
    } else {
        "status: Option<Status>"
    };
    format!(
        "{genclient} {attributes} {group} struct GPUTask {{ metadata: ObjectMeta, spec: Spec, {status} }}"
    )
}

#[track_caller]
fn read_resource(source: &str) -> Problems {
    let item = syn::parse_str(source).unwrap();
    let mut problems = Problems::new();
    assert!(
        ResourceAttrs::parse(&item, &mut problems).is_some(),
        "{source}"
    );
    problems
}

#[track_caller]
fn read_struct(source: &str) -> Problems {
    let item = syn::parse_str(source).unwrap();
    let mut problems = Problems::new();
    TypeAttrs::of_struct(&item, &mut problems);
    problems
}

#[test]
fn every_example_is_valid_on_all_its_sites() {
    for entry in TABLE
        .iter()
        .filter(|entry| !matches!(entry.form, Form::Refused { .. }))
    {
        for site in entry.sites {
            let example = entry.example;
            let (source, problems) = match site {
                Site::Resource if entry.within != Within::Crd || entry.sites.len() == 1 => {
                    let source = on_resource(example);
                    (source.clone(), read_resource(&source))
                }
                Site::Type if matches!(entry.applies, Applies::Structs | Applies::Objects) => {
                    let source = format!(
                        "{example} struct Spec {{ secret: Option<String>, configMap: Option<String> }}"
                    );
                    (source.clone(), read_struct(&source))
                }
                Site::Type => {
                    let source = format!("{example} struct Spec({});", field_type(entry));
                    (source.clone(), read_struct(&source))
                }
                Site::Field => {
                    let source =
                        format!("struct Spec {{ {example} field: {} }}", field_type(entry));
                    (source.clone(), read_struct(&source))
                }
                Site::Impl => {
                    let source =
                        format!("{example} impl Defaulter for Quota {{ type Object = Task; }}");
                    let mut problems = Problems::new();
                    let item = syn::parse_str(&source).unwrap();
                    assert!(WebhookAttrs::parse(&item, &mut problems).is_some());
                    (source, problems)
                }
                Site::Item => {
                    let source = format!("{example} impl Reconciler for Tasks {{}}");
                    let mut problems = Problems::new();
                    let item = syn::parse_str(&source).unwrap();
                    assert_eq!(RbacRule::of_item(&item, &mut problems).len(), 1);
                    (source, problems)
                }
                _ => continue,
            };
            let texts: Vec<String> = problems
                .iter()
                .map(genclient_syntax::Problem::text)
                .collect();
            assert!(problems.is_empty(), "{source}: {texts:?}");
        }
    }
}

#[test]
fn examples_are_valid_inside_items_values_and_keys() {
    let inner = |key: &Attribute| {
        let open = key.example.find('(').unwrap_or_default() + 1;
        key.example[open..].trim_end_matches(")]").to_owned()
    };
    let sites = [
        (Site::Items, "items", "Vec"),
        (Site::Values, "values", "HashMap<String, "),
        (Site::Keys, "keys", ""),
    ];
    for entry in TABLE
        .iter()
        .filter(|entry| !matches!(entry.form, Form::Refused { .. }))
    {
        for (site, name, list) in sites.iter().filter(|(site, ..)| entry.sites.contains(site)) {
            let ty = match site {
                Site::Items => format!("{list}<{}>", field_type(entry)),
                Site::Values => format!("{list}{}>", field_type(entry)),
                _ => "BTreeMap<String, Inner>".to_owned(),
            };
            let source = format!(
                "struct Spec {{ #[crd({name}({}))] field: {ty} }}",
                inner(entry)
            );
            let texts: Vec<String> = read_struct(&source)
                .iter()
                .map(genclient_syntax::Problem::text)
                .collect();
            assert!(texts.is_empty(), "{source}: {texts:?}");
        }
    }
}
