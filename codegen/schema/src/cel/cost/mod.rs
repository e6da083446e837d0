//! Estimates what a rule costs at most, as the API server does before it takes the rule.
//!
//! One unit is about the time to look at a variable. Loops cost their body times the most rounds that one request can
//! bring about; functions over text cost a tenth for each character.

mod calls;
mod loops;
mod size;
mod text;

use std::collections::BTreeMap;
use std::sync::Arc;

use super::ast::{Element, Entry, Expr, ExprKind, Literal, Select};
use super::declare::{Bound, Declared, Objects};
use super::infer::Inferred;
use super::types::Type;
use calls::Called;
use size::{Entries, Map, Site, Size, Step};

/// What making a list or a map costs.
const LIST: u64 = 10;
const MAP: u64 = 30;

/// The estimate.
#[derive(Debug, Default)]
pub struct Estimate {
    /// What one evaluation costs at most.
    pub cost: u64,
    /// The values whose size counted, by the paths to them.
    pub sizes: BTreeMap<String, Bound>,
    /// Of those, what loops go over and what regular expressions read.
    pub heavy: BTreeMap<String, Use>,
}

/// What makes a size count a lot.
#[derive(Clone, Debug)]
pub struct Use {
    /// The bound of the size.
    pub bound: Bound,
    /// The function that reads it; none for a loop.
    pub function: Option<String>,
}

/// The estimate for an expression; `small` is the path to a value that is taken to be small, to see how much it counts.
pub fn estimate(
    expression: &Expr,
    inferred: &Inferred,
    root: &Declared,
    objects: &Objects,
    small: Option<&str>,
) -> Estimate {
    let keys = Declared {
        type_: Type::Text,
        max: 0,
        min_bytes: 2,
        inner: None,
        bound: None,
        path: String::new(),
        choices: Arc::default(),
    };
    let count = inferred.types.len();
    let mut coster = Coster {
        map: Map {
            root,
            keys: &keys,
            objects,
        },
        inferred,
        sites: vec![Site::Made; count],
        sizes: vec![None; count],
        entries: vec![None; count],
        locals: Vec::new(),
        small,
        out: Estimate::default(),
    };
    let cost = coster.cost(expression);
    Estimate { cost, ..coster.out }
}

struct Local<'d> {
    name: String,
    site: Site<'d>,
    size: Option<Size>,
    entries: Option<Entries>,
}

struct Coster<'d> {
    map: Map<'d>,
    inferred: &'d Inferred,
    /// By the number of the node, as the next two.
    sites: Vec<Site<'d>>,
    sizes: Vec<Option<Size>>,
    entries: Vec<Option<Entries>>,
    locals: Vec<Local<'d>>,
    small: Option<&'d str>,
    out: Estimate,
}

impl<'d> Coster<'d> {
    fn cost(&mut self, node: &Expr) -> u64 {
        match &node.kind {
            ExprKind::Literal(_) => 0,
            ExprKind::Ident(name) => {
                self.sites[node.id] = self
                    .local(name)
                    .map_or(Site::At(self.map.root), |local| local.site);
                1
            }
            ExprKind::Select(select) => self.select(node, select),
            ExprKind::Call {
                function,
                target,
                args,
                ..
            } => self.call(node, function, target.as_deref(), args),
            ExprKind::List(elements) => self.list(node, elements),
            ExprKind::Map(entries) => self.entries(node, entries),
            ExprKind::Struct { fields, .. } => fields
                .iter()
                .map(|(_, value)| self.cost(value))
                .fold(40, u64::saturating_add),
            ExprKind::Comprehension(fold) if loops::is_binding(fold) => self.binding(node, fold),
            ExprKind::Comprehension(fold) => self.comprehension(node, fold),
        }
    }

    fn local(&self, name: &str) -> Option<&Local<'d>> {
        self.locals.iter().rev().find(|local| local.name == name)
    }

    fn type_of(&self, node: &Expr) -> &'d Type {
        &self.inferred.types[node.id]
    }

    fn site(&self, node: &Expr) -> Site<'d> {
        if let ExprKind::Ident(name) = &node.kind
            && let Some(local) = self.local(name)
        {
            return local.site;
        }
        self.sites[node.id]
    }

    /// The size of a node, as far as it can be told.
    fn size(&mut self, node: &Expr) -> Option<Size> {
        if let Some(size) = self.sizes[node.id].or_else(|| written_size(node)) {
            return Some(size);
        }
        if let Site::At(declared) = self.site(node) {
            let size = Size::up_to(self.declared_size(declared));
            self.sizes[node.id] = Some(size);
            return Some(size);
        }
        if is_scalar(self.type_of(node)) {
            return Some(Size::of(1));
        }
        match &node.kind {
            ExprKind::Ident(name) => self.local(name)?.size,
            _ => None,
        }
    }

    fn size_or_unknown(&mut self, node: &Expr) -> Size {
        self.size(node).unwrap_or(Size::UNKNOWN)
    }

    fn declared_size(&mut self, declared: &Declared) -> u64 {
        if let Some(bound) = declared.bound {
            self.out.sizes.insert(declared.path.clone(), bound);
        }
        if self.small == Some(declared.path.as_str()) {
            declared.max.min(4)
        } else {
            declared.max
        }
    }

    /// Notes that a loop goes over a value, or that a function does more with it than read it once.
    fn heavy(&mut self, node: &Expr, function: Option<&str>) {
        if let Site::At(Declared {
            bound: Some(bound),
            path,
            ..
        }) = self.site(node)
        {
            let function = function.map(str::to_owned);
            self.out.heavy.entry(path.clone()).or_insert(Use {
                bound: *bound,
                function,
            });
        }
    }

    fn entries_of(&self, node: &Expr) -> Option<Entries> {
        self.entries[node.id].or_else(|| match &node.kind {
            ExprKind::Ident(name) => self.local(name)?.entries,
            _ => None,
        })
    }

    fn select(&mut self, node: &Expr, select: &Select) -> u64 {
        let operand = self.cost(&select.operand);
        if select.test {
            return operand;
        }
        self.sites[node.id] = self
            .map
            .step(self.site(&select.operand), Step::Field(&select.field));
        let counts = match self.type_of(&select.operand) {
            Type::Map(..) | Type::Object(_) => true,
            Type::Named(name) => !matches!(*name, "IP" | "CIDR"),
            _ => false,
        };
        operand.saturating_add(u64::from(counts))
    }

    fn call(&mut self, node: &Expr, function: &str, target: Option<&Expr>, args: &[Expr]) -> u64 {
        if let ("dyn", [arg]) = (function, args) {
            let cost = self.cost(arg);
            self.copy(node, arg);
            return cost.saturating_add(1);
        }
        let arg_costs: Vec<_> = args.iter().map(|arg| self.cost(arg)).collect();
        let inferred = self.inferred;
        let overloads = inferred.overloads[node.id].as_slice();
        if overloads.is_empty() && function != "_?._" {
            return 0;
        }
        let method = overloads.first().is_some_and(|overload| overload.method);
        let target = target.filter(|_| method);
        let target_cost = target.map_or(0, |target| self.cost(target));
        let (mut cost, mut result) = (0, None);
        let called = |overload| Called {
            node,
            function,
            target,
            args,
            arg_costs: &arg_costs,
            overload,
        };
        let known = overloads.iter().map(|overload| called(Some(&**overload)));
        let calls: Vec<_> = if overloads.is_empty() {
            vec![called(None)]
        } else {
            known.collect()
        };
        for call in &calls {
            let (call_cost, size) = self.function(call);
            cost = cost.max(call_cost);
            result = match (result, size) {
                (Some(before), Some(size)) => Some(Size::or(before, size)),
                (before, size) => before.or(size),
            };
            if call.indexes() {
                result = self.entries_of(&args[0]).map(|entries| entries.value);
                self.sites[node.id] = self.map.step(self.site(&args[0]), Step::Values);
            }
            result = result.or_else(|| self.size(node));
        }
        if result.is_some() {
            self.sizes[node.id] = result;
        }
        cost.saturating_add(target_cost)
    }

    /// The first node gets the sizes of the second.
    fn copy(&mut self, to: &Expr, from: &Expr) {
        let (size, entries) = (self.size(from), self.entries_of(from));
        self.sizes[to.id] = size.or(self.sizes[to.id]);
        self.entries[to.id] = entries.or(self.entries[to.id]);
    }

    fn list(&mut self, node: &Expr, elements: &[Element]) -> u64 {
        let mut cost = LIST;
        let mut value = None;
        for element in elements {
            cost = cost.saturating_add(self.cost(&element.value));
            value = widened(value, self.size_or_unknown(&element.value));
        }
        self.entries[node.id] = Some(Entries {
            list: true,
            key: Size::of(1),
            value: value.unwrap_or(Size::of(0)),
        });
        cost
    }

    fn entries(&mut self, node: &Expr, entries: &[Entry]) -> u64 {
        let mut cost = MAP;
        let (mut key, mut value) = (None, None);
        for entry in entries {
            cost = cost
                .saturating_add(self.cost(&entry.key))
                .saturating_add(self.cost(&entry.value));
            key = widened(key, self.size_or_unknown(&entry.key));
            value = widened(value, self.size_or_unknown(&entry.value));
        }
        let (key, value) = (key.unwrap_or(Size::of(0)), value.unwrap_or(Size::of(0)));
        self.entries[node.id] = Some(Entries {
            list: false,
            key,
            value,
        });
        cost
    }
}

fn widened(before: Option<Size>, size: Size) -> Option<Size> {
    Some(before.map_or(size, |before| before.or(size)))
}

/// The size of what is written out.
fn written_size(node: &Expr) -> Option<Size> {
    let size = match &node.kind {
        ExprKind::Literal(Literal::Text(text)) => text.chars().count(),
        ExprKind::Literal(Literal::Bytes(bytes)) => bytes.len(),
        ExprKind::Literal(_) => 1,
        ExprKind::List(elements) => elements.len(),
        ExprKind::Map(entries) => entries.len(),
        _ => return None,
    };
    Some(Size::of(size as u64))
}

fn is_scalar(type_: &Type) -> bool {
    match type_ {
        Type::Bool | Type::Double | Type::Duration | Type::Int | Type::Timestamp | Type::Uint => {
            true
        }
        Type::Optional(value) => is_scalar(value),
        _ => false,
    }
}
