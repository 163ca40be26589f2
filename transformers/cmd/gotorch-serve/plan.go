package main

import (
	"fmt"
	"io"
	"math"
	"runtime/debug"

	"github.com/gotorch/gotorch/internal/sysmem"
	"github.com/gotorch/gotorch/transformers"
)

// base is about the resident memory of a program that has loaded libtorch, with the
// activations of a step.
const base = 200 << 20

// second is about what a second model adds to base: kernels that only it uses, and memory that
// the allocators keep for it.
const second = 64 << 20

// plan prints the memory that the server will use. It returns an error if that is more than
// the process may have.
func plan(c config, out io.Writer) error {
	all := int64(0)
	fmt.Fprint(out, "plan: ")
	if c.model != "" {
		p, err := transformers.NewPlan(c.model, c.options()...)
		if err != nil {
			return err
		}
		cache := p.Cache.PoolBytes(c.cacheTokens)
		all += p.Weights + cache
		fmt.Fprintf(out, "weights %s, keys and values of %d tokens %s (%s a token), ", size(p.Weights), c.cacheTokens,
			size(cache), size(p.Cache.PoolBytes(1<<20)>>20))
	}
	if c.embeddings != "" {
		p, err := transformers.NewSentencePlan(c.embeddings, c.options()...)
		if err != nil {
			return err
		}
		batch, answers := p.BatchBytes(int64(c.batchTokens)), answerBytes(p.EmbeddingDimension)*int64(c.maxTexts)
		all += p.Weights + batch + answers
		fmt.Fprintf(out, "weights for embeddings %s, batches of %d tokens %s, answers with %d embeddings %s, ",
			size(p.Weights), c.batchTokens, size(batch), c.maxTexts, size(answers))
	}
	program := int64(base)
	if c.model != "" && c.embeddings != "" {
		program += second
	}
	all += program
	fmt.Fprintf(out, "program about %s: %s\n", size(program), size(all))
	name, limit := bound()
	fmt.Fprintf(out, "limit: %s, %s\n", size(limit), name)
	if all > limit {
		return fmt.Errorf("the plan of %s is more than the %s of %s: %s, use a smaller model or "+
			"-dtype bfloat16, or raise the limit", size(all), size(limit), name, c.reducible())
	}
	if free, _, err := sysmem.Machine(); err == nil && all > free {
		fmt.Fprintf(out, "warning: other programs leave %s\n", size(free))
	}
	return nil
}

// reducible says which flags need less memory with smaller values.
func (c config) reducible() string {
	switch {
	case c.model == "":
		return "reduce -embeddings-batch-tokens or -embeddings-max-texts"
	case c.embeddings == "":
		return "reduce -cache-tokens"
	}
	return "reduce -cache-tokens, -embeddings-batch-tokens or -embeddings-max-texts"
}

// answerBytes is about the memory of an embedding and of its JSON.
func answerBytes(features int64) int64 { return features * (4 + 16) }

// bound returns the smallest limit of the process's memory, and what sets it.
func bound() (name string, limit int64) {
	name, limit = "no limit is known", math.MaxInt64
	if _, total, err := sysmem.Machine(); err == nil {
		name, limit = "the machine's memory", total
	}
	if g, ok := sysmem.Tightest(); ok && g.Limit < limit {
		name, limit = "the memory limit of the control group "+g.Path, g.Limit
	}
	if _, most := sysmem.Ulimit(); most > 0 && most < limit {
		name, limit = "the process's ulimit", most
	}
	if most := debug.SetMemoryLimit(-1); most < limit {
		name, limit = "GOMEMLIMIT", most
	}
	return name, limit
}

// size prints bytes in the unit that fits.
func size(n int64) string {
	x := float64(n)
	for _, unit := range []string{"B", "KiB", "MiB", "GiB"} {
		if x < 1024 || unit == "GiB" {
			if unit == "B" {
				return fmt.Sprintf("%d B", n)
			}
			return fmt.Sprintf("%.1f %s", x, unit)
		}
		x /= 1024
	}
	return ""
}
