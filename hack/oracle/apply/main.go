// Apply prints the results of Kubernetes' field manager for random writes, one JSON case per line.
//
//	go run . -cases 1000 -seed 1 > cases.jsonl
//	APPLY_CASES=$PWD/cases.jsonl cargo test -p genclient-merge --test apply
//
// A case is a CustomResourceDefinition and a sequence of updates and applies by several managers. A
// step has its input, and the resulting object or errors. With -openapi, the objects are of
// Kubernetes' own kinds. With -extract, a step also has the fields that client-go extracts for each
// manager:
//
//	go run . -cases 1000 -seed 1 -extract > cases.jsonl
//	EXTRACT_CASES=$PWD/cases.jsonl cargo test -p genclient --test integration extract
package main

import (
	"bufio"
	"encoding/json"
	"flag"
	"math/rand"
	"os"
	"testing"
	"testing/synctest"

	utilruntime "k8s.io/apimachinery/pkg/util/runtime"
)

var (
	cases = flag.Int("cases", 100, "number of cases")
	steps = flag.Int("steps", 10, "number of steps in a case")
	seed  = flag.Int64("seed", 1, "seed of the first case")
	depth = flag.Int("depth", 4, "nesting depth of schemas")

	extract = flag.Bool("extract", false, "print what client-go extracts for each manager")
)

func main() {
	testing.Init()
	flag.Parse()
	// The default handlers limit the rate of errors: they would sleep, because the time of the last
	// error is from the real clock, outside of the synctest bubble.
	utilruntime.ErrorHandlers = nil
	out := bufio.NewWriterSize(os.Stdout, 1<<20)
	encoder := json.NewEncoder(out)
	var definitions *published
	if *openapi != "" {
		var err error
		if definitions, err = readPublished(*openapi); err != nil {
			panic(err)
		}
	}
	// The clock of a synctest bubble advances only during sleeps, so timestamps are reproducible.
	everything := func(t *testing.T) {
		synctest.Test(t, func(*testing.T) {
			for i := range *cases {
				random := rand.New(rand.NewSource(*seed + int64(i)))
				if err := encoder.Encode(run(random, *seed+int64(i), *steps, definitions)); err != nil {
					panic(err)
				}
			}
			out.Flush()
		})
	}
	// The package testing prints its result to os.Stdout, which is for cases.
	os.Stdout = os.Stderr
	matches := func(string, string) (bool, error) { return true, nil }
	testing.Main(matches, []testing.InternalTest{{Name: "oracle", F: everything}}, nil, nil)
}
