package main

import (
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/util/managedfields"
	"sigs.k8s.io/structured-merge-diff/v6/typed"
)

// extraction has the fields of an object that a manager has applied, as ExtractInto returns them.
type extraction struct {
	Manager     string `json:"manager"`
	Subresource string `json:"subresource,omitempty"`
	APIVersion  string `json:"apiVersion"`
	Fields      object `json:"fields"`
	Error       string `json:"error,omitempty"`
}

// extractions returns those of all managers of an object. The object is converted to the version
// of each manager.
func (r *run_) extractions(live object) []extraction {
	var all []extraction
	entries := (&unstructured.Unstructured{Object: copied(live)}).GetManagedFields()
	for _, entry := range entries {
		if entry.Operation != metav1.ManagedFieldsOperationApply {
			continue
		}
		converted := &unstructured.Unstructured{Object: copied(live)}
		converted.SetAPIVersion(entry.APIVersion)
		e := extraction{
			Manager: entry.Manager, Subresource: entry.Subresource, APIVersion: entry.APIVersion,
			Fields: object{},
		}
		if err := r.extractInto(converted, &e); err != nil {
			e.Error = err.Error()
		}
		all = append(all, e)
	}
	return all
}

func (r *run_) extractInto(live *unstructured.Unstructured, e *extraction) error {
	whole, err := r.server.typeConverter.ObjectToTyped(live)
	if err != nil {
		return err
	}
	of := typed.ParseableType{Schema: whole.Schema(), TypeRef: whole.TypeRef()}
	return managedfields.ExtractInto(live, of, e.Manager, &e.Fields, e.Subresource)
}
