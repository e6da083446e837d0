//! The API types in shares, each for a thread of its own: syntax trees cannot be sent.
//!
//! A share has whole groups, as the kinds of one are checked together. Which modules a group is in is guessed from their text, before
//! anything is parsed; [`crate::resolve::are_apart`] finds out whether the guess was right. What of the API types is no kind's module is
//! read with every share, and a module of another share only if a type leads into it.

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::mem;
use std::path::Path;

use crate::folder::rust_files;
use crate::project::Project;

/// Into how many shares API types are cut.
#[derive(Clone, Copy, Debug)]
pub struct Cut {
    /// So many shares at most.
    pub most: usize,
    /// So many bytes of source in each at least, or starting a thread costs more than it saves.
    pub least_bytes: usize,
}

/// Whose kinds are to be found.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Share {
    /// All there are.
    Whole,
    /// Those of some of the modules right below the API module.
    Modules {
        /// These modules, with all below.
        own: BTreeSet<String>,
        /// Modules of other shares.
        others: BTreeSet<String>,
        /// True for the share that has what is in no such module.
        has_root: bool,
    },
}

/// What a module is to a share.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Role {
    /// Its kinds are to be found.
    Own,
    /// It is read, and its kinds are another share's.
    Common,
    /// It is read if a type leads into it.
    Others,
}

impl Share {
    /// The shares of a project, of which there is at least one.
    pub fn of(project: &Project, cut: Cut) -> Vec<Self> {
        // Whether a stated schema is idle, only a reader of everything knows.
        if cut.most < 2 || !project.schemas.is_empty() {
            return vec![Self::Whole];
        }
        let clusters = Clusters::of(&project.apis);
        let bytes: usize = clusters.apart.iter().map(|cluster| cluster.bytes).sum();
        let most = cut.most.min(bytes / cut.least_bytes.max(1));
        clusters.dealt(most)
    }

    /// True if the items of the API module itself belong to it.
    pub(super) fn has_root(&self) -> bool {
        match self {
            Self::Whole => true,
            Self::Modules { has_root, .. } => *has_root,
        }
    }

    /// What a module right below the API module is to it.
    pub(super) fn role(&self, module: &str) -> Role {
        match self {
            Self::Modules { own, .. } if own.contains(module) => Role::Own,
            Self::Modules { others, .. } if others.contains(module) => Role::Others,
            _ => Role::of_own(self.has_root()),
        }
    }
}

impl Role {
    /// What a module is that is read.
    pub(super) fn of_own(own: bool) -> Self {
        if own { Self::Own } else { Self::Common }
    }
}

/// Modules that have a group in common.
#[derive(Debug, Default)]
struct Cluster {
    modules: BTreeSet<String>,
    groups: BTreeSet<String>,
    bytes: usize,
}

impl Cluster {
    fn is_beside(&self, other: &Self) -> bool {
        !self.groups.is_disjoint(&other.groups)
    }

    fn take(&mut self, mut other: Self) {
        self.modules.append(&mut other.modules);
        self.groups.append(&mut other.groups);
        self.bytes += other.bytes;
    }
}

/// The modules right below the API module.
#[derive(Debug, Default)]
struct Clusters {
    /// Those that belong to the API module's own items.
    root: Cluster,
    apart: Vec<Cluster>,
}

impl Clusters {
    /// What the folder of the API types tells. A module that is elsewhere by a `#[path]` is in no cluster, and so read with every share.
    fn of(apis: &Path) -> Self {
        let mut clusters = Self::default();
        for name in ["mod.rs", "lib.rs"] {
            clusters.root.groups.extend(groups(&text(&apis.join(name))));
        }
        let beside = text(&apis.with_extension("rs"));
        clusters.root.groups.extend(groups(&beside));
        for (name, cluster) in modules(apis) {
            // What is served nowhere is read with every share.
            if let Some(cluster) = cluster.filter(|cluster| !cluster.groups.is_empty()) {
                clusters.add(name, cluster);
            }
        }
        clusters
    }

    /// Clusters that stay have no group in common.
    fn add(&mut self, name: String, mut cluster: Cluster) {
        cluster.modules.insert(name);
        let (beside, apart) = mem::take(&mut self.apart)
            .into_iter()
            .partition(|other: &Cluster| other.is_beside(&cluster));
        self.apart = apart;
        beside.into_iter().for_each(|other| cluster.take(other));
        if cluster.is_beside(&self.root) {
            self.root.take(cluster);
        } else {
            self.apart.push(cluster);
        }
    }

    /// Deals them to as many shares, the largest one first, each to who has least.
    fn dealt(mut self, shares: usize) -> Vec<Share> {
        if shares.min(self.apart.len()) < 2 {
            return vec![Share::Whole];
        }
        let mut hands: Vec<_> = (0..shares.min(self.apart.len()))
            .map(|_| Cluster::default())
            .collect();
        hands[0].take(self.root);
        self.apart.sort_by_key(|cluster| usize::MAX - cluster.bytes);
        for cluster in self.apart {
            if let Some(hand) = hands.iter_mut().min_by_key(|hand| hand.bytes) {
                hand.take(cluster);
            }
        }
        let all: BTreeSet<_> = hands.iter().flat_map(|hand| hand.modules.clone()).collect();
        let share = |(at, hand): (usize, Cluster)| Share::Modules {
            others: all.difference(&hand.modules).cloned().collect(),
            own: hand.modules,
            has_root: at == 0,
        };
        hands.into_iter().enumerate().map(share).collect()
    }
}

/// The modules in a folder; `None` for one that every share has to see, as it may write types of others by hand.
fn modules(folder: &Path) -> BTreeMap<String, Option<Cluster>> {
    let mut modules: BTreeMap<String, Option<Cluster>> = BTreeMap::new();
    for file in rust_files(folder) {
        let below = file.strip_prefix(folder).unwrap_or(&file);
        let Some(first) = below.components().next() else {
            continue;
        };
        let first = first.as_os_str().to_string_lossy();
        let name = first.strip_suffix(".rs").unwrap_or(&first);
        if below.components().count() == 1 && matches!(name, "mod" | "lib") {
            continue;
        }
        let text = text(&file);
        let module = modules.entry(name.to_owned());
        let module = module.or_insert_with(|| Some(Cluster::default()));
        if text.contains("Serialize for") {
            *module = None;
        }
        if let Some(cluster) = module {
            cluster.bytes += text.len();
            cluster.groups.extend(groups(&text));
        }
    }
    modules
}

/// What cannot be read says so when it is parsed.
fn text(file: &Path) -> String {
    fs::read_to_string(file).unwrap_or_default()
}

/// Every `x` of a `group = "x"`.
fn groups(text: &str) -> impl Iterator<Item = String> {
    text.match_indices("group").filter_map(|(at, word)| {
        let rest = text[at + word.len()..].trim_start().strip_prefix('=')?;
        let rest = rest.trim_start().strip_prefix('"')?;
        let end = rest.find('"')?;
        Some(rest[..end].to_owned())
    })
}
