// One replica on controller-runtime: a manager with leader election and a controller of Foos that
// own ConfigMaps. The log is that of ../ours/src/log.rs.
//
//	scale --log FILE [--wait-ms 50] [--requeue]
package main

import (
	"context"
	"flag"
	"fmt"
	"os"
	"sync/atomic"
	"time"

	"github.com/go-logr/logr"
	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/runtime"
	utilruntime "k8s.io/apimachinery/pkg/util/runtime"
	clientgoscheme "k8s.io/client-go/kubernetes/scheme"
	"k8s.io/client-go/tools/clientcmd"
	"k8s.io/sample-controller/pkg/apis/samplecontroller/v1alpha1"
	ctrl "sigs.k8s.io/controller-runtime"
	"sigs.k8s.io/controller-runtime/pkg/cache"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/controller"
	metricsserver "sigs.k8s.io/controller-runtime/pkg/metrics/server"
)

const workers = 20

type reconciler struct {
	client  client.Client
	log     *os.File
	count   atomic.Int64
	wait    time.Duration
	requeue bool
}

func (r *reconciler) Reconcile(ctx context.Context, request ctrl.Request) (ctrl.Result, error) {
	begun := time.Now().UnixNano()
	var foo v1alpha1.Foo
	if err := r.client.Get(ctx, request.NamespacedName, &foo); err != nil {
		return ctrl.Result{}, client.IgnoreNotFound(err)
	}
	var owned corev1.ConfigMap
	if err := r.client.Get(ctx, request.NamespacedName, &owned); err != nil {
		return ctrl.Result{}, err
	}
	number := r.count.Add(1)
	fmt.Fprintf(r.log, "begin %d %d %s %s %s\n", number, begun, request, foo.ResourceVersion, owned.ResourceVersion)
	time.Sleep(r.wait)
	fmt.Fprintf(r.log, "done %d %d\n", number, time.Now().UnixNano())
	if r.requeue {
		return ctrl.Result{RequeueAfter: time.Millisecond}, nil
	}
	return ctrl.Result{}, nil
}

func check(err error) {
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}

func main() {
	path := flag.String("log", "", "file to which reconciles are logged")
	wait := flag.Int("wait-ms", 50, "duration of a reconcile")
	requeue := flag.Bool("requeue", false, "reconcile every object again and again")
	flag.Parse()
	ctrl.SetLogger(logr.Discard())
	log, err := os.OpenFile(*path, os.O_CREATE|os.O_APPEND|os.O_WRONLY, 0o644)
	check(err)
	config, err := clientcmd.BuildConfigFromFlags("", os.Getenv("KUBECONFIG"))
	check(err)
	config.QPS = -1
	scheme := runtime.NewScheme()
	utilruntime.Must(clientgoscheme.AddToScheme(scheme))
	utilruntime.Must(v1alpha1.AddToScheme(scheme))
	manager, err := ctrl.NewManager(config, ctrl.Options{
		Scheme:                        scheme,
		Metrics:                       metricsserver.Options{BindAddress: "0"},
		Cache:                         cache.Options{DefaultTransform: cache.TransformStripManagedFields()},
		LeaderElection:                true,
		LeaderElectionID:              "bench-scale-go",
		LeaderElectionNamespace:       "default",
		LeaderElectionReleaseOnCancel: true,
	})
	check(err)
	check(ctrl.NewControllerManagedBy(manager).
		For(&v1alpha1.Foo{}).
		Owns(&corev1.ConfigMap{}).
		WithOptions(controller.Options{MaxConcurrentReconciles: workers}).
		Complete(&reconciler{
			client:  manager.GetClient(),
			log:     log,
			wait:    time.Duration(*wait) * time.Millisecond,
			requeue: *requeue,
		}))
	check(manager.Start(ctrl.SetupSignalHandler()))
}
