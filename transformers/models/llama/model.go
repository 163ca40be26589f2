package llama

import (
	"fmt"

	"github.com/gotorch/gotorch/nn"
	"github.com/gotorch/gotorch/torch"
	"github.com/gotorch/gotorch/transformers/kvcache"
	"github.com/gotorch/gotorch/transformers/models"
)

// ForCausalLM predicts the next token. Follows LlamaForCausalLM, MistralForCausalLM,
// Qwen2ForCausalLM, Qwen3ForCausalLM and SmolLM3ForCausalLM.
type ForCausalLM struct {
	nn.Base
	Config Config `torch:"-"`
	Model  *Model
	LMHead nn.Layer
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
	c = body.Config
	m := &ForCausalLM{Config: c, Model: body}
	m.Init(m, nn.TypeName(typeNames[c.ModelType]+"ForCausalLM"))
	models.Build("llama.NewForCausalLM", opts, func() { m.LMHead = linear(c, c.HiddenSize, c.VocabSize, false) })
	m.TieWeights()
	return m, nil
}

// TieWeights makes the head share the embedding's weights if the configuration says so.
// Call it after the weights were replaced. Follows tie_weights.
func (m *ForCausalLM) TieWeights() {
	if m.Config.TieWordEmbedding {
		models.Tie(m.LMHead, m.Model.EmbedTokens)
	}
}

// typeNames are the prefixes of the type names that models print.
var typeNames = map[string]string{
	"": "Llama", "llama": "Llama", "mistral": "Mistral", "qwen2": "Qwen2", "qwen3": "Qwen3", "smollm3": "SmolLM3",
}

// Forward implements [models.CausalLM].
func (m *ForCausalLM) Forward(ids *torch.Tensor, opts ...models.ForwardOption) *torch.Tensor {
	return m.Call(ids, func(ids *torch.Tensor) *torch.Tensor {
		in := models.ReadInputs("llama.ForCausalLM.Forward", ids, opts)
		return m.LMHead.Forward(in.Kept(m.Model.run(in)))
	})
}

// InputEmbeddings returns the embedding of tokens. Follows get_input_embeddings.
func (m *ForCausalLM) InputEmbeddings() nn.Layer { return m.Model.EmbedTokens }

// OutputEmbeddings returns the layer that computes logits. Follows get_output_embeddings.
func (m *ForCausalLM) OutputEmbeddings() nn.Layer { return m.LMHead }

// CacheSpec implements [models.CausalLM].
func (m *ForCausalLM) CacheSpec() kvcache.Spec { return m.Model.CacheSpec() }

// VocabSize implements [models.CausalLM].
func (m *ForCausalLM) VocabSize() int64 { return m.Config.VocabSize }

// MaxLength implements [models.CausalLM].
func (m *ForCausalLM) MaxLength() int64 { return m.Config.MaxPositions }

// Model is the model without its head. Follows LlamaModel and its relatives.
type Model struct {
	nn.Base
	Config      Config `torch:"-"`
	EmbedTokens nn.Layer
	Layers      *nn.ModuleList // of DecoderLayers
	Norm        nn.Layer
	rotary      *models.Rotary
}

// NewModel returns a model with random weights; see [NewForCausalLM].
func NewModel(c Config, opts ...models.NewOption) (*Model, error) {
	if err := c.complete(); err != nil {
		return nil, fmt.Errorf("llama.NewModel: %w: %w", torch.ErrValue, err)
	}
	rotary, err := models.NewRotary(c.Rope, c.HeadDim, c.MaxPositions)
	if err != nil {
		return nil, fmt.Errorf("llama.NewModel: %w: %w", torch.ErrValue, err)
	}
	m := &Model{Config: c, rotary: rotary}
	m.Init(m, nn.TypeName(typeNames[c.ModelType]+"Model"))
	models.Build("llama.NewModel", opts, func() {
		m.EmbedTokens = models.NewEmbedding(c.VocabSize, c.HiddenSize, c.InitializerRange, c.PadTokenID)
		m.Layers = nn.NewModuleList()
		for i := range c.HiddenLayers {
			m.Layers.Append(newDecoderLayer(c, i))
		}
		m.Norm = models.NewRMSNorm(c.HiddenSize, c.RMSNormEps)
	})
	return m, nil
}

// Forward returns the features (N, T, hidden) of token IDs (N, T), after the last norm: a
// new tensor. It takes the options of [models.CausalLM] and panics as its Forward does, and
// with ErrValue for models.LogitsToKeep and models.LogitsAt.
func (m *Model) Forward(ids *torch.Tensor, opts ...models.ForwardOption) *torch.Tensor {
	return m.Call(ids, func(ids *torch.Tensor) *torch.Tensor {
		const op = "llama.Model.Forward"
		in := models.ReadInputs(op, ids, opts)
		in.WithoutLogits(op)
		return m.run(in)
	})
}

func (m *Model) run(in models.Inputs) *torch.Tensor {
	x := m.EmbedTokens.Forward(in.IDs)
	cos, sin := m.rotary.At(in.Positions, x.DType())
	pass := &pass{attention: models.NewAttention(in, m.CacheSpec()), cos: cos, sin: sin}
	for _, l := range m.Layers.Values() {
		before := x
		x = l.(*DecoderLayer).forward(before, pass)
		_ = before.Close() // or the scope would keep the results of all layers
	}
	return m.Norm.Forward(x)
}

// CacheSpec describes what a cache keeps for the model.
func (m *Model) CacheSpec() kvcache.Spec {
	c := m.Config
	s := kvcache.Uniform(c.HiddenLayers, kvcache.Layer{Heads: c.KeyValueHeads, HeadDim: c.HeadDim},
		models.DTypeOf(m.Norm))
	for i := range c.Windows {
		s.Layers[i].Window = c.Windows[i]
	}
	return s
}

// pass is what the layers of one forward pass share.
type pass struct {
	attention *models.Attention
	cos, sin  *torch.Tensor
}

func linear(c Config, in, out int64, bias bool) *models.Linear {
	return models.NewLinear(in, out, bias, c.InitializerRange)
}
