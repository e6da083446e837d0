//! Tests that every example of the table is valid at each of its targets.

use genclient_syntax::table::{Applies, Attribute, Form, TABLE, Within};
use genclient_syntax::{Problems, RbacRule, ResourceAttrs, Target, TypeAttrs, WebhookAttrs};

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
        for target in entry.targets {
            let example = entry.example;
            let (source, problems) = match target {
                Target::Resource if entry.within != Within::Crd || entry.targets.len() == 1 => {
                    let source = on_resource(example);
                    (source.clone(), read_resource(&source))
                }
                Target::Type if matches!(entry.applies, Applies::Structs | Applies::Objects) => {
                    let source = format!(
                        "{example} struct Spec {{ secret: Option<String>, configMap: Option<String> }}"
                    );
                    (source.clone(), read_struct(&source))
                }
                Target::Type => {
                    let source = format!("{example} struct Spec({});", field_type(entry));
                    (source.clone(), read_struct(&source))
                }
                Target::Field => {
                    let source =
                        format!("struct Spec {{ {example} field: {} }}", field_type(entry));
                    (source.clone(), read_struct(&source))
                }
                Target::Impl => {
                    let source =
                        format!("{example} impl Defaulter for Quota {{ type Object = Task; }}");
                    let mut problems = Problems::new();
                    let item = syn::parse_str(&source).unwrap();
                    assert!(WebhookAttrs::parse(&item, &mut problems).is_some());
                    (source, problems)
                }
                Target::Item => {
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
    let targets = [
        (Target::Items, "items", "Vec"),
        (Target::Values, "values", "HashMap<String, "),
        (Target::Keys, "keys", ""),
    ];
    for entry in TABLE
        .iter()
        .filter(|entry| !matches!(entry.form, Form::Refused { .. }))
    {
        for (target, name, list) in targets
            .iter()
            .filter(|(target, ..)| entry.targets.contains(target))
        {
            let ty = match target {
                Target::Items => format!("{list}<{}>", field_type(entry)),
                Target::Values => format!("{list}{}>", field_type(entry)),
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
