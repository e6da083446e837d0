package main

import (
	"encoding/json"
	"flag"
	"os"
	"path/filepath"
	"strings"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/util/managedfields"
	"k8s.io/kube-openapi/pkg/validation/spec"
)

var openapi = flag.String("openapi", "", "folder with JSON documents of /openapi/v3, for cases of Kubernetes' own kinds")

// own lists the definitions of Kubernetes' own kinds in cases.
var own = []string{
	"io.k8s.api.apps.v1.Deployment", "io.k8s.api.core.v1.Service", "io.k8s.api.core.v1.ConfigMap",
	"io.k8s.api.core.v1.Pod", "io.k8s.api.rbac.v1.ClusterRole", "io.k8s.api.networking.v1.Ingress",
	"io.k8s.api.batch.v1.CronJob", "io.k8s.api.coordination.v1.Lease", "io.k8s.api.core.v1.Secret",
	"io.k8s.api.autoscaling.v2.HorizontalPodAutoscaler", "io.k8s.api.policy.v1.PodDisruptionBudget",
	"io.k8s.apiextensions-apiserver.pkg.apis.apiextensions.v1.CustomResourceDefinition",
	"io.k8s.api.apps.v1.ControllerRevision", "io.k8s.api.core.v1.Event",
}

type published struct {
	definitions map[string]object
	converter   managedfields.TypeConverter
}

func readPublished(folder string) (*published, error) {
	files, err := filepath.Glob(filepath.Join(folder, "*.json"))
	if err != nil {
		return nil, err
	}
	p := &published{definitions: map[string]object{}}
	models := map[string]*spec.Schema{}
	for _, file := range files {
		text, err := os.ReadFile(file)
		if err != nil {
			return nil, err
		}
		document := struct {
			Components struct {
				Schemas map[string]json.RawMessage `json:"schemas"`
			} `json:"components"`
		}{}
		if err := json.Unmarshal(text, &document); err != nil {
			return nil, err
		}
		for name, text := range document.Components.Schemas {
			models[name] = &spec.Schema{}
			if err := json.Unmarshal(text, models[name]); err != nil {
				return nil, err
			}
			p.definitions[name] = decoded(text)
		}
	}
	p.converter, err = managedfields.NewTypeConverter(models, false)
	return p, err
}

// schema returns a schema with its references resolved, up to a depth.
func (p *published) schema(s object, depth int) object {
	resolved := object{}
	reference, _ := s["$ref"].(string)
	if all, ok := s["allOf"].([]any); ok && len(all) == 1 {
		reference, _ = all[0].(object)["$ref"].(string)
	}
	if reference != "" {
		name := reference[strings.LastIndex(reference, "/")+1:]
		for key, value := range p.schema(p.definitions[name], depth) {
			resolved[key] = value
		}
		return resolved
	}
	for key, value := range s {
		switch key {
		case "properties":
			properties := object{}
			if depth > 0 {
				for name, property := range value.(object) {
					properties[name] = p.schema(property.(object), depth-1)
				}
			}
			resolved[key] = properties
		case "items", "additionalProperties":
			if below, ok := value.(object); ok && depth > 0 {
				resolved[key] = p.schema(below, depth-1)
			}
		default:
			resolved[key] = value
		}
	}
	if resolved["type"] == "array" && resolved["items"] == nil {
		return object{"type": "integer"}
	}
	if resolved["type"] == nil {
		resolved["x-kubernetes-int-or-string"] = true
	}
	return resolved
}

// oneVersion converts nothing: kinds have a single version.
type oneVersion struct{}

func (oneVersion) Convert(in, out, context any) error { panic("not called") }
func (oneVersion) ConvertFieldLabel(schema.GroupVersionKind, string, string) (string, string, error) {
	panic("not called")
}
func (oneVersion) ConvertToVersion(in runtime.Object, to runtime.GroupVersioner) (runtime.Object, error) {
	from := in.GetObjectKind().GroupVersionKind()
	if gv := to.(schema.GroupVersion); gv != from.GroupVersion() {
		return nil, runtime.NewNotRegisteredErrForKind("oracle", gv.WithKind(from.Kind))
	}
	return in.(*unstructured.Unstructured).DeepCopy(), nil
}

// own makes r a run with a random one of Kubernetes' own kinds.
func (r *run_) own(p *published) error {
	r.definition = own[r.Intn(len(own))]
	parts := strings.Split(r.definition, ".")
	gvk := p.definitions[r.definition]["x-kubernetes-group-version-kind"].([]any)[0].(object)
	kind := schema.GroupVersionKind{
		Group: gvk["group"].(string), Version: gvk["version"].(string), Kind: parts[len(parts)-1],
	}
	r.group, r.kind = kind.Group, kind.Kind
	r.versions = []version{{Name: kind.Version, Schema: p.schema(p.definitions[r.definition], 9)}}
	manager, err := managedfields.NewDefaultFieldManager(p.converter, oneVersion{}, defaulter{}, creater{},
		kind, kind.GroupVersion(), "", nil)
	main := map[string]*managedfields.FieldManager{kind.Version: manager}
	status, err2 := managedfields.NewDefaultFieldManager(p.converter, oneVersion{}, defaulter{}, creater{},
		kind, kind.GroupVersion(), "status", nil)
	if err2 != nil {
		return err2
	}
	r.server = &server{typeConverter: p.converter, main: main, status: map[string]*managedfields.FieldManager{kind.Version: status}}
	return err
}
