// Command nanochat makes a small chat model from nothing: it trains a tokenizer, pretrains a
// Llama on the documentation of Go's standard library, continues with conversations,
// fine-tunes on questions and answers, evaluates, and chats. Before each stage it prints the
// memory that the stage needs, and after it the memory that it used. reference.py is the
// training step of the pretraining in Python.
//
//	go run ./nanochat -all                           # all stages, about ten minutes on two cores
//	go run ./nanochat -ask "What is 3 + 4?"          # asks the model that -all made
//	go run ./nanochat -chat                          # a conversation
//	go run ./nanochat -estimate -preset d20          # what a larger model needs
package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"io"
	"os"
	"os/signal"
	"strings"
	"syscall"
	"time"

	"github.com/gotorch/gotorch/examples/internal/closed"
	"github.com/gotorch/gotorch/torch"
)

type config struct {
	size
	out, text, device, preset, stages, ask, export, lossFile string
	steps, midSteps, sftSteps, batch, warmup                 int
	saveEvery, printEvery, questions, threads                int
	lr, clip, temperature                                    float64
	seed                                                     uint64
	timeout                                                  time.Duration
	all, chat, estimate, amp                                 bool
}

// defaults are the default values of the flags, for a run of about ten minutes on two
// cores. Tests start from them too.
var defaults = config{
	size: presets["small"].size, out: "runs/nanochat", device: "cpu", preset: "small",
	steps: 800, midSteps: 300, sftSteps: 500, batch: presets["small"].batch, warmup: 50, saveEvery: 200,
	printEvery: 100, questions: 60, threads: torch.NumThreads(), lr: 3e-3, clip: 1, seed: 1,
	timeout: 5 * time.Minute,
}

func main() {
	c := defaults
	flags := flag.NewFlagSet("nanochat", flag.ExitOnError)
	c.register(flags)
	_ = flags.Parse(os.Args[1:]) // it exits if the flags are wrong
	if flags.NArg() > 0 || !c.asksForSomething() {
		flags.Usage()
		os.Exit(2)
	}
	if err := c.usePreset(flags); err != nil {
		os.Exit(report(err))
	}
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	context.AfterFunc(ctx, stop) // a second Ctrl-C kills the program
	os.Exit(report(closed.After(func() error { return run(ctx, c, os.Stdin, os.Stdout) })))
}

// register declares the flags. Their default values are those of c.
func (c *config) register(f *flag.FlagSet) {
	f.BoolVar(&c.all, "all", c.all, "run all stages that are not finished in -out, and print the estimate")
	f.StringVar(&c.stages, "stages", c.stages, "run only these stages, such as pretrain,mid; of "+stageNames())
	f.BoolVar(&c.chat, "chat", c.chat, "talk with the model in -out")
	f.StringVar(&c.ask, "ask", c.ask, "ask the model in -out this question, and stop")
	f.BoolVar(&c.estimate, "estimate", c.estimate, "print what a machine needs for -preset, and stop")
	f.StringVar(&c.export, "export", c.export, "write the first weights and the tokens for reference.py to this folder")
	f.StringVar(&c.out, "out", c.out, "folder for the tokenizer, the models and the checkpoints")
	f.StringVar(&c.text, "text", c.text, "file with the text to learn; default: documentation of Go's library")
	f.StringVar(&c.preset, "preset", c.preset, "sizes that other flags change: small, or d12, d20, d26 as in nanochat")
	f.Int64Var(&c.Depth, "depth", c.Depth, "layers of the model")
	f.Int64Var(&c.Width, "width", c.Width, "features of a token")
	f.Int64Var(&c.Heads, "heads", c.Heads, "heads of a layer")
	f.Int64Var(&c.Context, "context", c.Context, "tokens of a text")
	f.Int64Var(&c.Vocab, "vocab", c.Vocab, "tokens of the tokenizer")
	f.IntVar(&c.batch, "batch", c.batch, "texts in a batch of one process")
	f.IntVar(&c.steps, "steps", c.steps, "steps of pretraining")
	f.IntVar(&c.midSteps, "mid-steps", c.midSteps, "steps of mid-training")
	f.IntVar(&c.sftSteps, "sft-steps", c.sftSteps, "steps of supervised fine-tuning")
	f.IntVar(&c.warmup, "warmup", c.warmup, "steps until the highest learning rate of a stage")
	f.Float64Var(&c.lr, "lr", c.lr, "highest learning rate of pretraining; later stages use a third of it")
	f.Float64Var(&c.clip, "clip", c.clip, "largest norm of the gradients")
	f.IntVar(&c.saveEvery, "save-every", c.saveEvery, "steps between checkpoints; 0: only after Ctrl-C")
	f.IntVar(&c.printEvery, "print-every", c.printEvery, "steps between two lines of output")
	f.IntVar(&c.questions, "questions", c.questions, "questions of each kind in the evaluation")
	f.Float64Var(&c.temperature, "temperature", c.temperature, "draw the tokens of a chat; 0: take the most probable")
	f.StringVar(&c.device, "device", c.device, "device of the model: cpu, cuda, cuda:1")
	f.BoolVar(&c.amp, "amp", c.amp, "mixed precision with bfloat16")
	f.IntVar(&c.threads, "threads", c.threads, "threads for one operator")
	f.Uint64Var(&c.seed, "seed", c.seed, "seed of the random generators")
	f.DurationVar(&c.timeout, "timeout", c.timeout, "how long one process waits for the others")
	f.StringVar(&c.lossFile, "losses", c.lossFile, "write seconds and loss of each step to this file")
}

func (c *config) asksForSomething() bool {
	return c.all || c.chat || c.estimate || c.stages != "" || c.ask != "" || c.export != ""
}

// usePreset sets the sizes of -preset, except those that the command line sets.
func (c *config) usePreset(flags *flag.FlagSet) error {
	p, ok := presets[c.preset]
	if !ok {
		return fmt.Errorf("-preset: expected small, d12, d20 or d26, got %q", c.preset)
	}
	given := *c
	c.size, c.batch = p.size, p.batch
	flags.Visit(func(f *flag.Flag) {
		switch f.Name {
		case "depth":
			c.Depth = given.Depth
		case "width":
			c.Width = given.Width
		case "heads":
			c.Heads = given.Heads
		case "context":
			c.Context = given.Context
		case "vocab":
			c.Vocab = given.Vocab
		case "batch":
			c.batch = given.batch
		}
	})
	return nil
}

// errInterrupted is the error of a stage that was stopped by Ctrl-C.
var errInterrupted = errors.New("interrupted")

// report prints the error that ended the program and returns its exit status. Shells expect
// 130 after Ctrl-C.
func report(err error) int {
	switch {
	case err == nil:
		return 0
	case errors.Is(err, errInterrupted):
		fmt.Fprintln(os.Stderr, "\nnanochat:", err)
		return 130
	}
	fmt.Fprintln(os.Stderr, "nanochat:", err)
	return 1
}

// check returns an error for invalid flag values that no other function rejects.
func (c *config) check() error {
	switch {
	case c.Depth < 1 || c.Width < 1 || c.Heads < 1 || c.Width%(2*c.Heads) != 0:
		return errors.New("-depth, -width and -heads must be at least 1, and -width a multiple of twice -heads")
	case c.Context < 64 || c.Vocab < 256+int64(len(specialTokens)):
		return fmt.Errorf("-context must be at least 64, -vocab at least %d", 256+len(specialTokens))
	case c.steps < 1 || c.midSteps < 1 || c.sftSteps < 1 || c.batch < 2 || c.warmup < 0:
		return errors.New("-steps, -mid-steps and -sft-steps must be at least 1, -batch at least 2, -warmup at least 0")
	case c.saveEvery < 0 || c.printEvery < 1 || c.questions < 1:
		return errors.New("-save-every must be at least 0, -print-every and -questions at least 1")
	}
	return nil
}

// run does what the flags ask for.
func run(ctx context.Context, c config, in io.Reader, out io.Writer) (err error) {
	if err := c.check(); err != nil {
		return err
	}
	if c.estimate {
		c.printEstimate(out)
		return nil
	}
	torch.SetNumThreads(c.threads)
	p := &program{config: c, out: out}
	if p.group, err = join(ctx, c.timeout); err != nil {
		return err
	}
	if p.group != nil {
		defer func() { err = errors.Join(err, p.group.Close()) }()
	}
	if p.dev, err = p.ownDevice(); err != nil {
		return err
	}
	switch {
	case c.export != "":
		return p.writeExport(ctx)
	case c.ask != "" || c.chat:
		return p.talk(ctx, in)
	}
	names := c.stages
	if c.all {
		names = stageNames()
	}
	err = p.runStages(ctx, strings.Split(names, ","))
	if err != nil && ctx.Err() != nil && !errors.Is(err, errInterrupted) {
		return fmt.Errorf("%w: %w", errInterrupted, err)
	}
	return err
}
