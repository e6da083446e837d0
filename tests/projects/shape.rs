//! [`Shape`]: the choices that define a scaffolded project.

use std::str::FromStr;

/// The choices that define a scaffolded project.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Shape {
    /// Whether a second group has a kind of the same name.
    second_group: bool,
    second_version: bool,
    controller: bool,
    webhooks: Webhooks,
    /// Whether objects are namespaced.
    namespaced: bool,
    /// Whether the program is restricted to one namespace.
    own_namespace: bool,
    /// Whether there are apply configurations.
    ssa: bool,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
enum Webhooks {
    None,
    Defaulting,
    Validation,
    /// Defaulting and validation, and conversion if there are two versions.
    All,
}

const WEBHOOKS: [(&str, Webhooks); 4] = [
    ("none", Webhooks::None),
    ("defaulting", Webhooks::Defaulting),
    ("validation", Webhooks::Validation),
    ("all", Webhooks::All),
];

impl Shape {
    /// Every possible shape. A program for cluster-scoped kinds cannot be restricted to one
    /// namespace.
    pub fn all() -> Vec<Self> {
        let mut all = Vec::new();
        for bits in 0..64_u8 {
            let bit = |at: u8| bits & (1 << at) != 0;
            for (_, webhooks) in WEBHOOKS {
                let shape = Self {
                    second_group: bit(0),
                    second_version: bit(1),
                    controller: bit(2),
                    webhooks,
                    namespaced: bit(3),
                    own_namespace: bit(4),
                    ssa: bit(5),
                };
                if shape.namespaced || !shape.own_namespace {
                    all.push(shape);
                }
            }
        }
        all
    }

    fn words(&self) -> [&'static str; 7] {
        let webhooks = WEBHOOKS.iter().find(|(_, it)| *it == self.webhooks);
        [
            if self.second_group {
                "two-groups"
            } else {
                "one-group"
            },
            if self.second_version {
                "two-versions"
            } else {
                "one-version"
            },
            if self.controller {
                "controller"
            } else {
                "no-controller"
            },
            webhooks.unwrap().0,
            if self.namespaced {
                "namespaced"
            } else {
                "cluster"
            },
            if self.own_namespace {
                "own-namespace"
            } else {
                "all-namespaces"
            },
            if self.ssa { "ssa" } else { "no-ssa" },
        ]
    }

    /// Every pair of the shape's choices.
    pub fn pairs(&self) -> Vec<(&'static str, &'static str)> {
        let words = self.words();
        let pairs = (0..words.len()).flat_map(|one| {
            let others = one + 1..words.len();
            others.map(move |other| (words[one], words[other]))
        });
        pairs.collect()
    }

    /// A package name: the initials of the choices.
    pub fn name(&self) -> String {
        let bits = [
            self.second_group,
            self.second_version,
            self.controller,
            self.namespaced,
            self.own_namespace,
            self.ssa,
        ];
        let bits: String = bits
            .iter()
            .map(|is_set| if *is_set { '1' } else { '0' })
            .collect();
        format!("project-{bits}-{}", self.words()[3])
    }

    /// The commands that create the project, after `genclient`.
    pub fn commands(&self) -> Vec<String> {
        let own_namespace = if self.own_namespace {
            " --namespaced"
        } else {
            ""
        };
        let name = self.name();
        let init = format!("init --domain example.com --project-name {name}{own_namespace}");
        let mut commands = vec![init];
        let scope = if self.namespaced {
            ""
        } else {
            " --namespaced=false"
        };
        let ssa = if self.ssa { " --ssa" } else { "" };
        let api = format!("create api{scope}{ssa} --controller={}", self.controller);
        let first = "--group webapp --version v1 --kind Guestbook";
        commands.push(format!("{api} {first}"));
        if self.second_group {
            commands.push(format!(
                "{api} --group archive --version v1 --kind Guestbook"
            ));
        }
        if self.second_version {
            commands.push(format!("create api {}", first.replace("v1", "v2")));
        }
        let flags = match self.webhooks {
            Webhooks::None => return commands,
            Webhooks::Defaulting => "--defaulting",
            Webhooks::Validation => "--programmatic-validation",
            Webhooks::All => "--defaulting --programmatic-validation",
        };
        commands.push(format!("create webhook {flags} {first}"));
        if self.second_group {
            let second = first.replace("webapp", "archive");
            commands.push(format!("create webhook {flags} {second}"));
        }
        if self.second_version && self.webhooks == Webhooks::All {
            let hub = first.replace("v1", "v2");
            commands.push(format!("create webhook --conversion --spoke v1 {hub}"));
        }
        commands
    }
}

impl FromStr for Shape {
    type Err = String;

    fn from_str(line: &str) -> Result<Self, String> {
        let words: Vec<_> = line.split_whitespace().collect();
        let mut all = Self::all().into_iter();
        let found = all.find(|shape| shape.words() == words[..]);
        found.ok_or(format!("there is no shape `{line}`"))
    }
}
