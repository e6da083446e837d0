// Cel prints the results of cel-go and of the API server's validation for CEL rules, one JSON case
// per line. It reads subject.json and has to run in this folder.
//
//	go run . expressions SEED COUNT   value, error and cost of random expressions
//	go run . schemas SEED COUNT       errors, warnings and remaining budget of random schemas with
//	                                  objects
//	go run . expressions-of FILE      value, error and cost of expressions in a file, one per line
package main

import (
	"bufio"
	"encoding/json"
	"fmt"
	"math/rand"
	"os"
	"strconv"
)

func main() {
	out := bufio.NewWriter(os.Stdout)
	defer out.Flush()
	encoder := json.NewEncoder(out)
	encoder.SetEscapeHTML(false)
	switch os.Args[1] {
	case "expressions":
		random, count := arguments()
		evaluator := newEvaluator()
		for printed := 0; printed < count; {
			if answer, ok := evaluator.answer(expression(random)); ok {
				encoder.Encode(answer)
				printed++
			}
		}
	case "expressions-of":
		evaluator := newEvaluator()
		file, err := os.Open(os.Args[2])
		check(err)
		for lines := bufio.NewScanner(file); lines.Scan(); {
			if answer, ok := evaluator.answer(lines.Text()); ok {
				encoder.Encode(answer)
			} else {
				fmt.Fprintln(os.Stderr, "does not compile:", lines.Text(), evaluator.reason)
			}
		}
	case "schemas":
		random, count := arguments()
		for printed := 0; printed < count; {
			for _, c := range schemaCases(random) {
				encoder.Encode(c)
				printed++
			}
		}
	}
}

func arguments() (*rand.Rand, int) {
	seed, err := strconv.ParseInt(os.Args[2], 10, 64)
	check(err)
	count, err := strconv.Atoi(os.Args[3])
	check(err)
	return rand.New(rand.NewSource(seed)), count
}

func check(err error) {
	if err != nil {
		panic(err)
	}
}
