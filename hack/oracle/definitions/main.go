// Definitions validates CustomResourceDefinitions with Kubernetes' own packages, and prints them
// with their errors and warnings, one JSON case per line.
//
//	go run . -cases 100000 -seed 1 > cases.jsonl
//	go run . -folder ../../../tests/golden > golden.jsonl
//	DEFINITIONS=$PWD/cases.jsonl cargo test -p genclient-schema --test integration definitions
//
// Random definitions have up to three mistakes; half of them are updates of an old one. With
// -folder, the cases are the definitions in YAML and JSON files below the folder.
package main

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"flag"
	"fmt"
	"io/fs"
	"math/rand"
	"os"
	"path/filepath"
	"sort"
	"strings"

	"k8s.io/apiextensions-apiserver/pkg/apis/apiextensions"
	apiextensionsv1 "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"
	"k8s.io/apiextensions-apiserver/pkg/registry/customresourcedefinition"
	"k8s.io/apimachinery/pkg/api/validate/content"
	genericvalidation "k8s.io/apimachinery/pkg/api/validation"
	"k8s.io/apimachinery/pkg/runtime"
	utiljson "k8s.io/apimachinery/pkg/util/json"
	"k8s.io/apimachinery/pkg/util/validation/field"
	"sigs.k8s.io/yaml"
)

type result struct {
	Definition json.RawMessage `json:"definition"`
	Old        json.RawMessage `json:"old,omitempty"`
	Create     []string        `json:"create,omitempty"`
	Update     []string        `json:"update,omitempty"`
	Warnings   []string        `json:"warnings,omitempty"`
}

var strategy = customresourcedefinition.NewStrategy(runtime.NewScheme())

func check(err error) {
	if err != nil {
		panic(err)
	}
}

func main() {
	cases := flag.Int("cases", 1000, "number of random cases")
	seed := flag.Int64("seed", 1, "seed of the random generator")
	folder := flag.String("folder", "", "folder with definitions to use instead of random ones")
	longest := flag.Int("longest", 1<<20, "maximum length of a line in bytes; longer cases are left out")
	flag.Parse()
	out := bufio.NewWriter(os.Stdout)
	defer out.Flush()
	print := func(one result) bool {
		line, err := json.Marshal(one)
		check(err)
		if len(line) > *longest {
			return false
		}
		out.Write(line)
		out.WriteByte('\n')
		return true
	}
	if *folder != "" {
		check(filepath.WalkDir(*folder, func(path string, entry fs.DirEntry, err error) error {
			if err == nil && (strings.HasSuffix(path, ".yaml") || strings.HasSuffix(path, ".json")) {
				data, err := os.ReadFile(path)
				check(err)
				for _, document := range bytes.Split(data, []byte("\n---\n")) {
					text, err := yaml.YAMLToJSON(document)
					if err != nil || !bytes.Contains(text, []byte(`"CustomResourceDefinition"`)) {
						continue
					}
					if one, ok := test(text, nil); ok {
						print(one)
					}
				}
			}
			return nil
		}))
		return
	}
	random := Random{rand.New(rand.NewSource(*seed))}
	for done := 0; done < *cases; {
		right := random.definition()
		wrong := clone(right).(object)
		for i := random.Intn(4); i > 0; i-- {
			random.mistake(wrong)
		}
		var old json.RawMessage
		if random.chance(50) {
			before := clone(right).(object)
			if random.chance(30) {
				random.mistake(before)
			}
			random.stored(before)
			random.changed(wrong)
			old = marshal(before)
		}
		if one, ok := test(marshal(wrong), old); ok && print(one) {
			done++
		}
	}
}

func marshal(value any) json.RawMessage {
	text, err := json.Marshal(value)
	check(err)
	return text
}

func decode(text []byte) (*apiextensions.CustomResourceDefinition, bool) {
	v1 := &apiextensionsv1.CustomResourceDefinition{}
	if err := utiljson.Unmarshal(text, v1); err != nil {
		return nil, false
	}
	apiextensionsv1.SetObjectDefaults_CustomResourceDefinition(v1)
	internal := &apiextensions.CustomResourceDefinition{}
	if err := apiextensionsv1.Convert_v1_CustomResourceDefinition_To_apiextensions_CustomResourceDefinition(v1, internal, nil); err != nil {
		return nil, false
	}
	return internal, true
}

func test(text, oldText json.RawMessage) (out result, ok bool) {
	defer func() {
		if recover() != nil {
			ok = false
		}
	}()
	out = result{Definition: text, Old: oldText}
	ctx := context.Background()
	definition, ok := decode(text)
	if !ok {
		return out, false
	}
	defer func() { ok = ok && !evaluated(append(out.Create, out.Update...)) }()
	if oldText == nil {
		strategy.PrepareForCreate(ctx, definition)
		out.Create = lines(strategy.Validate(ctx, definition))
		out.Warnings = strategy.WarningsOnCreate(ctx, definition)
		return out, true
	}
	old, ok := decode(oldText)
	if !ok {
		return out, false
	}
	strategy.PrepareForUpdate(ctx, definition, old)
	errs := genericvalidation.ValidateObjectMetaAccessor(definition, false, pathSegment, field.NewPath("metadata"))
	errs = append(errs, genericvalidation.ValidateObjectMetaAccessorUpdate(definition, old, field.NewPath("metadata"))...)
	out.Update = lines(append(errs, strategy.ValidateUpdate(ctx, definition, old)...))
	out.Warnings = strategy.WarningsOnUpdate(ctx, definition, old)
	sort.Strings(out.Warnings)
	return out, true
}

// evaluated reports whether an error is the result of a CEL rule on a default. Such cases are left
// out: the evaluation of rules has other tests.
func evaluated(lines []string) bool {
	for _, line := range lines {
		for _, sign := range []string{"failed rule: ", "evaluating rule: ", "for rule: ", ": the message"} {
			if strings.Contains(line, ".default") && strings.Contains(line, sign) {
				return true
			}
		}
	}
	return false
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
		if strings.Contains(err.Field, ".default") && (err.Detail == "" && err.Type != field.ErrorTypeDuplicate && !strings.Contains(err.Field, ".default.") || err.Detail == "a\nb") {
			err.Detail = "failed rule: "
		}
		out = append(out, fmt.Sprintf("%s | %s | %s", string(err.Type), err.Field, err.ErrorBody()))
	}
	sort.Strings(out)
	return out
}
