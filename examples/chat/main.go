// Command chat talks with a language model, by default SmolLM2 with 135 million parameters,
// and says where its memory is.
//
//	scripts/get_smollm2.sh
//	cd examples && go run ./chat -ask "What is the capital of France?"
//
// Without -ask it is a conversation: it reads lines from the terminal until they end, or
// until Ctrl-C.
package main

import (
	"bufio"
	"context"
	"errors"
	"flag"
	"fmt"
	"io"
	"os"
	"os/exec"
	"os/signal"
	"path/filepath"
	"strings"
	"time"

	"github.com/gotorch/gotorch/examples/internal/closed"
	"github.com/gotorch/gotorch/examples/internal/twin"
	"github.com/gotorch/gotorch/torch"
	"github.com/gotorch/gotorch/transformers"
	"github.com/gotorch/gotorch/transformers/chat"
	"github.com/gotorch/gotorch/transformers/generation"
)

type config struct {
	model, ask, system string
	numbers            string
	tokens             int
	temperature        float64
	seed               uint64
	memory             bool
}

func main() {
	var c config
	flag.StringVar(&c.model, "model", "", "GGUF file or folder; default: the file of scripts/get_smollm2.sh")
	flag.StringVar(&c.ask, "ask", "", "ask this and stop")
	flag.StringVar(&c.system, "system", "", "say this first about how to answer")
	flag.IntVar(&c.tokens, "tokens", 200, "largest number of tokens of an answer")
	flag.Float64Var(&c.temperature, "temperature", 0, "draw tokens; 0: take the most probable ones")
	flag.Uint64Var(&c.seed, "seed", 1, "seed of drawn tokens")
	flag.BoolVar(&c.memory, "memory", false, "print the bytes of the weights and of the conversation")
	flag.StringVar(&c.numbers, "losses", "", "write seconds and number of each token of the answers to this file")
	flag.Parse()
	if flag.NArg() > 0 || c.tokens < 1 || c.temperature < 0 {
		flag.Usage()
		os.Exit(2)
	}
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt)
	err := closed.After(func() error { return run(ctx, c, os.Stdin, os.Stdout) })
	stop()
	switch {
	case errors.Is(err, context.Canceled):
		fmt.Fprintln(os.Stderr, "\nchat: interrupted")
		os.Exit(130)
	case err != nil:
		fmt.Fprintln(os.Stderr, "chat:", err)
		os.Exit(1)
	}
}

func run(ctx context.Context, c config, in io.Reader, out io.Writer) (err error) {
	path, err := modelPath(c.model)
	if err != nil {
		return err
	}
	lm, err := transformers.Load(path)
	if err != nil {
		return err
	}
	defer func() { _ = lm.Close() }()
	torch.ManualSeed(c.seed)
	log, err := twin.Create(c.numbers)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, log.Close()) }()
	t := &talk{
		lm: lm, out: out, log: log, memory: c.memory,
		opts: []generation.Option{generation.MaxNewTokens(c.tokens)},
	}
	if c.temperature > 0 {
		t.opts = append(t.opts, generation.DoSample(true), generation.Temperature(c.temperature))
	}
	if c.system != "" {
		t.messages = append(t.messages, chat.Message{Role: "system", Content: c.system})
	}
	if c.ask != "" {
		return t.answer(ctx, c.ask)
	}
	return t.converse(ctx, in)
}

// modelPath returns path, or the model of scripts/get_smollm2.sh if path is empty.
func modelPath(path string) (string, error) {
	if path != "" {
		return path, nil
	}
	dir, err := exec.Command(filepath.Join("..", "scripts", "get_smollm2.sh")).Output()
	if err != nil {
		return "", fmt.Errorf("no -model, and scripts/get_smollm2.sh failed: %w", err)
	}
	files, err := filepath.Glob(filepath.Join(strings.TrimSpace(string(dir)), "*.gguf"))
	if err != nil || len(files) == 0 {
		return "", fmt.Errorf("no -model, and no GGUF file in %s", dir)
	}
	return files[0], nil
}

// talk is a conversation.
type talk struct {
	lm       *transformers.LM
	out      io.Writer
	log      *twin.Log
	memory   bool
	opts     []generation.Option
	messages []chat.Message
}

func (t *talk) converse(ctx context.Context, in io.Reader) error {
	lines := make(chan string)
	go func() { // reading cannot be interrupted, so another goroutine does it
		defer close(lines)
		for s := bufio.NewScanner(in); s.Scan(); {
			lines <- s.Text()
		}
	}()
	for {
		fmt.Fprint(t.out, "you: ")
		select {
		case <-ctx.Done():
			return ctx.Err()
		case line, ok := <-lines:
			if !ok {
				fmt.Fprintln(t.out)
				return ctx.Err()
			}
			if err := t.answer(ctx, line); err != nil {
				return err
			}
		}
	}
}

// answer adds a question and the model's answer to the conversation, and prints the answer
// in parts.
func (t *talk) answer(ctx context.Context, question string) error {
	t.messages = append(t.messages, chat.Message{Role: "user", Content: question})
	var text strings.Builder
	start, first, tokens := time.Now(), time.Duration(0), 0
	for part, err := range t.lm.StreamChat(ctx, t.messages, t.opts...) {
		if err != nil {
			return err
		}
		if tokens++; tokens == 1 {
			first = time.Since(start)
		}
		text.WriteString(part)
		fmt.Fprint(t.out, part)
	}
	fmt.Fprintln(t.out)
	t.messages = append(t.messages, chat.Message{Role: "assistant", Content: text.String()})
	encoding, err := t.lm.Tokenizer.Encode(text.String())
	if err != nil {
		return err
	}
	for _, id := range encoding.IDs {
		t.log.Add(float64(id))
	}
	if t.memory {
		return t.report(first, time.Since(start), tokens)
	}
	return nil
}

// report prints times and bytes. A conversation's cache is freed after each answer; its
// size follows from the number of tokens.
func (t *talk) report(first, all time.Duration, parts int) error {
	prompt, err := t.lm.Prompt(t.messages)
	if err != nil {
		return err
	}
	encoding, err := t.lm.Tokenizer.Encode(prompt)
	if err != nil {
		return err
	}
	n := int64(encoding.Len())
	fmt.Fprintf(t.out, "first part after %.2f s, then %.1f a second; ", first.Seconds(),
		float64(parts-1)/max(1e-9, (all-first).Seconds()))
	fmt.Fprintf(t.out, "weights %.1f MB, keys and values of %d tokens %.1f MB\n", mb(t.lm.Bytes()), n,
		mb(t.lm.Model.CacheSpec().Bytes(1, n)))
	return nil
}

func mb(n int64) float64 { return float64(n) / 1e6 }
