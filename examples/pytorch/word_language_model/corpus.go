package main

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/gotorch/gotorch/examples/gpt/nanogpt"
	"github.com/gotorch/gotorch/examples/pytorch/internal/text"
	"github.com/gotorch/gotorch/torch"
)

// corpus contains a text as word numbers.
type corpus struct {
	words              *text.Vocabulary
	train, valid, test *torch.Tensor // int64 (N)
}

// readCorpus reads three files if path is a directory. If path is a file, it reads that
// text and divides it. If path is empty, the text is the documentation of Go's standard
// library.
func readCorpus(ctx context.Context, path string) (*corpus, error) {
	info, err := os.Stat(path)
	if path != "" && err != nil {
		return nil, err
	}
	var parts [3][]string
	if path != "" && info.IsDir() {
		for i, name := range []string{"train.txt", "valid.txt", "test.txt"} {
			bytes, err := os.ReadFile(filepath.Join(path, name))
			if err != nil {
				return nil, err
			}
			parts[i] = split(string(bytes))
		}
	} else if parts, err = readText(ctx, path); err != nil {
		return nil, err
	}
	c := &corpus{words: text.NewVocabulary()}
	for i, to := range []**torch.Tensor{&c.train, &c.valid, &c.test} {
		ids := make([]int64, len(parts[i]))
		for k, word := range parts[i] {
			ids[k] = c.words.Add(word)
		}
		*to = torch.FromSlice(ids)
	}
	return c, nil
}

// readText divides the lines of a text: nine tenths are for training, and the rest is
// divided equally between validation and test. Words that occur fewer than three times in
// the training part become <unk>.
func readText(ctx context.Context, path string) (parts [3][]string, err error) {
	var all string
	if path == "" {
		all, err = nanogpt.GoDoc(ctx)
	} else {
		var bytes []byte
		bytes, err = os.ReadFile(path)
		all = string(bytes)
	}
	if err != nil {
		return parts, err
	}
	lines := slices.Collect(strings.Lines(all))
	first, second := len(lines)*9/10, len(lines)*95/100
	for i, of := range [][]string{lines[:first], lines[first:second], lines[second:]} {
		parts[i] = split(strings.Join(of, ""))
	}
	seen := map[string]int{}
	for _, word := range parts[0] {
		seen[word]++
	}
	for _, part := range parts {
		for i, word := range part {
			if seen[word] < 3 {
				part[i] = "<unk>"
			}
		}
	}
	return parts, nil
}

// split returns the words of a text, with <eos> after each line.
func split(text string) (words []string) {
	for line := range strings.Lines(text) {
		words = append(append(words, strings.Fields(line)...), "<eos>")
	}
	return words
}

// columns cuts a text into n columns of the same length, (length, n). Words that do not
// fill all columns are dropped.
func columns(ids *torch.Tensor, n int) (*torch.Tensor, error) {
	rows := ids.Numel() / int64(n)
	if rows < 2 {
		return nil, fmt.Errorf("the text is too short: %d words for %d columns", ids.Numel(), n)
	}
	return torch.Tidy(func() *torch.Tensor {
		return ids.Narrow(0, 0, rows*int64(n)).View(int64(n), rows).T().Contiguous()
	}), nil
}
