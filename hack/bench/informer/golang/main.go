// Benchmark of client-go's informer, generated for k8s.io/sample-controller: one measurement per
// run, printed as JSON.
//
//	informer sync            syncs, then reads from the cache
//	informer watch UPDATES   syncs, then prints the time at which each update reached the handler
package main

import (
	"bufio"
	"context"
	"encoding/json"
	"fmt"
	"os"
	"strconv"
	"strings"
	"sync/atomic"
	"syscall"
	"time"

	"k8s.io/apimachinery/pkg/labels"
	"k8s.io/client-go/tools/cache"
	"k8s.io/client-go/tools/clientcmd"
	"k8s.io/sample-controller/pkg/apis/samplecontroller/v1alpha1"
	clientset "k8s.io/sample-controller/pkg/generated/clientset/versioned"
	informers "k8s.io/sample-controller/pkg/generated/informers/externalversions"
	foos "k8s.io/sample-controller/pkg/generated/informers/externalversions/samplecontroller/v1alpha1"
)

const (
	namespace = "bench-000"
	name      = "foo-000123"
	gets      = 1_000_000
	lists     = 20
)

func check(err error) {
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}

// cost returns the processor time of this process in seconds and its peak memory in MB.
func cost() (float64, float64) {
	var usage syscall.Rusage
	check(syscall.Getrusage(syscall.RUSAGE_SELF, &usage))
	status, err := os.Open("/proc/self/status")
	check(err)
	defer status.Close()
	peak := 0.0
	for lines := bufio.NewScanner(status); lines.Scan(); {
		if value, found := strings.CutPrefix(lines.Text(), "VmHWM:"); found {
			peak, err = strconv.ParseFloat(strings.TrimSuffix(strings.TrimSpace(value), " kB"), 64)
			check(err)
		}
	}
	return time.Duration(usage.Utime.Nano() + usage.Stime.Nano()).Seconds(), peak / 1024
}

func factory() (informers.SharedInformerFactory, foos.FooInformer) {
	config, err := clientcmd.BuildConfigFromFlags("", os.Getenv("KUBECONFIG"))
	check(err)
	config.QPS = -1
	factory := informers.NewSharedInformerFactory(clientset.NewForConfigOrDie(config), 0)
	return factory, factory.Samplecontroller().V1alpha1().Foos()
}

func wait(factory informers.SharedInformerFactory, registration cache.ResourceEventHandlerRegistration) {
	ctx := context.Background()
	factory.Start(ctx.Done())
	factory.WaitForCacheSync(ctx.Done())
	for !registration.HasSynced() {
		time.Sleep(time.Millisecond)
	}
}

func each(times int, read func()) float64 {
	start := time.Now()
	for range times {
		read()
	}
	return time.Since(start).Seconds() / float64(times)
}

func sync() map[string]any {
	factory, foos := factory()
	start := time.Now()
	var added atomic.Int64
	registration, err := foos.Informer().AddEventHandler(cache.ResourceEventHandlerFuncs{AddFunc: func(any) { added.Add(1) }})
	check(err)
	wait(factory, registration)
	measured := map[string]any{"sync": time.Since(start).Seconds(), "objects": added.Load()}
	measured["cpu"], measured["peak"] = cost()
	lister := foos.Lister()
	inNamespace := lister.Foos(namespace)
	measured["get"] = each(gets, func() { _, err = inNamespace.Get(name) })
	check(err)
	shard := labels.SelectorFromSet(labels.Set{"shard": "3"})
	measured["label"] = each(lists, func() { _, err = lister.List(shard) })
	measured["namespace"] = each(lists, func() { _, err = inNamespace.List(labels.Everything()) })
	check(foos.Informer().AddIndexers(cache.Indexers{"shard": func(object any) ([]string, error) {
		return []string{object.(*v1alpha1.Foo).Labels["shard"]}, nil
	}}))
	measured["index"] = each(lists, func() { _, err = foos.Informer().GetIndexer().ByIndex("shard", "3") })
	check(err)
	return measured
}

func watch(updates int) map[string]any {
	factory, foos := factory()
	seen := make(chan [2]any, updates)
	registration, err := foos.Informer().AddEventHandler(cache.ResourceEventHandlerFuncs{UpdateFunc: func(_, object any) {
		seen <- [2]any{object.(*v1alpha1.Foo).ResourceVersion, time.Now().UnixNano()}
	}})
	check(err)
	wait(factory, registration)
	fmt.Println("synced")
	before, _ := cost()
	noted := make([][2]any, 0, updates)
	for len(noted) < updates {
		noted = append(noted, <-seen)
	}
	after, _ := cost()
	return map[string]any{"cpu": after - before, "seen": noted}
}

func main() {
	var measured map[string]any
	if os.Args[1] == "watch" {
		updates, err := strconv.Atoi(os.Args[2])
		check(err)
		measured = watch(updates)
	} else {
		measured = sync()
	}
	check(json.NewEncoder(os.Stdout).Encode(measured))
}
