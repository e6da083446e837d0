// Prints what Kubernetes' field manager makes of random writes, one case a line, as JSON.
//
//	go run . -cases 1000 -seed 1
//
// A case is a custom resource definition and a sequence of writes by several managers. Every step
// has its input and the object or the errors that come of it.
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
	seed  = flag.Int64("seed", 1, "first seed")
	depth = flag.Int("depth", 4, "how deep schemas are")
)

func main() {
	testing.Init()
	flag.Parse()
	// They sleep until the time of the last error, which is outside of the bubble.
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
	// The clock of a bubble stands still but for sleeps, so that times repeat.
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
	// What the package says of tests is no case.
	os.Stdout = os.Stderr
	matches := func(string, string) (bool, error) { return true, nil }
	testing.Main(matches, []testing.InternalTest{{Name: "oracle", F: everything}}, nil, nil)
}
