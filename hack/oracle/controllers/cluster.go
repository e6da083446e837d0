package main

import (
	"context"
	"fmt"
	"slices"
	"sync"
	"time"

	"k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/client-go/dynamic"
	"k8s.io/client-go/rest"
	"k8s.io/client-go/util/retry"
)

// quiet is the time without a write after which the collector counts as idle.
const quiet = 1500 * time.Millisecond

var resources = map[string]schema.GroupVersionResource{
	"ConfigMap":   {Version: "v1", Resource: "configmaps"},
	"Secret":      {Version: "v1", Resource: "secrets"},
	"ClusterRole": {Group: "rbac.authorization.k8s.io", Version: "v1", Resource: "clusterroles"},
	"Widget":      {Group: "example.com", Version: "v1", Resource: "widgets"},
	"Gadget":      {Group: "example.com", Version: "v1", Resource: "gadgets"},
}

var (
	namespaces  = schema.GroupVersionResource{Version: "v1", Resource: "namespaces"}
	definitions = schema.GroupVersionResource{
		Group: "apiextensions.k8s.io", Version: "v1", Resource: "customresourcedefinitions",
	}
)

// cluster is the API server on which graphs are played.
type cluster struct {
	client dynamic.Interface
}

func newCluster(ctx context.Context, config *rest.Config) (*cluster, error) {
	client, err := dynamic.NewForConfig(config)
	if err != nil {
		return nil, err
	}
	cluster := &cluster{client}
	for _, kind := range []string{"Widget", "Gadget"} {
		_, err := client.Resource(definitions).Create(ctx, definition(kind), metav1.CreateOptions{})
		if err != nil && !errors.IsAlreadyExists(err) {
			return nil, err
		}
	}
	// Wait until the definitions are served and the collector watches their objects.
	time.Sleep(5 * time.Second)
	return cluster, nil
}

func definition(kind string) *unstructured.Unstructured {
	scope := "Cluster"
	if isNamespaced(kind) {
		scope = "Namespaced"
	}
	plural := resources[kind].Resource
	return &unstructured.Unstructured{Object: map[string]any{
		"apiVersion": "apiextensions.k8s.io/v1",
		"kind":       "CustomResourceDefinition",
		"metadata":   map[string]any{"name": plural + ".example.com"},
		"spec": map[string]any{
			"group": "example.com",
			"scope": scope,
			"names": map[string]any{"plural": plural, "kind": kind},
			"versions": []any{map[string]any{
				"name": "v1", "served": true, "storage": true,
				"schema": map[string]any{"openAPIV3Schema": map[string]any{
					"type": "object", "x-kubernetes-preserve-unknown-fields": true,
				}},
			}},
		},
	}}
}

// play creates the objects of graphs and takes their steps, for all graphs concurrently.
func (c *cluster) play(ctx context.Context, graphs []*graph) error {
	uids := make([][]types.UID, len(graphs))
	rounds := 0
	err := each(graphs, func(index int, graph *graph) (err error) {
		uids[index], err = c.create(ctx, graph)
		return err
	})
	for _, graph := range graphs {
		rounds = max(rounds, len(graph.Steps))
	}
	for round := 0; err == nil; round++ {
		if err = c.settle(ctx); err != nil {
			break
		}
		err = each(graphs, func(index int, graph *graph) error {
			if round > len(graph.Steps) {
				return nil
			}
			states, err := c.states(ctx, graph, uids[index])
			graph.States = append(graph.States, states)
			return err
		})
		if err != nil || round == rounds {
			break
		}
		err = each(graphs, func(index int, graph *graph) error {
			if round >= len(graph.Steps) {
				return nil
			}
			return c.take(ctx, graph, uids[index], graph.Steps[round])
		})
	}
	return err
}

func each(graphs []*graph, do func(int, *graph) error) error {
	errs := make([]error, len(graphs))
	var wait sync.WaitGroup
	for index, graph := range graphs {
		wait.Go(func() { errs[index] = do(index, graph) })
	}
	wait.Wait()
	for index, err := range errs {
		if err != nil {
			return fmt.Errorf("case %d: %w", graphs[index].Seed, err)
		}
	}
	return nil
}

// settle waits until no write has happened for the duration quiet.
func (c *cluster) settle(ctx context.Context) error {
	var version string
	since := time.Now()
	for time.Since(since) < quiet {
		list, err := c.client.Resource(namespaces).List(ctx, metav1.ListOptions{Limit: 1})
		if err != nil {
			return err
		}
		if list.GetResourceVersion() != version {
			version, since = list.GetResourceVersion(), time.Now()
		}
		time.Sleep(50 * time.Millisecond)
	}
	return nil
}

func (c *cluster) create(ctx context.Context, graph *graph) ([]types.UID, error) {
	for _, name := range []string{"a", "b"} {
		namespace := &unstructured.Unstructured{Object: map[string]any{
			"apiVersion": "v1", "kind": "Namespace",
			"metadata": map[string]any{"name": namespaceOf(graph, name)},
		}}
		_, err := c.client.Resource(namespaces).Create(ctx, namespace, metav1.CreateOptions{})
		if err != nil {
			return nil, err
		}
	}
	var uids []types.UID
	for index, object := range graph.Objects {
		resource := resources[object.Kind]
		created := &unstructured.Unstructured{Object: map[string]any{}}
		created.SetAPIVersion(resource.GroupVersion().String())
		created.SetKind(object.Kind)
		created.SetName(object.name(graph.Seed, index))
		created.SetFinalizers(object.Finalizers)
		created.SetOwnerReferences(graph.owners(object.Owners, uids))
		created, err := c.of(graph, index).Create(ctx, created, metav1.CreateOptions{})
		if err != nil {
			return nil, err
		}
		uids = append(uids, created.GetUID())
	}
	return uids, nil
}

func namespaceOf(graph *graph, name string) string {
	return fmt.Sprintf("c%d-%s", graph.Seed, name)
}

func (c *cluster) of(graph *graph, index int) dynamic.ResourceInterface {
	object := graph.Objects[index]
	all := c.client.Resource(resources[object.Kind])
	if object.Namespace == "" {
		return all
	}
	return all.Namespace(namespaceOf(graph, object.Namespace))
}

func (g *graph) owners(references []reference, uids []types.UID) []metav1.OwnerReference {
	var out []metav1.OwnerReference
	for _, reference := range references {
		object := g.Objects[reference.Owner]
		kind := object.Kind
		if reference.Kind != "" {
			kind = reference.Kind
		}
		owner := metav1.OwnerReference{
			APIVersion: resources[kind].GroupVersion().String(),
			Kind:       kind,
			Name:       object.name(g.Seed, reference.Owner),
			UID:        uids[reference.Owner],
		}
		if reference.WrongName {
			owner.Name = "nobody"
		}
		if reference.WrongUID {
			owner.UID = types.UID(fmt.Sprintf("none-%d-%d", g.Seed, reference.Owner))
		}
		if reference.Blocks {
			owner.BlockOwnerDeletion = &reference.Blocks
		}
		out = append(out, owner)
	}
	return out
}

func (c *cluster) take(ctx context.Context, graph *graph, uids []types.UID, step step) error {
	object := c.of(graph, step.Object)
	name := graph.Objects[step.Object].name(graph.Seed, step.Object)
	if step.Op == "delete" {
		options := metav1.DeleteOptions{}
		if step.Propagation != "" {
			propagation := metav1.DeletionPropagation(step.Propagation)
			options.PropagationPolicy = &propagation
		}
		return ignoreNotFound(object.Delete(ctx, name, options))
	}
	return ignoreNotFound(retry.RetryOnConflict(retry.DefaultRetry, func() error {
		live, err := object.Get(ctx, name, metav1.GetOptions{})
		if err != nil {
			return err
		}
		switch step.Op {
		case "release":
			live.SetFinalizers(slices.DeleteFunc(live.GetFinalizers(), func(name string) bool {
				return name == "x.y/z"
			}))
		case "own":
			live.SetOwnerReferences(graph.owners(step.Owners, uids))
		}
		_, err = object.Update(ctx, live, metav1.UpdateOptions{})
		return err
	}))
}

func ignoreNotFound(err error) error {
	if errors.IsNotFound(err) {
		return nil
	}
	return err
}

func (c *cluster) states(ctx context.Context, graph *graph, uids []types.UID) ([]*state, error) {
	states := make([]*state, len(uids))
	for index := range uids {
		name := graph.Objects[index].name(graph.Seed, index)
		live, err := c.of(graph, index).Get(ctx, name, metav1.GetOptions{})
		if errors.IsNotFound(err) {
			continue
		}
		if err != nil {
			return nil, err
		}
		state := &state{
			Finalizers: live.GetFinalizers(),
			Deleting:   live.GetDeletionTimestamp() != nil,
			Generation: live.GetGeneration(),
		}
		for _, reference := range live.GetOwnerReferences() {
			found := slices.Index(uids, reference.UID)
			state.Owners = append(state.Owners, owner{found, reference.BlockOwnerDeletion})
		}
		states[index] = state
	}
	return states, nil
}
