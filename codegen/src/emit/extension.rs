//! Client methods other than the standard verbs.

use super::methods::Methods;
use super::names::ident;
use super::package::docs;
use crate::model::{Method, MethodVerb};
use crate::template::rust;

impl Methods {
    /// Generates a method other than the standard verbs. Its first parameter is the object's name,
    /// except for `create` and `list` without a subresource.
    pub(super) fn extension(&mut self, method: &Method) -> String {
        let result_type = self.type_or_kind(method.result.as_deref());
        let result = self.name("Result");
        let name = ident(&method.name);
        let doc = docs([extension_doc(method).as_str()]);
        let (arguments, call) = self.call(method);
        rust!(doc, name, arguments, result, result_type, call => "
            $doc
            pub async fn $name(&self, $arguments) -> $result<$result_type> {
                self.client.$call.await
            }
        ")
    }

    /// The parameters of the method, and the call into the runtime.
    fn call(&mut self, method: &Method) -> (String, String) {
        let subresource = match &method.subresource {
            Some(subresource) => format!("Some({subresource:?})"),
            None => "None".to_owned(),
        };
        // Without a subresource, `create` and `list` apply to the collection.
        let named = method.subresource.is_some()
            || !matches!(method.verb, MethodVerb::Create | MethodVerb::List);
        let (argument, name) = match (method.verb, named) {
            (MethodVerb::Create | MethodVerb::List, true) => ("name: &str, ", "Some(name)"),
            (_, true) => ("name: &str, ", "name"),
            (_, false) => ("", "None"),
        };
        let (body, value) = self.body(method);
        let call = runtime_call(method.verb);
        let params = self.name(params(method.verb));
        (
            format!("{argument}{body}params: &{params}"),
            format!("{call}({name}, {subresource}, {value}params)"),
        )
    }

    /// The request body, as a parameter and as an argument.
    fn body(&mut self, method: &Method) -> (String, &'static str) {
        match method.verb {
            MethodVerb::Create | MethodVerb::Update | MethodVerb::Apply => {
                let input = self.type_or_kind(method.input.as_deref());
                (format!("input: &{input}, "), "input, ")
            }
            MethodVerb::Patch => {
                let (patch, serialize) = (self.name("Patch"), self.name("Serialize"));
                (format!("patch: &{patch}<impl {serialize}>, "), "patch, ")
            }
            MethodVerb::Get | MethodVerb::List => (String::new(), ""),
        }
    }

    fn type_or_kind(&self, type_path: Option<&str>) -> String {
        type_path.unwrap_or(&self.kind).to_owned()
    }
}

fn runtime_call(verb: MethodVerb) -> &'static str {
    match verb {
        MethodVerb::Create => "create_as",
        MethodVerb::Update => "update_as",
        MethodVerb::List => "list_as",
        MethodVerb::Patch => "patch_as",
        MethodVerb::Apply => "apply_as",
        MethodVerb::Get => "get_as",
    }
}

fn params(verb: MethodVerb) -> &'static str {
    match verb {
        MethodVerb::Create | MethodVerb::Update => "PostParams",
        MethodVerb::List => "ListParams",
        MethodVerb::Patch | MethodVerb::Apply => "PatchParams",
        MethodVerb::Get => "GetParams",
    }
}

fn extension_doc(method: &Method) -> String {
    let what = match method.verb {
        MethodVerb::Create => "Creates",
        MethodVerb::Update => "Replaces",
        MethodVerb::List => "Lists",
        MethodVerb::Patch => "Patches",
        MethodVerb::Apply => "Applies",
        MethodVerb::Get => "Reads",
    };
    if let Some(subresource) = &method.subresource {
        return format!("{what} the subresource `{subresource}` of the object `name`.");
    }
    let object = match method.verb {
        MethodVerb::Create => "an object",
        MethodVerb::List => "objects",
        _ => "the object `name`",
    };
    let name = |path: &str| path.rsplit("::").next().map(str::to_owned);
    let input = method.input.as_deref().and_then(name);
    let input = input.map(|input| format!(" from a `{input}`"));
    let result = method.result.as_deref().and_then(name);
    let result = result.map(|result| format!("; the response is a `{result}`"));
    let [input, result] = [input, result].map(Option::unwrap_or_default);
    format!("{what} {object}{input}{result}.")
}
