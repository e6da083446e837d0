//! Functions of the authorizer library (k8s.io/apiserver/pkg/cel/library, authz.go).

use genclient_apimachinery::validation;

use super::binding::Binding;
use crate::evaluate::authorization::{AccessCheck, AccessDecision, Stage};
use crate::evaluate::value::Value;

pub(super) fn binding(function: &str) -> Option<Binding> {
    Some(match function {
        "path" => Binding::Guarded(path),
        "group" => Binding::Guarded(|args| {
            set_field(args, Stage::GroupCheck, |check, group| check.group = group)
        }),
        "serviceAccount" => Binding::Guarded(service_account),
        "resource" => Binding::Guarded(resource),
        "subresource" => Binding::Guarded(|args| {
            set_field(args, Stage::ResourceCheck, |check, it| {
                check.subresource = it;
            })
        }),
        "namespace" => Binding::Guarded(|args| {
            set_field(args, Stage::ResourceCheck, |check, it| check.namespace = it)
        }),
        "name" => Binding::Guarded(|args| {
            set_field(args, Stage::ResourceCheck, |check, it| check.name = it)
        }),
        // Selectors do not affect the decision, because RBAC ignores them.
        "fieldSelector" | "labelSelector" => {
            Binding::Guarded(|args| set_field(args, Stage::ResourceCheck, |_, _| {}))
        }
        "check" => Binding::Guarded(check),
        "allowed" => Binding::Guarded(|args| read_decision(args, |it| Value::Bool(it.is_allowed))),
        "reason" => Binding::Guarded(|args| read_decision(args, |it| Value::text(&*it.reason))),
        // Always false: RBAC reports a missing role as the decision's reason and not as an error.
        "errored" => Binding::Guarded(|args| read_decision(args, |_| Value::Bool(false))),
        "error" => Binding::Guarded(|args| read_decision(args, |_| Value::text(""))),
        _ => return None,
    })
}

/// Returns the receiver with one more field set in its access check.
fn set_field<'a>(args: &[Value<'a>], stage: Stage, set: fn(&mut AccessCheck, String)) -> Value<'a> {
    match args {
        [Value::Authorization(receiver), Value::Text(text)] => receiver
            .with(stage, |check| set(check, text.to_string()))
            .into(),
        _ => Value::no_such_overload(),
    }
}

fn path<'a>(args: &[Value<'a>]) -> Value<'a> {
    match args {
        [_, Value::Text(path)] if path.trim().is_empty() => Value::error("path must not be empty"),
        _ => set_field(args, Stage::PathCheck, |check, path| {
            check.path = Some(path);
        }),
    }
}

fn resource<'a>(args: &[Value<'a>]) -> Value<'a> {
    match args {
        [_, Value::Text(resource)] if resource.trim().is_empty() => {
            Value::error("resource must not be empty")
        }
        _ => set_field(args, Stage::ResourceCheck, |check, it| check.resource = it),
    }
}

fn service_account<'a>(args: &[Value<'a>]) -> Value<'a> {
    let [
        Value::Authorization(receiver),
        Value::Text(namespace),
        Value::Text(name),
    ] = args
    else {
        return Value::no_such_overload();
    };
    if !validation::subdomain(name).is_empty() {
        return Value::error("Invalid service account name");
    }
    if !validation::label(namespace).is_empty() {
        return Value::error("Invalid service account namespace");
    }
    let account = (namespace.to_string(), name.to_string());
    let of_account = receiver.with(Stage::Authorizer, |check| {
        check.service_account = Some(account);
    });
    of_account.into()
}

fn check<'a>(args: &[Value<'a>]) -> Value<'a> {
    let [Value::Authorization(receiver), Value::Text(verb)] = args else {
        return Value::no_such_overload();
    };
    let mut check = receiver.check.clone();
    check.verb = verb.to_string();
    let decision = receiver.authorizer.decide(&check);
    let decided = receiver.with(Stage::Decision(decision), |it| *it = check);
    decided.into()
}

fn read_decision<'a>(args: &[Value<'a>], get: fn(&AccessDecision) -> Value<'a>) -> Value<'a> {
    match args {
        [Value::Authorization(receiver)] => match &receiver.stage {
            Stage::Decision(decision) => get(decision),
            _ => Value::no_such_overload(),
        },
        _ => Value::no_such_overload(),
    }
}
