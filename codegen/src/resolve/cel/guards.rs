//! Fields that may be absent, and that a rule reads without asking.
//!
//! The API server takes such a rule; it then refuses every object without the field, with words that no user understands.
//! Only what is certain is found: a field that each evaluation of the rule reads.

use std::collections::BTreeMap;

use super::ast::{Expr, ExprKind};
use super::declare::Objects;
use super::types::Type;

/// A field that is read though it may be absent.
#[derive(Debug)]
pub(super) struct Unguarded<'e> {
    pub(super) node: &'e Expr,
    /// How the rule writes it: `self.a.b`.
    pub(super) path: String,
}

/// The fields that `expression` reads on every run, with their types in `types`; `asked` are the texts of the rules
/// around, in which a field may be asked for.
pub(super) fn find<'e>(
    expression: &'e Expr,
    types: &[Type],
    objects: &Objects,
    asked: &[&str],
) -> Vec<Unguarded<'e>> {
    let mut found = BTreeMap::new();
    let mut guards = Guards {
        types,
        objects,
        found: &mut found,
    };
    guards.visit(expression);
    found
        .into_iter()
        .filter(|(path, _)| !is_asked_for(path, asked))
        .map(|(path, node)| Unguarded { node, path })
        .collect()
}

/// A path that is asked for somewhere, or that something below is asked for.
fn is_asked_for(path: &str, texts: &[&str]) -> bool {
    let optional = path
        .rsplit_once('.')
        .map(|(object, field)| format!("{object}.?{field}"));
    texts.iter().any(|text| {
        let text: String = text.chars().filter(|c| !c.is_whitespace()).collect();
        text.contains(&format!("has({path}"))
            || optional
                .as_ref()
                .is_some_and(|optional| text.contains(optional))
    })
}

struct Guards<'g, 'e> {
    types: &'g [Type],
    objects: &'g Objects,
    found: &'g mut BTreeMap<String, &'e Expr>,
}

impl<'e> Guards<'_, 'e> {
    fn visit(&mut self, node: &'e Expr) {
        match &node.kind {
            ExprKind::Select(select) if !select.test => {
                self.select(node);
                self.visit(&select.operand);
            }
            // One side may make up for what is wrong with the other.
            ExprKind::Call { function, .. } if function == "_||_" => {}
            ExprKind::Call { function, args, .. } if function == "_?_:_" => {
                args.first()
                    .into_iter()
                    .for_each(|condition| self.visit(condition));
            }
            ExprKind::Call { .. } | ExprKind::List(_) | ExprKind::Map(_) | ExprKind::Select(_) => {
                node.children()
                    .into_iter()
                    .for_each(|child| self.visit(child));
            }
            ExprKind::Comprehension(fold) => {
                self.visit(&fold.range);
                self.visit(&fold.start);
            }
            ExprKind::Literal(_) | ExprKind::Ident(_) | ExprKind::Struct { .. } => {}
        }
    }

    fn select(&mut self, node: &'e Expr) {
        let ExprKind::Select(select) = &node.kind else {
            return;
        };
        let Type::Object(place) = self.types[select.operand.id] else {
            return;
        };
        let object = &self.objects[place];
        let absent = object
            .fields
            .get(&select.field)
            .is_some_and(|field| !field.present);
        let Some(path) = node
            .qualified_name()
            .filter(|path| path.starts_with("self."))
        else {
            return;
        };
        if absent && !object.combined && !path.starts_with("self.metadata.") {
            self.found.entry(path).or_insert(node);
        }
    }
}
