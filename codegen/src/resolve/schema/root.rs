//! Schema of a kind's whole object: the fields of its type, `apiVersion`, `kind` and `metadata`.

use genclient_syntax::Shape;
use syn::Item;

use super::Resolver;
use super::serde_keys::SerdeSite;
use crate::model::{JsonType, Schema};
use crate::resolve::docs;
use crate::resolve::kind::{Kind, KubeRoot};

impl<'a> Resolver<'a, '_> {
    pub(super) fn kind(&mut self, kind: &Kind<'a>) -> Schema {
        let mut schema = match (&kind.kube, kind.item) {
            (Some(root), _) => self.kube_root(kind, root),
            (None, Item::Struct(item)) => self.root(kind, item),
            (None, _) => Schema::typed(JsonType::Object),
        };
        let text = |description: &str| Schema {
            description: Some(description.to_owned()),
            ..Schema::typed(JsonType::String)
        };
        // The descriptions do not name the version: versions with equal selectable fields must have
        // equal schemas, see `crds::checks::selectable_fields`.
        let meta = [
            ("apiVersion", text("API group and version of this object.")),
            ("kind", text("Kind of this object.")),
            ("metadata", Schema::typed(JsonType::Object)),
        ];
        for (name, property) in meta {
            schema.properties.insert(name.to_owned(), property.into());
            if !(name == "metadata" && requires_metadata(kind)) {
                schema.required.remove(name);
            }
        }
        self.check_status(kind, &schema);
        schema.description = match &kind.kube {
            Some(KubeRoot { doc: Some(doc), .. }) => Some(doc.value.trim().to_owned()),
            _ => docs::description(kind.attributes()),
        };
        self.constrain(&kind.attrs.schema, schema, &Shape::Struct)
    }

    /// Reports a required status. The API server drops the status of a new object, and would then
    /// refuse the object.
    fn check_status(&mut self, kind: &Kind<'a>, schema: &Schema) {
        let Item::Struct(item) = kind.item else {
            return;
        };
        let field = item.fields.iter().find(|field| {
            let name = field.ident.as_ref();
            name.is_some_and(|name| name == "status")
        });
        if let Some(field) = field
            && kind.attrs.status_subresource
            && schema.required.contains("status")
        {
            self.report(
                &field.ty,
                "`status` must not be required: the API server drops it from a new object, and would then refuse the object",
                "make it an `Option<…>`, or add `#[serde(default)]`",
            );
        }
    }

    /// Returns the object schema of a kind's fields.
    fn root(&mut self, kind: &Kind<'a>, item: &'a syn::ItemStruct) -> Schema {
        let container = self.serde(&item.attrs, SerdeSite::Type);
        let attrs = &kind.attrs;
        let schema = self.members(&container, &item.fields, &attrs.fields);
        self.check_choices(&attrs.schema, &item.fields, &container, &schema);
        schema
    }
}

/// True for `#[crd(required)]` on `metadata`. Without the attribute, `metadata` is not required,
/// since the API server sets it on every object.
fn requires_metadata(kind: &Kind<'_>) -> bool {
    let Item::Struct(item) = kind.item else {
        return false;
    };
    let mut fields = item.fields.iter().zip(&kind.attrs.fields);
    fields.any(|(field, attrs)| {
        let name = field.ident.as_ref();
        name.is_some_and(|name| name == "metadata") && attrs.required.is_set()
    })
}
