//! Constraints of schemars, validator and garde, such as `length`, `range` and `regex`.

use quote::ToTokens;
use syn::spanned::Spanned as _;
use syn::{Expr, Lit, Meta, UnOp};

use crate::foreign::{self, ForeignAttr, name, nested};
use crate::vocabulary::vocabulary;
use crate::{Flag, Number, Problems, SchemaAttrs, Shape, Spanned};

vocabulary! {
    /// Name of a constraint.
    struct ConstraintKey;

    /// Every name, for lookup.
    const ALL;

    const CONTAINS = "contains";
    const EMAIL = "email";
    const INNER = "inner";
    const IP = "ip";
    const IPV4 = "ipv4";
    const IPV6 = "ipv6";
    const LENGTH = "length";
    const PATTERN = "pattern";
    const RANGE = "range";
    const REGEX = "regex";
    const REQUIRED = "required";
    const URL = "url";
}

/// Reads the constraints among `metas`. If several attributes state the same constraint, the first
/// one is used.
pub(super) fn read(
    metas: &[Meta],
    source: ForeignAttr,
    shape: &Shape,
    schema: &mut SchemaAttrs,
    problems: &mut Problems,
) {
    let mut reader = Reader {
        source,
        shape,
        schema,
        problems,
    };
    for meta in metas {
        reader.meta(meta);
    }
}

struct Reader<'a> {
    source: ForeignAttr,
    shape: &'a Shape,
    schema: &'a mut SchemaAttrs,
    problems: &'a mut Problems,
}

impl Reader<'_> {
    fn meta(&mut self, meta: &Meta) {
        let name = name(meta);
        let Some(&key) = ConstraintKey::ALL.iter().find(|key| key.as_str() == name) else {
            return;
        };
        match key {
            ConstraintKey::LENGTH => self.length(meta),
            ConstraintKey::RANGE => self.range(meta),
            ConstraintKey::REGEX if self.source == ForeignAttr::GARDE => {}
            ConstraintKey::PATTERN | ConstraintKey::INNER
                if self.source == ForeignAttr::VALIDATE => {}
            ConstraintKey::REGEX | ConstraintKey::PATTERN => self.pattern(meta, false),
            ConstraintKey::CONTAINS => self.pattern(meta, true),
            ConstraintKey::REQUIRED => self.schema.required = Flag::at(meta.path().span()),
            ConstraintKey::INNER => self.inner(meta),
            format => self.format(meta, format),
        }
    }

    /// Returns whether the constraint fits the type. schemars drops a constraint that does not fit.
    /// For an unknown shape, returns true and sets `lenient`: if the constraint turns out not to
    /// fit, it is dropped without an error.
    fn fits(&mut self, wanted: impl Fn(&Shape) -> bool) -> bool {
        if *self.shape == Shape::Unknown {
            self.schema.lenient = Flag::at(proc_macro2::Span::call_site());
            return true;
        }
        wanted(self.shape)
    }

    fn length(&mut self, meta: &Meta) {
        let [least, greatest] = self.bounds(meta).map(|bound| bound.and_then(count));
        if self.fits(|shape| *shape == Shape::String) {
            fill(&mut self.schema.min_length, &least);
            fill(&mut self.schema.max_length, &greatest);
        }
        if self.fits(|shape| matches!(shape, Shape::List(_))) {
            fill(&mut self.schema.min_items, &least);
            fill(&mut self.schema.max_items, &greatest);
        }
    }

    fn range(&mut self, meta: &Meta) {
        let [least, greatest] = self.bounds(meta);
        if self.fits(|shape| matches!(shape, Shape::Integer | Shape::Number)) {
            fill(&mut self.schema.minimum, &least);
            fill(&mut self.schema.maximum, &greatest);
        }
    }

    /// Reads `min`, `max` and `equal`.
    fn bounds(&mut self, meta: &Meta) -> [Option<Spanned<Number>>; 2] {
        let mut bounds = [None, None];
        for part in arguments(meta) {
            let Meta::NameValue(pair) = &part else {
                continue;
            };
            let at: &[usize] = match name(&part).as_str() {
                "min" => &[0],
                "max" => &[1],
                "equal" => &[0, 1],
                _ => continue,
            };
            let number = number(&pair.value, self.problems);
            for at in at {
                bounds[*at] = bounds[*at].take().or(number.clone());
            }
        }
        bounds
    }

    /// Reads `regex(pattern = "..")`, `pattern("..")` or `contains("..")`.
    fn pattern(&mut self, meta: &Meta, escaped: bool) {
        let Some(value) = argument(meta, "pattern") else {
            let span = meta.path().span();
            return self.unseen(span, &meta.to_token_stream().to_string());
        };
        let Some(text) = literal(&value) else {
            return self.unseen(value.span(), &value.to_token_stream().to_string());
        };
        if self.fits(|shape| *shape == Shape::String) {
            let pattern = if escaped {
                text.map(|text| escape(&text))
            } else {
                text
            };
            fill(&mut self.schema.pattern, &Some(pattern));
        }
    }

    fn unseen(&mut self, span: proc_macro2::Span, what: &str) {
        self.problems.report(
            span,
            format!("expected a literal, found `{what}`"),
            "write the pattern as a literal: `#[schemars(regex(pattern = \"..\"))]`",
        );
    }

    fn format(&mut self, meta: &Meta, key: ConstraintKey) {
        // The API server has no format for `ip`, only `ipv4` and `ipv6`.
        let format = match key {
            ConstraintKey::URL => "uri",
            ConstraintKey::IP => return,
            key => key.as_str(),
        };
        if self.fits(|shape| *shape == Shape::String) {
            let format = Spanned::new(format.to_owned(), meta.path().span());
            fill(&mut self.schema.format, &Some(format));
        }
    }

    fn inner(&mut self, meta: &Meta) {
        let unknown = Shape::Unknown;
        let shape = match self.shape {
            Shape::List(item) => item,
            Shape::Unknown => &unknown,
            _ => return,
        };
        let items = self.schema.items.get_or_insert_default();
        read(&arguments(meta), self.source, shape, items, self.problems);
    }
}

fn fill<T: Clone>(target: &mut Option<T>, value: &Option<T>) {
    if target.is_none() {
        target.clone_from(value);
    }
}

fn count(number: Spanned<Number>) -> Option<Spanned<u64>> {
    let count = u64::try_from(number.value.as_i128()?).ok()?;
    Some(Spanned::new(count, number.span))
}

fn arguments(meta: &Meta) -> Vec<Meta> {
    match meta {
        Meta::List(list) => nested(list.tokens.clone()),
        _ => Vec::new(),
    }
}

/// Returns the value of `key = value` in the parentheses, or the sole expression there.
fn argument(meta: &Meta, key: &str) -> Option<Expr> {
    let Meta::List(list) = meta else { return None };
    if let Ok(only) = syn::parse2::<Expr>(list.tokens.clone())
        && !matches!(only, Expr::Assign(_))
    {
        return Some(only);
    }
    arguments(meta).into_iter().find_map(|part| match part {
        Meta::NameValue(pair) if pair.path.is_ident(key) => Some(pair.value),
        _ => None,
    })
}

fn literal(value: &Expr) -> Option<Spanned<String>> {
    if let Some(Lit::Str(text)) = foreign::literal(value) {
        return Some(Spanned::new(text.value(), text.span()));
    }
    match value {
        Expr::Reference(inner) => literal(&inner.expr),
        Expr::Paren(inner) => literal(&inner.expr),
        Expr::Group(inner) => literal(&inner.expr),
        _ => None,
    }
}

/// Returns a regular expression that matches the text literally.
fn escape(text: &str) -> String {
    let mut escaped = String::new();
    for letter in text.chars() {
        if r"\.+*?()|[]{}^$#&-~".contains(letter) {
            escaped.push('\\');
        }
        escaped.push(letter);
    }
    escaped
}

/// Reads a number literal or a constant such as `u16::MAX`, and reports any other expression.
fn number(value: &Expr, problems: &mut Problems) -> Option<Spanned<Number>> {
    let number = of(value);
    if number.is_none() {
        problems.report(
            value.span(),
            format!("expected a literal, found `{}`", value.to_token_stream()),
            "write the number as a literal",
        );
    }
    number.map(|number| Spanned::new(Number(number), value.span()))
}

fn of(value: &Expr) -> Option<String> {
    match value {
        Expr::Lit(literal) => of_literal(&literal.lit),
        Expr::Unary(unary) if matches!(unary.op, UnOp::Neg(_)) => {
            Some(format!("-{}", of(&unary.expr)?))
        }
        Expr::Paren(inner) => of(&inner.expr),
        Expr::Group(inner) => of(&inner.expr),
        Expr::Cast(cast) => of(&cast.expr),
        Expr::Path(path) => bound(&path.path),
        _ => None,
    }
}

fn of_literal(literal: &Lit) -> Option<String> {
    match literal {
        Lit::Int(number) => Some(number.base10_digits().to_owned()),
        Lit::Float(number) => {
            let value: f64 = number.base10_parse().ok()?;
            Some(format!("{value:?}"))
        }
        // Older code has the expression in quotes.
        Lit::Str(text) => of(&text.parse().ok()?),
        _ => None,
    }
}

/// Returns the value of a constant such as `u16::MAX`.
fn bound(path: &syn::Path) -> Option<String> {
    let segments: Vec<_> = path.segments.iter().map(|s| s.ident.to_string()).collect();
    let [.., ty, bound] = segments.as_slice() else {
        return None;
    };
    let (signed, bits) = (ty.starts_with('i'), ty.get(1..)?.parse::<u32>().ok()?);
    if !matches!(bits, 8 | 16 | 32 | 64) || !(signed || ty.starts_with('u')) {
        return None;
    }
    let most: i128 = if signed {
        (1 << (bits - 1)) - 1
    } else {
        (1 << bits) - 1
    };
    let least = if signed { -most - 1 } else { 0 };
    match bound.as_str() {
        "MAX" => Some(most.to_string()),
        "MIN" => Some(least.to_string()),
        _ => None,
    }
}
