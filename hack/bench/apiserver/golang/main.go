// Benchmark of controller-runtime's fake client. `apiserver OBJECTS` prints a line with the name
// and the latency in seconds for each kind of request, and one with the bytes that an object adds
// to the heap of the program. hack/bench/apiserver/ours does the same with an API server.
package main

import (
	"context"
	"fmt"
	"log"
	"os"
	goruntime "runtime"
	"strconv"
	"strings"
	"time"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"
	clientgoscheme "k8s.io/client-go/kubernetes/scheme"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/client/fake"
)

const events = 100

func main() {
	objects, err := strconv.Atoi(os.Args[1])
	if err != nil {
		log.Fatal(err)
	}
	ctx := context.Background()
	begin := time.Now()
	scheme := runtime.NewScheme()
	check(clientgoscheme.AddToScheme(scheme))
	kind := schema.GroupVersionKind{Group: "bench.example.com", Version: "v1", Kind: "Job0"}
	scheme.AddKnownTypeWithName(kind, &unstructured.Unstructured{})
	scheme.AddKnownTypeWithName(kind.GroupVersion().WithKind("Job0List"), &unstructured.UnstructuredList{})
	status := &unstructured.Unstructured{}
	status.SetGroupVersionKind(kind)
	c := fake.NewClientBuilder().WithScheme(scheme).WithStatusSubresource(status).Build()
	check(c.Create(ctx, job("first", 1)))
	say("start", begin, 1)

	before := heap()
	begin = time.Now()
	for i := range objects {
		check(c.Create(ctx, configMap(fmt.Sprintf("map-%d", i))))
	}
	say("create ConfigMap", begin, objects)
	fmt.Printf("memory for each ConfigMap\t%d\tB\n", max(heap()-before, 0)/objects)
	begin = time.Now()
	for i := range objects {
		check(c.Get(ctx, client.ObjectKey{Namespace: "default", Name: fmt.Sprintf("map-%d", i)}, &corev1.ConfigMap{}))
	}
	say("get ConfigMap", begin, objects)
	begin = time.Now()
	for i := range objects {
		patch := fmt.Sprintf(`{"data":{"more":"%d"}}`, i)
		object := &corev1.ConfigMap{ObjectMeta: metav1.ObjectMeta{Namespace: "default", Name: fmt.Sprintf("map-%d", i)}}
		check(c.Patch(ctx, object, client.RawPatch("application/merge-patch+json", []byte(patch))))
	}
	say("merge patch ConfigMap", begin, objects)
	begin = time.Now()
	check(c.List(ctx, &corev1.ConfigMapList{}))
	say("list ConfigMaps", begin, 1)

	begin = time.Now()
	for i := range objects {
		check(c.Create(ctx, job(fmt.Sprintf("job-%d", i), i)))
	}
	say("create custom resource", begin, objects)
	begin = time.Now()
	for i := range objects {
		applied := client.ApplyConfigurationFromUnstructured(job(fmt.Sprintf("job-%d", i), i+1))
		check(c.Apply(ctx, applied, client.FieldOwner("bench"), client.ForceOwnership))
	}
	say("apply custom resource", begin, objects)
	begin = time.Now()
	for i := range objects {
		patch := fmt.Sprintf(`{"status":{"phase":"%d"}}`, i)
		check(c.Status().Patch(ctx, job(fmt.Sprintf("job-%d", i), i), client.RawPatch("application/merge-patch+json", []byte(patch))))
	}
	say("patch status", begin, objects)
	begin = time.Now()
	list := &unstructured.UnstructuredList{}
	list.SetGroupVersionKind(kind.GroupVersion().WithKind("Job0List"))
	check(c.List(ctx, list))
	say("list custom resources", begin, 1)

	watch, err := c.Watch(ctx, &corev1.ConfigMapList{})
	check(err)
	begin = time.Now()
	for i := range events {
		name := fmt.Sprintf("watched-%d", i)
		check(c.Create(ctx, configMap(name)))
		for event := range watch.ResultChan() {
			if event.Object.(*corev1.ConfigMap).Name == name {
				break
			}
		}
	}
	say("create until its event", begin, events)
}

func configMap(name string) *corev1.ConfigMap {
	return &corev1.ConfigMap{
		ObjectMeta: metav1.ObjectMeta{Namespace: "default", Name: name, Labels: map[string]string{"app": "bench"}},
		Data:       map[string]string{"key": "value", "text": strings.Repeat("x", 1000)},
	}
}

func job(name string, number int) *unstructured.Unstructured {
	return &unstructured.Unstructured{Object: map[string]any{
		"apiVersion": "bench.example.com/v1",
		"kind":       "Job0",
		"metadata":   map[string]any{"name": name, "namespace": "default"},
		"spec": map[string]any{
			"image":    "registry.example.com/image:1",
			"most":     int64(5 + number%100),
			"schedule": "*/5 * * * *",
			"env":      []any{map[string]any{"name": "A", "value": strconv.Itoa(number)}, map[string]any{"name": "B"}},
		},
	}}
}

// heap returns the bytes of live objects. The resident memory also contains garbage, whose amount
// depends on the last collection.
func heap() int {
	goruntime.GC()
	var stats goruntime.MemStats
	goruntime.ReadMemStats(&stats)
	return int(stats.HeapAlloc)
}

func check(err error) {
	if err != nil {
		log.Fatal(err)
	}
}

func say(what string, begin time.Time, count int) {
	fmt.Printf("%s\t%v\n", what, time.Since(begin).Seconds()/float64(count))
}
