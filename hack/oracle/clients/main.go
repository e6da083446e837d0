// Clients tests an API server with client-go: informers, server-side apply, leader election and
// events.
//
//	go run . KUBECONFIG
//
// It prints a line for each part that works. If one fails, it prints the error to stderr and exits
// with code 1.
package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"sync/atomic"
	"time"

	appsv1 "k8s.io/api/apps/v1"
	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/labels"
	"k8s.io/apimachinery/pkg/util/wait"
	appsapply "k8s.io/client-go/applyconfigurations/apps/v1"
	coreapply "k8s.io/client-go/applyconfigurations/core/v1"
	metaapply "k8s.io/client-go/applyconfigurations/meta/v1"
	"k8s.io/client-go/informers"
	"k8s.io/client-go/kubernetes"
	"k8s.io/client-go/kubernetes/scheme"
	typedcore "k8s.io/client-go/kubernetes/typed/core/v1"
	"k8s.io/client-go/tools/cache"
	"k8s.io/client-go/tools/clientcmd"
	"k8s.io/client-go/tools/leaderelection"
	"k8s.io/client-go/tools/leaderelection/resourcelock"
	"k8s.io/client-go/tools/record"
)

const patience = 20 * time.Second

func main() {
	config, err := clientcmd.BuildConfigFromFlags("", os.Args[1])
	if err != nil {
		fail("kubeconfig", err)
	}
	config.QPS, config.Burst = 500, 500
	client, err := kubernetes.NewForConfig(config)
	if err != nil {
		fail("client", err)
	}
	ctx, cancel := context.WithTimeout(context.Background(), 2*time.Minute)
	defer cancel()
	namespace, err := client.CoreV1().Namespaces().Create(ctx, &corev1.Namespace{
		ObjectMeta: metav1.ObjectMeta{GenerateName: "clients-"},
	}, metav1.CreateOptions{})
	if err != nil {
		fail("namespace", err)
	}
	for _, part := range []struct {
		name string
		run  func(context.Context, kubernetes.Interface, string) error
	}{
		{"informers", informersSync},
		{"apply", apply},
		{"leader election", elect},
		{"events", recordEvents},
	} {
		if err := part.run(ctx, client, namespace.Name); err != nil {
			fail(part.name, err)
		}
		fmt.Println(part.name + ": ok")
	}
}

func fail(part string, err error) {
	fmt.Fprintln(os.Stderr, part+": "+err.Error())
	os.Exit(1)
}

// eventually waits until a condition holds. The error has its description.
func eventually(ctx context.Context, what string, condition func() (bool, error)) error {
	var last error
	err := wait.PollUntilContextTimeout(ctx, 20*time.Millisecond, patience, true, func(context.Context) (bool, error) {
		var done bool
		done, last = condition()
		return done && last == nil, nil
	})
	if err != nil {
		return fmt.Errorf("condition not met after %s: %s: %w", patience, what, errors.Join(err, last))
	}
	return nil
}

// informersSync tests the caches of two kinds: initial list, creates, updates and deletes.
func informersSync(ctx context.Context, client kubernetes.Interface, namespace string) error {
	for index := range 30 {
		name := fmt.Sprintf("before-%d", index)
		config := &corev1.ConfigMap{ObjectMeta: metav1.ObjectMeta{Name: name}, Data: map[string]string{"n": name}}
		if _, err := client.CoreV1().ConfigMaps(namespace).Create(ctx, config, metav1.CreateOptions{}); err != nil {
			return err
		}
	}
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	factory := informers.NewSharedInformerFactoryWithOptions(client, 0, informers.WithNamespace(namespace))
	configs, deployments := factory.Core().V1().ConfigMaps(), factory.Apps().V1().Deployments()
	var added, updated, deleted atomic.Int32
	if _, err := configs.Informer().AddEventHandler(cache.ResourceEventHandlerFuncs{
		AddFunc:    func(any) { added.Add(1) },
		UpdateFunc: func(any, any) { updated.Add(1) },
		DeleteFunc: func(any) { deleted.Add(1) },
	}); err != nil {
		return err
	}
	deployments.Informer()
	factory.Start(ctx.Done())
	deadline, stop := context.WithTimeout(ctx, patience)
	defer stop()
	for kind, synced := range factory.WaitForCacheSync(deadline.Done()) {
		if !synced {
			return fmt.Errorf("the cache of %s has not synced", kind)
		}
	}
	if err := eventually(ctx, "30 ConfigMaps were added", func() (bool, error) { return added.Load() == 30, nil }); err != nil {
		return err
	}
	replicas := int32(2)
	deployment := &appsv1.Deployment{
		ObjectMeta: metav1.ObjectMeta{Name: "web"},
		Spec: appsv1.DeploymentSpec{
			Replicas: &replicas,
			Selector: &metav1.LabelSelector{MatchLabels: map[string]string{"a": "b"}},
			Template: corev1.PodTemplateSpec{
				ObjectMeta: metav1.ObjectMeta{Labels: map[string]string{"a": "b"}},
				Spec:       corev1.PodSpec{Containers: []corev1.Container{{Name: "c", Image: "i"}}},
			},
		},
	}
	if _, err := client.AppsV1().Deployments(namespace).Create(ctx, deployment, metav1.CreateOptions{}); err != nil {
		return err
	}
	config, err := client.CoreV1().ConfigMaps(namespace).Get(ctx, "before-0", metav1.GetOptions{})
	if err != nil {
		return err
	}
	stale := config.DeepCopy()
	config.Data["n"] = "changed"
	if _, err := client.CoreV1().ConfigMaps(namespace).Update(ctx, config, metav1.UpdateOptions{}); err != nil {
		return err
	}
	stale.Data["n"] = "late"
	if _, err := client.CoreV1().ConfigMaps(namespace).Update(ctx, stale, metav1.UpdateOptions{}); !apierrors.IsConflict(err) {
		return fmt.Errorf("update with an old resource version: expected a conflict, found %v", err)
	}
	if err := client.CoreV1().ConfigMaps(namespace).Delete(ctx, "before-1", metav1.DeleteOptions{}); err != nil {
		return err
	}
	return eventually(ctx, "the caches have all writes", func() (bool, error) {
		found, err := deployments.Lister().Deployments(namespace).Get("web")
		if err != nil || *found.Spec.Replicas != 2 || found.Spec.Strategy.Type != appsv1.RollingUpdateDeploymentStrategyType {
			return false, err
		}
		changed, err := configs.Lister().ConfigMaps(namespace).Get("before-0")
		if err != nil || changed.Data["n"] != "changed" {
			return false, err
		}
		all, err := configs.Lister().List(labels.Everything())
		return len(all) == 29 && updated.Load() == 1 && deleted.Load() == 1, err
	})
}

// apply tests typed server-side apply: ownership, conflicts, force, and removal of fields that are
// no longer applied.
func apply(ctx context.Context, client kubernetes.Interface, namespace string) error {
	deployment := appsapply.Deployment("applied", namespace).WithSpec(appsapply.DeploymentSpec().
		WithReplicas(1).
		WithSelector(metaapply.LabelSelector().WithMatchLabels(map[string]string{"a": "b"})).
		WithTemplate(coreapply.PodTemplateSpec().WithLabels(map[string]string{"a": "b"}).WithSpec(coreapply.PodSpec().
			WithContainers(coreapply.Container().WithName("c").WithImage("i").WithEnv(coreapply.EnvVar().WithName("A").WithValue("1"))))))
	deployments := client.AppsV1().Deployments(namespace)
	if _, err := deployments.Apply(ctx, deployment, metav1.ApplyOptions{FieldManager: "one"}); err != nil {
		return err
	}
	other := appsapply.Deployment("applied", namespace).WithSpec(appsapply.DeploymentSpec().WithReplicas(5))
	if _, err := deployments.Apply(ctx, other, metav1.ApplyOptions{FieldManager: "two"}); !apierrors.IsConflict(err) {
		return fmt.Errorf("apply of another manager's field: expected a conflict, found %v", err)
	}
	taken, err := deployments.Apply(ctx, other, metav1.ApplyOptions{FieldManager: "two", Force: true})
	if err != nil {
		return err
	}
	if *taken.Spec.Replicas != 5 || len(taken.ManagedFields) != 2 {
		return fmt.Errorf("forced apply: expected 5 replicas and 2 managers, found %d and %d", *taken.Spec.Replicas, len(taken.ManagedFields))
	}
	deployment.Spec.Replicas = nil
	deployment.Spec.Template.Spec.Containers[0].Env = nil
	shrunk, err := deployments.Apply(ctx, deployment, metav1.ApplyOptions{FieldManager: "one"})
	if err != nil {
		return err
	}
	if len(shrunk.Spec.Template.Spec.Containers[0].Env) != 0 || *shrunk.Spec.Replicas != 5 {
		return errors.New("a field that is no longer applied remains, or a field of another manager was removed")
	}
	extracted, err := appsapply.ExtractDeployment(shrunk, "two")
	if err != nil {
		return err
	}
	if extracted.Spec == nil || extracted.Spec.Replicas == nil || extracted.Spec.Template != nil {
		return errors.New("ExtractDeployment does not return the fields of the manager")
	}
	return nil
}

// elect tests leader election: the second candidate leads after the first one released the lease.
func elect(ctx context.Context, client kubernetes.Interface, namespace string) error {
	leaders := make(chan string, 10)
	run := func(name string) context.CancelFunc {
		ctx, cancel := context.WithCancel(ctx)
		lock := &resourcelock.LeaseLock{
			LeaseMeta:  metav1.ObjectMeta{Namespace: namespace, Name: "lock"},
			Client:     client.CoordinationV1(),
			LockConfig: resourcelock.ResourceLockConfig{Identity: name},
		}
		go leaderelection.RunOrDie(ctx, leaderelection.LeaderElectionConfig{
			Lock: lock, ReleaseOnCancel: true, Name: name,
			LeaseDuration: 3 * time.Second, RenewDeadline: 2 * time.Second, RetryPeriod: 200 * time.Millisecond,
			Callbacks: leaderelection.LeaderCallbacks{
				OnStartedLeading: func(context.Context) { leaders <- name },
				OnStoppedLeading: func() {},
			},
		})
		return cancel
	}
	expect := func(name string) error {
		select {
		case leader := <-leaders:
			if leader != name {
				return fmt.Errorf("%s leads instead of %s", leader, name)
			}
			return nil
		case <-time.After(patience):
			return fmt.Errorf("%s does not lead after %s", name, patience)
		}
	}
	stopFirst := run("first")
	if err := expect("first"); err != nil {
		return err
	}
	stopSecond := run("second")
	defer stopSecond()
	time.Sleep(time.Second)
	if len(leaders) > 0 {
		return errors.New("two candidates lead at the same time")
	}
	stopFirst()
	if err := expect("second"); err != nil {
		return err
	}
	lease, err := client.CoordinationV1().Leases(namespace).Get(ctx, "lock", metav1.GetOptions{})
	if err != nil {
		return err
	}
	if *lease.Spec.HolderIdentity != "second" || *lease.Spec.LeaseTransitions < 1 {
		return fmt.Errorf("the lease is held by %q after %d transitions", *lease.Spec.HolderIdentity, *lease.Spec.LeaseTransitions)
	}
	return nil
}

// recordEvents tests the event recorder: a repeated event increments the count of its Event.
func recordEvents(ctx context.Context, client kubernetes.Interface, namespace string) error {
	broadcaster := record.NewBroadcaster(record.WithContext(ctx))
	defer broadcaster.Shutdown()
	broadcaster.StartRecordingToSink(&typedcore.EventSinkImpl{Interface: client.CoreV1().Events("")})
	recorder := broadcaster.NewRecorder(scheme.Scheme, corev1.EventSource{Component: "clients"})
	deployment, err := client.AppsV1().Deployments(namespace).Get(ctx, "web", metav1.GetOptions{})
	if err != nil {
		return err
	}
	for range 5 {
		recorder.Event(deployment, corev1.EventTypeNormal, "Repeated", "the same again")
	}
	recorder.Eventf(deployment, corev1.EventTypeWarning, "Other", "number %d", 1)
	return eventually(ctx, "two Events, one of them five times", func() (bool, error) {
		list, err := client.CoreV1().Events(namespace).List(ctx, metav1.ListOptions{
			FieldSelector: "involvedObject.name=web,involvedObject.kind=Deployment",
		})
		if err != nil || len(list.Items) != 2 {
			return false, err
		}
		for _, event := range list.Items {
			if event.Reason == "Repeated" && event.Count != 5 {
				return false, fmt.Errorf("the count is %d", event.Count)
			}
		}
		return true, nil
	})
}
