//! Protobuf field numbers of Kubernetes' messages, from `data/protobuf.tsv`.

use std::sync::{LazyLock, OnceLock};

const NUMBERS: &str = include_str!("../../../data/protobuf.tsv");

/// Field of a message.
#[derive(Debug)]
pub(super) enum MessageField {
    /// Field with its number and its JSON name.
    Named(u64, &'static str),
    /// Embedded struct with its number. In JSON, its fields are members of the outer object.
    Inline(u64, &'static str),
}

impl MessageField {
    pub(super) fn number(&self) -> u64 {
        match self {
            Self::Named(number, _) | Self::Inline(number, _) => *number,
        }
    }

    fn parse(cell: &'static str) -> Option<Self> {
        let (number, name) = cell.split_once(':')?;
        let number = number.parse().ok()?;
        Some(match name.strip_prefix('@') {
            Some(struct_) => Self::Inline(number, struct_),
            None => Self::Named(number, name),
        })
    }
}

struct Message {
    name: &'static str,
    text: &'static str,
    fields: OnceLock<Box<[MessageField]>>,
}

/// All messages, sorted by the name of their Go struct.
static MESSAGES: LazyLock<Vec<Message>> = LazyLock::new(|| {
    let lines = NUMBERS.lines().filter_map(|line| line.split_once('\t'));
    let message = |(name, text)| Message {
        name,
        text,
        fields: OnceLock::new(),
    };
    lines.map(message).collect()
});

/// Returns the fields of the message for a Go struct, such as `core/v1.PodSpec`.
pub(super) fn message_fields(name: &str) -> &'static [MessageField] {
    let found = MESSAGES.binary_search_by_key(&name, |message| message.name);
    let Some(message) = found.ok().and_then(|at| MESSAGES.get(at)) else {
        return &[];
    };
    let parse = || {
        message
            .text
            .split('\t')
            .filter_map(MessageField::parse)
            .collect()
    };
    message.fields.get_or_init(parse)
}

#[cfg(test)]
mod tests {
    use super::super::super::GoType;
    use super::*;

    #[test]
    fn protobuf_field_names_exist_in_the_json_types() {
        assert!(MESSAGES.iter().map(|message| message.name).is_sorted());
        for message in &*MESSAGES {
            let Some(type_) = GoType::named(message.name) else {
                continue;
            };
            for field in message_fields(message.name) {
                match field {
                    MessageField::Named(_, name) => {
                        assert!(type_.field(name).is_some(), "{}: {name}", message.name);
                    }
                    MessageField::Inline(_, name) => {
                        assert!(!message_fields(name).is_empty(), "{name}")
                    }
                }
            }
        }
    }
}
