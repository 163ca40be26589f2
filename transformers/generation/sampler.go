package generation

import (
	"slices"

	"github.com/gotorch/gotorch/torch"
)

// A Sampler chooses the tokens of one text for programs that run the model themselves, such
// as servers. It applies the settings as [Generate] does, and draws from a generator of its
// own. Only one goroutine may use it at a time.
type Sampler struct {
	c         Config
	generator *torch.Generator
}

// NewSampler returns a sampler with the settings of [Read] or [ParseConfig]. seed is the seed
// of its generator. The garbage collector frees the sampler.
func NewSampler(c Config, seed uint64) *Sampler {
	s := &Sampler{c: c}
	if c.DoSample {
		s.generator = torch.NewGenerator(torch.CPU)
		s.generator.ManualSeed(seed)
	}
	return s
}

// Next returns the next token. logits is a floating-point tensor of shape (1, vocabulary);
// prompt and fresh are the tokens before. Next panics if no token can be drawn, for example
// because logits are NaN.
func (s *Sampler) Next(logits *torch.Tensor, prompt, fresh []int64) (id int64) {
	torch.NoGrad(func() {
		torch.Scope(func() {
			rows := [][]int64{nil}
			if s.c.usesRows() {
				rows[0] = slices.Concat(prompt, fresh)
			}
			scores := s.c.process(logits.Float(), rows, len(fresh))
			id = s.c.choose(scores, s.generator).ItemInt()
		})
	})
	return id
}
