package clip

import (
	"fmt"
	"math"
	"strings"

	"github.com/gotorch/gotorch/nn"
	F "github.com/gotorch/gotorch/nn/functional"
	"github.com/gotorch/gotorch/torch"
	"github.com/gotorch/gotorch/transformers/models"
)

// Model compares texts with images. Follows CLIPModel.
type Model struct {
	nn.Base
	Config           Config `torch:"-"`
	TextModel        *TextModel
	VisionModel      *VisionModel
	VisualProjection nn.Layer
	TextProjection   nn.Layer
	LogitScale       *torch.Tensor // the logarithm of the scale
}

// Output is the result of [Model.Forward].
type Output struct {
	LogitsPerImage *torch.Tensor // (images, texts)
	LogitsPerText  *torch.Tensor // (texts, images)
	TextEmbeds     *torch.Tensor // (texts, projection_dim), of length 1
	ImageEmbeds    *torch.Tensor // (images, projection_dim), of length 1
}

// NewModel returns a model with random weights. With models.Device(torch.Meta) it has none
// until LoadStateDict with nn.Assign sets them. The error names the field of the
// configuration that is wrong.
func NewModel(c Config, opts ...models.NewOption) (*Model, error) {
	const op = "clip.NewModel"
	if err := c.check(); err != nil {
		return nil, fmt.Errorf("%s: %w: %w", op, torch.ErrValue, err)
	}
	text, err := NewTextModel(c.Text, opts...)
	if err != nil {
		return nil, err
	}
	vision, err := NewVisionModel(c.Vision, opts...)
	if err != nil {
		return nil, err
	}
	m := &Model{Config: c.clone(), TextModel: text, VisionModel: vision}
	m.Init(m, nn.TypeName("CLIPModel"))
	models.Build(op, opts, func() {
		projection := func(in int64) *models.Linear {
			return models.NewLinear(in, c.ProjectionDim, false, c.Factor/math.Sqrt(float64(in)))
		}
		m.VisualProjection = projection(c.Vision.HiddenSize)
		m.TextProjection = projection(c.Text.HiddenSize)
		m.LogitScale = m.RegisterParameter("logit_scale", torch.Full(torch.Shape{}, c.LogitScale))
	})
	return m, nil
}

// Forward compares texts of token IDs (N, T) with images of pixels
// (M, channels, height, width).
func (m *Model) Forward(ids, pixels *torch.Tensor, opts ...models.ImageTextOption) Output {
	text, image := models.ReadImageTextOptions("Model.Forward", opts)
	out := m.CallN([]*torch.Tensor{ids, pixels}, func(in []*torch.Tensor) []*torch.Tensor {
		images := normalized(m.ImageFeatures(in[1], image...))
		texts := normalized(m.TextFeatures(in[0], text...))
		perText := texts.MatMul(images.T()).Mul(m.LogitScale.Exp())
		return []*torch.Tensor{perText.T(), perText, texts, images}
	})
	return Output{LogitsPerImage: out[0], LogitsPerText: out[1], TextEmbeds: out[2], ImageEmbeds: out[3]}
}

// normalized divides each row by its length, in the order of operations of transformers.
func normalized(x *torch.Tensor) *torch.Tensor {
	return x.Div(x.PowScalar(2).Sum(torch.Dim(-1), torch.KeepDim(true)).PowScalar(0.5))
}

// TextFeatures returns the projected features (N, projection_dim) of texts, not normalized.
// Follows get_text_features.
func (m *Model) TextFeatures(ids *torch.Tensor, opts ...models.EncoderOption) *torch.Tensor {
	return torch.Tidy(func() *torch.Tensor {
		_, pooled := m.TextModel.Forward(ids, opts...)
		return m.TextProjection.Forward(pooled)
	})
}

// ImageFeatures returns the projected features (N, projection_dim) of images, not
// normalized. Follows get_image_features.
func (m *Model) ImageFeatures(pixels *torch.Tensor, opts ...models.ImageOption) *torch.Tensor {
	return torch.Tidy(func() *torch.Tensor {
		_, pooled := m.VisionModel.Forward(pixels, opts...)
		return m.VisualProjection.Forward(pooled)
	})
}

// Loss returns the contrastive loss of a batch whose text i belongs to image i.
func (o Output) Loss() *torch.Tensor {
	return torch.Tidy(func() *torch.Tensor {
		x := o.LogitsPerText
		right := torch.Arange(x.Size(0), x.Device())
		return F.CrossEntropy(x, right).Add(F.CrossEntropy(x.T(), right)).DivScalar(2)
	})
}

// LoadOptions let LoadStateDict read the files of transformers, old ones included.
func (m *Model) LoadOptions() []nn.LoadOption {
	return []nn.LoadOption{nn.RenameFunc(func(name string) string {
		if strings.HasSuffix(name, "_model.embeddings.position_ids") {
			return "" // a constant
		}
		return name
	})}
}
