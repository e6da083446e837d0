//! The item that a location is in.

use syn::Item;
use syn::spanned::Spanned as _;

use super::Location;

impl Location {
    /// Returns the location of the item that this location starts in, with its attributes. An item
    /// in a module is not the module. `None` outside of items, and if the file is not valid Rust.
    pub fn item(&self) -> Option<Self> {
        let start = self.span.start;
        let is_around = |item: &Item| item.span().byte_range().contains(&start);
        let mut items = syn::parse_file(&self.source.text).ok()?.items;
        loop {
            match items.into_iter().find(is_around)? {
                Item::Mod(syn::ItemMod {
                    content: Some((_, inner)),
                    ..
                }) if inner.iter().any(is_around) => items = inner,
                item => return Some(Self::new(&self.source, item.span())),
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use crate::diagnostic::{Location, SourceText};

    #[test]
    fn items_have_their_attributes() {
        let text = "//! Doc.\n#[a] struct A { b: B }\nmod c {\n #[d] fn e() { f() }\n use g; }";
        let source = Arc::new(SourceText {
            text: text.to_owned(),
            ..SourceText::default()
        });
        for (token, item) in [
            ("Doc", None),
            ("a]", Some("#[a] struct A { b: B }")),
            ("b:", Some("#[a] struct A { b: B }")),
            ("d]", Some("#[d] fn e() { f() }")),
            ("f()", Some("#[d] fn e() { f() }")),
            ("g;", Some("use g;")),
            ("c {", Some(&text[text.find("mod").unwrap()..])),
        ] {
            let start = text.find(token).unwrap();
            let location = Location {
                source: Arc::clone(&source),
                span: start..start + 1,
            };
            let found = location.item().map(|item| item.span);
            assert_eq!(found.map(|span| &text[span]), item, "{token}");
        }
    }
}
