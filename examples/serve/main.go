// Command serve answers requests over HTTP with a model, several of them in one forward
// pass. docs/serving.md tells how it is built; reference.py is the same server in
// Python, and load puts either under load.
//
//	go run ./serve -model mlp
//	curl -d '{"input": [0.1, 0.2, ...]}' http://127.0.0.1:8080/predict
//
//	POST /predict       {"input": [numbers]} gives {"output": [numbers]}; as
//	                    application/octet-stream, little-endian float32s both ways
//	POST /swap?seed=7   another model in place of this one, while requests run; refused
//	                    when a page of another site asks for it
//	GET  /healthz       whether it takes requests
//	GET  /metrics       for Prometheus: latency, batches, queue, memory
//	GET  /debug/pprof/  profiles, that of live tensors among them
//
// The model's weights are random; an interrupt, or SIGTERM, has it answer what was asked
// and end.
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
	addr, model           string
	batch, queue, workers int
	threads               int
	seed                  uint64
	delay, timeout        time.Duration
	grace, drained        time.Duration
	losses                string
}

func main() {
	var c config
	flag.StringVar(&c.addr, "addr", "127.0.0.1:8080", "where to listen")
	flag.StringVar(&c.model, "model", "mlp", "which model: mlp (32 numbers) or cnn (an image of 28 x 28)")
	flag.Uint64Var(&c.seed, "seed", 0, "of the weights")
	flag.IntVar(&c.batch, "batch", 32, "requests in a forward pass at most")
	flag.DurationVar(&c.delay, "delay", time.Millisecond, "how long a request waits for others at most")
	flag.IntVar(&c.queue, "queue", 1024, "requests that wait; further ones are refused")
	flag.IntVar(&c.workers, "workers", 1, "forward passes at the same time")
	flag.IntVar(&c.threads, "threads", torch.NumThreads(), "threads for one operator")
	flag.DurationVar(&c.timeout, "timeout", 10*time.Second, "for one request")
	flag.DurationVar(&c.grace, "grace", time.Second,
		"at the end, how long clients may go on with the connections that they have")
	flag.DurationVar(&c.drained, "drain", 30*time.Second, "for the requests that are there at the end")
	flag.StringVar(&c.losses, "losses", "",
		"send itself 200 requests, write seconds and numbers of the answers to this file, and end")
	flag.Parse()
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	context.AfterFunc(ctx, stop) // a second one ends the program at once
	if err := run(ctx, c, os.Stdout); err != nil {
		fmt.Fprintln(os.Stderr, "serve:", err)
		os.Exit(1)
	}
}

// run serves until ctx is done, and checks that all native memory is back at the end.
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
	server := newServer(s)
	fmt.Fprintf(out, "serve: %s on http://%s\n", c.model, listener.Addr())
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
	// First those who wait for an answer, then the batcher, which nobody asks any more.
	limit, cancel := context.WithTimeout(context.WithoutCancel(ctx), c.drained)
	defer cancel()
	err = errors.Join(err, s.shutdown(limit, server, listener), s.batcher.Shutdown(limit))
	fmt.Fprintln(out, "serve:", s.batcher.Stats())
	return err
}
