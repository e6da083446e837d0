// Patch prints random patches with the results of the code that kube-apiserver uses, one JSON case
// per line.
//
//	cases=../../../runtime/apiserver/tests/patches
//	go run . -mode strategic -seed 1 -count 400 > $cases/strategic.jsonl
//
// The modes are strategic, json and merge. Cases whose result depends on Go's map order are left
// out. The tests `patches` of genclient-apiserver also check PATCH_CASES=FILE.
package main

import (
	"bytes"
	"encoding/json"
	"flag"
	"fmt"
	"math/rand"
	"os"

	jsonpatch "gopkg.in/evanphx/json-patch.v4"
)

type outcome struct {
	Result  json.RawMessage `json:"result,omitempty"`
	Code    int             `json:"code,omitempty"`
	Message string          `json:"message,omitempty"`
}

type kase struct {
	Mode  string          `json:"mode"`
	Kind  string          `json:"kind,omitempty"`
	Doc   json.RawMessage `json:"doc"`
	Patch json.RawMessage `json:"patch"`
	outcome
}

const generic = "the server rejected our request due to an error in our request"

func main() {
	mode := flag.String("mode", "strategic", "strategic, json or merge")
	seed := flag.Int64("seed", 1, "seed of the random generator")
	count := flag.Int("count", 1000, "number of cases")
	flag.Parse()
	jsonpatch.AccumulatedCopySizeLimit = 3 << 20
	random := rand.New(rand.NewSource(*seed))
	out := json.NewEncoder(os.Stdout)
	out.SetEscapeHTML(false)
	for printed := 0; printed < *count; {
		one, certain := generated(random, *mode)
		if !certain {
			continue
		}
		if err := out.Encode(one); err != nil {
			panic(err)
		}
		printed++
	}
}

func generated(random *rand.Rand, mode string) (kase, bool) {
	one := kase{Mode: mode}
	var apply func() outcome
	switch mode {
	case "strategic":
		live, patch, object := strategicCase(random)
		one.Kind = object.GetObjectKind().GroupVersionKind().Kind
		one.Doc, one.Patch = text(live), text(patch)
		apply = func() outcome { return applyStrategic(one.Doc, one.Patch, object) }
	case "json":
		one.Doc = text(anyObject(random, 3))
		one.Patch = operations(random, one.Doc)
		apply = func() outcome { return applyJSON(one.Doc, one.Patch) }
	case "merge":
		one.Doc = text(anyObject(random, 3))
		one.Patch = text(anyObject(random, 3))
		apply = func() outcome { return applyMerge(one.Doc, one.Patch) }
	}
	one.outcome = guarded(apply)
	repetitions := 6
	if one.Code == 500 || bytes.Contains(one.Patch, []byte("$deleteFrom")) {
		repetitions = 60 // these depend on map order more rarely
	}
	for range repetitions {
		again := guarded(apply)
		if again.Code != one.Code || again.Message != one.Message || !bytes.Equal(again.Result, one.Result) {
			return one, false
		}
	}
	return one, one.Code != -1
}

// guarded returns the code -1 if Kubernetes' code panics: the case is left out.
func guarded(apply func() outcome) (out outcome) {
	defer func() {
		if recover() != nil {
			out = outcome{Code: -1}
		}
	}()
	return apply()
}

func applyJSON(doc, patch []byte) outcome {
	decoded, err := jsonpatch.DecodePatch(patch)
	if err != nil {
		return outcome{Code: 400}
	}
	result, err := decoded.Apply(doc)
	if err != nil {
		return outcome{Code: 422, Message: generic}
	}
	return outcome{Result: result}
}

func applyMerge(doc, patch []byte) outcome {
	result, err := jsonpatch.MergePatch(doc, patch)
	if err != nil {
		return outcome{Code: 400, Message: err.Error()}
	}
	return outcome{Result: result}
}

func text(value any) json.RawMessage {
	out := &bytes.Buffer{}
	encoder := json.NewEncoder(out)
	if err := encoder.Encode(value); err != nil {
		panic(fmt.Sprint(err, value))
	}
	return bytes.TrimSpace(out.Bytes())
}
