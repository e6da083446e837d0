//! Sets of field paths, stored as trees.

use std::cmp::Ordering;

use super::element::PathElement;

/// Set of field paths, stored as a tree. Each leaf of the tree is a member.
///
/// Source: structured-merge-diff, fieldpath/set.go.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Set {
    /// Sorted by element, without duplicates.
    pub nodes: Vec<SetNode>,
}

/// Path element with the members below it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SetNode {
    /// The last element of the path that ends here.
    pub element: PathElement,
    /// Whether the path that ends here is a member of the set.
    pub member: bool,
    /// The members below, with paths that begin here.
    pub children: Set,
}

impl SetNode {
    /// Creates a node, or returns `None` if neither the node nor anything below it is a member.
    fn new(element: &PathElement, member: bool, children: Set) -> Option<Self> {
        (member || !children.is_empty()).then(|| Self {
            element: element.clone(),
            member,
            children,
        })
    }
}

impl FromIterator<SetNode> for Set {
    /// Creates a set from nodes that are sorted and without duplicates.
    fn from_iter<I: IntoIterator<Item = SetNode>>(nodes: I) -> Self {
        Self {
            nodes: nodes.into_iter().collect(),
        }
    }
}

impl Set {
    /// Creates a set of paths, each a list of field names.
    pub fn of_fields(paths: &[&[&str]]) -> Self {
        let mut set = Self::default();
        for path in paths {
            let path: Vec<_> = path.iter().map(|name| PathElement::field(name)).collect();
            set.insert(&path);
        }
        set
    }

    /// Adds a path; an empty path is ignored.
    pub fn insert(&mut self, path: &[PathElement]) {
        if let [first, rest @ ..] = path {
            let node = self.node(first);
            match rest {
                [] => node.member = true,
                rest => node.children.insert(rest),
            }
        }
    }

    /// Returns the node of an element. If there is none, inserts an empty node, which the caller
    /// must fill.
    pub fn node(&mut self, element: &PathElement) -> &mut SetNode {
        let at = self.find(element).unwrap_or_else(|at| {
            let node = SetNode {
                element: element.clone(),
                member: false,
                children: Self::default(),
            };
            self.nodes.insert(at, node);
            at
        });
        &mut self.nodes[at]
    }

    fn find(&self, element: &PathElement) -> Result<usize, usize> {
        self.nodes
            .binary_search_by(|node| node.element.cmp(element))
    }

    /// Returns the node of an element, or `None` if neither its path nor one below is a member.
    pub fn get(&self, element: &PathElement) -> Option<&SetNode> {
        self.find(element).ok().map(|at| &self.nodes[at])
    }

    /// Returns the node of a field, as [`get`](Self::get) does.
    pub fn get_field(&self, name: &str) -> Option<&SetNode> {
        let order = |node: &SetNode| match &node.element {
            PathElement::Field(field) => (**field).cmp(name),
            _ => Ordering::Greater,
        };
        self.nodes
            .binary_search_by(order)
            .ok()
            .map(|at| &self.nodes[at])
    }

    /// Returns whether the set is empty.
    pub fn is_empty(&self) -> bool {
        self.nodes.is_empty()
    }

    /// Returns the node at the end of a path, or `None` if neither the path nor one below it is a
    /// member.
    pub fn get_path(&self, path: &[PathElement]) -> Option<&SetNode> {
        let (last, parents) = path.split_last()?;
        let mut set = self;
        for element in parents {
            set = &set.get(element)?.children;
        }
        set.get(last)
    }

    /// Returns whether a path is a member of the set.
    pub fn has(&self, path: &[PathElement]) -> bool {
        self.get_path(path).is_some_and(|node| node.member)
    }

    /// Returns all members. Those directly below a node come before all deeper ones: `a`, `b`,
    /// `a.c`, `b.d`.
    pub fn paths(&self) -> Vec<Vec<PathElement>> {
        let mut paths = Vec::new();
        self.paths_below(&mut Vec::new(), &mut paths);
        paths
    }

    fn paths_below(&self, prefix: &mut Vec<PathElement>, paths: &mut Vec<Vec<PathElement>>) {
        for node in self.nodes.iter().filter(|node| node.member) {
            prefix.push(node.element.clone());
            paths.push(prefix.clone());
            prefix.pop();
        }
        for node in &self.nodes {
            prefix.push(node.element.clone());
            node.children.paths_below(prefix, paths);
            prefix.pop();
        }
    }

    /// Returns the paths that are in at least one of the two sets.
    #[must_use]
    pub fn union(&self, other: &Self) -> Self {
        let mut nodes = Vec::with_capacity(self.nodes.len().max(other.nodes.len()));
        for pair in Pairs::new(self, other) {
            nodes.push(match pair {
                (Some(only), None) | (None, Some(only)) => only.clone(),
                (Some(a), Some(b)) => SetNode {
                    element: a.element.clone(),
                    member: a.member || b.member,
                    children: match (a.children.is_empty(), b.children.is_empty()) {
                        (_, true) => a.children.clone(),
                        (true, _) => b.children.clone(),
                        _ => a.children.union(&b.children),
                    },
                },
                (None, None) => continue,
            });
        }
        Self { nodes }
    }

    /// Returns the paths that are in both sets.
    #[must_use]
    pub fn intersection(&self, other: &Self) -> Self {
        let both = Pairs::new(self, other).filter_map(|pair| {
            let (Some(a), Some(b)) = pair else {
                return None;
            };
            let children = a.children.intersection(&b.children);
            SetNode::new(&a.element, a.member && b.member, children)
        });
        both.collect()
    }

    /// Returns the paths of this set that are not in the other one.
    #[must_use]
    pub fn difference(&self, other: &Self) -> Self {
        self.subtract_with(other, &|a, b| {
            let children = a.children.difference(&b.children);
            SetNode::new(&a.element, a.member && !b.member, children)
        })
    }

    /// Returns the paths of this set that are neither members of `other` nor below such a member.
    #[must_use]
    pub fn recursive_difference(&self, other: &Self) -> Self {
        self.subtract_with(other, &|a, b| {
            if b.member {
                return None;
            }
            let children = a.children.recursive_difference(&b.children);
            SetNode::new(&a.element, a.member, children)
        })
    }

    /// Returns the nodes of this set that the other lacks, and the results of `common` for nodes
    /// that both have.
    fn subtract_with(
        &self,
        other: &Self,
        common: &dyn Fn(&SetNode, &SetNode) -> Option<SetNode>,
    ) -> Self {
        let mut nodes = Vec::with_capacity(self.nodes.len());
        for pair in Pairs::new(self, other) {
            match pair {
                (Some(a), None) => nodes.push(a.clone()),
                (Some(a), Some(b)) => nodes.extend(common(a, b)),
                (None, _) => {}
            }
        }
        Self { nodes }
    }
}

/// Iterator over the nodes of two sets. It pairs nodes with equal elements.
struct Pairs<'a> {
    a: &'a [SetNode],
    b: &'a [SetNode],
}

impl<'a> Pairs<'a> {
    fn new(a: &'a Set, b: &'a Set) -> Self {
        Self {
            a: &a.nodes,
            b: &b.nodes,
        }
    }
}

impl<'a> Iterator for Pairs<'a> {
    type Item = (Option<&'a SetNode>, Option<&'a SetNode>);

    fn next(&mut self) -> Option<Self::Item> {
        let order = match (self.a.first(), self.b.first()) {
            (Some(a), Some(b)) => a.element.cmp(&b.element),
            (Some(_), None) => Ordering::Less,
            (None, Some(_)) => Ordering::Greater,
            (None, None) => return None,
        };
        let a = order.is_le().then(|| pop_first(&mut self.a)).flatten();
        let b = order.is_ge().then(|| pop_first(&mut self.b)).flatten();
        Some((a, b))
    }
}

fn pop_first<'a>(nodes: &mut &'a [SetNode]) -> Option<&'a SetNode> {
    let (first, rest) = nodes.split_first()?;
    *nodes = rest;
    Some(first)
}
