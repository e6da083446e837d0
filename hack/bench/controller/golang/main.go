// Benchmark of a controller with controller-runtime: one measurement per run, printed as JSON.
//
//	controller start OBJECTS NAME     reconciles OBJECTS objects and does nothing for each
//	controller create OBJECTS NAME    creates a ConfigMap `<object>-<NAME>` for each object
//	controller watch OBJECTS UPDATES  prints `synced` after OBJECTS reconciles, then the time of
//	                                  the reconcile of each update
package main

import (
	"bufio"
	"context"
	"encoding/json"
	"fmt"
	"os"
	"strconv"
	"strings"
	"sync"
	"syscall"
	"time"

	"github.com/go-logr/logr"
	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	utilruntime "k8s.io/apimachinery/pkg/util/runtime"
	clientgoscheme "k8s.io/client-go/kubernetes/scheme"
	"k8s.io/client-go/tools/clientcmd"
	"k8s.io/sample-controller/pkg/apis/samplecontroller/v1alpha1"
	ctrl "sigs.k8s.io/controller-runtime"
	"sigs.k8s.io/controller-runtime/pkg/cache"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/controller"
	"sigs.k8s.io/controller-runtime/pkg/controller/controllerutil"
	metricsserver "sigs.k8s.io/controller-runtime/pkg/metrics/server"
)

const workers = 4

// seen is the resource version of a reconciled object, and the time in nanoseconds since 1970.
type seen [2]any

// reconciler records every reconcile. It creates ConfigMaps if suffix is not empty.
type reconciler struct {
	client     client.Client
	suffix     string
	reconciles *reconciles
}

func (r *reconciler) Reconcile(ctx context.Context, request ctrl.Request) (ctrl.Result, error) {
	var foo v1alpha1.Foo
	if err := r.client.Get(ctx, request.NamespacedName, &foo); err != nil {
		return ctrl.Result{}, client.IgnoreNotFound(err)
	}
	if r.suffix != "" {
		if err := r.create(ctx, &foo); err != nil {
			return ctrl.Result{}, err
		}
	}
	r.reconciles.note(foo.ResourceVersion)
	return ctrl.Result{}, nil
}

func (r *reconciler) create(ctx context.Context, foo *v1alpha1.Foo) error {
	created := &corev1.ConfigMap{
		ObjectMeta: metav1.ObjectMeta{Namespace: foo.Namespace, Name: foo.Name + "-" + r.suffix},
		Data:       map[string]string{"deployment": foo.Spec.DeploymentName},
	}
	if err := controllerutil.SetControllerReference(foo, created, r.client.Scheme()); err != nil {
		return err
	}
	if err := r.client.Create(ctx, created); !apierrors.IsAlreadyExists(err) {
		return err
	}
	return nil
}

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

// reconciles records the reconciles of a controller. The waiting goroutine is woken once, for all.
type reconciles struct {
	lock     sync.Mutex
	versions map[string]bool
	seen     []seen
	wanted   int
	all      chan struct{}
}

// note records that a version of an object was reconciled now. A version counts once.
func (r *reconciles) note(version string) {
	now := time.Now().UnixNano()
	r.lock.Lock()
	defer r.lock.Unlock()
	if r.versions[version] {
		return
	}
	r.versions[version] = true
	r.seen = append(r.seen, seen{version, now})
	if len(r.seen) == r.wanted {
		r.all <- struct{}{}
	}
}

// next waits for count versions that were not reconciled before.
func (r *reconciles) next(count int) []seen {
	r.lock.Lock()
	r.wanted = count
	missing := len(r.seen) < count
	r.lock.Unlock()
	if missing {
		<-r.all
	}
	r.lock.Lock()
	defer r.lock.Unlock()
	noted := r.seen
	r.seen = nil
	return noted
}

// run starts the controller in the background.
func run(suffix string) *reconciles {
	config, err := clientcmd.BuildConfigFromFlags("", os.Getenv("KUBECONFIG"))
	check(err)
	config.QPS = -1
	scheme := runtime.NewScheme()
	utilruntime.Must(clientgoscheme.AddToScheme(scheme))
	utilruntime.Must(v1alpha1.AddToScheme(scheme))
	manager, err := ctrl.NewManager(config, ctrl.Options{
		Scheme:  scheme,
		Metrics: metricsserver.Options{BindAddress: "0"},
		Cache:   cache.Options{DefaultTransform: cache.TransformStripManagedFields()},
	})
	check(err)
	reconciled := &reconciles{versions: map[string]bool{}, all: make(chan struct{}, 1)}
	check(ctrl.NewControllerManagedBy(manager).
		For(&v1alpha1.Foo{}).
		WithOptions(controller.Options{MaxConcurrentReconciles: workers}).
		Complete(&reconciler{manager.GetClient(), suffix, reconciled}))
	go func() { check(manager.Start(context.Background())) }()
	return reconciled
}

func start(suffix string, objects int) map[string]any {
	begun := time.Now()
	run(suffix).next(objects)
	measured := map[string]any{"seconds": time.Since(begun).Seconds()}
	measured["cpu"], measured["peak"] = cost()
	return measured
}

func watch(objects, updates int) map[string]any {
	reconciled := run("")
	reconciled.next(objects)
	fmt.Println("synced")
	before, _ := cost()
	noted := reconciled.next(updates)
	after, _ := cost()
	return map[string]any{"cpu": after - before, "seen": noted}
}

func main() {
	ctrl.SetLogger(logr.Discard())
	objects, err := strconv.Atoi(os.Args[2])
	check(err)
	var measured map[string]any
	switch os.Args[1] {
	case "start":
		measured = start("", objects)
	case "create":
		measured = start(os.Args[3], objects)
	case "watch":
		updates, err := strconv.Atoi(os.Args[3])
		check(err)
		measured = watch(objects, updates)
	}
	check(json.NewEncoder(os.Stdout).Encode(measured))
}
