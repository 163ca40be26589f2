package clip

import (
	"fmt"
	"strings"

	"github.com/gotorch/gotorch/nn"
	"github.com/gotorch/gotorch/torch"
	"github.com/gotorch/gotorch/transformers/kvcache"
	"github.com/gotorch/gotorch/transformers/models"
)

// TextModel computes features of texts. Follows CLIPTextModel.
type TextModel struct {
	nn.Base
	Config         TextConfig `torch:"-"`
	Embeddings     *TextEmbeddings
	Encoder        *Encoder
	FinalLayerNorm *nn.LayerNorm
}

// NewTextModel returns a model with random weights; see [NewModel].
func NewTextModel(c TextConfig, opts ...models.NewOption) (*TextModel, error) {
	if err := c.check(); err != nil {
		return nil, fmt.Errorf("clip.NewTextModel: %w: %w", torch.ErrValue, err)
	}
	m := &TextModel{Config: c}
	m.Init(m, nn.TypeName("CLIPTextModel"))
	models.Build("clip.NewTextModel", opts, func() {
		m.Embeddings = newTextEmbeddings(c)
		m.Encoder = newEncoder(c.stack())
		m.FinalLayerNorm = norm(c.stack())
	})
	return m, nil
}

// Forward returns features (N, T, hidden) for token IDs (N, T), and those of the end of each
// text (N, hidden). It implements [models.Encoder], but has no TokenTypeIDs.
func (m *TextModel) Forward(ids *torch.Tensor, opts ...models.EncoderOption) (features, pooled *torch.Tensor) {
	const op = "TextModel.Forward"
	out := m.CallN([]*torch.Tensor{ids}, func(x []*torch.Tensor) []*torch.Tensor {
		in := models.ReadEncoderInputs(op, x[0], m.Config.MaxPositions, opts)
		if in.Types != nil {
			panic(torch.NewError(op, torch.ErrValue, "TokenTypeIDs", "a CLIP has none"))
		}
		y := m.FinalLayerNorm.Forward(m.Encoder.forward(m.Embeddings.forward(in), m.attention(in)))
		return []*torch.Tensor{y, m.pool(y, x[0])}
	})
	return out[0], out[1]
}

// attention returns the attention to earlier tokens.
func (m *TextModel) attention(in models.EncoderInputs) *models.Attention {
	causal := models.Inputs{IDs: in.IDs}
	if in.Mask != nil {
		causal.Mask = in.Mask.View(in.IDs.Size(0), -1)
	}
	return models.NewAttention(causal, kvcache.Spec{Layers: make([]kvcache.Layer, m.Config.HiddenLayers)})
}

// pool returns the features (N, hidden) of the end of each text.
func (m *TextModel) pool(x, ids *torch.Tensor) *torch.Tensor {
	at := ids.Int()
	if m.Config.EOSTokenID != 2 {
		at = at.EqScalar(m.Config.EOSTokenID).Int()
	}
	end := at.ArgMax(torch.Dim(-1)).View(-1, 1, 1).Expand(-1, 1, x.Size(2))
	return x.Gather(1, end).Squeeze(1)
}

// MaxLength implements [models.Encoder].
func (m *TextModel) MaxLength() int64 { return m.Config.MaxPositions }

// LoadOptions let LoadStateDict read the files of transformers, those of a [Model] and old
// ones included.
func (m *TextModel) LoadOptions() []nn.LoadOption { return partOptions("text_model.") }

// partOptions are the options that read one of the two models.
func partOptions(part string) []nn.LoadOption {
	return []nn.LoadOption{nn.RenameFunc(func(name string) string {
		name = strings.TrimPrefix(name, part)
		first, _, _ := strings.Cut(name, ".")
		switch first {
		case "text_model", "vision_model", "text_projection", "visual_projection", "logit_scale", "classifier":
			return "" // of other parts
		}
		if name == "embeddings.position_ids" {
			return ""
		}
		return name
	})}
}

// TextEmbeddings are the sums of a token's and its position's features. Follows
// CLIPTextEmbeddings.
type TextEmbeddings struct {
	nn.Base
	TokenEmbedding, PositionEmbedding nn.Layer
}

func newTextEmbeddings(c TextConfig) *TextEmbeddings {
	l := new(TextEmbeddings)
	l.Init(l, nn.TypeName("CLIPTextEmbeddings"))
	l.TokenEmbedding = models.NewEmbedding(c.VocabSize, c.HiddenSize, 0.02*c.Factor, nil)
	l.PositionEmbedding = models.NewEmbedding(c.MaxPositions, c.HiddenSize, 0.02*c.Factor, nil)
	return l
}

func (l *TextEmbeddings) forward(in models.EncoderInputs) *torch.Tensor {
	return l.Call(in.IDs, func(ids *torch.Tensor) *torch.Tensor {
		positions := in.Positions
		if positions == nil {
			positions = torch.Arange(ids.Size(1), ids.Device()).Unsqueeze(0)
		}
		return l.TokenEmbedding.Forward(ids).Add(l.PositionEmbedding.Forward(positions))
	})
}
