//! Evaluation of statements that change part of a variable, such as `schema["items"] = value`.

use serde_json::{Value, json};
use syn::{Expr, ExprMethodCall, Lit, Member};

use super::body::{FunctionBody, LocalVariable, VariablePart};
use super::expressions::is_member;
use super::old_fields::{self, OldField};

impl VariablePart {
    fn inside(mut self, key: &str) -> Self {
        self.keys.push(key.to_owned());
        self
    }
}

/// Methods that return the receiver itself, or a struct that groups some of its members.
const SAME: [&str; 11] = [
    "array",
    "as_mut",
    "as_object_mut",
    "ensure_object",
    "expect",
    "metadata",
    "number",
    "object",
    "string",
    "subschemas",
    "unwrap",
];

/// Keywords that a schema from here may use differently than schemars' schema of the same type: for
/// an `Option`, for example, schemars may write an `anyOf` with `null`, and the schema from here is
/// `nullable`. Code that changes an existing value of these keywords is not evaluated.
const SHAPED: [&str; 3] = ["allOf", "anyOf", "oneOf"];

/// True for an expression that borrows a variable, or a part of one, mutably.
pub(super) fn is_borrowed(value: &Expr) -> bool {
    match value {
        Expr::Reference(reference) => reference.mutability.is_some(),
        Expr::MethodCall(call) => match call.method.to_string().as_str() {
            "expect" | "unwrap" => is_borrowed(&call.receiver),
            name => name == "get_mut" || SAME.contains(&name),
        },
        _ => false,
    }
}

impl FunctionBody<'_, '_, '_> {
    /// Returns the part of a variable that an expression refers to. If this is the field
    /// `properties` or `required` of schemars 0.8, and the schema lacks it, adds an empty one.
    pub(super) fn place(&mut self, value: &Expr) -> Option<VariablePart> {
        match value {
            Expr::Path(path) => {
                let name = path.path.get_ident()?.to_string();
                match self.variables.get(&name)? {
                    LocalVariable::Value(_) => Some(VariablePart {
                        variable: name,
                        keys: Vec::new(),
                    }),
                    LocalVariable::Part(place) => Some(place.clone()),
                    LocalVariable::Generator => None,
                }
            }
            Expr::Paren(inner) => self.place(&inner.expr),
            Expr::Reference(inner) => self.place(&inner.expr),
            Expr::MethodCall(call) => match call.method.to_string().as_str() {
                "get_mut" => {
                    let key = self.key(call.args.first()?)?;
                    Some(self.place(&call.receiver)?.inside(&key))
                }
                name if SAME.contains(&name) => self.place(&call.receiver),
                _ => None,
            },
            Expr::Index(index) => {
                let key = self.key(&index.index)?;
                Some(self.place(&index.expr)?.inside(&key))
            }
            Expr::Field(field) if is_member(&field.member, "schema") => self.place(&field.base),
            Expr::Field(field) => {
                let Member::Named(name) = &field.member else {
                    return None;
                };
                let place = self.place(&field.base)?;
                match old_fields::of(&name.to_string())? {
                    OldField::Group => Some(place),
                    OldField::Key(key) => {
                        let schema = self.at_mut(&place)?.as_object_mut()?;
                        let empty = match key {
                            "properties" => json!({}),
                            "required" => json!([]),
                            _ => return None,
                        };
                        schema.entry(key).or_insert(empty);
                        Some(place.inside(key))
                    }
                    OldField::Ignored => None,
                }
            }
            _ => None,
        }
    }

    fn key(&mut self, value: &Expr) -> Option<String> {
        let key = self.value(value)?.as_str()?.to_owned();
        (!SHAPED.contains(&key.as_str())).then_some(key)
    }

    pub(super) fn at(&self, place: &VariablePart) -> Option<&Value> {
        let LocalVariable::Value(root) = self.variables.get(&place.variable)? else {
            return None;
        };
        let mut keys = place.keys.iter();
        keys.try_fold(root, |value, key| value.get(key))
    }

    fn at_mut(&mut self, place: &VariablePart) -> Option<&mut Value> {
        let LocalVariable::Value(root) = self.variables.get_mut(&place.variable)? else {
            return None;
        };
        let mut keys = place.keys.iter();
        keys.try_fold(root, |value, key| value.get_mut(key))
    }

    /// Applies a statement that changes a schema.
    pub(super) fn change(&mut self, change: &Expr) -> Option<()> {
        match change {
            Expr::MethodCall(call) if call.method == "insert" => self.insert(call),
            Expr::MethodCall(call) if call.method == "remove" => {
                let key = self.key(call.args.first()?)?;
                let is_old = matches!(&*call.receiver, Expr::Field(_));
                let place = self.place(&call.receiver).filter(|_| !is_old)?;
                self.at_mut(&place)?.as_object_mut()?.remove(&key);
                Some(())
            }
            Expr::Assign(assign) => self.assign(&assign.left, &assign.right),
            _ => None,
        }
    }

    /// Applies `schema.insert("key".into(), value)` or `required.insert("name".into())`.
    fn insert(&mut self, call: &ExprMethodCall) -> Option<()> {
        let place = self.place(&call.receiver)?;
        let mut arguments = call.args.iter();
        let (first, second) = (self.value(arguments.next()?)?, arguments.next());
        let second = match second {
            Some(value) => Some(self.value(value)?),
            None => None,
        };
        match (self.at_mut(&place)?, second) {
            (Value::Object(members), Some(value)) => {
                let key = first.as_str()?;
                if SHAPED.contains(&key) && members.contains_key(key) {
                    return None;
                }
                members.insert(key.to_owned(), value);
            }
            (Value::Array(items), None) if items.contains(&first) => {}
            (Value::Array(items), None) => items.push(first),
            _ => return None,
        }
        Some(())
    }

    /// Applies an assignment: `schema.format = Some("date".to_owned())`,
    /// `schema["items"] = json!({ .. })`.
    fn assign(&mut self, left: &Expr, right: &Expr) -> Option<()> {
        let (place, key) = match left {
            Expr::Index(index) => (self.place(&index.expr)?, self.key(&index.index)?),
            Expr::Field(field) => {
                let Member::Named(name) = &field.member else {
                    return None;
                };
                let place = self.place(&field.base)?;
                match old_fields::of(&name.to_string())? {
                    OldField::Ignored => return is_literal(right).then_some(()),
                    OldField::Key(key) => (place, key.to_owned()),
                    // An assignment such as `schema.string = ..` replaces all members of the group.
                    // A schema does not record which of its members are in which group. So the
                    // assignment is evaluated only if nothing can be replaced: the schema has no
                    // members but `type` and `format`, which are in no group.
                    OldField::Group => {
                        let Value::Object(members) = self.members(right)? else {
                            return None;
                        };
                        let schema = self.at_mut(&place)?.as_object_mut()?;
                        let is_first = schema.keys().all(|key| key == "type" || key == "format");
                        return is_first.then(|| schema.extend(members));
                    }
                }
            }
            _ => return None,
        };
        let value = self.member(&key, right)?;
        let schema = self.at_mut(&place)?.as_object_mut()?;
        if SHAPED.contains(&key.as_str()) && schema.contains_key(&key) {
            return None;
        }
        schema.insert(key, value);
        Some(())
    }
}

fn is_literal(value: &Expr) -> bool {
    matches!(value, Expr::Lit(literal) if !matches!(literal.lit, Lit::Verbatim(_)))
}
