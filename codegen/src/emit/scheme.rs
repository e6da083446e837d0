//! `scheme.rs`: the list of kinds, and an enum of them.

use proc_macro2::TokenStream;
use quote::quote;

use super::layout::Source;
use super::uses::Uses;
use super::{Package, api_version, cfg, docs, ident};
use crate::model::{Group, Model, Resource, Scope, Version};

pub(super) fn emit(model: &Model, package: &mut Package<'_>) {
    let mut uses = Uses::new(["AnyObject".to_owned(), "KINDS".to_owned()]);
    let kinds: Vec<_> = entries(model)
        .map(|entry| Entry {
            path: uses.kind(&entry.resource.type_path, &entry.resource.cfg),
            ..entry
        })
        .collect();
    let kind = uses.name("genclient::scheme", "Kind").to_string();
    let source = Source {
        docs: &["The kinds that this client knows.".to_owned()],
        modules: TokenStream::new(),
        text: table(&kinds, &kind.replace(' ', "")),
        items: any_object(&kinds, &mut uses),
        uses: &uses,
    };
    package.rust("scheme.rs", &source);
}

struct Entry<'a> {
    group: &'a Group,
    version: &'a Version,
    resource: &'a Resource,
    path: TokenStream,
}

fn entries(model: &Model) -> impl Iterator<Item = Entry<'_>> {
    model.groups.iter().flat_map(|group| {
        group.versions.iter().flat_map(move |version| {
            version.resources.iter().map(move |resource| Entry {
                group,
                version,
                resource,
                path: TokenStream::new(),
            })
        })
    })
}

/// `KINDS`; `kind` is what the type of its entries is called here.
fn table(kinds: &[Entry<'_>], kind: &str) -> String {
    let head =
        format!("/// Every kind, by group, version and name.\npub const KINDS: &[{kind}] = &[");
    // rustfmt lets a single entry share the brackets' lines.
    if let [entry] = kinds
        && entry.resource.cfg.is_empty()
    {
        return format!("{head}{}];\n", row(entry, kind, ""));
    }
    let mut text = format!("{head}\n");
    for entry in kinds {
        for condition in &entry.resource.cfg {
            text.push_str(&format!("    #[cfg({condition})]\n"));
        }
        text.push_str(&format!("    {},\n", row(entry, kind, "    ")));
    }
    text.push_str("];\n");
    text
}

/// `Kind { … }`, its fields on lines of their own.
fn row(entry: &Entry<'_>, kind: &str, indent: &str) -> String {
    let namespaced = entry.resource.scope == Scope::Namespaced;
    let fields = [
        ("group", format!("{:?}", entry.group.name)),
        ("version", format!("{:?}", entry.version.name)),
        ("kind", format!("{:?}", entry.resource.kind)),
        ("plural", format!("{:?}", entry.resource.plural)),
        ("namespaced", namespaced.to_string()),
    ];
    let fields = fields.map(|(field, value)| format!("{indent}    {field}: {value},\n"));
    format!("{kind} {{\n{}{indent}}}", fields.concat())
}

/// The names that the enum is written with.
struct Names {
    error: TokenStream,
    type_meta: TokenStream,
    object_meta: TokenStream,
    boxed: TokenStream,
    result: TokenStream,
    from: TokenStream,
}

/// The condition under which there is any kind at all, if there is one.
fn sometimes(kinds: &[Entry<'_>]) -> Vec<String> {
    let all = |entry: &Entry<'_>| match &entry.resource.cfg[..] {
        [one] => one.clone(),
        all => format!("all({})", all.join(", ")),
    };
    if kinds.iter().any(|entry| entry.resource.cfg.is_empty()) {
        return Vec::new();
    }
    let mut alternatives: Vec<_> = kinds.iter().map(all).collect();
    alternatives.dedup();
    match &alternatives[..] {
        [one] => vec![one.clone()],
        any => vec![format!("any({})", any.join(", "))],
    }
}

fn any_object(kinds: &[Entry<'_>], uses: &mut Uses) -> TokenStream {
    let names = Names {
        error: uses.name("genclient::scheme", "DecodeError"),
        type_meta: uses.name_if("genclient::kube::core", "TypeMeta", &sometimes(kinds)),
        object_meta: uses.name("genclient::kube::core", "ObjectMeta"),
        boxed: uses.prelude("std::boxed", "Box"),
        result: uses.prelude("std::result", "Result"),
        from: uses.prelude("std::convert", "From"),
    };
    let boxed = &names.boxed;
    let variants = kinds.iter().map(|entry| {
        let conditions = cfg(&entry.resource.cfg);
        let (variant, path) = (ident(&entry.resource.names.variant), &entry.path);
        let version = api_version(entry.group, entry.version);
        let doc = docs([format!("`{}` of `{version}`.", entry.resource.kind).as_str()]);
        quote!(#doc #conditions #variant(#boxed<#path>),)
    });
    let methods = methods(kinds, &names);
    let conversions = kinds.iter().map(|entry| conversion(entry, &names));
    quote! {
        #[doc = " An object of any of these kinds."]
        #[derive(Clone, Debug)]
        pub enum AnyObject {
            #(#variants)*
        }

        #methods
        #(#conversions)*
    }
}

fn methods(kinds: &[Entry<'_>], names: &Names) -> TokenStream {
    let Names {
        error,
        type_meta,
        object_meta,
        result,
        ..
    } = names;
    let reads = kinds.iter().map(|entry| {
        let conditions = cfg(&entry.resource.cfg);
        let (variant, path) = (ident(&entry.resource.names.variant), &entry.path);
        quote! {
            #conditions
            if types == #type_meta::resource::<#path>() {
                return genclient::scheme::from_json(json).map(Self::#variant);
            }
        }
    });
    // A reference to an enum without variants would ask for a variant.
    let always = kinds.iter().any(|entry| entry.resource.cfg.is_empty());
    let this = if always { quote!(self) } else { quote!(*self) };
    let binding = (!always).then(|| quote!(ref));
    let arms = kinds.iter().map(|entry| {
        let conditions = cfg(&entry.resource.cfg);
        let variant = ident(&entry.resource.names.variant);
        quote!(#conditions Self::#variant(#binding object) => &object.metadata,)
    });
    quote! {
        impl AnyObject {
            #[doc = " Reads an object whose kind only its `apiVersion` and `kind` tell."]
            #[doc = ""]
            #[doc = " # Errors"]
            #[doc = ""]
            #[doc = " The kind is not one of these, or the object is not what its kind says."]
            pub fn from_json(json: &[u8]) -> #result<Self, #error> {
                let types = genclient::scheme::decode(json)?;
                #(#reads)*
                Err(#error::unknown(types))
            }

            #[doc = " The object's metadata."]
            pub fn metadata(&self) -> &#object_meta {
                match #this {
                    #(#arms)*
                }
            }
        }
    }
}

fn conversion(entry: &Entry<'_>, names: &Names) -> TokenStream {
    let Names { boxed, from, .. } = names;
    let conditions = cfg(&entry.resource.cfg);
    let (variant, path) = (ident(&entry.resource.names.variant), &entry.path);
    quote! {
        #conditions
        impl #from<#path> for AnyObject {
            fn from(object: #path) -> Self {
                Self::#variant(#boxed::new(object))
            }
        }
    }
}
