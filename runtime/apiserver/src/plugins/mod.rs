//! Admission plug-ins. As in kube-apiserver, the built-in plug-ins of this server run before
//! webhooks. Plug-ins that a test adds run between them.
//!
//! Source: `AllOrderedPlugins` of pkg/kubeapiserver/options in Kubernetes' sources.

mod context;
mod priority;
mod tolerations;
mod webhooks;

pub(crate) use self::context::Plugins;
use self::webhooks::Reinvocation;
use crate::admission::AdmissionRequest;
use crate::status_error::StatusError;

impl Plugins<'_> {
    /// Returns whether any plug-in handles writes of the request's kind.
    pub(crate) fn handle_writes(&self) -> bool {
        let kind = &self.request.kind;
        let concerns_builtin_plugins = priority::handles(kind) || tolerations::handles(kind);
        concerns_builtin_plugins || self.has_plugins_or_webhooks()
    }

    /// Returns whether a test has added plug-ins, or webhooks are configured. Returns false while
    /// `ApiServerBuilder` creates its objects, since neither handles these writes.
    fn has_plugins_or_webhooks(&self) -> bool {
        let has_any = || !self.state.admission.is_empty() || webhooks::are_configured(self.state);
        self.state.is_built() && has_any()
    }

    /// Runs the mutating plug-ins. If a webhook changes the object, the plug-ins run a second time.
    /// A webhook is called again only if it has `reinvocationPolicy: IfNeeded` and the object has
    /// changed after its first call (`reinvoker` in k8s.io/apiserver/pkg/admission).
    pub(crate) async fn mutate(&self, admission: &mut AdmissionRequest) -> Result<(), StatusError> {
        let mut reinvocation = Reinvocation::default();
        self.mutate_once(admission, &mut reinvocation).await?;
        if reinvocation.is_needed() {
            reinvocation.begin();
            self.mutate_once(admission, &mut reinvocation).await?;
        }
        Ok(())
    }

    async fn mutate_once(
        &self,
        admission: &mut AdmissionRequest,
        reinvocation: &mut Reinvocation,
    ) -> Result<(), StatusError> {
        priority::mutate(self.state, admission)?;
        tolerations::add_default_tolerations(admission);
        if !self.has_plugins_or_webhooks() {
            return Ok(());
        }
        for plugin in &self.state.admission {
            let Some(mut object) = admission.object.clone() else {
                break;
            };
            plugin
                .mutate(admission, &mut object)
                .await
                .map_err(|denied| denied.into_status_error(admission))?;
            if admission.object.as_ref() != Some(&object) {
                let kind = &self.request.kind;
                let object = kind.decode_admitted(&admission.subresource, object);
                admission.object = Some(object.map_err(StatusError::internal)?);
            }
        }
        webhooks::mutate(*self, admission, reinvocation).await
    }

    /// Runs the validating plug-ins, which may reject a write.
    pub(crate) async fn validate(&self, admission: &AdmissionRequest) -> Result<(), StatusError> {
        priority::validate(self.state, admission)?;
        if !self.has_plugins_or_webhooks() {
            return Ok(());
        }
        for plugin in &self.state.admission {
            plugin
                .validate(admission)
                .await
                .map_err(|denied| denied.into_status_error(admission))?;
        }
        webhooks::validate(*self, admission).await
    }
}
