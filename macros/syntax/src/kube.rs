//! kube's custom resources: `#[derive(CustomResource)]` with `#[kube(…)]` on the spec.
//!
//! kube's derive generates the root type. This module checks the keys in `#[kube(…)]` and
//! translates them into keys of `#[genclient]` and `#[crd(…)]`.

use heck::ToLowerCamelCase;
use proc_macro2::{Ident, Span, TokenStream, TokenTree};
use syn::parse::{ParseStream, Parser as _};
use syn::punctuated::Punctuated;
use syn::spanned::Spanned as _;
use syn::{Attribute, Expr, Fields, Lit, Meta, Path, Token};

use super::{
    AttributeTarget, Flag, Help, Json, JsonValue, Problem, Problems, ResourceAttrs, SchemaAttrs,
    SchemaMode, Scope, Spanned, TypeRef, Validation, suggest, x_kube,
};
use crate::arguments::{self, After};
use crate::foreign::{self, ForeignAttr, attribute_items, expand_cfg_attr, key_name};
use crate::keys::{Given, KeyValue, Keys};
use crate::resource::{ResourceInput, check_once};
use crate::table::{self, Argument, Key, Within};
use crate::vocabulary::vocabulary;

/// A kind whose root type kube generates from the spec.
#[derive(Clone, Debug)]
pub struct KubeAttrs {
    /// The kind. Its `ident` is the name of the root type, with the span of the spec's name.
    pub resource: ResourceAttrs,
    /// Description of the root type.
    pub doc: Option<Spanned<String>>,
    /// Type of the status.
    pub status: Option<Spanned<TypeRef>>,
    /// The spec's fields are at the root of the object, not below `spec`.
    pub no_spec: Flag,
    /// Source of the schema.
    pub schema: SchemaMode,
    /// `storage`, if stated. Without it, kube makes the version the storage version.
    pub storage: Option<Spanned<bool>>,
    /// Set at a `scale` that kube omits because there is no status.
    pub dropped_scale: Flag,
}

/// Returns whether the item has `#[kube(…)]`, directly or inside `cfg_attr`.
pub fn is_kube(attrs: &[Attribute]) -> bool {
    let may_be =
        |attr: &Attribute| ForeignAttr::KUBE.names(attr) || ForeignAttr::CFG_ATTR.names(attr);
    attrs.iter().any(may_be)
        && expand_cfg_attr(attrs)
            .iter()
            .any(|attr| ForeignAttr::KUBE.names(attr))
}

/// Returns whether the item derives `name`, in any path form, directly or inside `cfg_attr`.
pub fn derives(attrs: &[Attribute], name: &str) -> bool {
    let parser = Punctuated::<Path, Token![,]>::parse_terminated;
    expand_cfg_attr(attrs)
        .iter()
        .filter(|attr| attr.path().is_ident("derive"))
        .filter_map(|attr| attr.parse_args_with(parser).ok())
        .flatten()
        .any(|path| path.segments.last().is_some_and(|last| last.ident == name))
}

/// Returns whether `#[serde(crate = "…")]`, directly or inside `cfg_attr`, names another crate than
/// `serde` for the code of serde's derives.
pub fn has_serde_crate(attrs: &[Attribute]) -> bool {
    attribute_items(&expand_cfg_attr(attrs), ForeignAttr::SERDE)
        .iter()
        .any(|part| part.path().is_ident("crate"))
}

impl KubeAttrs {
    /// Reads and checks a spec. `fields` is `None` if the spec is not a struct.
    ///
    /// Every error goes to `problems`. Returns `None` without `#[kube(…)]`, after a syntax error in
    /// it, or if group, version or kind is missing or not a string.
    pub fn parse(
        attrs: &[Attribute],
        ident: &Ident,
        fields: Option<&Fields>,
        problems: &mut Problems,
    ) -> Option<Self> {
        let attrs = expand_cfg_attr(attrs);
        let span = attrs
            .iter()
            .find(|attr| ForeignAttr::KUBE.names(attr))?
            .path()
            .span();
        let read = read_kube_keys(&attrs, span, problems)?;
        if *ident == read.root {
            let message = format!("kube's derive defines another struct `{ident}`");
            let help = match ident.to_string().strip_suffix("Spec") {
                Some(kind) if !kind.is_empty() => format!("write `kind = \"{kind}\"`"),
                _ => format!("rename this struct, for example to `{ident}Spec`"),
            };
            problems.report(ident.span(), message, help);
            return None;
        }
        check_no_spec(read.no_spec, ident, fields, problems);
        let genclient = genclient_keys(&attrs, &read, problems);
        // An invalid name has been reported. The name of the spec replaces it.
        let mut root = syn::parse_str(&read.root).unwrap_or_else(|_| ident.clone());
        root.set_span(ident.span());
        let input = ResourceInput {
            ident: &root,
            attrs: &attrs,
            span,
            genclient: &genclient,
            crd: &read.crd,
            has_spec: !read.no_spec.is_set(),
            has_status: read.status.is_some(),
        };
        let resource = input.into_attrs(problems)?;
        let schema = SchemaAttrs {
            validations: read.validations,
            ..SchemaAttrs::default()
        };
        Some(Self {
            resource: ResourceAttrs { schema, ..resource },
            doc: read.doc,
            status: read.status,
            no_spec: read.no_spec,
            schema: read.schema,
            storage: read.storage,
            dropped_scale: read.dropped_scale,
        })
    }
}

/// Returns the options of a `#[genclient(…)]` on the same item, with group, version and kind of
/// `#[kube(…)]`.
fn genclient_keys(attrs: &[Attribute], read: &KubeKeys, problems: &mut Problems) -> Keys {
    let mut genclient = Keys::from_attributes(
        attrs,
        Within::Genclient,
        &AttributeTarget::resource(),
        problems,
    );
    let separate = Key::GVK.map(|key| {
        let mut attrs = attrs.iter().filter(|attr| attr.path().is_ident(&key));
        attrs.next().map(|attr| (key, attr.path().span()))
    });
    let listed = [Key::GROUP, Key::VERSION, Key::KIND, Key::NON_NAMESPACED]
        .map(|key| genclient.get(key).map(|found| (key, found.span)));
    for (key, span) in separate.into_iter().chain(listed).flatten() {
        problems.report(
            span,
            format!("`{key}` is already set by `#[kube(..)]`"),
            Help::remove("remove it"),
        );
    }
    check_once(attrs, problems);
    for name in read.names.iter() {
        genclient.push(name.clone());
    }
    genclient
}

/// Reports a `no_spec` type without named fields, and fields that conflict with those of the root
/// type.
fn check_no_spec(no_spec: Flag, ident: &Ident, fields: Option<&Fields>, problems: &mut Problems) {
    if !no_spec.is_set() {
        return;
    }
    let Some(Fields::Named(fields)) = fields else {
        let help = "give it named fields, or remove `no_spec`";
        problems.report(
            ident.span(),
            "`no_spec` needs a struct with named fields",
            help,
        );
        return;
    };
    for ident in fields.named.iter().filter_map(|field| field.ident.as_ref()) {
        let taken = ["api_version", "kind", "metadata", "status"];
        if taken.iter().any(|name| ident == name) {
            problems.report(
                ident.span(),
                format!("`{ident}` conflicts with a field of the root object"),
                "rename the field, or remove `no_spec`",
            );
        }
    }
}

/// Returns the name of every key that `#[kube(…)]` accepts.
pub fn kube_keys() -> impl Iterator<Item = &'static str> {
    KubeKey::ALL.iter().map(|key| key.as_str())
}

/// The keys of `#[kube(…)]`, read and checked.
struct KubeKeys {
    /// `group`, `version` and `kind`.
    names: Keys,
    /// Keys of `#[crd(…)]`, translated from those of `#[kube(…)]`.
    crd: Keys,
    root: String,
    doc: Option<Spanned<String>>,
    status: Option<Spanned<TypeRef>>,
    no_spec: Flag,
    schema: SchemaMode,
    storage: Option<Spanned<bool>>,
    dropped_scale: Flag,
    validations: Vec<Validation>,
}

/// Reads every `#[kube(…)]`. Returns `None` after a syntax error, or if group, version or kind is
/// missing or not a string.
fn read_kube_keys(attrs: &[Attribute], span: Span, problems: &mut Problems) -> Option<KubeKeys> {
    let metas = read_metas(attrs, problems)?;
    let names = read_names(&metas, span, problems)?;
    let kind = names.text(Key::KIND)?;
    let text = |key: KubeKey, problems: &mut Problems| find_string(&metas, key, problems);
    let singular = text(KubeKey::SINGULAR, problems)
        .unwrap_or_else(|| kind.clone().map(|kind| kind.to_ascii_lowercase()));
    let plural = text(KubeKey::PLURAL, problems).unwrap_or_else(|| {
        let singular = singular.clone();
        singular.map(|singular| pluralize_as_kube(&singular))
    });
    let mut crd = Keys::default();
    crd.push(KeyValue::of_text(Key::SINGULAR, singular));
    crd.push(KeyValue::of_text(Key::PLURAL, plural));
    let status = read_status(&metas, problems);
    let dropped_scale = translate_keys(&metas, status.is_some(), &mut crd, problems);
    push_version(&metas, &mut crd, problems);
    if !read_flag(&metas, KubeKey::NAMESPACED, problems).is_set() {
        let cluster = Spanned::new(Scope::Cluster.as_str().to_owned(), kind.span);
        crd.push(KeyValue::of_text(Key::SCOPE, cluster));
    }
    let storage = read_switch(&metas, KubeKey::STORAGE, problems);
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
        no_spec: read_flag(&metas, KubeKey::NO_SPEC, problems),
        schema: read_schema_mode(&metas, problems),
        storage,
        dropped_scale,
        validations: read_rules(&metas, problems),
        names,
        crd,
    })
}

/// Returns the known keys of every `#[kube(…)]`, without duplicates. Returns `None` after a syntax
/// error, because keys that the error hides would be reported as missing.
fn read_metas(attrs: &[Attribute], problems: &mut Problems) -> Option<Vec<Meta>> {
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
            None => problems.push(unknown_key_problem(meta, &metas)),
            Some(key) => {
                let first = metas_with_key(&kept, *key)
                    .next()
                    .filter(|_| !key.repeats());
                match first.map(|first| first.path().span()) {
                    None => kept.push(meta.clone()),
                    first => {
                        problems
                            .push(crate::keys::duplicate_problem(key, span).with_earlier(first));
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

fn unknown_key_problem(meta: &Meta, metas: &[Meta]) -> Problem {
    let (name, span) = (key_name(meta), meta.path().span());
    let closest = suggest::closest(&name, KubeKey::ALL.iter().map(|key| key.as_str()));
    let help = match KubeKey::ALL
        .iter()
        .find(|key| Some(key.as_str()) == closest)
    {
        Some(key) if !key.repeats() && metas_with_key(metas, *key).next().is_some() => {
            Help::remove("remove it")
        }
        Some(key) => Help::did_you_mean(&name, key),
        None => "see kube's `CustomResource` for the keys".into(),
    };
    Problem::new(span, format!("unknown key `{name}` in `kube`")).with_help(help)
}

/// Reads `group`, `version` and `kind`, which kube requires.
fn read_names(metas: &[Meta], span: Span, problems: &mut Problems) -> Option<Keys> {
    let mut names = Keys::default();
    let mut complete = true;
    for (key, ours, example) in [
        (KubeKey::GROUP, Key::GROUP, "example.com"),
        (KubeKey::VERSION, Key::VERSION, "v1"),
        (KubeKey::KIND, Key::KIND, "Name"),
    ] {
        let Some(meta) = metas_with_key(metas, key).next() else {
            let help = format!("add `{key} = \"{example}\"`");
            problems.report(span, format!("`kube` needs `{key}`"), help);
            complete = false;
            continue;
        };
        match expect_string(meta, problems) {
            Some(text) => names.push(KeyValue::new(ours, meta.path().span(), Given::Text(text))),
            None => complete = false,
        }
    }
    complete.then_some(names)
}

fn find_string(metas: &[Meta], key: KubeKey, problems: &mut Problems) -> Option<Spanned<String>> {
    metas_with_key(metas, key)
        .next()
        .and_then(|meta| expect_string(meta, problems))
}

/// Reads `key`, `key = true` or `key = false`, also with the value in quotes.
fn read_switch(metas: &[Meta], key: KubeKey, problems: &mut Problems) -> Option<Spanned<bool>> {
    let meta = metas_with_key(metas, key).next()?;
    let span = meta.path().span();
    let value = match meta {
        Meta::Path(_) => Some(true),
        Meta::NameValue(pair) => match foreign::expression_literal(&pair.value) {
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
            Help::write_key(format!("{key} = true")),
        );
    }
    value.map(|value| Spanned::new(value, span))
}

fn read_flag(metas: &[Meta], key: KubeKey, problems: &mut Problems) -> Flag {
    let on = read_switch(metas, key, problems).filter(|on| on.value);
    on.map(|on| on.span).into()
}

/// Adds `unserved` for `served = false`, and `deprecated`.
fn push_version(metas: &[Meta], crd: &mut Keys, problems: &mut Problems) {
    if let Some(served) =
        read_switch(metas, KubeKey::SERVED, problems).filter(|served| !served.value)
    {
        crd.push(KeyValue::new(Key::UNSERVED, served.span, Given::Flag));
    }
    if let Some(meta) = metas_with_key(metas, KubeKey::DEPRECATED).next() {
        let given = match meta {
            Meta::Path(_) => Some(Given::Flag),
            meta => expect_string(meta, problems).map(Given::Text),
        };
        if let Some(given) = given {
            crd.push(KeyValue::new(Key::DEPRECATED, meta.path().span(), given));
        }
    }
}

/// Reads `status = "Path"` or `status = Path`.
fn read_status(metas: &[Meta], problems: &mut Problems) -> Option<Spanned<TypeRef>> {
    let meta = metas_with_key(metas, KubeKey::STATUS).next()?;
    let path = match meta {
        Meta::NameValue(pair) => match &pair.value {
            Expr::Path(path) => Some(path.path.clone()),
            _ => foreign::value_literal(meta).and_then(|path| path.parse().ok()),
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

fn read_schema_mode(metas: &[Meta], problems: &mut Problems) -> SchemaMode {
    let Some(mode) = find_string(metas, KubeKey::SCHEMA, problems) else {
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

fn read_rules(metas: &[Meta], problems: &mut Problems) -> Vec<Validation> {
    metas_with_key(metas, KubeKey::VALIDATION)
        .filter_map(|meta| x_kube::read_validation(meta, problems))
        .collect()
}

/// Returns the plural that kube-derive builds from a singular name in lower case. kube-derive knows
/// no irregular plurals: `fish` becomes `fishes`.
fn pluralize_as_kube(word: &str) -> String {
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

vocabulary! {
    /// Name of a key of kube-derive 5.
    struct KubeKey;

    /// Every name, for lookup and suggestions.
    const ALL;

    const ANNOTATION = "annotation";
    const ATTR = "attr";
    const CATEGORY = "category";
    const CEL = "cel";
    const CRATES = "crates";
    const DEPRECATED = "deprecated";
    const DERIVE = "derive";
    const DOC = "doc";
    const GROUP = "group";
    const KIND = "kind";
    const LABEL = "label";
    const NAMESPACED = "namespaced";
    const NO_SPEC = "no_spec";
    const PLURAL = "plural";
    const PRINTCOLUMN = "printcolumn";
    const ROOT = "root";
    const SCALE = "scale";
    const SCHEMA = "schema";
    const SELECTABLE = "selectable";
    const SERVED = "served";
    const SHORTNAME = "shortname";
    const SINGULAR = "singular";
    const STATUS = "status";
    const STORAGE = "storage";
    const VALIDATION = "validation";
    const VERSION = "version";
}

impl KubeKey {
    pub(super) fn repeats(self) -> bool {
        matches!(
            self,
            Self::ANNOTATION
                | Self::ATTR
                | Self::CATEGORY
                | Self::DERIVE
                | Self::LABEL
                | Self::PRINTCOLUMN
                | Self::SELECTABLE
                | Self::SHORTNAME
                | Self::VALIDATION
        )
    }
}

pub(super) fn metas_with_key(metas: &[Meta], key: KubeKey) -> impl Iterator<Item = &Meta> {
    metas.iter().filter(move |meta| meta.path().is_ident(&key))
}

/// Reads the string of `key = ".."`.
pub(super) fn expect_string(meta: &Meta, problems: &mut Problems) -> Option<Spanned<String>> {
    let text = foreign::value_text(meta);
    if text.is_none() {
        let name = key_name(meta);
        problems.report(
            meta.span(),
            format!("expected a string for `{name}`"),
            format!("write `{name} = \"..\"`"),
        );
    }
    text
}

/// Translates the keys and adds them to `crd`. Returns the span of a `scale` that kube drops
/// because there is no status.
pub(super) fn translate_keys(
    metas: &[Meta],
    has_status: bool,
    crd: &mut Keys,
    problems: &mut Problems,
) -> Flag {
    for (key, ours) in [
        (KubeKey::SHORTNAME, Key::SHORT_NAMES),
        (KubeKey::CATEGORY, Key::CATEGORIES),
    ] {
        let texts: Vec<_> = metas_with_key(metas, key)
            .filter_map(|meta| expect_string(meta, problems))
            .collect();
        if let Some(first) = texts.first() {
            crd.push(KeyValue::new(ours, first.span, Given::Texts(texts.clone())));
        }
    }
    for meta in metas_with_key(metas, KubeKey::SELECTABLE) {
        if let Some(path) = expect_string(meta, problems) {
            crd.push(KeyValue::of_text(Key::SELECTABLE_FIELD, path));
        }
    }
    for (key, ours) in [
        (KubeKey::ANNOTATION, Key::ANNOTATION),
        (KubeKey::LABEL, Key::LABEL),
    ] {
        for meta in metas_with_key(metas, key) {
            push_pair(ours, meta, crd, problems);
        }
    }
    for meta in metas_with_key(metas, KubeKey::PRINTCOLUMN) {
        for given in read_parts(meta, table::PRINTCOLUMN, problems) {
            crd.push(KeyValue::new(Key::PRINTCOLUMN, meta.path().span(), given));
        }
    }
    let Some(meta) = metas_with_key(metas, KubeKey::SCALE).next() else {
        return Flag::default();
    };
    if !has_status {
        return Flag::at(meta.path().span());
    }
    for given in read_parts(meta, table::SCALE, problems).into_iter().take(1) {
        crd.push(KeyValue::new(Key::SCALE, meta.path().span(), given));
    }
    Flag::default()
}

/// Reads `ours("key", "value")`, an annotation or a label, and adds it to `crd`.
fn push_pair(ours: Key, meta: &Meta, crd: &mut Keys, problems: &mut Problems) {
    if let Meta::List(list) = meta
        && let Ok(values) = arguments::parse_values(list.tokens.clone())
        && let [key, value] = values.as_slice()
        && let (Some(key), Some(value)) = (key.text(), value.text())
    {
        let pair = Given::Pair(key, value);
        crd.push(KeyValue::new(ours, meta.path().span(), pair));
        return;
    }
    let help = format!("write `{ours}(\"example.com/owner\", \"value\")`");
    problems.report(
        meta.path().span(),
        format!("expected a key and a value as strings in parentheses for `{ours}`"),
        help,
    );
}

/// Returns kube's name for an argument of `printcolumn` or `scale`. The name differs between call
/// syntax and JSON.
fn kube_name(argument: &Argument, is_call: bool) -> String {
    match argument.key() {
        key if !is_call => key.as_str().to_lower_camel_case(),
        Key::TYPE => "type_".to_owned(),
        key => key.as_str().to_owned(),
    }
}

/// Reads the arguments of a key, in call syntax or as JSON in a string. Older code may have several
/// JSON objects in one string; each counts as if the key were repeated.
fn read_parts(meta: &Meta, known: &[Argument], problems: &mut Problems) -> Vec<Given> {
    let written = match meta {
        Meta::List(list) => vec![read_call_arguments(list.tokens.clone(), problems)],
        meta => read_json_arguments(meta, problems),
    };
    let read = |named| read_entry(meta, named, known, problems);
    written.into_iter().map(read).collect()
}

fn read_entry(
    meta: &Meta,
    written: Vec<NamedArgument>,
    known: &[Argument],
    problems: &mut Problems,
) -> Given {
    let is_call = matches!(meta, Meta::List(_));
    let mut keys = Keys::default();
    let mut is_clear = true;
    for NamedArgument { name, span, value } in written {
        match known.iter().find(|part| kube_name(part, is_call) == name) {
            // kube ignores unknown members of its JSON.
            None if !is_call => {}
            None => is_clear &= report_unknown(&name, span, known, problems),
            Some(part) => match given_value(value) {
                Some(given) => keys.push(KeyValue::new(part.key(), span, given)),
                None => {
                    let message = format!("invalid value for `{name}`");
                    problems.report(span, message, "write a string, or a number for `priority`");
                    is_clear = false;
                }
            },
        }
    }
    let is_missing = |part: &&Argument| part.required && keys.get(part.key()).is_none();
    for part in known.iter().filter(is_missing).filter(|_| is_clear) {
        let name = kube_name(part, is_call);
        let help = if is_call {
            format!("add `{name} = \"..\"`")
        } else {
            format!("add `\"{name}\": \"..\"`")
        };
        problems.report(
            meta.path().span(),
            format!("missing argument `{name}`"),
            help,
        );
    }
    Given::Arguments(keys)
}

/// An argument of `printcolumn` or `scale`, as written.
struct NamedArgument {
    name: String,
    span: Span,
    value: Json,
}

fn read_call_arguments(
    tokens: proc_macro2::TokenStream,
    problems: &mut Problems,
) -> Vec<NamedArgument> {
    let mut found = Vec::new();
    for written in arguments::parse_arguments(tokens, problems) {
        match written.after {
            After::Value(value) => found.push(NamedArgument {
                name: written.name,
                span: written.span,
                value,
            }),
            _ => problems.report(
                written.span,
                format!("`{}` needs a value", written.name),
                format!("write `{} = \"..\"`", written.name),
            ),
        }
    }
    found
}

fn read_json_arguments(meta: &Meta, problems: &mut Problems) -> Vec<Vec<NamedArgument>> {
    let call = if meta.path().is_ident(&KubeKey::SCALE) {
        "write it as a call: `scale(spec_replicas_path = \"..\", status_replicas_path = \"..\")`"
    } else {
        "write it as a call: `printcolumn(name = \"..\", type_ = \"..\", json_path = \"..\")`"
    };
    let Some(literal) = foreign::value_literal(meta) else {
        let message = format!(
            "expected named arguments in parentheses for `{}`",
            foreign::key_name(meta)
        );
        problems.report(meta.path().span(), message, call);
        return Vec::new();
    };
    let span = literal.span();
    let parser = Punctuated::<Json, Token![,]>::parse_terminated;
    let objects: Option<Vec<_>> = literal
        .parse_with(parser)
        .unwrap_or_default()
        .into_iter()
        .map(|json| match json.value {
            JsonValue::Object(members) => Some(
                members
                    .into_iter()
                    .map(|(name, value)| NamedArgument {
                        name: name.value,
                        span,
                        value,
                    })
                    .collect(),
            ),
            _ => None,
        })
        .collect();
    match objects {
        Some(objects) if !objects.is_empty() => objects,
        _ => {
            problems.report(span, "expected a JSON object in the string", call);
            Vec::new()
        }
    }
}

fn report_unknown(name: &str, span: Span, known: &[Argument], problems: &mut Problems) -> bool {
    let names: Vec<String> = known.iter().map(|part| kube_name(part, true)).collect();
    let names: Vec<&str> = names.iter().map(String::as_str).collect();
    let help = suggest::help(name, &names)
        .unwrap_or_else(|| format!("write {}", suggest::either(&names)).into());
    problems.report(span, format!("unknown argument `{name}`"), help);
    false
}

fn given_value(value: Json) -> Option<Given> {
    match value.value {
        JsonValue::String(text) => Some(Given::Text(Spanned::new(text, value.span))),
        JsonValue::Number(number) => Some(Given::Number(Spanned::new(number, value.span))),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::pluralize_as_kube;

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
            assert_eq!(pluralize_as_kube(singular), plural);
        }
    }
}
