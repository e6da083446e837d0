//! CEL rules in kube's syntax: `"self != ''"`, `("self != ''", "message")` and `Rule::new("..")`.

use quote::ToTokens;
use syn::spanned::Spanned as _;
use syn::{Expr, Lit, Meta};

use crate::foreign;
use crate::keys::{Given, KeyValue, Keys};
use crate::table::Key;
use crate::{Problems, Spanned, Validation, schema};

/// Reads the value of `validation = ..`.
pub(crate) fn read(meta: &Meta, problems: &mut Problems) -> Option<Validation> {
    let Meta::NameValue(pair) = meta else {
        let help = "write `validation = \"self != ''\"`";
        problems.report(meta.span(), "expected a rule for `validation`", help);
        return None;
    };
    let mut keys = Keys::default();
    match collect(&pair.value, &mut keys) {
        Ok(()) => {
            let reason = |name: &str| format!("Reason::{name}");
            schema::rule(&keys, pair.value.span(), reason, problems)
        }
        Err(unread) => {
            problems.report(
                unread.span(),
                format!("expected a literal, found `{}`", unread.to_token_stream()),
                "write the rule with literals: `Rule::new(\"self != ''\").message(\"..\")`",
            );
            None
        }
    }
}

/// Collects the parts of a rule. Fails with the first expression that cannot be read.
fn collect<'e>(value: &'e Expr, keys: &mut Keys) -> Result<(), &'e Expr> {
    match value {
        Expr::Lit(_) => {
            keys.push(text(Key::RULE, value).ok_or(value)?);
            Ok(())
        }
        Expr::Tuple(tuple) if tuple.elems.len() == 2 => {
            keys.push(text(Key::RULE, &tuple.elems[0]).ok_or(value)?);
            keys.push(text(Key::MESSAGE, &tuple.elems[1]).ok_or(value)?);
            Ok(())
        }
        Expr::Paren(inner) => collect(&inner.expr, keys),
        Expr::Group(inner) => collect(&inner.expr, keys),
        Expr::Call(call) if ends(&call.func, &["new", "from"]) && call.args.len() == 1 => {
            collect(&call.args[0], keys)
        }
        Expr::MethodCall(call) => {
            collect(&call.receiver, keys)?;
            match (call.method.to_string().as_str(), call.args.first()) {
                ("into", None) => {}
                ("message", Some(message)) => keys.push(self::message(message).ok_or(message)?),
                ("reason", Some(reason)) => keys.push(self::reason(reason).ok_or(reason)?),
                ("field_path", Some(path)) => keys.push(text(Key::FIELD_PATH, path).ok_or(path)?),
                ("optional_old_self", Some(flag)) => {
                    if let Some(key) = switch(flag)? {
                        keys.push(key);
                    }
                }
                _ => return Err(value),
            }
            Ok(())
        }
        _ => Err(value),
    }
}

/// Returns whether the last segment of a path is one of `names`.
fn ends(function: &Expr, names: &[&str]) -> bool {
    last(function).is_some_and(|last| names.contains(&last.as_str()))
}

fn last(path: &Expr) -> Option<String> {
    let Expr::Path(path) = path else { return None };
    let last = path.path.segments.last()?;
    Some(last.ident.to_string())
}

/// Reads a string literal, also in a conversion such as `"..".into()`.
pub(super) fn literal(value: &Expr) -> Option<Spanned<String>> {
    if let Some(Lit::Str(text)) = foreign::literal(value) {
        return Some(Spanned::new(text.value(), text.span()));
    }
    match value {
        Expr::MethodCall(call) if call.args.is_empty() => {
            let converts = ["into", "to_string", "to_owned"];
            let name = call.method.to_string();
            converts
                .contains(&name.as_str())
                .then(|| literal(&call.receiver))
                .flatten()
        }
        Expr::Call(call) if ends(&call.func, &["from"]) && call.args.len() == 1 => {
            literal(&call.args[0])
        }
        Expr::Reference(inner) => literal(&inner.expr),
        _ => None,
    }
}

fn text(key: Key, value: &Expr) -> Option<KeyValue> {
    Some(KeyValue::of_text(key, literal(value)?))
}

/// Reads `"..."`, `Message::Message("..")` or `Message::Expression("..")`.
fn message(value: &Expr) -> Option<KeyValue> {
    let Expr::Call(call) = value else {
        return text(Key::MESSAGE, value);
    };
    match last(&call.func)?.as_str() {
        "Expression" => text(Key::MESSAGE_EXPRESSION, call.args.first()?),
        "Message" => text(Key::MESSAGE, call.args.first()?),
        _ => text(Key::MESSAGE, value),
    }
}

/// Reads `Reason::FieldValueInvalid`, also without `Reason::`, or `Reason::default()`.
fn reason(value: &Expr) -> Option<KeyValue> {
    let name = match value {
        Expr::Call(call) if ends(&call.func, &["default"]) => "FieldValueInvalid".to_owned(),
        value => last(value)?,
    };
    let name = Spanned::new(name, value.span());
    Some(KeyValue::of_text(Key::REASON, name))
}

fn switch(value: &Expr) -> Result<Option<KeyValue>, &Expr> {
    let Some(Lit::Bool(flag)) = foreign::literal(value) else {
        return Err(value);
    };
    let set = KeyValue::new(Key::OPTIONAL_OLD_SELF, flag.span(), Given::Flag);
    Ok(flag.value.then_some(set))
}
