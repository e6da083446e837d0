// Recovery benchmark of client-go: informers of five kinds, in one factory.
//
// Prints `synced`, and then a line for each change of an object with the annotation: the kind, the
// annotation, and the time at which the handler was called, in nanoseconds since 1970.
package main

import (
	"context"
	"fmt"
	"os"
	"time"

	"k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/client-go/informers"
	"k8s.io/client-go/kubernetes"
	"k8s.io/client-go/tools/cache"
	"k8s.io/client-go/tools/clientcmd"
)

const annotation = "example.com/changed"

func check(err error) {
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}

func report(kind string, informer cache.SharedIndexInformer) {
	_, err := informer.AddEventHandler(cache.ResourceEventHandlerFuncs{UpdateFunc: func(_, object any) {
		if changed, found := object.(v1.Object).GetAnnotations()[annotation]; found {
			fmt.Println(kind, changed, time.Now().UnixNano())
		}
	}})
	check(err)
}

func main() {
	config, err := clientcmd.BuildConfigFromFlags("", os.Getenv("KUBECONFIG"))
	check(err)
	factory := informers.NewSharedInformerFactory(kubernetes.NewForConfigOrDie(config), 0)
	core := factory.Core().V1()
	report("ConfigMap", core.ConfigMaps().Informer())
	report("Pod", core.Pods().Informer())
	report("Secret", core.Secrets().Informer())
	report("Service", core.Services().Informer())
	report("ServiceAccount", core.ServiceAccounts().Informer())
	ctx := context.Background()
	factory.Start(ctx.Done())
	factory.WaitForCacheSync(ctx.Done())
	fmt.Println("synced")
	<-ctx.Done()
}
