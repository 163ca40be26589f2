package main

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"strings"

	"github.com/gotorch/gotorch/torch"
	"github.com/gotorch/gotorch/transformers"
	"github.com/gotorch/gotorch/transformers/chat"
	"github.com/gotorch/gotorch/transformers/generation"
	"github.com/gotorch/gotorch/transformers/models"
)

// talk answers -ask, or lines from the terminal until they end or until Ctrl-C.
func (p *program) talk(ctx context.Context, in io.Reader) error {
	lm, err := transformers.Load(p.path("sft"), models.Device(p.dev))
	if errors.Is(err, fs.ErrNotExist) {
		return fmt.Errorf("%w: run -all first", err)
	} else if err != nil {
		return err
	}
	defer func() { _ = lm.Close() }()
	torch.ManualSeed(p.seed)
	var opts []generation.Option
	if p.temperature > 0 {
		opts = append(opts, generation.DoSample(true), generation.Temperature(p.temperature))
	}
	var messages []chat.Message
	answer := func(question string) error {
		messages = append(messages, chat.Message{Role: "user", Content: question})
		var text strings.Builder
		room, err := roomFor(lm, messages)
		if err != nil {
			return err
		}
		for part, err := range lm.StreamChat(ctx, messages, append(opts, generation.MaxNewTokens(room))...) {
			if ctx.Err() != nil {
				return errInterrupted
			}
			if err != nil {
				return err
			}
			text.WriteString(part)
			fmt.Fprint(p.out, part)
		}
		fmt.Fprintln(p.out)
		messages = append(messages, chat.Message{Role: "assistant", Content: text.String()})
		return nil
	}
	if p.ask != "" {
		return answer(p.ask)
	}
	fmt.Fprintf(p.out, "keys and values: %.2f MB for %d tokens; an empty line begins a new conversation\n",
		mb(lm.Model.CacheSpec().Bytes(1, lm.Model.MaxLength())), lm.Model.MaxLength())
	lines := make(chan string)
	go func() { // reading cannot be interrupted, so another goroutine does it
		defer close(lines)
		for s := bufio.NewScanner(in); s.Scan(); {
			lines <- s.Text()
		}
	}()
	for {
		fmt.Fprint(p.out, "you: ")
		select {
		case <-ctx.Done():
			return errInterrupted
		case line, ok := <-lines:
			switch {
			case !ok && ctx.Err() != nil:
				return errInterrupted
			case !ok:
				fmt.Fprintln(p.out)
				return nil
			case strings.TrimSpace(line) == "":
				messages = nil
				continue
			}
			err := answer(line)
			if errors.Is(err, generation.ErrTooLong) {
				fmt.Fprintln(p.out, "(the conversation is too long for the model; a new one begins)")
				messages = nil
			} else if err != nil {
				return err
			}
		}
	}
}

// roomFor returns how many tokens an answer may have, such that the conversation fits the
// model. The error is generation.ErrTooLong if there is no room for an answer.
func roomFor(lm *transformers.LM, messages []chat.Message) (int, error) {
	prompt, err := lm.Prompt(messages)
	if err != nil {
		return 0, err
	}
	e, err := lm.Tokenizer.Encode(prompt)
	if err != nil {
		return 0, err
	}
	room := int(lm.Model.MaxLength()) - e.Len()
	if room < 1 {
		return 0, generation.ErrTooLong
	}
	return room, nil
}
