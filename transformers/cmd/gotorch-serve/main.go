// Command gotorch-serve serves a language model over HTTP in the form of OpenAI's API.
//
//	gotorch-serve -model SmolLM2-135M-Instruct.Q4_1.gguf
//	curl localhost:8080/v1/chat/completions -d '{"messages": [{"role": "user", "content": "Hello"}]}'
//
//	POST /v1/chat/completions  answers a conversation, with streaming
//	POST /v1/completions       continues a text, with streaming
//	GET  /v1/models            the model
//	GET  /health               200, or 503 while the server shuts down
//	GET  /metrics              for Prometheus
//	GET  /                     a page for conversations
//
// It prints how much memory it needs before it loads the model. The keys and values of all
// texts are in a pool of that size, so the memory does not grow with the number of clients.
//
// On SIGTERM or an interrupt it refuses new requests, finishes those in progress within the
// time of -drain, and exits with status 0. A second signal ends it at once with status 130.
// The status is 1 after an error and 2 for a wrong command line.
package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"io"
	"net"
	"net/http"
	"os"
	"os/signal"
	"path/filepath"
	"strings"
	"syscall"
	"time"

	"github.com/gotorch/gotorch/memory"
	"github.com/gotorch/gotorch/torch"
	"github.com/gotorch/gotorch/transformers"
	"github.com/gotorch/gotorch/transformers/models"
	"github.com/gotorch/gotorch/transformers/serving"
)

type config struct {
	model, name, listen, dtype  string
	cacheTokens, maxBody        int64
	batch, queue, tokens, procs int
	timeout, drain              time.Duration
}

// dtypes are the values of -dtype.
var dtypes = map[string]torch.DType{"float32": torch.Float32, "bfloat16": torch.BFloat16, "float16": torch.Float16}

func main() {
	signals := make(chan os.Signal, 2)
	signal.Notify(signals, os.Interrupt, syscall.SIGTERM)
	os.Exit(run(os.Args[1:], signals, os.Stdout, os.Stderr))
}

// run returns the exit status.
func run(args []string, signals <-chan os.Signal, stdout, stderr io.Writer) int {
	c, status := parse(args, stderr)
	if status >= 0 {
		return status
	}
	ctx, cancel := context.WithCancel(context.Background())
	defer cancel()
	var err error
	served := make(chan struct{})
	go func() {
		defer close(served)
		if wrong := torch.Try(func() { err = serve(ctx, c, stdout) }); wrong != nil {
			err = wrong
		}
	}()
	for n := 0; ; {
		select {
		case <-signals:
			if n++; n == 2 {
				fmt.Fprintln(stderr, "gotorch-serve: a second signal: some requests have no answer")
				return 130
			}
			cancel()
		case <-served:
			if err != nil {
				fmt.Fprintln(stderr, "gotorch-serve:", err)
				return 1
			}
			return 0
		}
	}
}

// parse returns a status of at least 0 if the program ends.
func parse(args []string, stderr io.Writer) (c config, status int) {
	f := flag.NewFlagSet("gotorch-serve", flag.ContinueOnError)
	f.SetOutput(stderr)
	f.StringVar(&c.model, "model", "", "GGUF file, or folder with config.json, tokenizer.json and weights")
	f.StringVar(&c.name, "name", "", "name of the model for clients; default: the name of the file or folder")
	f.StringVar(&c.listen, "listen", "localhost:8080", "address to listen on")
	f.StringVar(&c.dtype, "dtype", "", "dtype of weights that are not quantised: float32, bfloat16 or float16; "+
		"default: float32 for a GGUF file, the dtype of the weights for a folder")
	f.Int64Var(&c.cacheTokens, "cache-tokens", 16384, "tokens of all texts together whose keys and values are kept")
	f.IntVar(&c.batch, "max-batch", 32, "texts that are generated at a time")
	f.IntVar(&c.queue, "max-queue", 1024, "texts that wait; more are refused with status 429")
	f.IntVar(&c.tokens, "max-tokens", 256, "new tokens of an answer if the request sets no limit")
	f.Int64Var(&c.maxBody, "max-body", 1<<20, "bytes of a request")
	f.IntVar(&c.procs, "threads", torch.NumThreads(), "threads for one operator")
	f.DurationVar(&c.timeout, "timeout", 10*time.Minute, "time limit of a request")
	f.DurationVar(&c.drain, "drain", 30*time.Second, "time limit of the requests in progress at the end")
	if err := f.Parse(args); errors.Is(err, flag.ErrHelp) {
		return c, 0
	} else if err != nil {
		return c, 2
	}
	wrong := ""
	switch {
	case f.NArg() > 0:
		wrong = fmt.Sprintf("unexpected argument %q", f.Arg(0))
	case c.model == "":
		wrong = "-model is missing"
	case c.dtype != "" && dtypes[c.dtype] == 0:
		wrong = fmt.Sprintf("-dtype %s: expected float32, bfloat16 or float16", c.dtype)
	case min(c.cacheTokens, c.maxBody, int64(c.batch), int64(c.queue), int64(c.tokens), int64(c.procs)) < 1:
		wrong = "-cache-tokens, -max-batch, -max-queue, -max-tokens, -max-body and -threads are at least 1"
	case max(c.cacheTokens, int64(c.batch), int64(c.queue), int64(c.tokens)) > 1<<30:
		wrong = "-cache-tokens, -max-batch, -max-queue and -max-tokens are at most 1<<30"
	case min(c.timeout, c.drain) <= 0:
		wrong = "-timeout and -drain are more than 0"
	}
	if wrong != "" {
		fmt.Fprintf(stderr, "gotorch-serve: %s; -h lists the flags\n", wrong)
		return c, 2
	}
	if c.name == "" {
		c.name = strings.TrimSuffix(filepath.Base(filepath.Clean(c.model)), ".gguf")
	}
	return c, -1
}

func (c config) options() (opts []models.NewOption) {
	if c.dtype != "" {
		opts = append(opts, models.DType(dtypes[c.dtype]))
	}
	return opts
}

// serve serves until ctx ends.
func serve(ctx context.Context, c config, out io.Writer) error {
	torch.SetNumThreads(c.procs)
	if err := plan(c, out); err != nil {
		return err
	}
	// Listen first: an address in use shows before a large model is loaded.
	listener, err := new(net.ListenConfig).Listen(ctx, "tcp", c.listen)
	if err != nil {
		return err
	}
	defer func() { _ = listener.Close() }()
	lm, err := transformers.Load(c.model, c.options()...)
	if err != nil {
		return err
	}
	defer func() { _ = lm.Close() }()
	engine := serving.NewEngine(lm.Model, serving.CacheTokens(c.cacheTokens), serving.MaxBatch(c.batch),
		serving.MaxQueue(c.queue))
	defer func() { _ = engine.Close() }()
	s := &serving.Server{
		Name: c.name, LM: lm, Engine: engine, MaxTokens: c.tokens, MaxBody: c.maxBody, Timeout: c.timeout,
	}
	const read, write = time.Minute, 30 * time.Second
	server := &http.Server{
		Handler:           s.Handler(),
		ReadHeaderTimeout: 10 * time.Second,
		ReadTimeout:       read,
		WriteTimeout:      read + c.timeout + write, // streams have a limit for each event
		IdleTimeout:       2 * time.Minute,
		MaxHeaderBytes:    64 << 10,
	}
	fmt.Fprintf(out, "in use: weights %s, keys and values %s, all tensors %s; %s\n", size(lm.Bytes()),
		size(engine.Stats().CacheBytes), size(memory.Requested(torch.CPU)), memory.Process())
	fmt.Fprintf(out, "%s on http://%s\n", c.name, listener.Addr())
	ended := make(chan error, 1)
	go func() { ended <- server.Serve(listener) }()
	select {
	case err := <-ended:
		return err
	case <-ctx.Done():
	}
	return shutdown(ctx, c, s, server, out)
}

// shutdown refuses new requests and waits for the others. The server still listens then, so
// that its clients and load balancers learn about the end.
func shutdown(ctx context.Context, c config, s *serving.Server, server *http.Server, out io.Writer) error {
	s.Drain()
	stats := s.Engine.Stats()
	fmt.Fprintf(out, "shutting down: %d texts are in progress, %d wait\n", stats.Active, stats.Waiting)
	limit, cancel := context.WithTimeout(context.WithoutCancel(ctx), c.drain)
	defer cancel()
	err := s.Engine.Drain(limit)
	if err != nil {
		err = fmt.Errorf("not all requests were done after %v", c.drain)
	}
	// The texts are done. What remains is to write the answers.
	last, cancel := context.WithTimeout(context.WithoutCancel(ctx), 5*time.Second)
	defer cancel()
	if server.Shutdown(last) != nil {
		_ = server.Close()
	}
	stats = s.Engine.Stats()
	fmt.Fprintf(out, "served %d texts, %d tokens; %d were cancelled, %d refused\n", stats.Finished, stats.NewTokens,
		stats.Cancelled, stats.Refused)
	return err
}
