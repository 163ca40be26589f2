package generation

import (
	"context"
	"errors"
	"fmt"
	"iter"
	"slices"

	"github.com/gotorch/gotorch/torch"
	"github.com/gotorch/gotorch/transformers/kvcache"
	"github.com/gotorch/gotorch/transformers/models"
)

// ErrTooLong means that a prompt with its new tokens is longer than the model or the cache
// allows.
var ErrTooLong = errors.New("generation: the text is too long")

// Generate continues the prompts, which are token IDs, and returns the new tokens of each.
// A sequence ends with a token of [EOSTokenID], which is part of the result, or after
// [MaxNewTokens]. With [NumReturnSequences] there are that many results for each prompt,
// next to each other. Shorter prompts are padded on the left. Generate does not change the
// model's mode: call Eval before. No gradients are recorded.
//
// The error is ctx.Err() if ctx ends, and [ErrTooLong] if the tokens do not fit. Generate
// panics with ErrNil for a nil option, with ErrValue for invalid options and empty prompts,
// with ErrIndex for a token outside the vocabulary, and as the model's Forward does. It
// frees everything that it allocated in any case. Follows GenerationMixin.generate.
func Generate(ctx context.Context, m models.CausalLM, prompts [][]int64, opts ...Option) ([][]int64, error) {
	const op = "generation.Generate"
	return generate(ctx, op, m, prompts, readTokens(op, opts))
}

func generate(ctx context.Context, op string, m models.CausalLM, prompts [][]int64, c Config) ([][]int64, error) {
	if c.NumBeams > 1 {
		return beamSearch(ctx, op, m, prompts, c)
	}
	r, err := start(op, m, prompts, c)
	if err != nil {
		return nil, err
	}
	defer r.close()
	for r.more() {
		if err := ctx.Err(); err != nil {
			return nil, err
		}
		r.step()
	}
	return r.fresh, nil
}

// Stream continues one prompt and yields each new token as soon as it is known. The last
// token is one of [EOSTokenID], or the last of [MaxNewTokens]. An error is yielded last,
// with token 0; the errors are those of [Generate]. The generation runs inside the loop:
// leaving the loop ends it and frees its memory. Stream panics as Generate does, and with
// ErrValue for NumBeams and NumReturnSequences, which need all tokens. Follows
// GenerationMixin.generate with a streamer.
func Stream(ctx context.Context, m models.CausalLM, prompt []int64, opts ...Option) iter.Seq2[int64, error] {
	const op = "generation.Stream"
	c := ReadStream(op, opts)
	return func(yield func(int64, error) bool) {
		r, err := start(op, m, [][]int64{prompt}, c)
		if err != nil {
			yield(0, err)
			return
		}
		defer r.close()
		for r.more() {
			if err := ctx.Err(); err != nil {
				yield(0, err)
				return
			}
			r.step()
			if !yield(r.last[0], nil) {
				return
			}
		}
	}
}

// ReadStream is [Read] for functions that yield the tokens of one sequence, such as
// [Stream]. It also panics with ErrValue for StopStrings, NumBeams and NumReturnSequences.
func ReadStream(op string, opts []Option) Config {
	c := readTokens(op, opts)
	if c.NumBeams > 1 || c.NumReturnSequences > 1 {
		panic(torch.NewError(op, torch.ErrValue, "opts",
			"NumBeams and NumReturnSequences do not stream: call generation.Generate"))
	}
	return c
}

// readTokens is [Read] for functions that do not see text.
func readTokens(op string, opts []Option) Config {
	c := Read(op, opts)
	if len(c.StopStrings) > 0 {
		panic(torch.NewError(op, torch.ErrValue, "StopStrings",
			"they need a tokenizer: call the methods of transformers.LM"))
	}
	return c
}

// run is a generation in progress.
type run struct {
	op      string
	m       models.CausalLM
	c       Config
	prompts [][]int64 // one for each row
	fresh   [][]int64 // the new tokens of each row
	last    []int64   // the newest token of each row
	done    []bool
	width   int  // of the padded prompts
	padded  bool // some prompt is shorter than others
	steps   int
	cache   kvcache.Cache
	device  torch.Device
	owned   bool // the cache is ours to close
}

// start checks the prompts and allocates the cache.
func start(op string, m models.CausalLM, prompts [][]int64, c Config) (*run, error) {
	r := &run{op: op, m: m, c: c, device: models.DeviceOf(m)}
	if len(prompts) == 0 {
		panic(torch.NewError(op, torch.ErrValue, "prompts", "there is none"))
	}
	for i, p := range prompts {
		if len(p) == 0 {
			panic(torch.NewError(op, torch.ErrValue, "prompts", fmt.Sprintf("prompt %d has no tokens", i)))
		}
		r.width = max(r.width, len(p))
	}
	for _, p := range prompts {
		r.padded = r.padded || len(p) < r.width
		for range max(c.NumReturnSequences, c.NumBeams) {
			r.prompts = append(r.prompts, p)
		}
	}
	total := int64(r.width) + int64(c.MaxNewTokens)
	if most := m.MaxLength(); total > most {
		return nil, fmt.Errorf("%w: %d tokens of the prompt and %d new ones; the model takes %d", ErrTooLong, r.width,
			c.MaxNewTokens, most)
	}
	if c.cache != nil {
		if c.cache.Len() != 0 {
			panic(torch.NewError(op, torch.ErrValue, "UseCache", fmt.Sprintf("it holds %d tokens", c.cache.Len())))
		}
		if room := c.cache.Room(); total-1 > room {
			return nil, fmt.Errorf("%w: %d tokens of the prompt and %d new ones; the cache takes %d", ErrTooLong,
				r.width, c.MaxNewTokens, room+1)
		}
		r.cache = c.cache
	} else {
		r.cache, r.owned = kvcache.New(m.CacheSpec(), kvcache.Capacity(total-1)), true
	}
	n := len(r.prompts)
	r.fresh, r.last, r.done = make([][]int64, n), make([]int64, n), make([]bool, n)
	return r, nil
}

func (r *run) close() {
	if r.owned {
		_ = r.cache.Close()
	}
}

// more reports whether another step is needed.
func (r *run) more() bool { return r.steps < r.c.MaxNewTokens && slices.Contains(r.done, false) }

// step appends a token to each row that is not done.
func (r *run) step() {
	torch.NoGrad(func() {
		torch.Scope(func() {
			scores := r.c.process(r.logits(), r.rows(), r.steps)
			copy(r.last, r.c.choose(scores).Int64s())
		})
	})
	r.steps++
	for i, id := range r.last {
		if r.done[i] {
			r.last[i] = r.pad()
			continue
		}
		r.fresh[i] = append(r.fresh[i], id)
		r.done[i] = slices.Contains(r.c.EOSTokenIDs, id)
	}
}

// pad returns the token that fills up rows.
func (r *run) pad() int64 {
	switch {
	case r.c.PadTokenID != nil:
		return *r.c.PadTokenID
	case len(r.c.EOSTokenIDs) > 0:
		return r.c.EOSTokenIDs[0]
	}
	return 0
}

// rows returns all tokens of each row, without padding, if a setting needs them.
func (r *run) rows() [][]int64 {
	out := make([][]int64, len(r.prompts))
	if r.c.usesRows() {
		for i, p := range r.prompts {
			out[i] = slices.Concat(p, r.fresh[i])
		}
	}
	return out
}

// usesRows reports whether a setting depends on earlier tokens.
func (c Config) usesRows() bool { return c.RepetitionPenalty != 1 || c.NoRepeatNGramSize > 0 }

// logits runs the model on the tokens that it has not seen and returns the logits of the
// next one in float32: (N, vocabulary).
func (r *run) logits() *torch.Tensor {
	if r.steps > 0 {
		return r.forward(torch.FromSlice(slices.Clone(r.last), int64(len(r.last)), 1))
	}
	ids := torch.FromSlice(r.leftPadded(), int64(len(r.prompts)), int64(r.width))
	chunk := int64(r.c.PrefillChunkSize)
	if chunk == 0 {
		chunk = int64(r.width)
	}
	for at := int64(0); ; at += chunk {
		n := min(chunk, int64(r.width)-at)
		part := ids.Narrow(1, at, n)
		if at+n == int64(r.width) {
			return r.forward(part)
		}
		torch.Scope(func() { r.forward(part) })
	}
}

func (r *run) forward(ids *torch.Tensor) *torch.Tensor {
	opts := []models.ForwardOption{models.UseCache(r.cache), models.LogitsToKeep(1)}
	if r.padded {
		mask, positions := r.padding(ids.Size(1))
		opts = append(opts, models.AttentionMask(mask), models.PositionIDs(positions))
	}
	return r.m.Forward(ids.To(r.device), opts...).Select(1, -1).Float()
}

func (r *run) leftPadded() []int64 {
	var out []int64
	for _, p := range r.prompts {
		for range r.width - len(p) {
			out = append(out, r.pad())
		}
		out = append(out, p...)
	}
	return out
}

// padding returns the mask of all tokens up to n new ones, and the positions of the new
// ones, counted without padding. Padding has position 0.
func (r *run) padding(n int64) (mask, positions *torch.Tensor) {
	past := r.cache.Len()
	rows, total := int64(len(r.prompts)), past+n
	seen, at := make([]bool, rows*total), make([]int64, rows*n)
	for i, p := range r.prompts {
		blank := int64(r.width - len(p))
		for j := blank; j < total; j++ {
			seen[int64(i)*total+j] = true
		}
		for j := range n {
			at[int64(i)*n+j] = max(0, past+j-blank)
		}
	}
	return torch.FromSlice(seen, rows, total), torch.FromSlice(at, rows, n)
}
