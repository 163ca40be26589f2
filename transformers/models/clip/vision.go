package clip

import (
	"fmt"
	"math"
	"slices"
	"strings"

	"github.com/gotorch/gotorch/nn"
	"github.com/gotorch/gotorch/nn/nninit"
	"github.com/gotorch/gotorch/torch"
	"github.com/gotorch/gotorch/transformers/models"
)

// VisionModel computes features of images. Follows CLIPVisionModel.
type VisionModel struct {
	nn.Base
	Config        VisionConfig `torch:"-"`
	Embeddings    *VisionEmbeddings
	PreLayrnorm   *nn.LayerNorm // spelled as in transformers
	Encoder       *Encoder
	PostLayernorm *nn.LayerNorm
}

// NewVisionModel returns a model with random weights; see [NewModel].
func NewVisionModel(c VisionConfig, opts ...models.NewOption) (*VisionModel, error) {
	if err := c.check(); err != nil {
		return nil, fmt.Errorf("clip.NewVisionModel: %w: %w", torch.ErrValue, err)
	}
	m := &VisionModel{Config: c}
	m.Init(m, nn.TypeName("CLIPVisionModel"))
	models.Build("clip.NewVisionModel", opts, func() {
		m.Embeddings = newVisionEmbeddings(c)
		m.PreLayrnorm = norm(c.stack())
		m.Encoder = newEncoder(c.stack())
		m.PostLayernorm = norm(c.stack())
	})
	return m, nil
}

// Forward implements [models.ImageEncoder].
func (m *VisionModel) Forward(pixels *torch.Tensor, opts ...models.ImageOption) (features, pooled *torch.Tensor) {
	const op = "VisionModel.Forward"
	out := m.CallN([]*torch.Tensor{pixels}, func(in []*torch.Tensor) []*torch.Tensor {
		x := m.run(op, in[0], opts)
		return []*torch.Tensor{x, m.PostLayernorm.Forward(x.Select(1, 0))}
	})
	return out[0], out[1]
}

func (m *VisionModel) run(op string, pixels *torch.Tensor, opts []models.ImageOption) *torch.Tensor {
	x := m.Embeddings.forward(op, pixels, models.ReadImageOptions(op, opts))
	return m.Encoder.forward(m.PreLayrnorm.Forward(x), nil)
}

// LoadOptions let LoadStateDict read the files of transformers, those of a [Model] and old
// ones included.
func (m *VisionModel) LoadOptions() []nn.LoadOption { return partOptions("vision_model.") }

// VisionEmbeddings are the features of patches with their positions, after that of a class
// token. Follows CLIPVisionEmbeddings.
type VisionEmbeddings struct {
	nn.Base
	ClassEmbedding                    *torch.Tensor
	PatchEmbedding, PositionEmbedding nn.Layer
	config                            VisionConfig
}

func newVisionEmbeddings(c VisionConfig) *VisionEmbeddings {
	l := &VisionEmbeddings{config: c}
	l.Init(l, nn.TypeName("CLIPVisionEmbeddings"))
	l.ClassEmbedding = l.RegisterParameter("class_embedding", torch.Empty(torch.Shape{c.HiddenSize}))
	if l.ClassEmbedding.Device() != torch.Meta {
		nninit.Normal_(l.ClassEmbedding, 0, c.Factor/math.Sqrt(float64(c.HiddenSize)))
	}
	image, patch := c.sizes()
	l.PatchEmbedding = models.NewPatchConv(c.Channels, c.HiddenSize, patch, false, c.InitializerRange*c.Factor)
	l.PositionEmbedding = models.NewEmbedding(models.Patches(image, patch)+1, c.HiddenSize, c.InitializerRange*c.Factor,
		nil)
	return l
}

func (l *VisionEmbeddings) forward(op string, pixels *torch.Tensor, interpolates bool) *torch.Tensor {
	return l.Call(pixels, func(pixels *torch.Tensor) *torch.Tensor {
		image, patch := l.config.sizes()
		models.CheckPixels(op, pixels, l.config.Channels, image, patch, interpolates)
		n, h, w := pixels.Size(0), pixels.Size(2), pixels.Size(3)
		x := l.PatchEmbedding.Forward(pixels.To(l.ClassEmbedding.DType())).Flatten(2).Transpose(1, 2)
		x = torch.Cat([]*torch.Tensor{l.ClassEmbedding.Expand(n, 1, -1), x}, 1)
		known := models.Patches(image, patch) + 1
		positions := l.PositionEmbedding.Forward(torch.Arange(known, pixels.Device()).Unsqueeze(0))
		if interpolates && (x.Size(1) != known || h != w) {
			positions = models.InterpolatePositions(op, positions, h/patch[0], w/patch[1])
		}
		return x.Add(positions)
	})
}

// ForImageClassification assigns a label to an image. Follows CLIPForImageClassification.
type ForImageClassification struct {
	nn.Base
	Config      Config `torch:"-"`
	VisionModel *VisionModel
	Classifier  nn.Layer
}

// NewForImageClassification returns a model with random weights; see [NewModel].
func NewForImageClassification(c Config, opts ...models.NewOption) (*ForImageClassification, error) {
	const op = "clip.NewForImageClassification"
	if len(c.Labels.Names) == 0 {
		return nil, fmt.Errorf("%s: %w: there are no labels", op, torch.ErrValue)
	}
	body, err := NewVisionModel(c.Vision, opts...)
	if err != nil {
		return nil, err
	}
	m := &ForImageClassification{Config: c.clone(), VisionModel: body}
	m.Init(m, nn.TypeName("CLIPForImageClassification"))
	models.Build(op, opts, func() {
		m.Classifier = models.NewLinear(c.Vision.HiddenSize, int64(len(c.Labels.Names)), true,
			c.Factor/math.Sqrt(float64(c.Vision.HiddenSize)))
	})
	return m, nil
}

// Forward implements [models.ImageClassifier].
func (m *ForImageClassification) Forward(pixels *torch.Tensor, opts ...models.ImageOption) *torch.Tensor {
	return m.Call(pixels, func(pixels *torch.Tensor) *torch.Tensor {
		x := m.VisionModel.run("ForImageClassification.Forward", pixels, opts)
		return m.Classifier.Forward(x.Narrow(1, 1, x.Size(1)-1).Mean(torch.Dim(1)))
	})
}

// Labels implements [models.ImageClassifier].
func (m *ForImageClassification) Labels() []string { return slices.Clone(m.Config.Labels.Names) }

// LoadOptions let LoadStateDict read the files of transformers, old ones included.
func (m *ForImageClassification) LoadOptions() []nn.LoadOption {
	return []nn.LoadOption{nn.RenameFunc(func(name string) string {
		name = strings.Replace(name, "vision_model.vision_model.", "vision_model.", 1)
		if name == "vision_model.embeddings.position_ids" {
			return ""
		}
		return name
	})}
}
