// Throughput benchmark of client-go's work queue: `queue <u64|string|object> <workers> <keys>`
// prints the seconds that it took. ours/src/main.rs does the same with this project's queue.
package main

import (
	"fmt"
	"os"
	"strconv"
	"sync"
	"sync/atomic"
	"time"

	"k8s.io/client-go/util/workqueue"
)

// Number of different keys, which are added in turns.
const different = 100_000

// The producer waits while more keys than this are queued. It checks after this number of adds.
const highWater = 50_000

func main() {
	if len(os.Args) != 4 {
		usage()
	}
	workers, err := strconv.Atoi(os.Args[2])
	if err != nil {
		usage()
	}
	keys, err := strconv.ParseInt(os.Args[3], 10, 64)
	if err != nil {
		usage()
	}
	var took time.Duration
	switch os.Args[1] {
	case "u64":
		numbers := make([]uint64, different)
		for number := range numbers {
			numbers[number] = uint64(number)
		}
		took = measure(numbers, itself[uint64], workers, keys)
	case "string":
		names := make([]string, different)
		for number := range names {
			names[number] = fmt.Sprintf("namespace/name-%d", number)
		}
		took = measure(names, itself[string], workers, keys)
	case "object":
		objects := make([]*metadata, different)
		for number := range objects {
			objects[number] = &metadata{namespace: "namespace", name: fmt.Sprintf("name-%d", number)}
		}
		took = measure(objects, (*metadata).objectName, workers, keys)
	default:
		usage()
	}
	fmt.Println(took.Seconds())
}

func usage() {
	fmt.Fprintln(os.Stderr, "usage: queue <u64|string|object> <workers> <keys>")
	os.Exit(2)
}

// metadata has the fields of an object's metadata that its key needs.
type metadata struct {
	namespace, name string
}

// objectName is like cache.ObjectName: two strings, whose bytes it shares with the object.
type objectName struct {
	namespace, name string
}

// objectName does the same as cache.MetaObjectToName.
func (object *metadata) objectName() objectName {
	return objectName{namespace: object.namespace, name: object.name}
}

func itself[T any](key T) T {
	return key
}

// measure measures adds and gets. key returns the key of a changed object, for each add.
func measure[O any, T comparable](changed []O, key func(O) T, workers int, keys int64) time.Duration {
	limiter := workqueue.NewTypedItemExponentialFailureRateLimiter[T](5*time.Millisecond, 1000*time.Second)
	queue := workqueue.NewTypedRateLimitingQueue(limiter)
	var taken atomic.Int64
	start := time.Now()
	var tasks sync.WaitGroup
	for range workers {
		tasks.Go(func() { work(queue, &taken, keys) })
	}
	tasks.Go(func() { produce(queue, changed, key) })
	tasks.Wait()
	return time.Since(start)
}

// work dequeues keys until `keys` of them were taken, then shuts the queue down.
func work[T comparable](queue workqueue.TypedRateLimitingInterface[T], taken *atomic.Int64, keys int64) {
	for {
		key, shutDown := queue.Get()
		if shutDown {
			return
		}
		queue.Forget(key)
		queue.Done(key)
		if taken.Add(1) == keys {
			queue.ShutDown()
		}
	}
}

func produce[O any, T comparable](queue workqueue.TypedRateLimitingInterface[T], changed []O, key func(O) T) {
	added := 0
	for {
		for _, object := range changed {
			queue.Add(key(object))
			added++
			if added%highWater != 0 {
				continue
			}
			if queue.ShuttingDown() {
				return
			}
			for queue.Len() > highWater {
				time.Sleep(time.Millisecond)
			}
		}
	}
}
