package main

import (
	"encoding/json"
	"fmt"
	"strings"

	autoscalingv1 "k8s.io/api/autoscaling/v1"
	apiextensionsv1 "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"
	"k8s.io/apiextensions-apiserver/pkg/apiserver/conversion"
	"k8s.io/apiextensions-apiserver/pkg/controller/openapi/builder"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/util/managedfields"
	"k8s.io/apiserver/pkg/util/webhook"
	"k8s.io/kube-openapi/pkg/spec3"
	"sigs.k8s.io/structured-merge-diff/v6/fieldpath"
)

const group, kind = "probe.dev", "Widget"

// version is a version of the CustomResourceDefinition.
type version struct {
	Name     string `json:"name"`
	Schema   object `json:"schema"`
	Status   bool   `json:"status"`
	Replicas string `json:"replicas,omitempty"`
}

// server has the field managers of a definition, created as apiextensions-apiserver does.
type server struct {
	converter     runtime.ObjectConvertor
	main, status  map[string]*managedfields.FieldManager
	scale         map[string]*managedfields.FieldManager
	replicas      managedfields.ResourcePathMappings
	typeConverter managedfields.TypeConverter
}

type creater struct{}

func (creater) New(kind schema.GroupVersionKind) (runtime.Object, error) {
	ret := &unstructured.Unstructured{}
	ret.SetGroupVersionKind(kind)
	return ret, nil
}

type defaulter struct{}

func (defaulter) Default(runtime.Object) {}

func newServer(versions []version) (*server, error) {
	crd := &apiextensionsv1.CustomResourceDefinition{}
	crd.Name = "widgets." + group
	crd.Spec.Group = group
	crd.Spec.Scope = apiextensionsv1.NamespaceScoped
	crd.Spec.Names = apiextensionsv1.CustomResourceDefinitionNames{
		Plural: "widgets", Singular: "widget", Kind: kind, ListKind: kind + "List",
	}
	crd.Spec.Conversion = &apiextensionsv1.CustomResourceConversion{Strategy: apiextensionsv1.NoneConverter}
	for _, v := range versions {
		text, err := json.Marshal(v.Schema)
		if err != nil {
			return nil, err
		}
		props := &apiextensionsv1.JSONSchemaProps{}
		if err := json.Unmarshal(text, props); err != nil {
			return nil, err
		}
		one := apiextensionsv1.CustomResourceDefinitionVersion{
			Name: v.Name, Served: true, Storage: v.Name == "v1",
			Schema:       &apiextensionsv1.CustomResourceValidation{OpenAPIV3Schema: props},
			Subresources: &apiextensionsv1.CustomResourceSubresources{},
		}
		if v.Status {
			one.Subresources.Status = &apiextensionsv1.CustomResourceSubresourceStatus{}
		}
		if v.Replicas != "" {
			one.Subresources.Scale = &apiextensionsv1.CustomResourceSubresourceScale{
				SpecReplicasPath: v.Replicas, StatusReplicasPath: ".status.replicas",
			}
		}
		crd.Spec.Versions = append(crd.Spec.Versions, one)
	}
	var specs []*spec3.OpenAPI
	for _, v := range versions {
		spec, err := builder.BuildOpenAPIV3(crd, v.Name, builder.Options{})
		if err != nil {
			return nil, err
		}
		model := spec.Components.Schemas["dev.probe."+v.Name+"."+kind]
		if len(model.Properties) == 0 {
			return nil, fmt.Errorf("not structural: %v", v.Schema)
		}
		specs = append(specs, spec)
	}
	merged, err := builder.MergeSpecsV3(specs...)
	if err != nil {
		return nil, err
	}
	types, err := managedfields.NewTypeConverter(merged.Components.Schemas, false)
	if err != nil {
		return nil, err
	}
	factory, err := conversion.NewCRConverterFactory(webhook.NewDefaultServiceResolver(), nil)
	if err != nil {
		return nil, err
	}
	safe, _, err := factory.NewConverter(crd)
	if err != nil {
		return nil, err
	}
	s := &server{
		converter: safe, typeConverter: types, replicas: managedfields.ResourcePathMappings{},
		main: map[string]*managedfields.FieldManager{}, status: map[string]*managedfields.FieldManager{},
		scale: map[string]*managedfields.FieldManager{},
	}
	return s, s.addManagers(versions)
}

func (s *server) addManagers(versions []version) error {
	ofStatus := map[fieldpath.APIVersion]*fieldpath.Set{}
	for _, v := range versions {
		if v.Status {
			ofStatus[fieldpath.APIVersion(group+"/"+v.Name)] = fieldpath.NewSet(
				fieldpath.MakePathOrDie("metadata"), fieldpath.MakePathOrDie("spec"))
		}
	}
	for _, v := range versions {
		gv := schema.GroupVersion{Group: group, Version: v.Name}
		s.replicas[gv.String()] = nil
		if v.Replicas != "" {
			path := fieldpath.Path{}
			for _, name := range strings.Split(strings.TrimPrefix(v.Replicas, "."), ".") {
				path = append(path, fieldpath.PathElement{FieldName: &name})
			}
			s.replicas[gv.String()] = path
		}
		ofMain := map[fieldpath.APIVersion]*fieldpath.Set{}
		if v.Status {
			ofMain[fieldpath.APIVersion(gv.String())] = fieldpath.NewSet(fieldpath.MakePathOrDie("status"))
		}
		add := func(to map[string]*managedfields.FieldManager, kind schema.GroupVersionKind, sub string, reset map[fieldpath.APIVersion]*fieldpath.Set) error {
			manager, err := managedfields.NewDefaultCRDFieldManager(s.typeConverter, s.converter, defaulter{},
				creater{}, kind, gv, sub, fieldpath.NewExcludeFilterSetMap(reset))
			to[v.Name] = manager
			return err
		}
		if err := add(s.main, gv.WithKind(kind), "", ofMain); err != nil {
			return err
		}
		if err := add(s.status, gv.WithKind(kind), "status", ofStatus); err != nil {
			return err
		}
		if err := add(s.scale, autoscalingv1.SchemeGroupVersion.WithKind("Scale"), "scale", nil); err != nil {
			return err
		}
	}
	return nil
}

// outcome is the result of a step.
type outcome struct {
	Object object `json:"object,omitempty"`
	// The possible messages of an error: several if the message depends on Go's map order.
	Errors []string `json:"errors,omitempty"`
	// Status code of an error: 400, 409 or 500.
	Code   int                  `json:"code,omitempty"`
	Causes []metav1.StatusCause `json:"causes,omitempty"`
}
