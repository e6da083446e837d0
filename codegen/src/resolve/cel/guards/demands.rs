//! Fields that a rule may require to be present.

use std::collections::BTreeSet;

use super::sense::Sense;
use crate::resolve::cel::places::{LoopPart, Places, with_outer};
use genclient_schema::cel::ast::{Expr, ExprKind};

/// Returns the paths whose presence the rule may require. `!has(self.a) || …` accepts an object
/// without `self.a`, so it requires nothing; `has(self.a) == has(self.b)` may protect another rule.
pub(in crate::resolve::cel) fn find(rule: &Expr) -> BTreeSet<String> {
    let mut demands = Demands::default();
    demands.visit(&mut Places::default(), rule, Sense::Demanded);
    demands.found
}

#[derive(Debug, Default)]
struct Demands {
    found: BTreeSet<String>,
}

impl Demands {
    fn visit<'e>(&mut self, places: &mut Places<'e>, node: &'e Expr, sense: Sense) {
        self.found.extend(places.of_optional(node));
        match &node.kind {
            ExprKind::Select(select) if select.test => {
                let place = places.of(node);
                let place = place.iter();
                match sense {
                    Sense::Demanded => self.found.extend(place.flat_map(|place| with_outer(place))),
                    Sense::Unclear => self.found.extend(place.cloned()),
                    Sense::Allowed => {}
                }
                self.visit(places, &select.operand, Sense::Unclear);
            }
            ExprKind::Comprehension(fold) => places.in_loop(fold, |places, part, inner| {
                let sense = match part {
                    LoopPart::Round => sense,
                    LoopPart::Once => Sense::Unclear,
                };
                self.visit(places, inner, sense);
            }),
            ExprKind::Call { function, args, .. } => match (function.as_str(), args.as_slice()) {
                ("!_", [part]) => self.visit(places, part, sense.negated()),
                ("_&&_" | "_||_", args) => {
                    args.iter().for_each(|arg| self.visit(places, arg, sense));
                }
                ("_?_:_", [test, then, otherwise]) => {
                    self.visit(places, test, sense.of_test(then, otherwise));
                    self.visit(places, then, sense);
                    self.visit(places, otherwise, sense);
                }
                _ => self.below(places, node),
            },
            _ => self.below(places, node),
        }
    }

    fn below<'e>(&mut self, places: &mut Places<'e>, node: &'e Expr) {
        for child in node.children() {
            self.visit(places, child, Sense::Unclear);
        }
    }
}
