//! Merging of `allOf` branches into their schema.

use super::limit::{Bound, Limit};
use super::node::Node;

impl Node {
    /// Merges the constraints of `branch`: a value must satisfy both.
    pub(super) fn absorb(&mut self, branch: Self) {
        self.type_ = self.type_.take().or(branch.type_);
        self.default = self.default.take().or(branch.default);
        self.list_type = self.list_type.take().or(branch.list_type);
        self.map_type = self.map_type.take().or(branch.map_type);
        self.int_or_string |= branch.int_or_string;
        self.keeps_unknown |= branch.keeps_unknown;
        self.embedded_resource |= branch.embedded_resource;
        self.list_map_keys.extend(branch.list_map_keys);
        self.absorb_enum(branch.enum_);
        for (bound, limit) in branch.bounds {
            self.limit(bound, limit);
        }
        extend(&mut self.multiples, branch.multiples);
        self.patterns.extend(branch.patterns);
        self.formats.extend(branch.formats);
        extend(&mut self.any_of, branch.any_of);
        extend(&mut self.one_of, branch.one_of);
        extend(&mut self.not, branch.not);
        extend(&mut self.rules, branch.rules);
        self.required.extend(branch.required);
        for (name, property) in branch.properties {
            self.properties.entry(name).or_default().absorb(property);
        }
        absorb_boxed(&mut self.values, branch.values);
        absorb_boxed(&mut self.items, branch.items);
    }

    /// Keeps the tighter of two limits.
    pub(super) fn limit(&mut self, bound: Bound, limit: Limit) {
        let tighter = |known: &Limit| limit.is_tighter_than(known, bound);
        if self.bounds.get(&bound).is_none_or(tighter) {
            self.bounds.insert(bound, limit);
        }
    }

    fn absorb_enum(&mut self, values: Option<Vec<serde_json::Value>>) {
        let Some(values) = values else {
            return;
        };
        match &mut self.enum_ {
            Some(own) => own.retain(|value| values.contains(value)),
            None => self.enum_ = Some(values),
        }
    }
}

fn absorb_boxed(own: &mut Option<Box<Node>>, branch: Option<Box<Node>>) {
    match (own.as_mut(), branch) {
        (Some(own), Some(branch)) => own.absorb(*branch),
        (None, Some(branch)) => *own = Some(branch),
        (_, None) => {}
    }
}

fn extend<T: PartialEq>(own: &mut Vec<T>, more: Vec<T>) {
    for one in more {
        if !own.contains(&one) {
            own.push(one);
        }
    }
}
