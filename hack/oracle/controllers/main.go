// Controllers runs kube-controller-manager's garbage collector on random owner graphs in a real API
// server, and prints the remaining objects after each step, one JSON case per line.
//
//	go run . -server KUBECONFIG -cases 1000 -seed 1 > cases.jsonl
//	OWNER_GRAPHS=$PWD/cases.jsonl cargo test -p genclient-apiserver --test integration controllers
//	go run . -server KUBECONFIG
//
// Without cases, it runs the collector and the namespace controller until it is stopped.
package main

import (
	"bufio"
	"context"
	"encoding/json"
	"flag"
	"fmt"
	"os"

	"k8s.io/client-go/rest"
	"k8s.io/client-go/tools/clientcmd"
	"k8s.io/klog/v2"
)

var (
	server = flag.String("server", "", "kubeconfig file of a server without a controller manager")
	cases  = flag.Int("cases", 0, "number of cases; 0 runs the controllers until the program is stopped")
	batch  = flag.Int("batch", 40, "number of cases that run concurrently")
	seed   = flag.Int64("seed", 1, "seed of the first case")
)

func main() {
	klog.SetOutput(os.Stderr)
	flag.Parse()
	if err := run(context.Background()); err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}

func run(ctx context.Context) error {
	config, err := clientcmd.BuildConfigFromFlags("", *server)
	if err != nil {
		return err
	}
	config.QPS, config.Burst = 2000, 4000
	if *cases == 0 {
		return runControllers(ctx, config)
	}
	return print(ctx, config)
}

func print(ctx context.Context, config *rest.Config) error {
	cluster, err := newCluster(ctx, config)
	if err != nil {
		return err
	}
	go func() {
		if err := runControllers(ctx, config); err != nil {
			fmt.Fprintln(os.Stderr, err)
			os.Exit(1)
		}
	}()
	out := bufio.NewWriter(os.Stdout)
	defer out.Flush()
	encoder := json.NewEncoder(out)
	for first := 0; first < *cases; first += *batch {
		var graphs []*graph
		for index := first; index < min(first+*batch, *cases); index++ {
			graphs = append(graphs, generate(*seed+int64(index)))
		}
		if err := cluster.play(ctx, graphs); err != nil {
			return err
		}
		for _, graph := range graphs {
			if err := encoder.Encode(graph); err != nil {
				return err
			}
		}
		if err := out.Flush(); err != nil {
			return err
		}
	}
	return nil
}
