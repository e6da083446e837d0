// Objects prints the results of Kubernetes' own packages for random custom resources: pruning,
// defaulting, metadata, validation of create, update and status, selectable fields, columns.
//
//	go run . -cases 100000 -seed 1 > cases.jsonl
//	OBJECTS=$PWD/cases.jsonl cargo test -p genclient-schema --test integration objects
//
// The first line has formatted durations. Then follow groups of a line with a schema and lines with
// objects of that schema and their results.
package main

import (
	"bufio"
	"context"
	"encoding/json"
	"flag"
	"fmt"
	"math/rand"
	"os"
	"sort"
	"time"

	"k8s.io/apiextensions-apiserver/pkg/apis/apiextensions"
	apiextensionsv1 "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"
	structuralschema "k8s.io/apiextensions-apiserver/pkg/apiserver/schema"
	"k8s.io/apiextensions-apiserver/pkg/apiserver/schema/defaulting"
	"k8s.io/apiextensions-apiserver/pkg/apiserver/schema/objectmeta"
	"k8s.io/apiextensions-apiserver/pkg/apiserver/schema/pruning"
	apiservervalidation "k8s.io/apiextensions-apiserver/pkg/apiserver/validation"
	"k8s.io/apiextensions-apiserver/pkg/registry/customresource"
	"k8s.io/apiextensions-apiserver/pkg/registry/customresource/tableconvertor"
	"k8s.io/apimachinery/pkg/api/validate/content"
	genericvalidation "k8s.io/apimachinery/pkg/api/validation"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/util/duration"
	utiljson "k8s.io/apimachinery/pkg/util/json"
	"k8s.io/apimachinery/pkg/util/validation/field"
	"k8s.io/apiserver/pkg/registry/rest"
)

var kind = schema.GroupVersionKind{Group: "example.com", Version: "v1", Kind: "Widget"}

type definition struct {
	Schema     json.RawMessage `json:"schema"`
	Namespaced bool            `json:"namespaced"`
	Scale      any             `json:"scale,omitempty"`
	Selectable []string        `json:"selectable"`
	Columns    []column        `json:"columns"`
}

type column struct {
	Name     string `json:"name"`
	Type     string `json:"type"`
	JSONPath string `json:"jsonPath"`
}

type result struct {
	Object json.RawMessage `json:"object"`
	Old    json.RawMessage `json:"old"`
	// Possible errors of decoding: which of several is returned is random.
	Errors   []string          `json:"errors,omitempty"`
	Unknown  []string          `json:"unknown,omitempty"`
	Decoded  json.RawMessage   `json:"decoded,omitempty"`
	Create   []string          `json:"create,omitempty"`
	Update   []string          `json:"update,omitempty"`
	Status   []string          `json:"status,omitempty"`
	Warnings []string          `json:"warnings,omitempty"`
	Fields   map[string]string `json:"fields,omitempty"`
	Cells    []any             `json:"cells,omitempty"`
}

func check(err error) {
	if err != nil {
		panic(err)
	}
}

func main() {
	cases := flag.Int("cases", 1000, "number of objects")
	seed := flag.Int64("seed", 1, "seed of the random generator")
	perSchema := flag.Int("per-schema", 5, "number of objects for each schema")
	longest := flag.Int("longest", 1<<20, "maximum length of an object's line in bytes; longer ones are left out")
	flag.Parse()
	out := bufio.NewWriter(os.Stdout)
	defer out.Flush()
	encoder := json.NewEncoder(out)
	encoder.SetEscapeHTML(false)
	random := Random{rand.New(rand.NewSource(*seed))}
	durations(encoder, random)
	for done := 0; done < *cases; {
		tester := newTester(random)
		if tester == nil {
			continue
		}
		check(encoder.Encode(tester.definition))
		for i := 0; i < *perSchema && done < *cases; i++ {
			line, err := json.Marshal(tester.test(random))
			check(err)
			if len(line) <= *longest {
				check(encoder.Encode(json.RawMessage(line)))
				done++
			}
		}
	}
}

func durations(encoder *json.Encoder, random Random) {
	texts := map[string]string{}
	for i := 0; i < 60; i++ {
		seconds := random.Int63n(1 << uint(1+random.Intn(29)))
		texts[fmt.Sprint(seconds-3)] = duration.HumanDuration(time.Duration(seconds-3) * time.Second)
	}
	check(encoder.Encode(map[string]any{"durations": texts}))
}

type strategy interface {
	rest.RESTCreateStrategy
	rest.RESTUpdateStrategy
}

type tester struct {
	definition
	schema     object
	structural *structuralschema.Structural
	create     strategy
	status     interface {
		ValidateUpdate(ctx context.Context, obj, old runtime.Object) field.ErrorList
	}
	attrs func(obj runtime.Object) (map[string]string, error)
	table rest.TableConvertor
}

func newTester(random Random) *tester {
	root := object{"type": "object", "properties": object{"spec": random.schema(3)}}
	properties := root["properties"].(object)
	if random.chance(60) {
		properties["status"] = random.schema(2)
	}
	if random.chance(30) {
		properties["extra"] = random.schema(1)
	}
	if random.chance(30) {
		properties["metadata"] = object{"type": "object"}
		properties["apiVersion"] = object{"type": "string"}
		properties["kind"] = object{"type": "string"}
	}
	if random.chance(5) {
		properties["metadata"] = object{"type": "object", "properties": object{"name": object{"type": "string", "maxLength": int64(2)}}}
	}
	if random.chance(20) {
		root["required"] = []any{pick(random, "spec", "status", "x")}
	}
	if random.chance(5) {
		root["x-kubernetes-preserve-unknown-fields"] = true
	}
	if spec := properties["spec"].(object); random.chance(30) && spec["type"] == "object" {
		spec["x-kubernetes-validations"] = []any{object{"rule": "true"}}
	}
	test := &tester{schema: root}
	test.Schema = text(root)
	test.Namespaced = random.chance(70)

	var v1 apiextensionsv1.JSONSchemaProps
	check(json.Unmarshal(test.Schema, &v1))
	internal := &apiextensions.JSONSchemaProps{}
	check(apiextensionsv1.Convert_v1_JSONSchemaProps_To_apiextensions_JSONSchemaProps(&v1, internal, nil))
	structural, err := structuralschema.NewStructural(internal)
	if err != nil {
		return nil
	}
	test.structural = structural
	validator, _, err := apiservervalidation.NewSchemaValidator(internal)
	check(err)
	var statusValidator apiservervalidation.SchemaValidator
	if statusSchema, ok := internal.Properties["status"]; ok {
		statusValidator, _, err = apiservervalidation.NewSchemaValidator(&statusSchema)
		check(err)
	}
	var scale *apiextensions.CustomResourceSubresourceScale
	if random.chance(50) {
		selector := pick(random, ".status.c", ".spec.d", ".status.a.b")
		scale = &apiextensions.CustomResourceSubresourceScale{
			SpecReplicasPath:   pick(random, ".spec.a", ".spec.b", ".spec.a.b"),
			StatusReplicasPath: pick(random, ".status.a", ".status.b.c"),
		}
		of := object{"specReplicasPath": scale.SpecReplicasPath, "statusReplicasPath": scale.StatusReplicasPath}
		if random.chance(70) {
			scale.LabelSelectorPath = &selector
			of["labelSelectorPath"] = selector
		}
		test.Scale = of
	}
	var selectable []apiextensionsv1.SelectableField
	for _, path := range []string{".spec.a", ".spec.b", ".spec.c.d", ".extra"} {
		if random.chance(50) {
			selectable = append(selectable, apiextensionsv1.SelectableField{JSONPath: path})
			test.Selectable = append(test.Selectable, path)
		}
	}
	var columns []apiextensionsv1.CustomResourceColumnDefinition
	for i := 0; i < 3; i++ {
		path := pick(random, ".spec", ".spec.a", ".spec.b", ".spec.c.d", ".spec.a[0]", ".spec.b[*].a", ".spec['c']", ".spec.a[-1]",
			".spec.a[0:2]", ".spec.b[?(@.a==1)].b", ".spec.b[?(@.a)].b", ".spec.b[?(@.a=='x')].b", ".spec.c[1,0]", ".metadata.name",
			".spec.a[::2]", ".spec.a[:1]", ".spec.b[?(@.a!=1)]", ".spec.b[?(@.a>=1.5)].b", ".metadata.labels.x\\.y/z", ".spec.a[0].b", "$.spec.e", ".spec.d[5]",
			".spec.a[*][0]", "'x'", "12", "true", ".spec.b[?(@.a)]", ".spec[", ".spec.a[1:0]", ".spec['a','b']", ".spec.d")
		type_ := pick(random, "string", "integer", "number", "boolean")
		columns = append(columns, apiextensionsv1.CustomResourceColumnDefinition{Name: "n", Type: type_, JSONPath: path})
		test.Columns = append(test.Columns, column{"n", type_, path})
	}
	if table, err := tableconvertor.New(columns); err == nil {
		test.table = table
	}
	made := customresource.NewStrategy(unstructuredTyper{}, test.Namespaced, kind, validator, statusValidator, structural,
		&apiextensions.CustomResourceSubresourceStatus{}, scale, selectable)
	test.create = made
	test.status = customresource.NewStatusStrategy(made)
	test.attrs = func(obj runtime.Object) (map[string]string, error) {
		_, fields, err := made.GetAttrs(obj)
		return fields, err
	}
	return test
}

type unstructuredTyper struct{}

func (unstructuredTyper) ObjectKinds(runtime.Object) ([]schema.GroupVersionKind, bool, error) {
	return []schema.GroupVersionKind{kind}, false, nil
}
func (unstructuredTyper) Recognizes(schema.GroupVersionKind) bool { return true }

func (t *tester) resource(random Random, wrong int) object {
	out := random.members(t.schema, wrong)
	out["apiVersion"], out["kind"] = "example.com/v1", "Widget"
	if random.chance(3) {
		out["apiVersion"] = pick[any](random, "example.com/v2", "v1", "a/b/c", int64(1))
	}
	if random.chance(2) {
		out["kind"] = pick[any](random, "Gadget", "", int64(1))
	}
	delete(out, "metadata")
	if random.chance(97) {
		out["metadata"] = random.metadata(wrong)
	}
	return out
}

func (t *tester) test(random Random) result {
	wrong := pick(random, 0, 2, 5, 10)
	oldObject := t.resource(random, wrong)
	newObject := random.changed(oldObject, t.schema, random.Intn(4)).(object)
	if random.chance(50) {
		newObject["metadata"] = random.metadata(wrong)
	}
	out := result{Object: text(newObject), Old: text(oldObject)}
	object, unknown, err := t.decode(out.Object)
	if err != nil {
		found := map[string]bool{}
		for i := 0; i < 20 && err != nil; i++ {
			if !found[err.Error()] {
				found[err.Error()] = true
				out.Errors = append(out.Errors, err.Error())
			}
			_, _, err = t.decode(out.Object)
		}
		return out
	}
	out.Unknown, out.Decoded = unknown, text(object.Object)
	ctx := context.Background()
	out.Warnings = t.create.WarningsOnCreate(ctx, object)
	errs := t.create.Validate(ctx, object)
	if len(errs) == 0 {
		errs = genericvalidation.ValidateObjectMetaAccessor(object, t.Namespaced, pathSegment, field.NewPath("metadata"))
	}
	out.Create = lines(errs)
	fields, err := t.attrs(object)
	if err == nil {
		out.Fields = fields
	}
	if t.table != nil {
		table, err := t.table.ConvertToTable(ctx, object, nil)
		check(err)
		out.Cells = table.Rows[0].Cells[1:]
	}
	old, _, err := t.decode(out.Old)
	if err != nil {
		return out
	}
	common := genericvalidation.ValidateObjectMetaAccessor(object, t.Namespaced, pathSegment, field.NewPath("metadata"))
	common = append(common, genericvalidation.ValidateObjectMetaAccessorUpdate(object, old, field.NewPath("metadata"))...)
	out.Update = lines(append(common[:len(common):len(common)], t.create.ValidateUpdate(ctx, object, old)...))
	out.Status = lines(append(common[:len(common):len(common)], t.status.ValidateUpdate(ctx, object, old)...))
	return out
}

// decode does the same as unstructuredSchemaCoercer of apiextensions-apiserver, then defaulting.
func (t *tester) decode(data []byte) (*unstructured.Unstructured, []string, error) {
	u := &unstructured.Unstructured{}
	check(utiljson.Unmarshal(data, &u.Object))
	kindText, foundKind, err := unstructured.NestedString(u.Object, "kind")
	if err != nil {
		return nil, nil, err
	}
	apiVersion, foundAPIVersion, err := unstructured.NestedString(u.Object, "apiVersion")
	if err != nil {
		return nil, nil, err
	}
	meta, foundMeta, unknown, err := objectmeta.GetObjectMetaWithOptions(u.Object, objectmeta.ObjectMetaOptions{ReturnUnknownFieldPaths: true})
	if err != nil {
		return nil, nil, err
	}
	if _, err := schema.ParseGroupVersion(apiVersion); err != nil {
		return nil, nil, err
	}
	unknown = append(unknown, pruning.PruneWithOptions(u.Object, t.structural, true, structuralschema.UnknownFieldPathOptions{TrackUnknownFieldPaths: true})...)
	defaulting.PruneNonNullableNullsWithoutDefaults(u.Object, t.structural)
	fieldErr, paths := objectmeta.CoerceWithOptions(nil, u.Object, t.structural, false, objectmeta.CoerceOptions{ReturnUnknownFieldPaths: true})
	if fieldErr != nil {
		return nil, nil, fieldErr
	}
	unknown = append(unknown, paths...)
	if foundKind {
		u.SetKind(kindText)
	}
	if foundAPIVersion {
		u.SetAPIVersion(apiVersion)
	}
	if foundMeta {
		check(objectmeta.SetObjectMeta(u.Object, meta))
	}
	defaulting.Default(u.Object, t.structural)
	return u, unknown, nil
}

func pathSegment(name string, prefix bool) []string {
	if prefix {
		return content.IsPathSegmentPrefix(name)
	}
	return content.IsPathSegmentName(name)
}

func lines(errs field.ErrorList) []string {
	var out []string
	for _, err := range errs {
		out = append(out, fmt.Sprintf("%s | %s | %s", string(err.Type), err.Field, err.ErrorBody()))
	}
	sort.Strings(out)
	return out
}
