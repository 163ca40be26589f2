package whisper

import (
	"fmt"
	"math"

	"github.com/gotorch/gotorch/nn"
	F "github.com/gotorch/gotorch/nn/functional"
	"github.com/gotorch/gotorch/nn/nninit"
	"github.com/gotorch/gotorch/torch"
	"github.com/gotorch/gotorch/transformers/kvcache"
	"github.com/gotorch/gotorch/transformers/models"
)

// ForConditionalGeneration predicts the next token of what is said. Follows
// WhisperForConditionalGeneration.
type ForConditionalGeneration struct {
	nn.Base
	Config  Config `torch:"-"`
	Model   *Model
	ProjOut nn.Layer
}

// NewForConditionalGeneration returns a model with random weights. With
// models.Device(torch.Meta) it has none until LoadStateDict with nn.Assign sets them. The
// error names the field of the configuration that is wrong.
func NewForConditionalGeneration(c Config, opts ...models.NewOption) (*ForConditionalGeneration, error) {
	body, err := NewModel(c, opts...)
	if err != nil {
		return nil, err
	}
	m := &ForConditionalGeneration{Config: c, Model: body}
	m.Init(m, nn.TypeName("WhisperForConditionalGeneration"))
	models.Build("whisper.NewForConditionalGeneration", opts, func() {
		m.ProjOut = models.NewLinear(c.Model, c.VocabSize, false, c.InitStd)
	})
	m.TieWeights()
	return m, nil
}

// TieWeights makes the head share the embedding's weights if the configuration says so.
// Call it after the weights were replaced. Follows tie_weights.
func (m *ForConditionalGeneration) TieWeights() {
	if m.Config.TieWordEmbedding {
		models.Tie(m.ProjOut, m.Model.Decoder.EmbedTokens)
	}
}

// Forward implements [models.Seq2SeqLM]. input are features
// (N, num_mel_bins, 2*max_source_positions), as a [FeatureExtractor] makes them. There is no
// AttentionMask.
func (m *ForConditionalGeneration) Forward(input, ids *torch.Tensor, opts ...models.Seq2SeqOption) *torch.Tensor {
	return m.Call2(input, ids, func(input, ids *torch.Tensor) *torch.Tensor {
		const op = "ForConditionalGeneration.Forward"
		return m.decode(op, ids, m.Model.Encoder.encode(op, input), opts)
	})
}

// Encode implements [models.Seq2SeqLM]. It has no options.
func (m *ForConditionalGeneration) Encode(input *torch.Tensor, opts ...models.EncoderOption) *torch.Tensor {
	const op = "ForConditionalGeneration.Encode"
	if len(opts) > 0 {
		panic(torch.NewError(op, torch.ErrValue, "opts", "the encoder of Whisper has none"))
	}
	return m.Model.Encoder.encode(op, input)
}

// Decode implements [models.Seq2SeqLM].
func (m *ForConditionalGeneration) Decode(ids, features *torch.Tensor, opts ...models.Seq2SeqOption) *torch.Tensor {
	return torch.Tidy(func() *torch.Tensor {
		return m.decode("ForConditionalGeneration.Decode", ids, features, opts)
	})
}

func (m *ForConditionalGeneration) decode(op string, ids, features *torch.Tensor, opts []models.Seq2SeqOption,
) *torch.Tensor {
	x, keep := m.Model.decode(op, ids, features, opts)
	return m.ProjOut.Forward(models.LastLogits(x, keep))
}

// CacheSpec implements [models.Seq2SeqLM].
func (m *ForConditionalGeneration) CacheSpec() kvcache.Spec { return m.Model.CacheSpec() }

// VocabSize implements [models.Seq2SeqLM].
func (m *ForConditionalGeneration) VocabSize() int64 { return m.Config.VocabSize }

// MaxLength implements [models.Seq2SeqLM].
func (m *ForConditionalGeneration) MaxLength() int64 { return m.Config.MaxTargetPositions }

// StartToken implements [models.Seq2SeqLM].
func (m *ForConditionalGeneration) StartToken() int64 { return m.Config.DecoderStartTokenID }

// ShiftRight returns the tokens of the decoder that is to predict labels (N, T). A label of
// -100 becomes padding.
func (m *ForConditionalGeneration) ShiftRight(labels *torch.Tensor) *torch.Tensor {
	return models.ShiftRight(labels, m.Config.DecoderStartTokenID, m.Config.PadTokenID)
}

// Model is the model without its head. Follows WhisperModel.
type Model struct {
	nn.Base
	Config  Config `torch:"-"`
	Encoder *Encoder
	Decoder *Decoder
}

// NewModel returns a model with random weights; see [NewForConditionalGeneration].
func NewModel(c Config, opts ...models.NewOption) (*Model, error) {
	if err := c.check(); err != nil {
		return nil, fmt.Errorf("whisper.NewModel: %w: %w", torch.ErrValue, err)
	}
	m := &Model{Config: c}
	m.Init(m, nn.TypeName("WhisperModel"))
	models.Build("whisper.NewModel", opts, func() {
		m.Encoder = newEncoder(c)
		m.Decoder = newDecoder(c)
	})
	return m, nil
}

// Forward returns features (N, T, d_model) of the decoder's tokens (N, T), and those
// (N, max_source_positions, d_model) of the encoder. See
// [ForConditionalGeneration.Forward].
func (m *Model) Forward(input, ids *torch.Tensor, opts ...models.Seq2SeqOption) (decoded, encoded *torch.Tensor) {
	const op = "Model.Forward"
	out := m.CallN([]*torch.Tensor{input, ids}, func(in []*torch.Tensor) []*torch.Tensor {
		features := m.Encoder.encode(op, in[0])
		x, keep := m.decode(op, in[1], features, opts)
		return []*torch.Tensor{models.LastLogits(x, keep), features}
	})
	return out[0], out[1]
}

func (m *Model) decode(op string, ids, features *torch.Tensor, opts []models.Seq2SeqOption,
) (x *torch.Tensor, keep int64) {
	in := models.ReadDecoderInputs(op, ids, features, opts)
	if in.FeaturesMask != nil {
		panic(torch.NewError(op, torch.ErrValue, "AttentionMask", "the encoder of Whisper has none"))
	}
	if n := in.Past + ids.Size(1); n > m.Config.MaxTargetPositions {
		panic(torch.NewError(op, torch.ErrShape, "ids",
			fmt.Sprintf("%d tokens, with those of the cache, are more than %d", n, m.Config.MaxTargetPositions)))
	}
	return m.Decoder.forward(in, models.NewAttention(in.Inputs, m.CacheSpec())), in.Keep
}

// CacheSpec describes what a cache keeps of the decoder's tokens.
func (m *Model) CacheSpec() kvcache.Spec {
	c := m.Config
	return kvcache.Uniform(c.DecoderLayers, kvcache.Layer{Heads: c.DecoderHeads, HeadDim: c.Model / c.DecoderHeads},
		m.Decoder.LayerNorm.Weight.DType())
}

// LoadOptions let LoadStateDict read the files of transformers, those with a head included.
func (m *Model) LoadOptions() []nn.LoadOption {
	return []nn.LoadOption{nn.Rename{{"model.**", "**"}}, nn.Ignore{"proj_out.weight"}}
}

// Encoder computes features of sound. Follows WhisperEncoder.
type Encoder struct {
	nn.Base
	Conv1, Conv2   nn.Layer
	EmbedPositions nn.Layer       // sines, which are not trained
	Layers         *nn.ModuleList // of EncoderLayers
	LayerNorm      *nn.LayerNorm
	config         Config
}

func newEncoder(c Config) *Encoder {
	l := &Encoder{Layers: nn.NewModuleList(), config: c}
	l.Init(l, nn.TypeName("WhisperEncoder"))
	l.Conv1 = conv(c, c.MelBins, 1)
	l.Conv2 = conv(c, c.Model, 2)
	positions := nn.NewEmbedding(c.MaxSourcePositions, c.Model)
	if positions.Weight.Device() != torch.Meta {
		torch.NoGrad(func() {
			torch.Scope(func() { positions.Weight.Copy_(sinusoids(c.MaxSourcePositions, c.Model)) })
		})
	}
	positions.Weight.SetRequiresGrad(false)
	l.EmbedPositions = positions
	for range c.EncoderLayers {
		l.Layers.Append(newEncoderLayer(c))
	}
	l.LayerNorm = norm(c)
	return l
}

// conv returns a convolution of three frames.
func conv(c Config, in, stride int64) *nn.Conv1d {
	l := nn.NewConv1d(in, c.Model, 3, nn.Stride(stride), nn.Padding(1))
	if l.Weight.Device() != torch.Meta {
		nninit.Normal_(l.Weight, 0, c.InitStd)
		nninit.Zeros_(l.Bias)
	}
	return l
}

// sinusoids returns the positions (length, channels) of an untrained model.
func sinusoids(length, channels int64) *torch.Tensor {
	step := math.Log(10000) / float64(channels/2-1)
	inverse := torch.Arange(channels/2, torch.Float32).MulScalar(-step).Exp()
	at := torch.Arange(length, torch.Float32).Unsqueeze(1).Mul(inverse.Unsqueeze(0))
	return torch.Cat([]*torch.Tensor{at.Sin(), at.Cos()}, 1)
}

func (l *Encoder) encode(op string, input *torch.Tensor) *torch.Tensor {
	c := l.config
	if input == nil {
		panic(torch.NewError(op, torch.ErrNil, "input", "no tensor"))
	}
	if s := input.Shape(); len(s) != 3 || s[1] != c.MelBins || s[2] != 2*c.MaxSourcePositions {
		panic(torch.NewError(op, torch.ErrShape, "input",
			fmt.Sprintf("expected (N, %d, %d), got %v", c.MelBins, 2*c.MaxSourcePositions, s)))
	}
	return l.Call(input, func(x *torch.Tensor) *torch.Tensor {
		x = F.GELU(l.Conv2.Forward(F.GELU(l.Conv1.Forward(x.To(l.LayerNorm.Weight.DType())))))
		x = x.Permute(0, 2, 1).Add(l.EmbedPositions.Forward(torch.Arange(c.MaxSourcePositions, x.Device())))
		x = F.Dropout(x, F.P(c.Dropout), F.Training(l.Training()))
		for _, layer := range l.Layers.Values() {
			before := x
			x = layer.(*EncoderLayer).Forward(before)
			_ = before.Close() // or the scope would keep the results of all layers
		}
		return l.LayerNorm.Forward(x)
	})
}

// Decoder computes features of tokens and of the encoder's features. Follows WhisperDecoder.
type Decoder struct {
	nn.Base
	EmbedTokens, EmbedPositions nn.Layer
	Layers                      *nn.ModuleList // of DecoderLayers
	LayerNorm                   *nn.LayerNorm
	dropout                     float64
}

func newDecoder(c Config) *Decoder {
	l := &Decoder{Layers: nn.NewModuleList(), dropout: c.Dropout}
	l.Init(l, nn.TypeName("WhisperDecoder"))
	l.EmbedTokens = models.NewEmbedding(c.VocabSize, c.Model, c.InitStd, &c.PadTokenID)
	l.EmbedPositions = models.NewEmbedding(c.MaxTargetPositions, c.Model, c.InitStd, nil)
	for i := range c.DecoderLayers {
		l.Layers.Append(newDecoderLayer(c, i))
	}
	l.LayerNorm = norm(c)
	return l
}

func (l *Decoder) forward(in models.DecoderInputs, a *models.Attention) *torch.Tensor {
	return l.Call(in.IDs, func(ids *torch.Tensor) *torch.Tensor {
		x := l.EmbedTokens.Forward(ids).Add(l.EmbedPositions.Forward(in.Positions))
		x = F.Dropout(x, F.P(l.dropout), F.Training(l.Training()))
		for _, layer := range l.Layers.Values() {
			before := x
			x = layer.(*DecoderLayer).forward(before, in, a)
			_ = before.Close() // or the scope would keep the results of all layers
		}
		return l.LayerNorm.Forward(x)
	})
}
