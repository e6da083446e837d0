//! Expressions that convert a value between the types of two versions.

use quote::ToTokens as _;
use syn::{GenericArgument, Item, Path, PathArguments, Type};

use super::version_types::{ResolvedType, TypeId, VersionTypes, type_path};

/// An expression that converts a value, to a `Result` if the conversion can fail.
pub(super) struct Converted {
    pub(super) text: String,
    pub(super) is_result: bool,
    /// The called function, if the expression is a single call with the value as its argument.
    function: Option<String>,
}

impl Converted {
    fn same(value: &str) -> Self {
        Self::infallible(value.to_owned())
    }

    pub(super) fn infallible(text: String) -> Self {
        Self {
            text,
            is_result: false,
            function: None,
        }
    }

    /// The expression with `?` if it is a `Result`, for use in a function that returns a `Result`.
    pub(super) fn unwrapped(self) -> String {
        if self.is_result {
            format!("{}?", self.text)
        } else {
            self.text
        }
    }

    /// The expression as an argument of `map`.
    fn mapped(self) -> String {
        self.function
            .unwrap_or_else(|| format!("|one| {}", self.text))
    }
}

/// A type, and the file that it appears in.
#[derive(Clone, Copy)]
pub(super) struct FieldType<'a> {
    pub(super) types: &'a VersionTypes,
    pub(super) file: usize,
    pub(super) ty: &'a Type,
}

impl<'a> FieldType<'a> {
    /// The type with aliases of the version resolved.
    pub(super) fn resolved(self) -> Self {
        let mut this = self;
        // The limit guards against cyclic aliases.
        for _ in 0..8 {
            let Some(ResolvedType::Own(id)) = this.resolve() else {
                break;
            };
            let Item::Type(alias) = this.types.item(id) else {
                break;
            };
            this = Self {
                file: id.file,
                ty: &alias.ty,
                ..this
            };
        }
        this
    }

    pub(super) fn resolve(self) -> Option<ResolvedType> {
        Some(self.types.resolve(self.file, type_path(self.ty)?))
    }

    fn with(self, ty: &'a Type) -> Self {
        Self { ty, ..self }
    }

    /// The last segment of a path type, with its type arguments.
    pub(super) fn container(self) -> (String, Vec<Self>) {
        let Some(last) = type_path(self.ty).and_then(|path| path.segments.last()) else {
            return (String::new(), Vec::new());
        };
        (
            last.ident.to_string(),
            type_arguments(last).map(|ty| self.with(ty)).collect(),
        )
    }

    /// The type inside an `Option`.
    pub(super) fn optional(self) -> Option<Self> {
        match self.resolved().container() {
            (name, arguments) if name == "Option" => arguments.first().copied(),
            _ => None,
        }
    }

    /// True if one of the types is written like this one, apart from `Option`.
    pub(super) fn is_among(self, types: &[Self]) -> bool {
        let spelling = |ty: Self| {
            let required = ty.optional().unwrap_or(ty);
            required.resolved().ty.to_token_stream().to_string()
        };
        types.iter().any(|ty| spelling(*ty) == spelling(self))
    }

    pub(super) fn is_option(self) -> bool {
        self.resolved().container().0 == "Option"
    }

    /// Code that tests whether a value is set; `None` if the type has no known unset value.
    pub(super) fn is_set(self, value: &str) -> Option<String> {
        let name = self.resolved().container().0;
        match name.as_str() {
            "Option" => Some(format!("{value}.is_some()")),
            "String" | "Vec" | "VecDeque" | "BTreeMap" | "HashMap" | "BTreeSet" | "HashSet" => {
                Some(format!("!{value}.is_empty()"))
            }
            "bool" => Some(value.to_owned()),
            "u8" | "u16" | "u32" | "u64" | "i8" | "i16" | "i32" | "i64" => {
                Some(format!("{value} != 0"))
            }
            _ => None,
        }
    }
}

/// Collector of the type pairs that need a conversion.
pub(super) trait Pairs {
    /// Adds a pair. Returns the path of the target type and whether the conversion can fail; `None`
    /// if the types cannot be converted.
    fn convert(&mut self, from: TypeId, to: TypeId, is_nested: bool) -> Option<(String, bool)>;
}

/// The expression that converts `value`; `None` if the types are incompatible. A value is nested if
/// it is in a `Box`, a list, a set, a map or a variant of an enum.
pub(super) fn convert_value(
    (from, to): (FieldType<'_>, FieldType<'_>),
    value: &str,
    is_nested: bool,
    pairs: &mut dyn Pairs,
) -> Option<Converted> {
    let (from, to) = (from.resolved(), to.resolved());
    if is_same(from, to) {
        return Some(Converted::same(value));
    }
    if let (Some(ResolvedType::Own(one)), Some(ResolvedType::Own(other))) =
        (from.resolve(), to.resolve())
    {
        let (path, is_result) = pairs.convert(one, other, is_nested)?;
        return Some(call_conversion(&path, value, is_result));
    }
    let ((name, from), (to_name, to)) = (from.container(), to.container());
    if name != to_name {
        return None;
    }
    match (name.as_str(), &from[..], &to[..]) {
        ("Option", [from], [to]) => {
            let inner = convert_value((*from, *to), "one", is_nested, pairs)?;
            Some(if inner.is_result {
                Converted {
                    text: format!("{value}.map({}).transpose()", inner.mapped()),
                    is_result: true,
                    function: None,
                }
            } else {
                Converted::infallible(format!("{value}.map({})", inner.mapped()))
            })
        }
        ("Box", [from], [to]) => {
            let inner = convert_value((*from, *to), &format!("(*{value})"), true, pairs)?;
            Some(if inner.is_result {
                Converted {
                    text: format!("{}.map(Box::new)", inner.text),
                    is_result: true,
                    function: None,
                }
            } else {
                Converted::infallible(format!("Box::new({})", inner.text))
            })
        }
        ("Vec" | "VecDeque" | "BTreeSet" | "HashSet", [from], [to]) => {
            let inner = convert_value((*from, *to), "one", true, pairs)?;
            let is_result = inner.is_result;
            Some(collect_items(value, &inner.mapped(), is_result))
        }
        ("BTreeMap" | "HashMap", [from_key, from], [to_key, to]) if is_same(*from_key, *to_key) => {
            let inner = convert_value((*from, *to), "one", true, pairs)?;
            let is_result = inner.is_result;
            let entry = if is_result {
                format!("|(key, one)| Ok((key, {}))", inner.unwrapped())
            } else {
                format!("|(key, one)| (key, {})", inner.text)
            };
            Some(collect_items(value, &entry, is_result))
        }
        _ => None,
    }
}

/// The call that converts a value to the type at `path`.
fn call_conversion(path: &str, value: &str, is_result: bool) -> Converted {
    let (text, function) = if is_result {
        (
            format!("{path}::try_from({})", without_parentheses(value)),
            format!("{path}::try_from"),
        )
    } else {
        (format!("{value}.into()"), "Into::into".to_owned())
    };
    Converted {
        text,
        is_result,
        function: Some(function),
    }
}

/// The value without its parentheses, which are redundant in an argument.
fn without_parentheses(value: &str) -> &str {
    let inside = value
        .strip_prefix("(")
        .and_then(|rest| rest.strip_suffix(")"));
    inside.unwrap_or(value)
}

fn collect_items(value: &str, map: &str, is_result: bool) -> Converted {
    let all = if is_result {
        "::<Result<_, Inconvertible>>"
    } else {
        ""
    };
    Converted {
        text: format!("{value}.into_iter().map({map}).collect{all}()"),
        is_result,
        function: None,
    }
}

/// True if both versions use the same type.
fn is_same(from: FieldType<'_>, to: FieldType<'_>) -> bool {
    let (from, to) = (from.resolved(), to.resolved());
    match (from.ty, to.ty) {
        (Type::Tuple(one), Type::Tuple(other)) => {
            let mut pairs = one.elems.iter().zip(&other.elems);
            one.elems.len() == other.elems.len()
                && pairs.all(|(one, other)| is_same(from.with(one), to.with(other)))
        }
        (Type::Array(one), Type::Array(other)) => {
            let text = |array: &syn::TypeArray| array.len.to_token_stream().to_string();
            text(one) == text(other) && is_same(from.with(&one.elem), to.with(&other.elem))
        }
        _ => {
            let (arguments, others) = (from.container().1, to.container().1);
            let mut pairs = arguments.iter().zip(&others);
            is_same_leaf(from, to)
                && arguments.len() == others.len()
                && pairs.all(|(one, other)| is_same(*one, *other))
        }
    }
}

/// True if two types are the same, apart from their type arguments.
fn is_same_leaf(from: FieldType<'_>, to: FieldType<'_>) -> bool {
    match (from.resolve(), to.resolve()) {
        (Some(ResolvedType::Other(one)), Some(ResolvedType::Other(other))) => {
            let is_full = |path: &[String]| path.len() > 1 && path[0] != "super";
            one.last() == other.last() && (!is_full(&one) || !is_full(&other) || one == other)
        }
        // One version may import a type of the other.
        (Some(ResolvedType::Own(id)), Some(ResolvedType::Other(path))) => {
            names_type(from.types, id, &path)
        }
        (Some(ResolvedType::Other(path)), Some(ResolvedType::Own(id))) => {
            names_type(to.types, id, &path)
        }
        (None, None) => {
            from.ty.to_token_stream().to_string() == to.ty.to_token_stream().to_string()
        }
        _ => false,
    }
}

fn names_type(types: &VersionTypes, id: TypeId, path: &[String]) -> bool {
    let name = types.path(id, true);
    let name = name.as_deref().and_then(|name| name.rsplit("::").next());
    match path {
        [.., last] => name == Some(last) && path.contains(&types.module()),
        [] => false,
    }
}

fn type_arguments(segment: &syn::PathSegment) -> impl Iterator<Item = &Type> {
    let arguments = match &segment.arguments {
        PathArguments::AngleBracketed(arguments) => Some(&arguments.args),
        _ => None,
    };
    arguments
        .into_iter()
        .flatten()
        .filter_map(|argument| match argument {
            GenericArgument::Type(ty) => Some(ty),
            _ => None,
        })
}

/// True if the path ends in `name` and contains `module`; without a module, if it is just `name`.
pub(super) fn is_path(path: &Path, module: Option<&str>, name: &str) -> bool {
    let mut segments = path.segments.iter().rev().map(|it| &it.ident);
    segments.next().is_some_and(|last| last == name)
        && match module {
            Some(module) => segments.any(|it| it == module),
            None => segments.next().is_none(),
        }
}

/// The type argument of the trait in an `impl`.
pub(super) fn first_type_argument(path: &Path) -> Option<&Path> {
    type_arguments(path.segments.last()?)
        .next()
        .and_then(type_path)
}

/// True if an expression contains a variable or field of that name. String literals are ignored.
pub(super) fn mentions_variable(text: &str, variable: &str) -> bool {
    let is_word = |c: char| c.is_alphanumeric() || c == '_' || c == '#';
    let mut code = text.split('"').step_by(2);
    code.any(|code| code.split(|c| !is_word(c)).any(|word| word == variable))
}
