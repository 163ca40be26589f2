// Command gotorch-serve serves a language model, a model for embeddings, or both over HTTP in
// the form of OpenAI's API.
//
//	gotorch-serve -model SmolLM2-135M-Instruct.Q4_1.gguf -embeddings all-MiniLM-L6-v2
//	curl localhost:8080/v1/chat/completions -d '{"messages": [{"role": "user", "content": "Hello"}]}'
//	curl localhost:8080/v1/embeddings -d '{"input": ["Hello", "Goodbye"]}'
//
//	POST /v1/chat/completions  answers a conversation, with streaming
//	POST /v1/completions       continues a text, with streaming
//	POST /v1/embeddings        computes embeddings of texts
//	GET  /v1/models            the models
//	GET  /health               200, or 503 while the server shuts down
//	GET  /metrics              for Prometheus
//	GET  /                     a page for conversations
//
// It prints how much memory it needs before it loads the model. The keys and values of all
// texts are in a pool of that size, and embeddings are computed in batches of limited size, so
// the memory does not grow with the number of clients.
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
	embeddings, embeddingsName  string
	cacheTokens, maxBody        int64
	batch, queue, tokens, procs int
	batchTokens, maxTexts       int
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
	f.StringVar(&c.embeddings, "embeddings", "", "folder of sentence-transformers with a model for embeddings")
	f.StringVar(&c.embeddingsName, "embeddings-name", "", "name of that model for clients; default: the name of "+
		"the folder")
	f.StringVar(&c.listen, "listen", "localhost:8080", "address to listen on")
	f.StringVar(&c.dtype, "dtype", "", "dtype of weights that are not quantised: float32, bfloat16 or float16; "+
		"default: float32 for a GGUF file, the dtype of the weights for a folder")
	f.Int64Var(&c.cacheTokens, "cache-tokens", 16384, "tokens of all texts together whose keys and values are kept")
	f.IntVar(&c.batch, "max-batch", 32, "texts that are generated, or whose embeddings are computed, at a time")
	f.IntVar(&c.queue, "max-queue", 1024, "texts that wait; more are refused with status 429")
	f.IntVar(&c.tokens, "max-tokens", 256, "new tokens of an answer if the request sets no limit")
	f.IntVar(&c.batchTokens, "embeddings-batch-tokens", 4096, "tokens of a batch of texts for embeddings; "+
		"a longer text is refused")
	f.IntVar(&c.maxTexts, "embeddings-max-texts", 4096, "texts for embeddings in progress; more are refused with "+
		"status 429")
	f.Int64Var(&c.maxBody, "max-body", 1<<20, "bytes of a request")
	f.IntVar(&c.procs, "threads", torch.NumThreads(), "threads for one operator")
	f.DurationVar(&c.timeout, "timeout", 10*time.Minute, "time limit of a request")
	f.DurationVar(&c.drain, "drain", 30*time.Second, "time limit of the requests in progress at the end")
	if err := f.Parse(args); errors.Is(err, flag.ErrHelp) {
		return c, 0
	} else if err != nil {
		return c, 2
	}
	named := func(name *string, path string) {
		if *name == "" && path != "" {
			*name = strings.TrimSuffix(filepath.Base(filepath.Clean(path)), ".gguf")
		}
	}
	named(&c.name, c.model)
	named(&c.embeddingsName, c.embeddings)
	wrong := ""
	switch {
	case f.NArg() > 0:
		wrong = fmt.Sprintf("unexpected argument %q", f.Arg(0))
	case c.model == "" && c.embeddings == "":
		wrong = "-model and -embeddings are missing"
	case c.model != "" && c.embeddings != "" && c.name == c.embeddingsName:
		wrong = fmt.Sprintf("both models have the name %q: use -name or -embeddings-name", c.name)
	case c.dtype != "" && dtypes[c.dtype] == 0:
		wrong = fmt.Sprintf("-dtype %s: expected float32, bfloat16 or float16", c.dtype)
	case min(c.cacheTokens, c.maxBody, int64(c.batch), int64(c.queue), int64(c.tokens), int64(c.procs)) < 1:
		wrong = "-cache-tokens, -max-batch, -max-queue, -max-tokens, -max-body and -threads are at least 1"
	case max(c.cacheTokens, int64(c.batch), int64(c.queue), int64(c.tokens)) > 1<<30:
		wrong = "-cache-tokens, -max-batch, -max-queue and -max-tokens are at most 1<<30"
	case min(c.batchTokens, c.maxTexts) < 1 || max(c.batchTokens, c.maxTexts) > 1<<30:
		wrong = "-embeddings-batch-tokens and -embeddings-max-texts are from 1 to 1<<30"
	case min(c.timeout, c.drain) <= 0:
		wrong = "-timeout and -drain are more than 0"
	}
	if wrong != "" {
		fmt.Fprintf(stderr, "gotorch-serve: %s; -h lists the flags\n", wrong)
		return c, 2
	}
	return c, -1
}

func (c config) options() (opts []models.NewOption) {
	if c.dtype != "" {
		opts = append(opts, models.DType(dtypes[c.dtype]))
	}
	return opts
}

// names returns the names of the models.
func (c config) names() string {
	if c.name != "" && c.embeddingsName != "" {
		return c.name + " and " + c.embeddingsName
	}
	return c.name + c.embeddingsName
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
	s := &serving.Server{
		Name: c.name, EmbeddingsName: c.embeddingsName, MaxTokens: c.tokens, MaxBody: c.maxBody, Timeout: c.timeout,
	}
	inUse := "in use: "
	if c.model != "" {
		lm, err := transformers.Load(c.model, c.options()...)
		if err != nil {
			return err
		}
		defer func() { _ = lm.Close() }()
		s.LM, s.Engine = lm, serving.NewEngine(lm.Model, serving.CacheTokens(c.cacheTokens), serving.MaxBatch(c.batch),
			serving.MaxQueue(c.queue))
		defer func() { _ = s.Engine.Close() }()
		inUse += fmt.Sprintf("weights %s, keys and values %s, ", size(lm.Bytes()), size(s.Engine.Stats().CacheBytes))
	}
	if c.embeddings != "" {
		m, err := transformers.LoadSentenceTransformer(c.embeddings, c.options()...)
		if err != nil {
			return err
		}
		defer func() { _ = m.Close() }()
		s.Embedder = serving.NewEmbedder(m, serving.BatchTokens(c.batchTokens), serving.MaxTexts(c.maxTexts),
			serving.MaxBatch(c.batch))
		defer func() { _ = s.Embedder.Close() }()
		inUse += fmt.Sprintf("weights for embeddings %s, ", size(m.Bytes()))
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
	fmt.Fprintf(out, "%sall tensors %s; %s\n", inUse, size(memory.Requested(torch.CPU)), memory.Process())
	fmt.Fprintf(out, "%s on http://%s\n", c.names(), listener.Addr())
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
	if s.Engine != nil {
		stats := s.Engine.Stats()
		fmt.Fprintf(out, "shutting down: %d texts are in progress, %d wait\n", stats.Active, stats.Waiting)
	}
	if s.Embedder != nil {
		fmt.Fprintf(out, "shutting down: embeddings of %d texts are in progress\n", s.Embedder.Stats().InUse)
	}
	limit, cancel := context.WithTimeout(context.WithoutCancel(ctx), c.drain)
	defer cancel()
	var err error
	if s.Engine != nil {
		err = s.Engine.Drain(limit)
	}
	if s.Embedder != nil {
		err = errors.Join(err, s.Embedder.Drain(limit))
	}
	if err != nil {
		err = fmt.Errorf("not all requests were done after %v", c.drain)
	}
	// The texts are done. What remains is to write the answers.
	last, cancel := context.WithTimeout(context.WithoutCancel(ctx), 5*time.Second)
	defer cancel()
	if server.Shutdown(last) != nil {
		_ = server.Close()
	}
	if s.Engine != nil {
		stats := s.Engine.Stats()
		fmt.Fprintf(out, "served %d texts, %d tokens; %d were cancelled, %d refused\n", stats.Finished, stats.NewTokens,
			stats.Cancelled, stats.Refused)
	}
	if s.Embedder != nil {
		stats := s.Embedder.Stats()
		fmt.Fprintf(out, "embedded %d texts, %d tokens; of %d requests %d were cancelled, %d refused\n", stats.Texts,
			stats.Tokens, stats.Requests, stats.Cancelled, stats.Refused)
	}
	return err
}
