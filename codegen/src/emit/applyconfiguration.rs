//! Apply configurations: a module for each module of the API types.

use super::package::{PackageFiles, RustFile};
use crate::model::Model;

pub(super) fn emit(model: &Model, package: &mut PackageFiles<'_>) {
    if model.apply.is_empty() {
        return;
    }
    let title = "Apply configurations: fields of objects, as one field manager states them by \
                 server-side apply.";
    let source = RustFile {
        docs: vec![title.to_owned()],
        ..RustFile::default()
    };
    package.rust("applyconfiguration/mod.rs", &source);
}
