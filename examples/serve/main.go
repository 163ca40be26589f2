// Command serve is an HTTP server for a model. It computes several requests in one
// forward pass. docs/serving.md explains how it is built. reference.py is the same server
// in Python, and command load measures either of them.
//
//	go run ./serve -model mlp
//	curl -d '{"input": [0.1, 0.2, ...]}' http://127.0.0.1:8080/predict
//
//	POST /predict       {"input": [numbers]} gives {"output": [numbers]}; as
//	                    application/octet-stream, little-endian float32s both ways
//	GET  /healthz       whether the server is accepting requests
//
// With -admin it serves the people who run it at a second address, which clients must not
// reach:
//
//	POST /swap?seed=7   replaces the model while requests run
//	GET  /metrics       for Prometheus: latency, batches, queue, memory
//	GET  /debug/pprof/  profiles, including live tensors
//
// Both addresses refuse requests from pages on other sites, except GET.
// The model's weights are random. On an interrupt or SIGTERM the server answers all
// requests that it has received, and then exits.
package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"io"
	"net"
	"os"
	"os/signal"
	"syscall"
	"time"

	"github.com/gotorch/gotorch/examples/internal/closed"
	"github.com/gotorch/gotorch/examples/internal/twin"
	"github.com/gotorch/gotorch/torch"
)

type config struct {
	addr, admin, model    string
	batch, queue, workers int
	threads               int
	seed                  uint64
	optimize              bool
	delay, timeout        time.Duration
	grace, drained        time.Duration
	losses                string
}

func main() {
	var c config
	flag.StringVar(&c.addr, "addr", "127.0.0.1:8080", "address to listen on")
	flag.StringVar(&c.admin, "admin", "", "address for /swap, metrics and profiles, such as 127.0.0.1:8081; "+
		"keep it from clients")
	flag.StringVar(&c.model, "model", "mlp", "model: mlp (32 numbers) or cnn (an image of 28 x 28)")
	flag.Uint64Var(&c.seed, "seed", 0, "seed of the weights")
	flag.BoolVar(&c.optimize, "optimize", false, "answer with graphs that torch.Optimize makes")
	flag.IntVar(&c.batch, "batch", 32, "maximum number of requests in a forward pass")
	flag.DurationVar(&c.delay, "delay", time.Millisecond, "maximum time that a request waits for others")
	flag.IntVar(&c.queue, "queue", 1024, "maximum number of waiting requests; more are refused")
	flag.IntVar(&c.workers, "workers", 1, "forward passes at the same time")
	flag.IntVar(&c.threads, "threads", torch.NumThreads(), "threads for one operator")
	flag.DurationVar(&c.timeout, "timeout", 10*time.Second, "time limit for one request")
	flag.DurationVar(&c.grace, "grace", time.Second,
		"time at the end in which clients may still use their connections")
	flag.DurationVar(&c.drained, "drain", 30*time.Second, "time limit for the requests that are left at the end")
	flag.StringVar(&c.losses, "losses", "",
		"send itself 200 requests, write seconds and numbers of the answers to this file, and exit")
	flag.Parse()
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	context.AfterFunc(ctx, stop) // a second signal kills the program
	if err := run(ctx, c, os.Stdout); err != nil {
		fmt.Fprintln(os.Stderr, "serve:", err)
		os.Exit(1)
	}
}

// run serves until ctx is done. At the end it checks that all native memory is free.
func run(ctx context.Context, c config, out io.Writer) error {
	return closed.After(func() error { return serve(ctx, c, out) })
}

func serve(ctx context.Context, c config, out io.Writer) (err error) {
	torch.SetNumThreads(c.threads)
	log, err := twin.Create(c.losses)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, log.Close()) }()
	s, err := newService(c)
	if err != nil {
		return err
	}
	defer s.close()
	listener, err := new(net.ListenConfig).Listen(ctx, "tcp", c.addr)
	if err != nil {
		return err
	}
	server := newServer(s, s.handler())
	server.ConnState = s.clients.changed
	fmt.Fprintf(out, "serve: %s on http://%s\n", c.model, listener.Addr())
	stop, err := s.serveAdmin(ctx, out)
	if err != nil {
		return errors.Join(err, listener.Close())
	}
	defer func() { err = errors.Join(err, stop()) }()
	ended := make(chan error, 1)
	go func() { ended <- server.Serve(listener) }()
	if c.losses != "" {
		err = s.ask(ctx, "http://"+listener.Addr().String(), log)
	} else {
		select {
		case err := <-ended:
			return err
		case <-ctx.Done():
		}
	}
	// Shut down the HTTP server before the batcher, because the server's handlers may be
	// waiting for results from the batcher.
	limit, cancel := context.WithTimeout(context.WithoutCancel(ctx), c.drained)
	defer cancel()
	err = errors.Join(err, s.shutdown(limit, server, listener), s.batcher.Shutdown(limit))
	fmt.Fprintln(out, "serve:", s.batcher.Stats())
	return err
}
