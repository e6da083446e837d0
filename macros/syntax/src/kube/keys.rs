//! Translation of `#[kube(…)]` keys into those of `#[genclient]` and `#[crd(…)]`.

use proc_macro2::{Ident, Span, TokenStream, TokenTree};
use syn::parse::{ParseStream, Parser as _};
use syn::punctuated::Punctuated;
use syn::spanned::Spanned as _;
use syn::{Attribute, Expr, Lit, Meta, Token};

use super::key::{KubeKey, all, text};
use super::lists;
use crate::foreign::{self, ForeignAttr, name};
use crate::keys::{Given, KeyValue, Keys};
use crate::table::Key;
use crate::x_kube::rule;
use crate::{Flag, Problem, Problems, SchemaMode, Scope, Spanned, TypeRef, Validation, suggest};

/// The keys of `#[kube(…)]`, read and checked.
pub(super) struct KubeKeys {
    /// `group`, `version` and `kind`.
    pub(super) names: Keys,
    /// Keys of `#[crd(…)]`, translated from those of `#[kube(…)]`.
    pub(super) crd: Keys,
    pub(super) root: String,
    pub(super) doc: Option<Spanned<String>>,
    pub(super) status: Option<Spanned<TypeRef>>,
    pub(super) no_spec: Flag,
    pub(super) schema: SchemaMode,
    pub(super) storage: Option<Spanned<bool>>,
    pub(super) dropped_scale: Flag,
    pub(super) validations: Vec<Validation>,
}

/// Reads every `#[kube(…)]`. Returns `None` after a syntax error, or if group, version or kind is
/// missing or not a string.
pub(super) fn read(attrs: &[Attribute], span: Span, problems: &mut Problems) -> Option<KubeKeys> {
    let metas = metas(attrs, problems)?;
    let names = names(&metas, span, problems)?;
    let kind = names.text(Key::KIND)?;
    let text = |key: KubeKey, problems: &mut Problems| one(&metas, key, problems);
    let singular = text(KubeKey::SINGULAR, problems)
        .unwrap_or_else(|| kind.clone().map(|kind| kind.to_ascii_lowercase()));
    let plural = text(KubeKey::PLURAL, problems).unwrap_or_else(|| {
        let singular = singular.clone();
        singular.map(|singular| pluralize(&singular))
    });
    let mut crd = Keys::default();
    crd.push(KeyValue::of_text(Key::SINGULAR, singular));
    crd.push(KeyValue::of_text(Key::PLURAL, plural));
    let status = status(&metas, problems);
    let dropped_scale = lists::push(&metas, status.is_some(), &mut crd, problems);
    push_version(&metas, &mut crd, problems);
    if !flag(&metas, KubeKey::NAMESPACED, problems).is_set() {
        let cluster = Spanned::new(Scope::Cluster.as_str().to_owned(), kind.span);
        crd.push(KeyValue::of_text(Key::SCOPE, cluster));
    }
    let storage = switch(&metas, KubeKey::STORAGE, problems);
    if let Some(stored) = storage.as_ref().filter(|storage| storage.value) {
        crd.push(KeyValue::new(Key::STORAGE, stored.span, Given::Flag));
    }
    let root = text(KubeKey::ROOT, problems);
    if let Some(root) = &root
        && syn::parse_str::<syn::Ident>(&root.value).is_err()
    {
        let message = "`root` must be the name of a struct";
        problems.report(
            root.span,
            message,
            format!("write `root = \"{}Root\"`", kind.value),
        );
    }
    Some(KubeKeys {
        root: root.map_or_else(|| kind.value.clone(), |root| root.value),
        doc: text(KubeKey::DOC, problems),
        status,
        no_spec: flag(&metas, KubeKey::NO_SPEC, problems),
        schema: schema(&metas, problems),
        storage,
        dropped_scale,
        validations: rules(&metas, problems),
        names,
        crd,
    })
}

/// Returns the known keys of every `#[kube(…)]`, without duplicates. Returns `None` after a syntax
/// error, because keys that the error hides would be reported as missing.
fn metas(attrs: &[Attribute], problems: &mut Problems) -> Option<Vec<Meta>> {
    let mut metas: Vec<Meta> = Vec::new();
    let mut is_whole = true;
    for attr in attrs.iter().filter(|attr| ForeignAttr::KUBE.names(attr)) {
        match attr.parse_args_with(keys_of_any_kube) {
            Ok(found) => metas.extend(found),
            Err(error) => {
                let help =
                    "write `#[kube(group = \"example.com\", version = \"v1\", kind = \"Name\")]`";
                let message = format!("invalid syntax in `kube`: {error}");
                problems.report(error.span(), message, help);
                is_whole = false;
            }
        }
    }
    let mut kept: Vec<Meta> = Vec::new();
    for meta in &metas {
        let span = meta.path().span();
        match KubeKey::ALL.iter().find(|key| meta.path().is_ident(*key)) {
            None if is_of_old_kube(meta) => {}
            None => problems.push(unknown(meta, &metas)),
            Some(key) => {
                let first = all(&kept, *key).next().filter(|_| !key.repeats());
                match first.map(|first| first.path().span()) {
                    None => kept.push(meta.clone()),
                    first => {
                        problems.push(crate::keys::repeated(key, span).with_earlier(first));
                    }
                }
            }
        }
    }
    is_whole.then_some(kept)
}

/// Parses the keys. The key `struct` is read as `root`, because kube renamed it for syn 2
/// (kube-rs/kube#1307).
fn keys_of_any_kube(input: ParseStream<'_>) -> syn::Result<Punctuated<Meta, Token![,]>> {
    let tokens: TokenStream = input.parse()?;
    let renamed = tokens.into_iter().map(|token| match token {
        TokenTree::Ident(name) if name == "struct" => {
            TokenTree::Ident(Ident::new(KubeKey::ROOT.as_str(), name.span()))
        }
        token => token,
    });
    Punctuated::parse_terminated.parse2(renamed.collect())
}

/// Returns whether kube has removed the key. Such a key is accepted, because it affects only the
/// user's program and not the CRD.
fn is_of_old_kube(meta: &Meta) -> bool {
    ["apiextensions", "kube_core"]
        .iter()
        .any(|key| meta.path().is_ident(key))
}

fn unknown(meta: &Meta, metas: &[Meta]) -> Problem {
    let (name, span) = (name(meta), meta.path().span());
    let meant = suggest::closest(&name, KubeKey::ALL.iter().map(|key| key.as_str()));
    let meant = KubeKey::ALL.iter().find(|key| Some(key.as_str()) == meant);
    let help = match meant {
        Some(key) if !key.repeats() && all(metas, *key).next().is_some() => "remove it".to_owned(),
        Some(key) => format!("did you mean `{key}`?"),
        None => "see kube's `CustomResource` for the keys".to_owned(),
    };
    Problem::new(span, format!("unknown key `{name}` in `kube`")).with_help(help)
}

/// Reads `group`, `version` and `kind`, which kube requires.
fn names(metas: &[Meta], span: Span, problems: &mut Problems) -> Option<Keys> {
    let mut names = Keys::default();
    let mut complete = true;
    for (key, ours, example) in [
        (KubeKey::GROUP, Key::GROUP, "example.com"),
        (KubeKey::VERSION, Key::VERSION, "v1"),
        (KubeKey::KIND, Key::KIND, "Name"),
    ] {
        let Some(meta) = all(metas, key).next() else {
            let help = format!("add `{key} = \"{example}\"`");
            problems.report(span, format!("`kube` needs `{key}`"), help);
            complete = false;
            continue;
        };
        match text(meta, problems) {
            Some(text) => names.push(KeyValue::new(ours, meta.path().span(), Given::Text(text))),
            None => complete = false,
        }
    }
    complete.then_some(names)
}

fn one(metas: &[Meta], key: KubeKey, problems: &mut Problems) -> Option<Spanned<String>> {
    all(metas, key).next().and_then(|meta| text(meta, problems))
}

/// Reads `key`, `key = true` or `key = false`, also with the value in quotes.
fn switch(metas: &[Meta], key: KubeKey, problems: &mut Problems) -> Option<Spanned<bool>> {
    let meta = all(metas, key).next()?;
    let span = meta.path().span();
    let value = match meta {
        Meta::Path(_) => Some(true),
        Meta::NameValue(pair) => match foreign::literal(&pair.value) {
            Some(Lit::Bool(value)) => Some(value.value),
            Some(Lit::Str(value)) => value.value().parse().ok(),
            _ => None,
        },
        Meta::List(_) => None,
    };
    if value.is_none() {
        problems.report(
            span,
            format!("expected `true` or `false` for `{key}`"),
            format!("write `{key} = true`"),
        );
    }
    value.map(|value| Spanned::new(value, span))
}

fn flag(metas: &[Meta], key: KubeKey, problems: &mut Problems) -> Flag {
    let on = switch(metas, key, problems).filter(|on| on.value);
    on.map(|on| on.span).into()
}

/// Adds `unserved` for `served = false`, and `deprecated`.
fn push_version(metas: &[Meta], crd: &mut Keys, problems: &mut Problems) {
    if let Some(served) = switch(metas, KubeKey::SERVED, problems).filter(|served| !served.value) {
        crd.push(KeyValue::new(Key::UNSERVED, served.span, Given::Flag));
    }
    if let Some(meta) = all(metas, KubeKey::DEPRECATED).next() {
        let given = match meta {
            Meta::Path(_) => Some(Given::Flag),
            meta => text(meta, problems).map(Given::Text),
        };
        if let Some(given) = given {
            crd.push(KeyValue::new(Key::DEPRECATED, meta.path().span(), given));
        }
    }
}

/// Reads `status = "Path"` or `status = Path`.
fn status(metas: &[Meta], problems: &mut Problems) -> Option<Spanned<TypeRef>> {
    let meta = all(metas, KubeKey::STATUS).next()?;
    let path = match meta {
        Meta::NameValue(pair) => match &pair.value {
            Expr::Path(path) => Some(path.path.clone()),
            _ => foreign::string(meta).and_then(|path| path.parse().ok()),
        },
        _ => None,
    };
    let Some(path) = path else {
        let help = "write `status = \"NameStatus\"`";
        problems.report(
            meta.span(),
            "expected the path of a type for `status`",
            help,
        );
        return None;
    };
    let ty = syn::Type::Path(syn::TypePath {
        attrs: Vec::new(),
        qself: None,
        path,
    });
    Some(Spanned::new(TypeRef(ty), meta.span()))
}

fn schema(metas: &[Meta], problems: &mut Problems) -> SchemaMode {
    let Some(mode) = one(metas, KubeKey::SCHEMA, problems) else {
        return SchemaMode::Derived;
    };
    SchemaMode::from_name(&mode.value).unwrap_or_else(|| {
        let name = &mode.value;
        let help = suggest::value(name, SchemaMode::NAMES);
        problems.report(
            mode.span,
            format!("invalid value `{name}` for `schema`"),
            help,
        );
        SchemaMode::Derived
    })
}

fn rules(metas: &[Meta], problems: &mut Problems) -> Vec<Validation> {
    all(metas, KubeKey::VALIDATION)
        .filter_map(|meta| rule::read(meta, problems))
        .collect()
}

/// Returns the plural that kube-derive builds from a singular name in lower case. kube-derive knows
/// no irregular plurals: `fish` becomes `fishes`.
fn pluralize(word: &str) -> String {
    if ["s", "x", "z", "ch", "sh"]
        .iter()
        .any(|ending| word.ends_with(ending))
    {
        return format!("{word}es");
    }
    let vowel = |c: char| matches!(c, 'a' | 'e' | 'i' | 'o' | 'u');
    match word.strip_suffix('y') {
        Some(stem) if stem.chars().next_back().is_some_and(|c| !vowel(c)) => format!("{stem}ies"),
        _ => format!("{word}s"),
    }
}

#[cfg(test)]
mod tests {
    use super::pluralize;

    #[test]
    fn plurals_match_kube_derive() {
        for (singular, plural) in [
            ("foo", "foos"),
            ("bus", "buses"),
            ("box", "boxes"),
            ("batch", "batches"),
            ("policy", "policies"),
            ("gateway", "gateways"),
            ("fish", "fishes"),
            ("index", "indexes"),
            ("y", "ys"),
        ] {
            assert_eq!(pluralize(singular), plural);
        }
    }
}
