package main

import (
	"context"
	"time"

	v1 "k8s.io/api/core/v1"
	"k8s.io/client-go/discovery"
	"k8s.io/client-go/discovery/cached/memory"
	"k8s.io/client-go/informers"
	"k8s.io/client-go/kubernetes"
	"k8s.io/client-go/metadata"
	"k8s.io/client-go/metadata/metadatainformer"
	"k8s.io/client-go/rest"
	"k8s.io/client-go/restmapper"
	"k8s.io/controller-manager/pkg/informerfactory"
	"k8s.io/kubernetes/pkg/controller/garbagecollector"
	"k8s.io/kubernetes/pkg/controller/namespace"
)

const (
	workers = 20
	// Interval at which the collector discovers new kinds.
	discoveryPeriod = 2 * time.Second
)

// runControllers runs the garbage collector and the namespace controller, as
// kube-controller-manager does.
func runControllers(ctx context.Context, config *rest.Config) error {
	client, err := kubernetes.NewForConfig(config)
	if err != nil {
		return err
	}
	metadataClient, err := metadata.NewForConfig(config)
	if err != nil {
		return err
	}
	discoveryClient, err := discovery.NewDiscoveryClientForConfig(config)
	if err != nil {
		return err
	}
	mapper := restmapper.NewDeferredDiscoveryRESTMapper(memory.NewMemCacheClient(discoveryClient))
	shared := informers.NewSharedInformerFactory(client, 0)
	objects := metadatainformer.NewSharedInformerFactory(metadataClient, 0)
	started := make(chan struct{})
	collector, err := garbagecollector.NewGarbageCollector(
		ctx, client, metadataClient, mapper, garbagecollector.DefaultIgnoredResources(),
		informerfactory.NewInformerFactory(shared, objects), started,
	)
	if err != nil {
		return err
	}
	namespaces := namespace.NewNamespaceController(
		ctx, client, metadataClient, discoveryClient.ServerPreferredNamespacedResources,
		shared.Core().V1().Namespaces(), 5*time.Minute, v1.FinalizerKubernetes,
	)
	shared.Start(ctx.Done())
	objects.Start(ctx.Done())
	close(started)
	go namespaces.Run(ctx, workers)
	go collector.Run(ctx, workers, 30*time.Second)
	collector.Sync(ctx, discoveryClient, discoveryPeriod)
	return nil
}
