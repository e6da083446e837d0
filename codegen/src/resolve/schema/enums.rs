//! Enums of unit variants: a string that is one of their names.

use genclient_syntax::{Problems, Shape, TypeAttrs};
use syn::ItemEnum;

use super::{Resolver, docs, serde_attrs};
use crate::load::bare_name;
use crate::model::Schema;

impl<'a> Resolver<'a, '_> {
    pub(super) fn enumeration(&mut self, item: &'a ItemEnum, module: usize) -> Schema {
        let mut problems = Problems::new();
        let attrs = TypeAttrs::of_enum(item, &mut problems);
        self.report_problems(problems, module);
        let source = &self.sources.modules[module];
        let container = serde_attrs::parse(&item.attrs, source, self.sink);
        let mut schema = Schema::typed("string");
        for variant in &item.variants {
            let serde = serde_attrs::parse(&variant.attrs, source, self.sink);
            if serde.skip {
                continue;
            }
            if !variant.fields.is_empty() || container.tagged.is_some() {
                self.report(
                    module,
                    &variant.ident,
                    format!("the variant `{}` holds data, of which no schema is made", variant.ident),
                    "use variants without data beside a struct of optional fields, or state the schema at the field: `#[crd(schema = { … })]`",
                );
                return Schema::default();
            }
            let name = bare_name(&variant.ident);
            let name = serde
                .rename
                .unwrap_or_else(|| container.rename_all.variant(&name));
            schema.enum_.push(name.into());
        }
        schema.description = docs::description(&item.attrs);
        self.constrain(&attrs.schema, schema, &Shape::Enum, module)
    }
}
