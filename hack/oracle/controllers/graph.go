package main

import (
	"fmt"
	"math/rand"
)

// graph is a case: objects with owner references, steps, and the objects' states after each step.
type graph struct {
	Seed    int64    `json:"seed"`
	Objects []object `json:"objects"`
	Steps   []step   `json:"steps"`
	// States has the states after the creation of all objects, and after each step.
	States [][]*state `json:"states"`
}

type object struct {
	Kind       string      `json:"kind"`
	Namespace  string      `json:"namespace,omitempty"`
	Owners     []reference `json:"owners,omitempty"`
	Finalizers []string    `json:"finalizers,omitempty"`
}

// reference is an owner reference to an object of the graph, or one with a wrong name, UID or kind.
type reference struct {
	Owner     int    `json:"owner"`
	WrongName bool   `json:"wrongName,omitempty"`
	WrongUID  bool   `json:"wrongUid,omitempty"`
	Kind      string `json:"kind,omitempty"`
	Blocks    bool   `json:"blocks,omitempty"`
}

type step struct {
	// Op is delete, release (removes the finalizer x.y/z) or own (replaces the owners).
	Op          string      `json:"op"`
	Object      int         `json:"object"`
	Propagation string      `json:"propagation,omitempty"`
	Owners      []reference `json:"owners,omitempty"`
}

// state is the state of an object that still exists.
type state struct {
	// Owners has the indices of the owners; -1 is an owner that never existed.
	Owners     []owner  `json:"owners,omitempty"`
	Finalizers []string `json:"finalizers,omitempty"`
	Deleting   bool     `json:"deleting,omitempty"`
	Generation int64    `json:"generation,omitempty"`
}

type owner struct {
	Owner  int   `json:"owner"`
	Blocks *bool `json:"blocks,omitempty"`
}

var kinds = []string{
	"ConfigMap", "ConfigMap", "ConfigMap", "Secret", "Widget", "Widget", "ClusterRole", "Gadget",
}

func isNamespaced(kind string) bool {
	return kind != "ClusterRole" && kind != "Gadget"
}

func generate(seed int64) *graph {
	random := rand.New(rand.NewSource(seed))
	graph := &graph{Seed: seed}
	for index := range 2 + random.Intn(7) {
		kind := kinds[random.Intn(len(kinds))]
		object := object{Kind: kind, Finalizers: finalizers(random)}
		if isNamespaced(kind) {
			object.Namespace = []string{"a", "a", "a", "a", "b"}[random.Intn(5)]
		}
		if index > 0 {
			object.Owners = references(random, graph.Objects, index)
		}
		graph.Objects = append(graph.Objects, object)
	}
	for range 1 + random.Intn(4) {
		graph.Steps = append(graph.Steps, randomStep(random, graph.Objects))
	}
	return graph
}

func finalizers(random *rand.Rand) []string {
	switch random.Intn(20) {
	case 0, 1, 2:
		return []string{"x.y/z"}
	case 3:
		return []string{"foregroundDeletion"}
	case 4:
		return []string{"orphan"}
	case 5:
		return []string{"x.y/z", "foregroundDeletion"}
	}
	return nil
}

// references returns random owner references to the first objects.
func references(random *rand.Rand, objects []object, first int) []reference {
	var out []reference
	used := map[int]bool{}
	for range []int{0, 1, 1, 1, 1, 2, 2, 3}[random.Intn(8)] {
		reference := reference{Owner: random.Intn(first), Blocks: random.Intn(2) == 0}
		switch random.Intn(24) {
		case 0:
			reference.WrongName = true
		case 1:
			reference.WrongUID = true
		case 2:
			reference.WrongName, reference.WrongUID = true, true
		case 3:
			reference.Kind = kinds[random.Intn(len(kinds))]
		}
		if used[reference.Owner] {
			continue
		}
		used[reference.Owner] = true
		out = append(out, reference)
	}
	return out
}

func randomStep(random *rand.Rand, objects []object) step {
	step := step{Op: "delete", Object: random.Intn(len(objects))}
	switch random.Intn(10) {
	case 0, 1:
		step.Op = "release"
	case 2:
		step.Op = "own"
		step.Owners = references(random, objects, len(objects))
	default:
		step.Propagation = []string{"", "Background", "Foreground", "Foreground", "Orphan"}[random.Intn(5)]
	}
	return step
}

func (o object) name(seed int64, index int) string {
	if o.Namespace == "" {
		return fmt.Sprintf("c%d-o%d", seed, index)
	}
	return fmt.Sprintf("o%d", index)
}
