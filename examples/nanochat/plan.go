package main

import (
	"fmt"
	"io"

	"github.com/gotorch/gotorch/transformers/models"
	"github.com/gotorch/gotorch/transformers/models/llama"
)

// size is the architecture of a model.
type size struct{ Depth, Width, Heads, Context, Vocab int64 }

// preset is a size with the batch that a process trains on.
type preset struct {
	size
	batch int
}

// presets are the sizes of -preset. Those beginning with d have the sizes of nanochat's
// models of this depth, with a batch for a GPU with 80 GB.
var presets = map[string]preset{
	"small": {size{Depth: 4, Width: 128, Heads: 4, Context: 128, Vocab: 1024}, 16},
	"d12":   {size{Depth: 12, Width: 768, Heads: 6, Context: 2048, Vocab: 65536}, 16},
	"d20":   {size{Depth: 20, Width: 1280, Heads: 10, Context: 2048, Vocab: 65536}, 8},
	"d26":   {size{Depth: 26, Width: 1664, Heads: 13, Context: 2048, Vocab: 65536}, 4},
}

// inner is the number of features within a feed-forward network: 8/3 of the width, so that
// its three matrices have as many parameters as two matrices for four times the width.
func (s size) inner() int64 { return (s.Width*8/3 + 31) / 32 * 32 }

// parameters is the number of parameters. The head shares the matrix of the embedding.
func (s size) parameters() int64 {
	layer := 4*s.Width*s.Width + 3*s.Width*s.inner() + 2*s.Width
	return s.Vocab*s.Width + s.Depth*layer + s.Width
}

// llama returns the configuration of the model.
func (s size) llama() llama.Config {
	return llama.Config{
		ModelType: "llama", VocabSize: s.Vocab, HiddenSize: s.Width, IntermediateSize: s.inner(),
		HiddenLayers: int(s.Depth), AttentionHeads: s.Heads, KeyValueHeads: s.Heads, HeadDim: s.Width / s.Heads,
		HiddenAct: "silu", MaxPositions: s.Context, InitializerRange: 0.02, RMSNormEps: 1e-6,
		TieWordEmbedding: true, Rope: models.Rope{Type: "default", Theta: 10000},
	}
}

// sizeOf returns the size of a model.
func sizeOf(c llama.Config) size {
	return size{int64(c.HiddenLayers), c.HiddenSize, c.AttentionHeads, c.MaxPositions, c.VocabSize}
}

// plan is the native memory of a stage in bytes.
type plan struct {
	Parameters, Gradients, Optimizer int64
	Activations                      int64 // what the layers keep for the backward pass
	Logits                           int64 // the logits, the logarithms of probabilities, and their gradients
	Cache                            int64 // keys and values of the tokens of a text
	Tokens                           int64 // the text
}

// activations is the number of values of a token that one layer keeps for the backward
// pass. Norms, the attention and the feed-forward network need their inputs again.
func (s size) activations() int64 {
	const (
		norms     = 2 * 3 // each: the input, the normalized input, and that times the weights
		attention = 4     // rotated queries and keys, values, the result
	)
	gate := 4 * s.inner() // the gate, its activation, the other factor, the product
	return (norms+attention)*s.Width + gate
}

// training is the plan for training on n texts of t tokens in float32. The gradients do not
// exist in the forward pass, and the activations are freed in the backward pass.
func (s size) training(n, t int64) plan {
	tokens := n * t
	return plan{
		Parameters: 4 * s.parameters(), Gradients: 4 * s.parameters(), Optimizer: 8 * s.parameters(),
		Activations: 4 * tokens * (s.Depth*s.activations() + 3*s.Width),
		Logits:      4 * tokens * 4 * s.Vocab,
	}
}

// inference is the plan for computing the loss of n texts of t tokens, and for generating
// a text of the full context, one after the other. Without gradients only one layer has
// activations at a time, and they are freed before the logits exist.
func (s size) inference(n, t int64) plan {
	p := plan{Parameters: 4 * s.parameters(), Cache: s.cache(1, s.Context)}
	layer := 5*s.Width + 3*s.inner()
	if layer > 2*s.Vocab {
		p.Activations = 4 * n * t * layer
	} else {
		p.Logits = 4 * n * t * 2 * s.Vocab
	}
	return p
}

// cache is the number of bytes of the keys and values of n texts of t tokens in float32.
func (s size) cache(n, t int64) int64 { return 4 * 2 * n * t * s.Depth * s.Width }

// peak is the largest number of bytes at one time: at the beginning of the backward pass,
// which has all activations, or at its end, which has all gradients. A cache exists at other
// times than logits of a whole batch.
func (p plan) peak() int64 {
	return p.Parameters + p.Optimizer + p.Tokens + max(p.Activations+p.Logits, p.Gradients, p.Cache)
}

// total is the sum of all parts: more than the peak.
func (p plan) total() int64 {
	return p.Parameters + p.Gradients + p.Optimizer + p.Activations + p.Logits + p.Cache + p.Tokens
}

func (p plan) print(w io.Writer, title string) {
	fmt.Fprintf(w, "memory plan of %s\n", title)
	for _, part := range []struct {
		name  string
		bytes int64
	}{
		{"parameters", p.Parameters},
		{"gradients", p.Gradients},
		{"optimizer state", p.Optimizer},
		{"activations", p.Activations},
		{"logits and loss", p.Logits},
		{"keys and values", p.Cache},
		{"tokens of the text", p.Tokens},
		{"peak", p.peak()},
	} {
		if part.bytes > 0 {
			fmt.Fprintf(w, "  %-20s %10.2f MB\n", part.name, mb(part.bytes))
		}
	}
}

// printMeasured compares the plan with the measured peak.
func (p plan) printMeasured(w io.Writer, peak int64) {
	fmt.Fprintf(w, "  %-20s %10.2f MB, %.2f times the plan\n", "measured peak", mb(peak),
		float64(peak)/float64(p.peak()))
}

func mb(n int64) float64 { return float64(n) / 1e6 }

const (
	tokensPerParameter = 20  // as the paper on Chinchilla recommends
	gpus               = 8   // of a node
	gpuFLOPs           = 989 // of an H100 with bfloat16, in 1e12 per second
	gpuShare           = 0.4 // of them that a training typically reaches
)

// flops is the number of floating-point operations to train on a token of a full context.
// A parameter takes two in the forward pass and four in the backward pass. The second term
// is for the attention.
func (s size) flops() float64 {
	return 6*float64(s.parameters()) + 12*float64(s.Depth*s.Width*s.Context)
}

// onGPU is the plan for training with -amp in a group. Activations and a copy of the
// parameters are in bfloat16, and the logits in float32. DistributedDataParallel keeps the
// gradients a second time.
func (s size) onGPU(batch int) plan {
	p := s.training(int64(batch), s.Context)
	p.Activations, p.Parameters, p.Gradients = p.Activations/2, p.Parameters+p.Parameters/2, 2*p.Gradients
	return p
}

// printEstimate prints what a node with eight GPUs needs to pretrain the model.
func (c *config) printEstimate(w io.Writer) {
	p := c.onGPU(c.batch)
	tokens := tokensPerParameter * float64(c.parameters())
	hours := tokens * c.flops() / (gpus * gpuFLOPs * 1e12 * gpuShare) / 3600
	step := gpus * int64(c.batch) * c.Context
	fmt.Fprintf(w, "estimate for -preset %s: depth %d, width %d, heads %d, context %d, vocabulary %d\n", c.preset,
		c.Depth, c.Width, c.Heads, c.Context, c.Vocab)
	fmt.Fprintf(w, "  %.4g parameters, %.3g tokens (%d per parameter), %.3g floating-point operations\n",
		float64(c.parameters()), tokens, tokensPerParameter, tokens*c.flops())
	fmt.Fprintf(w, "  %d GPUs with %d texts each: %.3g tokens in a step, %.3g steps\n", gpus, c.batch, float64(step),
		tokens/float64(step))
	fmt.Fprintf(w, "  memory of a GPU with -amp: %.1f GB, of which activations %.1f GB and logits %.1f GB\n",
		1e-9*float64(p.total()), 1e-9*float64(p.Activations),
		1e-9*float64(p.Logits))
	fmt.Fprintf(w, "  keys and values of a chat of %d tokens: %.2f GB\n", c.Context,
		1e-9*float64(c.cache(1, c.Context)))
	fmt.Fprintf(w, "  %.2g hours on H100s that reach %.0f%% of %d TFLOP/s\n", hours, 100*gpuShare, gpuFLOPs)
}
