// Command load measures the latency of a server on this machine with several clients. Each
// client sends a request, waits for the response, and sends the next one.
//
//	go run ./serve/load -model cnn -- ./server -addr HOST:PORT
//	go run ./serve/load -url http://127.0.0.1:8080
//	go run ./serve/load -url http://127.0.0.1:8080 -plot serve/latency.png  # the picture in README.md
//
// If a command follows --, load runs that command as the server and stops it afterwards. In
// the command's arguments it replaces HOST:PORT with a free address, or PORT alone with a
// free port. The output line that starts with "bench" contains the nanoseconds per request,
// and the median and the 99th percentile of the latency.
package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"io"
	"math/rand/v2"
	"os"
	"os/signal"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"github.com/goccy/go-json"
	"github.com/valyala/fasthttp"
)

type config struct {
	url, model, plot string
	clients          int
	requests, warmup int64
	limit            time.Duration
}

func main() {
	var c config
	flag.StringVar(&c.url, "url", "", "address of a running server on this machine")
	flag.StringVar(&c.model, "model", "mlp", "model of the server: mlp or cnn")
	flag.StringVar(&c.plot, "plot", "",
		"also measure with 1 to 64 clients, and draw the latencies into this PNG file")
	flag.IntVar(&c.clients, "clients", 16, "number of clients")
	flag.Int64Var(&c.requests, "requests", 20_000, "number of measured requests")
	flag.Int64Var(&c.warmup, "warmup", 4000, "number of requests before the measurement")
	flag.DurationVar(&c.limit, "limit", 2*time.Minute, "time limit for the whole run")
	flag.Parse()
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt)
	context.AfterFunc(ctx, stop) // a second Ctrl-C kills the program
	if err := run(ctx, c, flag.Args(), os.Stdout); err != nil {
		fmt.Fprintln(os.Stderr, "load:", err)
		os.Exit(1)
	}
}

func run(ctx context.Context, c config, command []string, out io.Writer) (err error) {
	ctx, cancel := context.WithTimeout(ctx, c.limit)
	defer cancel()
	if c.clients < 1 || c.requests < 1 || c.warmup < 0 {
		return errors.New("-clients and -requests must be positive, and -warmup not negative")
	}
	if len(command) > 0 {
		server, err := start(ctx, command)
		if err != nil {
			return err
		}
		defer func() { server.stop() }()
		c.url = server.url
	}
	if !strings.HasPrefix(c.url, "http://127.0.0.1:") {
		return fmt.Errorf("-url %q: expected a server on this machine, http://127.0.0.1:PORT", c.url)
	}
	l := newLoad(c)
	if err := l.ready(ctx); err != nil {
		return err
	}
	if c.warmup > 0 {
		if _, err := l.measure(ctx, c.warmup); err != nil {
			return err
		}
	}
	r, err := l.measure(ctx, c.requests)
	if err != nil {
		return err
	}
	fmt.Fprintf(out, "%d requests of %d clients: %.0f a second, latency %v, 90 %% within %v, 99 %% within %v\n",
		len(r.latencies), c.clients, float64(len(r.latencies))/r.wall.Seconds(), r.quantile(0.5), r.quantile(0.9),
		r.quantile(0.99))
	fmt.Fprintf(out, "bench ns=%d p50=%d p99=%d\n",
		r.wall.Nanoseconds()/int64(len(r.latencies)), r.quantile(0.5).Nanoseconds(), r.quantile(0.99).Nanoseconds())
	if c.plot == "" {
		return nil
	}
	return l.sweep(ctx, out, c.plot)
}

// load contains the clients and the requests that they send.
type load struct {
	config
	client *fasthttp.HostClient
	bodies [][]byte
}

func newLoad(c config) *load {
	n := map[string]int{"mlp": 32, "cnn": 28 * 28}[c.model]
	l := &load{config: c, client: &fasthttp.HostClient{
		Addr: strings.TrimPrefix(c.url, "http://"), MaxConns: max(c.clients, slices.Max(crowds)) + 1,
		ReadTimeout: time.Minute,
	}}
	random := rand.New(rand.NewPCG(1, 2))
	for range 64 {
		x := make([]float32, n)
		for i := range x {
			x[i] = float32(random.NormFloat64())
		}
		body, _ := json.Marshal(map[string][]float32{"input": x}) // marshaling finite numbers cannot fail
		l.bodies = append(l.bodies, body)
	}
	return l
}

// ready waits until the server answers.
func (l *load) ready(ctx context.Context) error {
	for {
		status, _, err := l.client.Get(nil, l.url+"/healthz")
		if err == nil && status == fasthttp.StatusOK {
			return nil
		}
		select {
		case <-ctx.Done():
			return fmt.Errorf("no answer from %s: %w", l.url, errors.Join(ctx.Err(), err))
		case <-time.After(50 * time.Millisecond):
		}
	}
}

// result contains the latencies of the requests and the total time.
type result struct {
	wall      time.Duration
	latencies []time.Duration // ascending
}

func (r *result) quantile(q float64) time.Duration {
	return r.latencies[min(int(q*float64(len(r.latencies))), len(r.latencies)-1)]
}

// measure sends the given number of requests in total, divided among the clients.
func (l *load) measure(ctx context.Context, requests int64) (*result, error) {
	var (
		next atomic.Int64
		wait sync.WaitGroup
		all  = make([][]time.Duration, l.clients)
		errs = make([]error, l.clients)
	)
	begin := time.Now()
	for id := range l.clients {
		wait.Go(func() {
			request, response := fasthttp.AcquireRequest(), fasthttp.AcquireResponse()
			defer fasthttp.ReleaseRequest(request)
			defer fasthttp.ReleaseResponse(response)
			request.SetRequestURI(l.url + "/predict")
			request.Header.SetMethod(fasthttp.MethodPost)
			request.Header.SetContentType("application/json")
			for i := next.Add(1); i <= requests && ctx.Err() == nil; i = next.Add(1) {
				request.SetBodyRaw(l.bodies[int(i)%len(l.bodies)])
				start := time.Now()
				err := l.client.Do(request, response)
				all[id] = append(all[id], time.Since(start))
				if err == nil && (response.StatusCode() != fasthttp.StatusOK || len(response.Body()) < 10) {
					err = fmt.Errorf("status %d: %s", response.StatusCode(), response.Body())
				}
				if err != nil {
					errs[id] = err
					return
				}
			}
		})
	}
	wait.Wait()
	r := &result{wall: time.Since(begin), latencies: slices.Concat(all...)}
	slices.Sort(r.latencies)
	return r, errors.Join(append(errs, ctx.Err())...)
}
