package gpt2

import (
	"fmt"

	"github.com/gotorch/gotorch/nn"
	"github.com/gotorch/gotorch/torch"
	"github.com/gotorch/gotorch/transformers/kvcache"
	"github.com/gotorch/gotorch/transformers/models"
)

// ForCausalLM predicts the next token. Follows GPT2LMHeadModel.
type ForCausalLM struct {
	nn.Base
	Config      Config `torch:"-"`
	Transformer *Model
	LMHead      nn.Layer
}

// NewForCausalLM returns a model with random weights, in training mode. The caller closes it.
// With models.Device(torch.Meta) the weights have no memory until LoadStateDict with
// nn.Assign sets them. The error is torch.ErrValue; its text names the field of the
// configuration that is wrong. NewForCausalLM panics with ErrNil for a nil option.
func NewForCausalLM(c Config, opts ...models.NewOption) (*ForCausalLM, error) {
	body, err := NewModel(c, opts...)
	if err != nil {
		return nil, err
	}
	m := &ForCausalLM{Config: body.Config, Transformer: body}
	m.Init(m, nn.TypeName("GPT2LMHeadModel"))
	models.Build("gpt2.NewForCausalLM", opts, func() {
		m.LMHead = models.NewLinear(c.Embd, c.VocabSize, false, c.InitializerRange)
	})
	m.TieWeights()
	return m, nil
}

// TieWeights makes the head share the embedding's weights if the configuration says so.
// Call it after the weights were replaced. Follows tie_weights.
func (m *ForCausalLM) TieWeights() {
	if m.Config.TieWordEmbedding {
		models.Tie(m.LMHead, m.Transformer.WTE)
	}
}

// Forward implements [models.CausalLM].
func (m *ForCausalLM) Forward(ids *torch.Tensor, opts ...models.ForwardOption) *torch.Tensor {
	return m.Call(ids, func(ids *torch.Tensor) *torch.Tensor {
		in := models.ReadInputs("gpt2.ForCausalLM.Forward", ids, opts)
		return m.LMHead.Forward(in.Kept(m.Transformer.run(in)))
	})
}

// InputEmbeddings returns the embedding of tokens. Follows get_input_embeddings.
func (m *ForCausalLM) InputEmbeddings() nn.Layer { return m.Transformer.WTE }

// OutputEmbeddings returns the layer that computes logits. Follows get_output_embeddings.
func (m *ForCausalLM) OutputEmbeddings() nn.Layer { return m.LMHead }

// CacheSpec implements [models.CausalLM].
func (m *ForCausalLM) CacheSpec() kvcache.Spec { return m.Transformer.CacheSpec() }

// VocabSize implements [models.CausalLM].
func (m *ForCausalLM) VocabSize() int64 { return m.Config.VocabSize }

// MaxLength implements [models.CausalLM].
func (m *ForCausalLM) MaxLength() int64 { return m.Config.Positions }

// Model is the model without its head. Follows GPT2Model.
type Model struct {
	nn.Base
	Config   Config         `torch:"-"`
	WTE, WPE nn.Layer       // embeddings of tokens and of positions
	Drop     *nn.Dropout    //
	H        *nn.ModuleList // of Blocks
	LNF      nn.Layer       `torch:"ln_f"`
}

// NewModel returns a model with random weights; see [NewForCausalLM].
func NewModel(c Config, opts ...models.NewOption) (*Model, error) {
	if err := c.check(); err != nil {
		return nil, fmt.Errorf("gpt2.NewModel: %w: %w", torch.ErrValue, err)
	}
	m := &Model{Config: c}
	m.Init(m, nn.TypeName("GPT2Model"))
	models.Build("gpt2.NewModel", opts, func() {
		m.WTE = models.NewEmbedding(c.VocabSize, c.Embd, c.InitializerRange, nil)
		m.WPE = models.NewEmbedding(c.Positions, c.Embd, c.InitializerRange, nil)
		m.Drop = nn.NewDropout(c.EmbdPDrop)
		m.H = nn.NewModuleList()
		for i := range c.Layers {
			m.H.Append(newBlock(c, i))
		}
		m.LNF = norm(c)
	})
	return m, nil
}

// Forward returns the features (N, T, n_embd) of token IDs (N, T), after the last norm: a new
// tensor. It takes the options of [models.CausalLM] and panics as its Forward does, and
// with ErrValue for models.LogitsToKeep and models.LogitsAt.
func (m *Model) Forward(ids *torch.Tensor, opts ...models.ForwardOption) *torch.Tensor {
	return m.Call(ids, func(ids *torch.Tensor) *torch.Tensor {
		const op = "gpt2.Model.Forward"
		in := models.ReadInputs(op, ids, opts)
		in.WithoutLogits(op)
		return m.run(in)
	})
}

func (m *Model) run(in models.Inputs) *torch.Tensor {
	x := m.Drop.Forward(m.WTE.Forward(in.IDs).Add(m.WPE.Forward(in.Positions)))
	attention := models.NewAttention(in, m.CacheSpec())
	for _, l := range m.H.Values() {
		before := x
		x = l.(*Block).forward(before, attention)
		_ = before.Close() // or the scope would keep the results of all layers
	}
	return m.LNF.Forward(x)
}

// CacheSpec describes what a cache keeps for the model.
func (m *Model) CacheSpec() kvcache.Spec {
	c := m.Config
	return kvcache.Uniform(c.Layers, kvcache.Layer{Heads: c.Heads, HeadDim: c.Embd / c.Heads}, models.DTypeOf(m.LNF))
}

func norm(c Config) *nn.LayerNorm {
	return nn.NewLayerNorm(torch.Shape{c.Embd}, nn.Eps(c.LayerNormEpsilon))
}
