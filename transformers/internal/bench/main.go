// Command bench measures a language model, for the lm.* rows of the benchmarks. Its
// reference.py does the same in Python. The prompt has 64 tokens, and 64 new ones follow,
// the most probable each time. It prints one line:
//
//	bench prefill=1 decode=2 start=3 peak=4
//
// These are the nanoseconds of the pass over the prompt, of a new token, and from the start
// of the program to the first token, and the largest number of bytes that were resident.
package main

import (
	"context"
	"flag"
	"fmt"
	"os"
	"time"

	"github.com/gotorch/gotorch/internal/sysmem"
	"github.com/gotorch/gotorch/torch"
	"github.com/gotorch/gotorch/transformers"
	"github.com/gotorch/gotorch/transformers/generation"
	"github.com/gotorch/gotorch/transformers/gguf"
	"github.com/gotorch/gotorch/transformers/models"
	"github.com/gotorch/gotorch/transformers/quant"
)

var began = time.Now()

func main() {
	path := flag.String("model", "", "GGUF file or folder")
	weights := flag.String("weights", "", "quantise the model to q8_0 or q4_0, or convert it to bfloat16")
	text := flag.String("perplexity", "", "print the perplexity of this file instead")
	flag.Parse()
	if err := run(*path, *weights, *text); err != nil {
		fmt.Fprintln(os.Stderr, "bench:", err)
		os.Exit(1)
	}
}

const promptTokens, newTokens = 64, 64

func run(path, weights, text string) error {
	var opts []models.NewOption
	if weights == "bfloat16" {
		opts = append(opts, models.DType(torch.BFloat16))
	}
	lm, err := transformers.Load(path, opts...)
	if err != nil {
		return err
	}
	defer func() { _ = lm.Close() }()
	if kind, ok := map[string]gguf.Type{"q8_0": gguf.TypeQ8_0, "q4_0": gguf.TypeQ4_0}[weights]; ok {
		if _, err := quant.Quantize(lm.Model, kind); err != nil {
			return err
		}
	}
	if text != "" {
		return perplexity(lm, text)
	}
	var prompt []int64
	for i := range int64(promptTokens) {
		prompt = append(prompt, 100+i)
	}
	generate := func(n int) (time.Duration, error) {
		start := time.Now()
		_, err := generation.Generate(context.Background(), lm.Model, [][]int64{prompt}, generation.MaxNewTokens(n))
		return time.Since(start), err
	}
	if _, err := generate(1); err != nil {
		return err
	}
	first := time.Since(began)
	prefill, err := generate(1)
	if err != nil {
		return err
	}
	if _, err := generate(4); err != nil {
		return err
	}
	all, err := generate(1 + newTokens)
	if err != nil {
		return err
	}
	_, peak := sysmem.Resident()
	fmt.Printf("bench prefill=%d decode=%d start=%d peak=%d\n", prefill.Nanoseconds(),
		(all-prefill).Nanoseconds()/newTokens, first.Nanoseconds(), peak)
	return nil
}
