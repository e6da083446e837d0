//! PodTemplates (pkg/apis/core/validation).

use genclient_apimachinery::field;
use serde_json::{Value, json};

use crate::cells::{container_cells, format_labels};
use crate::core::pod_spec;
use crate::row::Row;
use crate::strategy::Strategy;
use crate::warnings::{Warnings, bumps_generation};

/// Strategy of PodTemplates (pkg/registry/core/podtemplate, strategy.go).
#[derive(Debug)]
pub(crate) struct PodTemplateStrategy;

impl Strategy for PodTemplateStrategy {
    fn validate(&self, object: &Value, out: &mut field::ErrorList) {
        pod_spec::validate_template(&object["template"], "template", out);
    }

    fn warn_on_create(&self, object: &Value, out: &mut Warnings) {
        pod_spec::warnings::warn_template(&object["template"], "template", out);
    }

    fn warn_on_update(&self, new: &Value, old: &Value, out: &mut Warnings) {
        if bumps_generation(new, old) {
            self.warn_on_create(new, out);
        }
    }

    fn cells(&self, row: Row<'_>) -> Option<Vec<Value>> {
        let template = &row.object["template"];
        let [names, images] = container_cells(&template["spec"]);
        let labels = json!(format_labels(&template["metadata"]["labels"]));
        Some(vec![row.name(), names, images, labels])
    }
}
