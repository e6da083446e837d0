//! Parts of a field's type: the items or values that `items(…)` and `values(…)` constrain.

use std::sync::Arc;

use genclient_syntax::{SchemaAttrs, Shape};
use syn::Type;

use super::Resolver;
use super::generics::type_arguments;

/// Returns the part of a type for which the attributes state a schema.
pub(super) fn stated<'t>(ty: &'t Type, attrs: &SchemaAttrs) -> Option<&'t Type> {
    let attrs = attrs.items.as_ref().or(attrs.values.as_ref())?;
    let (_, part) = part(ty)?;
    if attrs.replaces_type() {
        Some(part)
    } else {
        stated(part, attrs)
    }
}

impl Resolver<'_, '_> {
    /// Rewrites the help of findings about a part of a field's type: what it says to write at the
    /// field goes into `items(…)` or `values(…)`.
    pub(super) fn write_of_parts(&mut self, mark: usize, ty: &Type) {
        let module = &self.sources[self.module];
        for finding in self.sink.since(mark) {
            let (Some(at), Some(help)) = (&finding.location, &mut finding.help) else {
                continue;
            };
            let holds = |part: &Type| {
                let part = module.locate(part);
                let within = part.span.start <= at.span.start && at.span.end <= part.span.end;
                within && Arc::ptr_eq(&part.source, &at.source)
            };
            let mut open = "#[crd(".to_owned();
            let mut close = ")]".to_owned();
            let mut rest = ty;
            while let Some((key, part)) = part(rest).filter(|(_, part)| holds(part)) {
                open += &format!("{key}(");
                close.insert(0, ')');
                rest = part;
            }
            *help = help.replace("#[crd(", &open).replace(")]", &close);
        }
    }
}

/// Returns the items of a list or the values of a map, with the key that constrains them.
fn part(ty: &Type) -> Option<(&'static str, &Type)> {
    let shape = Shape::of(ty);
    let (key, place) = match shape {
        Shape::List(_) => ("items", 0),
        Shape::Map(_) => ("values", 1),
        _ => return None,
    };
    match ty {
        Type::Array(array) => Some((key, &array.elem)),
        Type::Slice(slice) => Some((key, &slice.elem)),
        Type::Reference(reference) => part(&reference.elem),
        Type::Paren(inner) => part(&inner.elem),
        Type::Group(inner) => part(&inner.elem),
        Type::Path(path) => {
            let mut arguments = type_arguments(&path.path);
            // `Option<Vec<T>>` has the shape of its argument.
            match arguments.clone().next() {
                Some(inner) if Shape::of(inner) == shape => part(inner),
                _ => Some((key, arguments.nth(place)?)),
            }
        }
        _ => None,
    }
}
