//! Access to the attributes of an item.

/// Returns the attributes of an item. The list is empty for tokens that syn does not interpret.
pub(crate) fn item_attributes(item: &syn::Item) -> &[syn::Attribute] {
    use syn::Item;
    match item {
        Item::Const(item) => &item.attrs,
        Item::Enum(item) => &item.attrs,
        Item::ExternCrate(item) => &item.attrs,
        Item::Fn(item) => &item.attrs,
        Item::ForeignMod(item) => &item.attrs,
        Item::Impl(item) => &item.attrs,
        Item::Macro(item) => &item.attrs,
        Item::Mod(item) => &item.attrs,
        Item::Static(item) => &item.attrs,
        Item::Struct(item) => &item.attrs,
        Item::Trait(item) => &item.attrs,
        Item::TraitAlias(item) => &item.attrs,
        Item::Type(item) => &item.attrs,
        Item::Union(item) => &item.attrs,
        Item::Use(item) => &item.attrs,
        _ => &[],
    }
}

/// Returns the attributes of an item and, for an impl or a trait, of its members.
pub(crate) fn attributes_within(item: &syn::Item) -> Vec<&syn::Attribute> {
    let mut found: Vec<_> = item_attributes(item).iter().collect();
    match item {
        syn::Item::Impl(item) => found.extend(item.items.iter().flat_map(impl_item_attributes)),
        syn::Item::Trait(item) => found.extend(item.items.iter().flat_map(trait_item_attributes)),
        _ => {}
    }
    found
}

fn impl_item_attributes(item: &syn::ImplItem) -> &[syn::Attribute] {
    use syn::ImplItem;
    match item {
        ImplItem::Const(item) => &item.attrs,
        ImplItem::Fn(item) => &item.attrs,
        ImplItem::Type(item) => &item.attrs,
        _ => &[],
    }
}

fn trait_item_attributes(item: &syn::TraitItem) -> &[syn::Attribute] {
    use syn::TraitItem;
    match item {
        TraitItem::Const(item) => &item.attrs,
        TraitItem::Fn(item) => &item.attrs,
        TraitItem::Type(item) => &item.attrs,
        _ => &[],
    }
}
