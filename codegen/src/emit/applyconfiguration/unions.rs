//! Apply configurations of enums with fields.

use super::head::type_head;
use super::imports::Imports;
use crate::emit::names::{cfg, ident};
use crate::emit::package::doc_comments;
use crate::model::{ApplyContent, ApplyType, ApplyUnion, ApplyVariant};
use crate::template::rust;

/// The enum, in the representation that serde has for the original.
pub(super) fn union_item(
    type_: &ApplyType,
    union: &ApplyUnion,
    imports: &mut Imports<'_>,
) -> String {
    let head = type_head(type_, &serde_arguments(union), false, imports);
    let name = ident(&type_.name);
    let variants: String = union
        .variants
        .iter()
        .map(|variant| variant_text(type_, variant, imports))
        .collect();
    rust!(head, name, variants => "
        $head
        pub enum $name {
            $variants
        }
    ")
}

fn serde_arguments(union: &ApplyUnion) -> Vec<String> {
    let stated = [
        ("tag", &union.tag),
        ("content", &union.content),
        ("rename_all", &union.rename_all),
    ];
    let stated = stated
        .into_iter()
        .filter_map(|(key, value)| Some(format!("{key} = {:?}", value.as_ref()?)));
    ["crate = \"genclient::serde\"".to_owned()]
        .into_iter()
        .chain(stated)
        .collect()
}

fn variant_text(type_: &ApplyType, variant: &ApplyVariant, imports: &mut Imports<'_>) -> String {
    let docs = if variant.summary.is_empty() {
        doc_comments([&*format!("`{}`", variant.name)])
    } else {
        doc_comments(variant.summary.iter().map(String::as_str))
    };
    let conditions = cfg(&variant.cfg);
    let rename = variant
        .rename
        .as_ref()
        .map(|name| format!("rename = {name:?}"));
    let arguments: Vec<_> = rename
        .into_iter()
        .chain(variant.is_other.then(|| "other".to_owned()))
        .collect();
    let serde = if arguments.is_empty() {
        String::new()
    } else {
        format!("#[serde({})]", arguments.join(", "))
    };
    let name = ident(&variant.name);
    let content = match &variant.content {
        ApplyContent::Unit => String::new(),
        ApplyContent::Empty => " {}".to_owned(),
        ApplyContent::Value(value) => {
            let conditions = [&*type_.cfg, &*variant.cfg].concat();
            format!("({})", value.type_text(&conditions, imports))
        }
    };
    rust!(docs, conditions, serde, name, content => "
        $docs
        $conditions
        $serde
        $name$content,
    ")
}
