package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/gotorch/gotorch/torch"
	"github.com/gotorch/gotorch/torch/distributed"
	"github.com/gotorch/gotorch/transformers/tokenizers"
)

// program is one process of a run.
type program struct {
	config
	out   io.Writer
	group *distributed.ProcessGroup // nil without torchrun
	dev   torch.Device
	text  corpus
	tok   *tokenizers.Tokenizer
}

// named is a stage with its name in -stages.
type named struct {
	name string
	run  func(p *program, ctx context.Context) error
}

// stages are all stages in their order.
var stages = []named{
	{"tokenizer", (*program).tokenizer},
	{"pretrain", func(p *program, ctx context.Context) error { return p.train(ctx, p.pretraining()) }},
	{"mid", func(p *program, ctx context.Context) error { return p.train(ctx, p.midTraining()) }},
	{"sft", func(p *program, ctx context.Context) error { return p.train(ctx, p.fineTuning()) }},
	{"eval", (*program).evaluate},
}

func stageNames() string {
	var names []string
	for _, s := range stages {
		names = append(names, s.name)
	}
	return strings.Join(names, ",")
}

// runStages runs stages by their names, and at the end of -all prints an estimate.
func (p *program) runStages(ctx context.Context, names []string) error {
	for _, name := range names {
		i := slices.IndexFunc(stages, func(s named) bool { return s.name == name })
		if i < 0 {
			return fmt.Errorf("-stages: expected some of %s, got %q", stageNames(), name)
		}
		start := time.Now()
		if err := stages[i].run(p, ctx); err != nil {
			return fmt.Errorf("%s: %w", name, err)
		}
		fmt.Fprintf(p.output(), "%s: %.1f s\n\n", name, time.Since(start).Seconds())
		if p.group != nil { // other processes read what rank 0 has written
			if err := p.group.Barrier(ctx); err != nil {
				return err
			}
		}
	}
	if p.all {
		larger := p.config
		larger.preset, larger.size, larger.batch = "d20", presets["d20"].size, presets["d20"].batch
		larger.printEstimate(p.output())
	}
	return nil
}

// output is where this process prints. Only rank 0 prints.
func (p *program) output() io.Writer {
	if p.rank() > 0 {
		return io.Discard
	}
	return p.out
}

func (p *program) rank() int {
	if p.group == nil {
		return 0
	}
	return p.group.Rank()
}

func (p *program) processes() int {
	if p.group == nil {
		return 1
	}
	return p.group.Size()
}

// join joins the group of the processes that a launcher such as torchrun started. Without a
// launcher there is no group.
func join(ctx context.Context, timeout time.Duration) (*distributed.ProcessGroup, error) {
	if os.Getenv("RANK") == "" {
		return nil, nil //nolint:nilnil // nil is a run without a group
	}
	return distributed.InitProcessGroup(ctx, distributed.Gloo, distributed.Timeout(timeout))
}

// ownDevice returns the device of this process: with torchrun, cuda is a different device
// for each process of a machine.
func (p *program) ownDevice() (torch.Device, error) {
	if local := os.Getenv("LOCAL_RANK"); p.group != nil && p.device == "cuda" && local != "" {
		return torch.ParseDevice("cuda:" + local)
	}
	return torch.ParseDevice(p.device)
}

func (p *program) path(names ...string) string {
	return filepath.Join(append([]string{p.config.out}, names...)...)
}

// tokenizer trains the tokenizer, unless there is one.
func (p *program) tokenizer(ctx context.Context) error {
	if p.rank() > 0 {
		return nil
	}
	path := p.path("tokenizer.json")
	if _, err := os.Stat(path); err == nil {
		fmt.Fprintf(p.output(), "tokenizer: finished before, in %s\n", path)
		return nil
	}
	if err := p.readText(ctx); err != nil {
		return err
	}
	t, err := trainTokenizer(&p.config, p.text.train)
	if err != nil {
		return err
	}
	b, err := t.MarshalJSON()
	if err != nil {
		return err
	}
	tokens, err := encodeAll(t, p.text.test)
	if err != nil {
		return err
	}
	fmt.Fprintf(p.output(), "tokenizer: %d tokens from %.2f MB of text, %.2f bytes of the held-out text per token\n",
		t.VocabSize(), mb(length(p.text.train)), float64(length(p.text.test))/float64(len(tokens)))
	return writeFile(path, b)
}

func length(texts []string) (n int64) {
	for _, s := range texts {
		n += int64(len(s))
	}
	return n
}

func (p *program) readText(ctx context.Context) (err error) {
	if p.text.train == nil {
		p.text, err = p.readCorpus(ctx)
	}
	return err
}

// loadTokenizer reads the tokenizer that the first stage wrote.
func (p *program) loadTokenizer() (err error) {
	if p.tok != nil {
		return nil
	}
	p.tok, err = tokenizers.FromFile(p.path("tokenizer.json"))
	if errors.Is(err, fs.ErrNotExist) {
		return fmt.Errorf("%w: run -stages tokenizer first", err)
	}
	return err
}

// trainingTokens returns the tokens of the text to train on.
func (p *program) trainingTokens(ctx context.Context) ([]int64, error) {
	if err := errors.Join(p.readText(ctx), p.loadTokenizer()); err != nil {
		return nil, err
	}
	return encodeAll(p.tok, p.text.train)
}
