// Command gpt learns to write like the documentation of Go's standard library, one
// character at a time. It has nanoGPT's model and training, small enough for a CPU, and
// prints samples during training. reference.py is the same program in Python. With the
// same seed both print the same losses.
//
//	go run ./gpt                          # 2,000 steps, a few minutes
//	go run ./gpt -dtype bfloat16          # mixed precision
//	go run ./gpt -text my.txt -steps 500  # a different text
//	go run ./gpt -plot gpt/loss.png       # the plot in README.md
package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"io"
	"os"
	"os/signal"
	"unicode/utf8"

	"github.com/gotorch/gotorch/examples/gpt/nanogpt"
	"github.com/gotorch/gotorch/examples/internal/account"
	"github.com/gotorch/gotorch/torch"
)

// config has the values of the flags.
type config struct {
	text, save, plot, prompt, device, dtype, lossFile string
	steps, batch, every, sample, threads              int
	warmup                                            int
	lr                                                float64
	seed                                              uint64
	size                                              nanogpt.Config
	bench                                             bool
}

// defaults are the default values of the flags: nanoGPT's settings for a CPU.
var defaults = config{
	steps: 2000, batch: 12, every: 250, sample: 300, threads: torch.NumThreads(), warmup: 100, lr: 1e-3,
	prompt: "Package ", device: "cpu", dtype: "float32",
	size: nanogpt.Config{Block: 64, Layers: 4, Heads: 4, Width: 128},
}

func main() {
	c := defaults
	flag.StringVar(&c.text, "text", c.text, "file with the text to learn; default: documentation of Go's library")
	flag.StringVar(&c.save, "save", c.save, "write the text to this file, for reference.py, and exit")
	flag.IntVar(&c.steps, "steps", c.steps, "steps of training")
	flag.IntVar(&c.batch, "batch", c.batch, "texts per step")
	flag.IntVar(&c.every, "every", c.every, "steps between two samples")
	flag.IntVar(&c.sample, "sample", c.sample, "characters of a sample")
	flag.StringVar(&c.prompt, "prompt", c.prompt, "beginning of each sample")
	flag.Int64Var(&c.size.Block, "block", c.size.Block, "characters that the model looks back at")
	flag.Int64Var(&c.size.Layers, "layers", c.size.Layers, "layers of the model")
	flag.Int64Var(&c.size.Heads, "heads", c.size.Heads, "heads of a layer")
	flag.Int64Var(&c.size.Width, "width", c.size.Width, "features per character")
	flag.Float64Var(&c.size.Dropout, "dropout", c.size.Dropout, "probability of dropout in training")
	flag.Float64Var(&c.lr, "lr", c.lr, "the highest learning rate")
	flag.IntVar(&c.warmup, "warmup", c.warmup, "steps until the highest learning rate")
	flag.Uint64Var(&c.seed, "seed", c.seed, "seed of the random generator")
	flag.IntVar(&c.threads, "threads", c.threads, "threads for one operator")
	flag.StringVar(&c.device, "device", c.device, "device of the model: cpu, cuda, cuda:1")
	flag.StringVar(&c.dtype, "dtype", c.dtype, "float32, or with mixed precision bfloat16 or float16")
	flag.StringVar(&c.lossFile, "losses", c.lossFile, "write seconds and loss of each step to this file")
	flag.StringVar(&c.plot, "plot", c.plot, "draw loss and memory over steps into this PNG file")
	flag.BoolVar(&c.bench, "bench", c.bench, "no samples; print the time of a step and the peak of memory")
	flag.Parse()
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt)
	context.AfterFunc(ctx, stop) // a second Ctrl-C kills the program
	if err := run(ctx, c, os.Stdout); err != nil {
		fmt.Fprintln(os.Stderr, "gpt:", err)
		os.Exit(1)
	}
}

// run trains the model. At the end it checks that all native memory is free.
func run(ctx context.Context, c config, out io.Writer) error {
	text, err := c.read(ctx)
	if err != nil {
		return err
	}
	if c.save != "" {
		return os.WriteFile(c.save, []byte(text), 0o644) //nolint:gosec // other users may read it
	}
	if err := c.check(text); err != nil {
		return err
	}
	t := &training{config: c, book: account.Open()}
	if wrong := torch.Try(func() { err = t.train(ctx, text, out) }); wrong != nil || err != nil {
		return errors.Join(wrong, err)
	}
	bytes, tensors, peak := t.book.Close()
	fmt.Fprintf(out, "all closed: %d bytes and %d tensors more than at the start\n", bytes, tensors)
	if bytes != 0 || tensors != 0 {
		return errors.New("native memory leaked")
	}
	if c.bench && len(t.took) > 0 {
		fmt.Fprintf(out, "bench step=%d peak_bytes=%d\n", t.stepTime(), peak)
	}
	return t.picture()
}

// check returns an error for invalid flag values that no other function rejects.
func (c config) check(text string) error {
	switch {
	case c.steps < 1 || c.batch < 1 || c.every < 1 || c.sample < 0 || c.warmup < 0:
		return errors.New("-steps, -batch and -every must be at least 1, -sample and -warmup at least 0")
	case c.size.Block < 1 || c.size.Layers < 1 || c.size.Heads < 1 || c.size.Width < 1 ||
		c.size.Width%c.size.Heads != 0:
		return errors.New("-block, -layers, -heads and -width must be at least 1, and -width a multiple of -heads")
	case int64(utf8.RuneCountInString(text)) <= c.size.Block:
		return errors.New("the text must be longer than -block")
	case c.prompt == "":
		return errors.New("-prompt must have at least one character")
	}
	return nil
}

func (c config) read(ctx context.Context) (string, error) {
	if c.text == "" {
		return nanogpt.GoDoc(ctx)
	}
	text, err := os.ReadFile(c.text)
	return string(text), err
}
