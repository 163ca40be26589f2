// Command embed finds the lines of a file whose meaning is closest to a query, with the
// sentence encoder all-MiniLM-L6-v2. reference.py has the same model in Python.
//
//	model=$(scripts/get_minilm.sh)
//	cd examples && go run ./embed -model "$model" -query "how do I free a tensor" ../docs/ownership.md
//
// bert.go is the model, tokenizer.go converts text to word-piece IDs, and encoder.go runs
// batches of texts.
package main

import (
	"bufio"
	"errors"
	"flag"
	"fmt"
	"io"
	"os"
	"slices"
	"strings"
	"time"

	"github.com/gotorch/gotorch/examples/internal/closed"
	"github.com/gotorch/gotorch/examples/internal/twin"
	"github.com/gotorch/gotorch/torch"
)

type config struct {
	model, query, file string
	numbers, plot      string
	top, threads       int
	bench              int
}

func main() {
	var c config
	flag.StringVar(&c.model, "model", "", "the folder that scripts/get_minilm.sh prints")
	flag.StringVar(&c.query, "query", "", "what to look for")
	flag.IntVar(&c.top, "top", 5, "how many lines to show")
	flag.IntVar(&c.threads, "threads", 0, "threads of an operator; 0: one per core")
	flag.StringVar(&c.numbers, "losses", "", "write seconds and cosine with the query of each line to this file")
	flag.StringVar(&c.plot, "plot", "", "draw the cosines of the file's first lines into this PNG file")
	flag.IntVar(&c.bench, "bench", 0, "print the time per line, for single lines and batches of 32; number of rounds")
	flag.Usage = func() {
		fmt.Fprintln(flag.CommandLine.Output(), "usage: embed -model FOLDER -query TEXT FILE")
		flag.PrintDefaults()
	}
	flag.Parse()
	if c.file = flag.Arg(0); flag.NArg() != 1 || c.model == "" || c.query == "" && c.bench == 0 {
		flag.Usage()
		os.Exit(2)
	}
	if err := run(c, os.Stdout); err != nil {
		fmt.Fprintln(os.Stderr, "embed:", err)
		os.Exit(1)
	}
}

// run searches the lines. At the end it checks that all native memory is free.
func run(c config, out io.Writer) error {
	return closed.After(func() error { return search(c, out) })
}

func search(c config, out io.Writer) error {
	if c.threads > 0 {
		torch.SetNumThreads(c.threads)
	}
	lines, err := readLines(c.file)
	if err != nil {
		return err
	}
	encoder, err := OpenEncoder(c.model)
	if err != nil {
		return err
	}
	defer func() { _ = encoder.Close() }() // never fails
	if c.bench > 0 {
		measure(encoder, lines, c.bench, out)
		return nil
	}
	if c.numbers != "" {
		return likenesses(encoder, lines, c)
	}
	torch.Scope(func() {
		query := encoder.Encode([]string{c.query})
		// The vectors have length 1, so their products are the cosines.
		scores := encoder.Encode(lines).MatMul(query.T()).Squeeze(1)
		best, at := scores.TopK(int64(min(c.top, len(lines))))
		for i, line := range at.Int64s() {
			fmt.Fprintf(out, "%.3f  %s:%d: %s\n", best.Float32s()[i], c.file, line+1, lines[line])
		}
	})
	if c.plot == "" {
		return nil
	}
	return drawLikeness(c.plot, encoder, lines)
}

func readLines(path string) ([]string, error) {
	f, err := os.Open(path)
	if err != nil {
		return nil, err
	}
	defer func() { _ = f.Close() }() // only read
	var lines []string
	s := bufio.NewScanner(f)
	s.Buffer(nil, 1<<24)
	for s.Scan() {
		lines = append(lines, strings.TrimSpace(s.Text()))
	}
	if err := s.Err(); err != nil {
		return nil, fmt.Errorf("%s: %w", path, err)
	}
	if len(lines) == 0 {
		return nil, fmt.Errorf("%s: the file has no lines", path)
	}
	return lines, nil
}

// likenesses writes the cosine between each line and the query to the file c.numbers.
func likenesses(e *Encoder, lines []string, c config) (err error) {
	log, err := twin.Create(c.numbers)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, log.Close()) }()
	torch.Scope(func() {
		query := e.Encode([]string{c.query})
		for i := range lines {
			torch.Scope(func() { log.Add(e.Encode(lines[i : i+1]).MatMul(query.T()).Item()) })
		}
	})
	return nil
}

// measure prints nanoseconds per line for two benchmarks: encoding the first 32 lines one
// at a time, and encoding the same lines in one batch.
func measure(e *Encoder, lines []string, rounds int, out io.Writer) {
	lines = lines[:min(32, len(lines))]
	one := func() {
		for i := range lines {
			_ = e.Encode(lines[i : i+1]).Close()
		}
	}
	all := func() { _ = e.Encode(lines).Close() }
	fmt.Fprintf(out, "bench b1=%d b32=%d\n", timed(one, rounds)/len(lines), timed(all, rounds)/len(lines))
}

// timed runs fn several times and returns the median duration in nanoseconds.
func timed(fn func(), rounds int) int {
	fn() // to warm up
	var took []int
	for range rounds {
		start := time.Now()
		fn()
		took = append(took, int(time.Since(start)))
	}
	return middle(took)
}

func middle(numbers []int) int {
	slices.Sort(numbers)
	return numbers[len(numbers)/2]
}
