// Types prints the Go types of built-in kinds, one per line: they decide how the API server
// decodes, encodes and patches bodies. hack/kubernetes-schemas.sh calls it, in this folder:
//
//	data=../../../runtime/apiserver/builtins/data
//	go run . < $data/kinds.tsv > $data/types.tsv
//	go run . protobuf < $data/kinds.tsv > $data/protobuf.tsv
//
// Cells are separated by tabs. A struct has its name and its fields, each as `name:type:options`.
// The name is that of JSON; the options are `o` for omitempty and `z` for omitzero. Fields with
// tags for strategic merge patch continue with `:strategies:merge key`. Fields of an embedded
// struct end with `@` and the path of embedded structs. Other named types have `=` and their
// underlying type, or `!` if they implement json.Unmarshaler. A kind is `@group/version/Kind` and
// its struct.
//
// With `protobuf`, it prints the field numbers of structs: `number:name`, or `number:@struct` for
// an embedded struct.
package main

import (
	"bufio"
	"encoding/json"
	"fmt"
	"os"
	"reflect"
	"sort"
	"strings"

	apiextensions "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/client-go/kubernetes/scheme"
	apiregistration "k8s.io/kube-aggregator/pkg/apis/apiregistration/v1"
)

var (
	lines       = map[string]string{}
	numbers     = map[string]string{}
	unmarshaler = reflect.TypeOf((*json.Unmarshaler)(nil)).Elem()
)

func main() {
	known := runtime.NewScheme()
	must(scheme.AddToScheme(known))
	must(apiextensions.AddToScheme(known))
	must(apiregistration.AddToScheme(known))
	input := bufio.NewScanner(os.Stdin)
	input.Buffer(nil, 1<<20)
	for input.Scan() {
		cells := strings.Split(input.Text(), "\t")
		switch cells[0] {
		case "kind":
			add(known, schema.GroupVersionKind{Group: cells[1], Version: cells[2], Kind: cells[5]})
		case "subresource":
			add(known, schema.GroupVersionKind{Group: cells[2], Version: cells[3], Kind: cells[4]})
		}
	}
	named(reflect.TypeOf(metav1.DeleteOptions{}))
	if len(os.Args) > 1 && os.Args[1] == "protobuf" {
		lines = numbers
	}
	keys := make([]string, 0, len(lines))
	for key := range lines {
		keys = append(keys, key)
	}
	sort.Strings(keys)
	fmt.Println("# The Go types of Kubernetes v0.36.3.")
	for _, key := range keys {
		fmt.Println(key + "\t" + lines[key])
	}
}

func add(known *runtime.Scheme, gvk schema.GroupVersionKind) {
	object, err := known.New(gvk)
	if err != nil {
		return
	}
	name := named(reflect.TypeOf(object).Elem())
	lines["@"+gvk.Group+"/"+gvk.Version+"/"+gvk.Kind] = name
}

func must(err error) {
	if err != nil {
		panic(err)
	}
}

// text returns the notation of a field's type.
func text(t reflect.Type) string {
	if t.PkgPath() != "" {
		return named(t)
	}
	switch t.Kind() {
	case reflect.Pointer:
		return "*" + text(t.Elem())
	case reflect.Slice:
		return "[]" + text(t.Elem())
	case reflect.Map:
		return "map[" + text(t.Key()) + "]" + text(t.Elem())
	}
	return t.String()
}

// named returns the name of a type, and adds a line for it.
func named(t reflect.Type) string {
	path := t.PkgPath()
	for _, prefix := range []string{
		"k8s.io/api/", "k8s.io/apimachinery/pkg/apis/", "k8s.io/apimachinery/pkg/api/", "k8s.io/apimachinery/pkg/util/",
		"k8s.io/apimachinery/pkg/", "k8s.io/apiextensions-apiserver/pkg/apis/", "k8s.io/kube-aggregator/pkg/apis/",
	} {
		path = strings.TrimPrefix(path, prefix)
	}
	name := path + "." + t.Name()
	if _, known := lines[name]; known {
		return name
	}
	lines[name] = ""
	switch {
	case reflect.PointerTo(t).Implements(unmarshaler):
		lines[name] = "!"
	case t.Kind() == reflect.Struct:
		lines[name] = strings.Join(fields(t, ""), "\t")
		number(t, name)
	default:
		lines[name] = "=" + underlying(t)
	}
	return name
}

func underlying(t reflect.Type) string {
	switch t.Kind() {
	case reflect.Slice:
		return "[]" + text(t.Elem())
	case reflect.Map:
		return "map[" + text(t.Key()) + "]" + text(t.Elem())
	}
	return t.Kind().String()
}

// number adds the field numbers of a struct, and of the structs that it embeds.
func number(t reflect.Type, name string) {
	var out []string
	for i := range t.NumField() {
		field := t.Field(i)
		parts := strings.Split(field.Tag.Get("protobuf"), ",")
		if len(parts) < 2 {
			continue
		}
		inner := field.Type
		if inner.Kind() == reflect.Pointer {
			inner = inner.Elem()
		}
		json, _, _ := strings.Cut(field.Tag.Get("json"), ",")
		if field.Anonymous && json == "" {
			json = "@" + name + "." + field.Name
			number(inner, json[1:])
		}
		out = append(out, parts[1]+":"+json)
	}
	if len(out) > 0 {
		numbers[name] = strings.Join(out, "\t")
	}
}

// fields returns the fields of a struct in order; an embedded struct is replaced by its fields.
func fields(t reflect.Type, embedded string) []string {
	var out []string
	for i := range t.NumField() {
		field := t.Field(i)
		name, options, _ := strings.Cut(field.Tag.Get("json"), ",")
		if name == "-" || !field.IsExported() {
			continue
		}
		if field.Anonymous && name == "" {
			inner := field.Type
			if inner.Kind() == reflect.Pointer {
				inner = inner.Elem()
			}
			out = append(out, fields(inner, strings.TrimPrefix(embedded+"."+field.Name, "."))...)
			continue
		}
		if name == "" {
			name = field.Name
		}
		cell := name + ":" + text(field.Type) + ":"
		if strings.Contains(options, "omitempty") {
			cell += "o"
		}
		if strings.Contains(options, "omitzero") {
			cell += "z"
		}
		strategy, key := field.Tag.Get("patchStrategy"), field.Tag.Get("patchMergeKey")
		if strategy != "" || key != "" {
			cell += ":" + strategy + ":" + key
		}
		if embedded != "" && embedded != "TypeMeta" {
			cell += "@" + embedded
		}
		out = append(out, cell)
	}
	return out
}
