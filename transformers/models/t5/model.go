package t5

import (
	"fmt"
	"math"
	"strings"

	"github.com/gotorch/gotorch/nn"
	"github.com/gotorch/gotorch/torch"
	"github.com/gotorch/gotorch/transformers/kvcache"
	"github.com/gotorch/gotorch/transformers/models"
)

// ForConditionalGeneration predicts the next token of a text from another text. Follows
// T5ForConditionalGeneration.
type ForConditionalGeneration struct {
	nn.Base
	Config  Config `torch:"-"`
	Shared  nn.Layer
	Encoder *Stack
	Decoder *Stack
	LMHead  nn.Layer
}

// NewForConditionalGeneration returns a model with random weights. With
// models.Device(torch.Meta) it has none until LoadStateDict with nn.Assign sets them. The
// error names the field of the configuration that is wrong.
func NewForConditionalGeneration(c Config, opts ...models.NewOption) (*ForConditionalGeneration, error) {
	if err := c.check(); err != nil {
		return nil, fmt.Errorf("t5.NewForConditionalGeneration: %w: %w", torch.ErrValue, err)
	}
	m := &ForConditionalGeneration{Config: c}
	m.Init(m, nn.TypeName("T5ForConditionalGeneration"))
	models.Build("t5.NewForConditionalGeneration", opts, func() {
		m.Shared = models.NewEmbedding(c.VocabSize, c.Model, c.InitializerFactor, nil)
		m.Encoder = newStack(c, m.Shared, false)
		m.Decoder = newStack(c, m.Shared, true)
		m.LMHead = linear(c, c.Model, c.VocabSize, 1)
	})
	m.TieWeights()
	return m, nil
}

// TieWeights makes the head share the embedding's weights if the configuration says so.
// Call it after the weights were replaced. Follows tie_weights.
func (m *ForConditionalGeneration) TieWeights() {
	if m.Config.TieWordEmbedding {
		models.Tie(m.LMHead, m.Shared)
	}
}

// Forward implements [models.Seq2SeqLM]. input are token IDs (N, S).
func (m *ForConditionalGeneration) Forward(input, ids *torch.Tensor, opts ...models.Seq2SeqOption) *torch.Tensor {
	return m.Call2(input, ids, func(input, ids *torch.Tensor) *torch.Tensor {
		const op = "ForConditionalGeneration.Forward"
		return m.decode(op, ids, encode(op, m.Encoder, input, models.EncoderMask(opts)), opts)
	})
}

// Encode implements [models.Seq2SeqLM]. input are token IDs (N, S), and the only option is
// AttentionMask.
func (m *ForConditionalGeneration) Encode(input *torch.Tensor, opts ...models.EncoderOption) *torch.Tensor {
	return encode("ForConditionalGeneration.Encode", m.Encoder, input, opts)
}

// Decode implements [models.Seq2SeqLM].
func (m *ForConditionalGeneration) Decode(ids, features *torch.Tensor, opts ...models.Seq2SeqOption) *torch.Tensor {
	return torch.Tidy(func() *torch.Tensor {
		return m.decode("ForConditionalGeneration.Decode", ids, features, opts)
	})
}

func (m *ForConditionalGeneration) decode(op string, ids, features *torch.Tensor, opts []models.Seq2SeqOption,
) *torch.Tensor {
	in := models.ReadDecoderInputs(op, ids, features, opts)
	x := models.LastLogits(m.Decoder.decode(in), in.Keep)
	if m.Config.ScaleDecoderOutputs {
		x = x.MulScalar(1 / math.Sqrt(float64(m.Config.Model)))
	}
	return m.LMHead.Forward(x)
}

// encode checks the options and runs the encoder.
func encode(op string, l *Stack, ids *torch.Tensor, opts []models.EncoderOption) *torch.Tensor {
	return torch.Tidy(func() *torch.Tensor {
		in := models.ReadEncoderInputs(op, ids, math.MaxInt64, opts)
		if in.Types != nil || in.Positions != nil {
			panic(torch.NewError(op, torch.ErrValue, "opts", "a T5 has no TokenTypeIDs and no PositionIDs"))
		}
		return l.encode(ids, in.Mask)
	})
}

// CacheSpec implements [models.Seq2SeqLM].
func (m *ForConditionalGeneration) CacheSpec() kvcache.Spec { return cacheSpec(m.Config, m.Decoder) }

func cacheSpec(c Config, l *Stack) kvcache.Spec {
	return kvcache.Uniform(c.DecoderLayers, kvcache.Layer{Heads: c.Heads, HeadDim: c.KeyValue},
		l.FinalLayerNorm.Weight.DType())
}

// VocabSize implements [models.Seq2SeqLM].
func (m *ForConditionalGeneration) VocabSize() int64 { return m.Config.VocabSize }

// MaxLength implements [models.Seq2SeqLM]. There is no largest length.
func (m *ForConditionalGeneration) MaxLength() int64 { return math.MaxInt64 }

// StartToken implements [models.Seq2SeqLM].
func (m *ForConditionalGeneration) StartToken() int64 { return m.Config.startToken() }

// ShiftRight returns the tokens of the decoder that is to predict labels (N, T). A label of
// -100 becomes padding.
func (m *ForConditionalGeneration) ShiftRight(labels *torch.Tensor) *torch.Tensor {
	return models.ShiftRight(labels, m.Config.startToken(), m.Config.PadTokenID)
}

// LoadOptions let LoadStateDict read the files of transformers, old ones included.
func (m *ForConditionalGeneration) LoadOptions() []nn.LoadOption { return loadOptions() }

// unused is a weight of old files.
const unused = "decoder.block.0.layer.1.EncDecAttention.relative_attention_bias.weight"

// loadOptions are the options that read a file without the parts whose names begin with one
// of others.
func loadOptions(others ...string) []nn.LoadOption {
	return []nn.LoadOption{nn.RenameFunc(func(name string) string {
		if name == unused {
			return ""
		}
		for _, o := range others {
			if strings.HasPrefix(name, o) {
				return ""
			}
		}
		return name
	})}
}

// Model is the model without its head. Follows T5Model.
type Model struct {
	nn.Base
	Config  Config `torch:"-"`
	Shared  nn.Layer
	Encoder *Stack
	Decoder *Stack
}

// NewModel returns a model with random weights; see [NewForConditionalGeneration].
func NewModel(c Config, opts ...models.NewOption) (*Model, error) {
	if err := c.check(); err != nil {
		return nil, fmt.Errorf("t5.NewModel: %w: %w", torch.ErrValue, err)
	}
	m := &Model{Config: c}
	m.Init(m, nn.TypeName("T5Model"))
	models.Build("t5.NewModel", opts, func() {
		m.Shared = models.NewEmbedding(c.VocabSize, c.Model, c.InitializerFactor, nil)
		m.Encoder = newStack(c, m.Shared, false)
		m.Decoder = newStack(c, m.Shared, true)
	})
	return m, nil
}

// Forward returns features (N, T, d_model) of the decoder's tokens (N, T), for token IDs
// input (N, S), and the features (N, S, d_model) of the encoder.
func (m *Model) Forward(input, ids *torch.Tensor, opts ...models.Seq2SeqOption) (decoded, encoded *torch.Tensor) {
	const op = "Model.Forward"
	out := m.CallN([]*torch.Tensor{input, ids}, func(in []*torch.Tensor) []*torch.Tensor {
		features := encode(op, m.Encoder, in[0], models.EncoderMask(opts))
		d := models.ReadDecoderInputs(op, in[1], features, opts)
		return []*torch.Tensor{models.LastLogits(m.Decoder.decode(d), d.Keep), features}
	})
	return out[0], out[1]
}

// CacheSpec describes what a cache keeps of the decoder's tokens.
func (m *Model) CacheSpec() kvcache.Spec { return cacheSpec(m.Config, m.Decoder) }

// LoadOptions let LoadStateDict read the files of transformers, those with a head and old
// ones included.
func (m *Model) LoadOptions() []nn.LoadOption { return loadOptions("lm_head.") }

// EncoderModel is the encoder alone. Follows T5EncoderModel.
type EncoderModel struct {
	nn.Base
	Config  Config `torch:"-"`
	Shared  nn.Layer
	Encoder *Stack
}

// NewEncoderModel returns a model with random weights; see [NewForConditionalGeneration].
func NewEncoderModel(c Config, opts ...models.NewOption) (*EncoderModel, error) {
	if err := c.check(); err != nil {
		return nil, fmt.Errorf("t5.NewEncoderModel: %w: %w", torch.ErrValue, err)
	}
	m := &EncoderModel{Config: c}
	m.Init(m, nn.TypeName("T5EncoderModel"))
	models.Build("t5.NewEncoderModel", opts, func() {
		m.Shared = models.NewEmbedding(c.VocabSize, c.Model, c.InitializerFactor, nil)
		m.Encoder = newStack(c, m.Shared, false)
	})
	return m, nil
}

// Forward implements [models.Encoder]. There is no pooler, and the only option is
// AttentionMask.
func (m *EncoderModel) Forward(ids *torch.Tensor, opts ...models.EncoderOption) (features, pooled *torch.Tensor) {
	return m.Call(ids, func(ids *torch.Tensor) *torch.Tensor {
		return encode("EncoderModel.Forward", m.Encoder, ids, opts)
	}), nil
}

// MaxLength implements [models.Encoder]. There is no largest length.
func (m *EncoderModel) MaxLength() int64 { return math.MaxInt64 }

// LoadOptions let LoadStateDict read the files of transformers, those with a decoder
// included.
func (m *EncoderModel) LoadOptions() []nn.LoadOption { return loadOptions("lm_head.", "decoder.") }
