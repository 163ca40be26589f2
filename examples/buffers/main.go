// Command buffers overlaps loading with computing. One goroutine fills tensors that are
// allocated once. Another goroutine computes with them and hands them back. With one
// buffer the goroutines take turns. With two buffers each goroutine has one. With three,
// a filled buffer is waiting to be processed while a late batch is being loaded.
//
//	go run ./buffers
//	go run ./buffers -plot buffers/timeline.png  # the picture in README.md
//
// reference.py is the same program in Python, with the same sums.
package main

import (
	"errors"
	"flag"
	"fmt"
	"io"
	"os"
	"time"

	"github.com/gotorch/gotorch/examples/internal/twin"
	"github.com/gotorch/gotorch/memory"
	"github.com/gotorch/gotorch/torch"
)

type config struct {
	batches int
	size    int64 // rows and columns of a batch
	// Time for a batch to arrive. Every fourth batch takes three times as long.
	wait   time.Duration
	plot   string
	losses string
}

var defaults = config{batches: 24, size: 256, wait: 8 * time.Millisecond}

func main() {
	c := defaults
	flag.IntVar(&c.batches, "batches", c.batches, "number of batches")
	flag.Int64Var(&c.size, "size", c.size, "rows and columns of a batch")
	flag.DurationVar(&c.wait, "wait", c.wait, "time for a batch to arrive; every fourth takes three times as long")
	flag.StringVar(&c.plot, "plot", "", "draw when each goroutine worked, into this PNG file")
	flag.StringVar(&c.losses, "losses", "", "write seconds and the mean of each result to this file")
	flag.Parse()
	if err := run(c, os.Stdout); err != nil {
		fmt.Fprintln(os.Stderr, "buffers:", err)
		os.Exit(1)
	}
}

// run loads and processes the batches three times: with one, two and three buffers.
func run(c config, out io.Writer) (err error) {
	if c.batches < 1 || c.size < 1 || c.wait < 0 {
		return errors.New("-batches and -size must be at least 1, and -wait must not be negative")
	}
	torch.SetNumThreads(1)
	log, err := twin.Create(c.losses)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, log.Close()) }()
	var all []timeline
	for n := 1; n <= 3; n++ {
		t := pipeline(c, n, log)
		fmt.Fprintf(out, "buffers: %d; %d batches in %.0f ms, sum %.6g, %d native bytes in buffers, %d left\n",
			n, c.batches, 1e3*t.took.Seconds(), t.sum, t.held, t.left)
		all = append(all, t)
	}
	if c.plot == "" {
		return nil
	}
	return draw(c.plot, all)
}

// ring passes filled buffers from the loading goroutine to the computing one, and used
// buffers back.
type ring struct{ free, full chan *torch.Tensor }

// newRing allocates n buffers outside all scopes. close frees them.
func newRing(n int, shape torch.Shape) *ring {
	r := &ring{free: make(chan *torch.Tensor, n), full: make(chan *torch.Tensor, n)}
	for range n {
		r.free <- torch.Disown(torch.Zeros(shape))
	}
	return r
}

// close frees the buffers. All of them must be in r.free.
func (r *ring) close() {
	close(r.free)
	for b := range r.free {
		_ = b.Close()
	}
}

// timeline contains the measurements of one run.
type timeline struct {
	buffers          int
	loads, computing []span
	took             time.Duration
	sum              float64 // of all results
	// Native bytes of the buffers, and native bytes still in use after they are closed.
	held, left int64
}

// span is the time during which a batch was loaded or processed.
type span struct{ from, to time.Duration }

// pipeline loads and computes all batches with n buffers.
func pipeline(c config, n int, log *twin.Log) timeline {
	t := timeline{buffers: n}
	before, start := memory.Allocated(torch.CPU), time.Now()
	r := newRing(n, torch.Shape{c.size, c.size})
	t.held = memory.Allocated(torch.CPU) - before
	go func() {
		defer close(r.full)
		for i := range c.batches {
			buffer := <-r.free
			from := time.Since(start)
			load(c, i, buffer)
			t.loads = append(t.loads, span{from, time.Since(start)})
			r.full <- buffer
		}
	}()
	for buffer := range r.full {
		from := time.Since(start)
		sum := compute(buffer)
		t.sum += sum
		log.Add(sum / float64(c.size*c.size))
		t.computing = append(t.computing, span{from, time.Since(start)})
		r.free <- buffer
	}
	t.took = time.Since(start)
	r.close()
	t.left = memory.Allocated(torch.CPU) - before
	return t
}

// load fills a buffer in place. It sleeps as if waiting for a disk or a network.
func load(c config, i int, buffer *torch.Tensor) {
	wait := c.wait
	if i%4 == 3 {
		wait *= 3
	}
	time.Sleep(wait)
	buffer.Fill_(float64(i%8) / float64(c.size))
}

// compute processes a batch: it multiplies matrices 40 times.
func compute(batch *torch.Tensor) (sum float64) {
	torch.Scope(func() {
		x := batch.Clone()
		for range 40 {
			next := torch.Tidy(func() *torch.Tensor { return x.MatMul(batch).Tanh() })
			_ = x.Close() // otherwise the scope keeps all 80 results
			x = next
		}
		sum = x.Sum().Item()
	})
	return sum
}
