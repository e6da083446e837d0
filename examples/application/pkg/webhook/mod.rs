//! Webhooks of Applications: defaults, validation that the schema cannot express, and conversion.

use genclient::webhook;
use genclient_controller::webhook::{
    Admission, Change, Defaulter, Denied, FieldError, Validator, Warnings, Webhooks,
};

use crate::apis::apps::v1beta1::Application;
use crate::client::conversion;

/// Maximum number of replicas of an Application.
pub const MAX_REPLICAS: i32 = 100;

/// An Application with this annotation cannot be deleted.
pub const PROTECTED: &str = "apps.example.io/protected";

/// The webhooks of this program.
pub fn webhooks() -> Webhooks {
    Webhooks::new()
        .defaulter(ApplicationDefaulter)
        .validator(ApplicationValidator)
        .conversion(conversion::applications())
}

/// Fills in the name and the number of replicas.
#[derive(Clone, Copy, Debug)]
pub struct ApplicationDefaulter;

#[webhook]
impl Defaulter for ApplicationDefaulter {
    type Object = Application;

    async fn set_defaults(
        &self,
        application: &mut Application,
        _request: &Admission,
    ) -> Result<(), Denied> {
        let spec = &mut application.spec;
        if spec.name.is_none() {
            spec.name.clone_from(&application.metadata.name);
        }
        spec.replicas.get_or_insert(1);
        Ok(())
    }
}

/// Makes names immutable, limits replicas, protects annotated Applications from deletion, and warns
/// about the image tag `latest`.
#[derive(Clone, Copy, Debug)]
pub struct ApplicationValidator;

#[webhook(operations = ["create", "update", "delete"])]
impl Validator for ApplicationValidator {
    type Object = Application;

    async fn validate(
        &self,
        change: Change<Application>,
        _request: &Admission,
    ) -> Result<Warnings, Denied> {
        let (errors, new) = match change {
            Change::Create(new) => (errors(&new, None), new),
            Change::Update { old, new } => (errors(&new, Some(&old)), new),
            Change::Delete(old) => return deletion(&old),
        };
        if !errors.is_empty() {
            return Err(Denied::invalid(errors));
        }
        let mut warnings = Warnings::none();
        if new.spec.container.image.ends_with(":latest") {
            warnings.push("spec.container.image: the tag `latest` changes what restarted Pods run");
        }
        Ok(warnings)
    }
}

/// Returns the validation errors of an Application that is created or updated.
fn errors(new: &Application, old: Option<&Application>) -> Vec<FieldError> {
    let mut errors = Vec::new();
    let replicas = new.spec.replicas.unwrap_or_default();
    if replicas > MAX_REPLICAS {
        let detail = format!("must be less than or equal to {MAX_REPLICAS}");
        errors.push(FieldError::invalid("spec.replicas", replicas, detail));
    }
    if old.is_some_and(|old| old.spec.name.is_some() && old.spec.name != new.spec.name) {
        errors.push(FieldError::immutable("spec.name", &new.spec.name));
    }
    errors
}

fn deletion(old: &Application) -> Result<Warnings, Denied> {
    let annotations = old.metadata.annotations.as_ref();
    if annotations.is_some_and(|it| it.contains_key(PROTECTED)) {
        let message = format!("remove the annotation {PROTECTED} before the Application");
        return Err(Denied::forbidden(message));
    }
    Ok(Warnings::none())
}
