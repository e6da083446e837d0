//! Conversions between two versions of a kind: `From` for each type that both have under one name.

use std::fmt::Write as _;

use syn::{Fields, File, GenericArgument, Item, ItemEnum, ItemStruct, PathArguments, Type};

/// The source of the conversions of a file's types to those of the hub, and back.
///
/// A field that only one version has gets its default: what is lost then, the round-trip test of the
/// generated clients shows.
pub(super) fn between(spoke: &str, hub: &str, kind: &str, hub_module: &str) -> Option<String> {
    let (spoke, hub) = (syn::parse_file(spoke).ok()?, syn::parse_file(hub).ok()?);
    let types = Types {
        spoke: &spoke,
        hub: &hub,
        kind,
        hub_module,
    };
    Some(types.text())
}

struct Types<'a> {
    spoke: &'a File,
    hub: &'a File,
    kind: &'a str,
    hub_module: &'a str,
}

impl Types<'_> {
    fn text(&self) -> String {
        let mut text = String::new();
        for item in &self.spoke.items {
            match item {
                Item::Struct(spoke) => self.of_struct(spoke, &mut text),
                Item::Enum(spoke) => self.of_enum(spoke, &mut text),
                _ => {}
            }
        }
        text
    }

    fn of_struct(&self, spoke: &ItemStruct, text: &mut String) {
        let name = &spoke.ident;
        let Some(hub) = self.hub_struct(&name.to_string()) else {
            return;
        };
        let module = self.hub_module;
        if *name == self.kind {
            let to_hub = self.fields(&spoke.fields, &hub.fields, "self");
            let from_hub = self.fields(&hub.fields, &spoke.fields, "hub");
            let _ = write!(
                text,
                "\nimpl Spoke for {name} {{\n    type Hub = {module}::{name};\n\n    \
                 fn to_hub(self) -> Result<Self::Hub, Inconvertible> {{\n        \
                 Ok({module}::{name} {{ {to_hub} }})\n    }}\n\n    \
                 fn from_hub(hub: Self::Hub) -> Result<Self, Inconvertible> {{\n        \
                 Ok(Self {{ {from_hub} }})\n    }}\n}}\n"
            );
            return;
        }
        let to_hub = self.fields(&spoke.fields, &hub.fields, "spoke");
        let from_hub = self.fields(&hub.fields, &spoke.fields, "hub");
        let _ = write!(
            text,
            "\nimpl From<{name}> for {module}::{name} {{\n    fn from(spoke: {name}) -> Self {{\n        \
             Self {{ {to_hub} }}\n    }}\n}}\n\n\
             impl From<{module}::{name}> for {name} {{\n    fn from(hub: {module}::{name}) -> Self {{\n        \
             Self {{ {from_hub} }}\n    }}\n}}\n"
        );
    }

    /// Enums of which both versions have the same variants, all without fields.
    fn of_enum(&self, spoke: &ItemEnum, text: &mut String) {
        let name = &spoke.ident;
        let is_plain = |of: &ItemEnum| of.variants.iter().all(|it| it.fields.is_empty());
        let hub = self.hub.items.iter().find_map(|item| match item {
            Item::Enum(hub) if hub.ident == *name && is_plain(hub) => Some(hub),
            _ => None,
        });
        if hub.is_none() || !is_plain(spoke) {
            return;
        }
        let module = self.hub_module;
        for (from, to) in [
            (name.to_string(), format!("{module}::{name}")),
            (format!("{module}::{name}"), name.to_string()),
        ] {
            let arms = spoke.variants.iter().map(|variant| {
                let variant = &variant.ident;
                format!("{from}::{variant} => Self::{variant},")
            });
            let arms: String = arms.collect();
            let _ = write!(
                text,
                "\nimpl From<{from}> for {to} {{\n    fn from(value: {from}) -> Self {{\n        \
                 match value {{ {arms} }}\n    }}\n}}\n"
            );
        }
    }

    /// The fields of `to`, each from the one of the same name in `from`.
    fn fields(&self, from: &Fields, to: &Fields, value: &str) -> String {
        let mut text = String::new();
        for field in to {
            let Some(name) = &field.ident else { continue };
            let known = from.iter().find(|it| it.ident.as_ref() == Some(name));
            let _ = match known {
                Some(known) => {
                    let converted = self.converted(&known.ty);
                    write!(text, "{name}: {value}.{name}{converted}, ")
                }
                None => write!(text, "{name}: Default::default(), "),
            };
        }
        text
    }

    /// What converts a value of a type: nothing if both versions share the type.
    fn converted(&self, ty: &Type) -> &'static str {
        let Type::Path(path) = ty else { return "" };
        let Some(last) = path.path.segments.last() else {
            return "";
        };
        if self.is_converted(&last.ident.to_string()) {
            return ".into()";
        }
        let PathArguments::AngleBracketed(arguments) = &last.arguments else {
            return "";
        };
        let Some(GenericArgument::Type(Type::Path(inner))) = arguments.args.first() else {
            return "";
        };
        let Some(inner) = inner.path.segments.last() else {
            return "";
        };
        let is_converted = self.is_converted(&inner.ident.to_string());
        match last.ident.to_string().as_str() {
            "Option" if is_converted => ".map(Into::into)",
            "Vec" if is_converted => ".into_iter().map(Into::into).collect()",
            _ => "",
        }
    }

    /// Whether both versions have a type of this name.
    fn is_converted(&self, name: &str) -> bool {
        let has = |file: &File| {
            file.items.iter().any(|item| match item {
                Item::Struct(item) => item.ident == name,
                Item::Enum(item) => item.ident == name,
                _ => false,
            })
        };
        has(self.spoke) && has(self.hub)
    }

    fn hub_struct(&self, name: &str) -> Option<&ItemStruct> {
        self.hub.items.iter().find_map(|item| match item {
            Item::Struct(hub) if hub.ident == name => Some(hub),
            _ => None,
        })
    }
}
