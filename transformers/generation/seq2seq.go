package generation

import (
	"context"
	"fmt"

	"github.com/gotorch/gotorch/nn"
	"github.com/gotorch/gotorch/torch"
	"github.com/gotorch/gotorch/transformers/kvcache"
	"github.com/gotorch/gotorch/transformers/models"
)

// A Seq2SeqInput is what [GenerateSeq2Seq] writes texts for.
type Seq2SeqInput struct {
	// Input has one row for each text to write: token IDs (N, S), or the features of sound.
	Input *torch.Tensor
	// AttentionMask (N, S) is 1 for tokens of Input and 0 for padding. nil means that there is
	// no padding.
	AttentionMask *torch.Tensor
	// Prompts are the tokens that each text begins with, such as those for a language. They
	// have equal lengths. nil means the start token of the model.
	Prompts [][]int64
}

// GenerateSeq2Seq writes a text for each row of an input, and returns its tokens without
// those of the prompt. The input is encoded once. Everything else is as in [Generate]; the
// panics are also those of the model's Encode and Decode.
func GenerateSeq2Seq(ctx context.Context, m models.Seq2SeqLM, in Seq2SeqInput, opts ...Option) ([][]int64, error) {
	const op = "generation.GenerateSeq2Seq"
	c := readTokens(op, opts)
	prompts := in.prompts(op, m)
	d := newDecoder(m, in, max(c.NumReturnSequences, c.NumBeams))
	defer d.close()
	return generate(ctx, op, d, prompts, c)
}

// prompts checks the input and returns a prompt for each of its rows.
func (in Seq2SeqInput) prompts(op string, m models.Seq2SeqLM) [][]int64 {
	if in.Input == nil {
		panic(torch.NewError(op, torch.ErrNil, "Input", "no tensor"))
	}
	if in.Input.Dim() == 0 || in.Input.Size(0) == 0 {
		panic(torch.NewError(op, torch.ErrShape, "Input", "it has no rows"))
	}
	n := int(in.Input.Size(0))
	if in.Prompts == nil {
		prompts := make([][]int64, n)
		for i := range prompts {
			prompts[i] = []int64{m.StartToken()}
		}
		return prompts
	}
	if len(in.Prompts) != n {
		panic(torch.NewError(op, torch.ErrValue, "Prompts", fmt.Sprintf("expected %d, got %d", n, len(in.Prompts))))
	}
	for i, p := range in.Prompts {
		if len(p) != len(in.Prompts[0]) {
			panic(torch.NewError(op, torch.ErrValue, "Prompts",
				fmt.Sprintf("prompt %d has %d tokens, not %d", i, len(p), len(in.Prompts[0]))))
		}
	}
	return in.Prompts
}

// decoder is a model with the features of its input. It continues texts as a
// models.CausalLM does.
type decoder struct {
	nn.Module
	m              models.Seq2SeqLM
	features, mask *torch.Tensor // mask may be nil
	cache          *kvcache.EncoderDecoder
}

// newDecoder encodes the input. Each row of it becomes several rows.
func newDecoder(m models.Seq2SeqLM, in Seq2SeqInput, rows int) *decoder {
	d := &decoder{Module: m, m: m}
	torch.NoGrad(func() {
		out := torch.TidyAll(func() []*torch.Tensor {
			device, mask := models.DeviceOf(m), in.AttentionMask
			var opts []models.EncoderOption
			if mask != nil {
				mask = mask.To(device).RepeatInterleave(int64(rows), torch.Dim(0))
				opts = append(opts, models.AttentionMask(in.AttentionMask.To(device)))
			}
			features := m.Encode(in.Input.To(device), opts...)
			if rows > 1 {
				features = features.RepeatInterleave(int64(rows), torch.Dim(0))
			}
			return []*torch.Tensor{features, mask}
		})
		d.features = torch.Disown(out[0])
		if out[1] != nil {
			d.mask = torch.Disown(out[1])
		}
	})
	return d
}

// borrowed is a cache that another owner closes.
type borrowed struct{ kvcache.Cache }

// Close does nothing.
func (borrowed) Close() error { return nil }

// Forward implements [models.CausalLM].
//
//torchvet:ignore modulecall it is an adapter, and hooks belong to the model
func (d *decoder) Forward(ids *torch.Tensor, opts ...models.ForwardOption) *torch.Tensor {
	in := models.ReadInputs("generation.GenerateSeq2Seq", ids, opts)
	if d.cache == nil {
		d.cache = kvcache.NewEncoderDecoder(borrowed{in.Cache})
	}
	return d.m.Decode(ids, d.features, models.AttentionMask(d.mask), models.UseCache(d.cache),
		models.LogitsToKeep(in.Keep))
}

// CacheSpec implements [models.CausalLM].
func (d *decoder) CacheSpec() kvcache.Spec { return d.m.CacheSpec() }

// VocabSize implements [models.CausalLM].
func (d *decoder) VocabSize() int64 { return d.m.VocabSize() }

// MaxLength implements [models.CausalLM].
func (d *decoder) MaxLength() int64 { return d.m.MaxLength() }

func (d *decoder) close() {
	_, _ = d.features.Close(), d.mask.Close()
	if d.cache != nil {
		_ = d.cache.Close()
	}
}
