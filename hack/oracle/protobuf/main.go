// Protobuf prints random objects of Kubernetes' own kinds as JSON and as protobuf, one per line.
//
//	root=../../../runtime/apiserver
//	go run . -count 200 -longest 900 < $root/data/kinds.tsv > $root/tests/protobuf/sample.jsonl
//
// A line has `kind`, `json` (the object as client-go sends it) and `protobuf` (the same object in
// base64). The tests `protobuf` of genclient-apiserver also check PROTOBUF_CASES=FILE.
package main

import (
	"bufio"
	"bytes"
	"encoding/json"
	"flag"
	"fmt"
	"math/rand"
	"os"
	"strings"

	apiextensions "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"
	"k8s.io/apimachinery/pkg/api/apitesting/fuzzer"
	metafuzzer "k8s.io/apimachinery/pkg/apis/meta/fuzzer"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"
	runtimejson "k8s.io/apimachinery/pkg/runtime/serializer/json"
	"k8s.io/apimachinery/pkg/runtime/serializer/protobuf"

	"k8s.io/apimachinery/pkg/runtime/serializer"
	"k8s.io/client-go/kubernetes/scheme"
	"sigs.k8s.io/randfill"
)

func main() {
	count := flag.Int("count", 200, "number of objects")
	seed := flag.Int64("seed", 1, "seed of the random generator")
	longest := flag.Int("longest", 4000, "maximum length of an object's JSON in bytes; longer ones are left out")
	flag.Parse()
	known := runtime.NewScheme()
	must(scheme.AddToScheme(known))
	must(apiextensions.AddToScheme(known))
	kinds := kinds(known)
	filler := fuzzer.FuzzerFor(fuzzer.MergeFuzzerFuncs(metafuzzer.Funcs, own), rand.NewSource(*seed), serializer.NewCodecFactory(known)).
		NilChance(0.6).NumElements(1, 2).MaxDepth(14)
	asProtobuf := protobuf.NewSerializer(known, known)
	asJSON := runtimejson.NewSerializerWithOptions(runtimejson.DefaultMetaFactory, known, known, runtimejson.SerializerOptions{})
	output := json.NewEncoder(os.Stdout)
	for printed, number := 0, 0; printed < *count; number++ {
		kind := kinds[number%len(kinds)]
		object, err := known.New(kind)
		must(err)
		filler.Fill(object)
		object.GetObjectKind().SetGroupVersionKind(kind)
		var message, text bytes.Buffer
		must(asProtobuf.Encode(object, &message))
		// Decoding drops what protobuf cannot express, such as an empty list.
		read, _, err := asProtobuf.Decode(message.Bytes(), nil, nil)
		must(err)
		read.GetObjectKind().SetGroupVersionKind(kind)
		must(asJSON.Encode(read, &text))
		if text.Len() > *longest {
			continue
		}
		must(output.Encode(map[string]any{
			"kind": fmt.Sprintf("%s/%s/%s", kind.Group, kind.Version, kind.Kind),
			"json": json.RawMessage(text.Bytes()), "protobuf": message.Bytes(),
		}))
		printed++
	}
}

// kinds returns the kinds of kinds.tsv that have metadata.
func kinds(known *runtime.Scheme) []schema.GroupVersionKind {
	var out []schema.GroupVersionKind
	input := bufio.NewScanner(os.Stdin)
	input.Buffer(nil, 1<<20)
	for input.Scan() {
		cells := strings.Split(input.Text(), "\t")
		if cells[0] != "kind" {
			continue
		}
		kind := schema.GroupVersionKind{Group: cells[1], Version: cells[2], Kind: cells[5]}
		object, err := known.New(kind)
		if _, isObject := object.(metav1.Object); err == nil && isObject {
			out = append(out, kind)
		}
	}
	return out
}

// own returns fuzzer functions for types whose random values JSON or protobuf could not express.
func own(codecs serializer.CodecFactory) []any {
	return []any{
		func(raw *runtime.RawExtension, c randfill.Continue) { raw.Raw = []byte(`{"a":1}`) },
		func(raw *apiextensions.JSON, c randfill.Continue) { raw.Raw = []byte(`"a"`) },
		func(fields *metav1.FieldsV1, c randfill.Continue) { fields.Raw = []byte(`{"f:a":{}}`) },
		func(props *apiextensions.JSONSchemaPropsOrArray, c randfill.Continue) {
			if c.Bool() {
				props.Schema = &apiextensions.JSONSchemaProps{Type: "string"}
			} else {
				props.JSONSchemas = []apiextensions.JSONSchemaProps{{Type: "a"}, {Type: "b"}}
			}
		},
		func(props *apiextensions.JSONSchemaPropsOrBool, c randfill.Continue) {
			props.Allows = true
			if c.Bool() {
				props.Schema = &apiextensions.JSONSchemaProps{Type: "string"}
			}
		},
		func(props *apiextensions.JSONSchemaPropsOrStringArray, c randfill.Continue) {
			if c.Bool() {
				props.Schema = &apiextensions.JSONSchemaProps{Type: "string"}
			} else {
				props.Property = []string{"a"}
			}
		},
	}
}

func must(err error) {
	if err != nil {
		panic(err)
	}
}
