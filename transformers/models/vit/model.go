package vit

import (
	"fmt"
	"slices"
	"strings"

	"github.com/gotorch/gotorch/nn"
	"github.com/gotorch/gotorch/torch"
	"github.com/gotorch/gotorch/transformers/models"
)

// Model is the model without a head. Follows ViTModel.
type Model struct {
	nn.Base
	Config     Config `torch:"-"`
	Embeddings *Embeddings
	Layers     *nn.ModuleList // of Layers
	Layernorm  *nn.LayerNorm
	Pooler     *Pooler // nil without Config.AddPoolingLayer
}

// NewModel returns a model with random weights. With models.Device(torch.Meta) it has none
// until LoadStateDict with nn.Assign sets them. The error names the field of the
// configuration that is wrong.
func NewModel(c Config, opts ...models.NewOption) (*Model, error) {
	if err := c.check(); err != nil {
		return nil, fmt.Errorf("vit.NewModel: %w: %w", torch.ErrValue, err)
	}
	m := &Model{Config: c.clone()}
	m.Init(m, nn.TypeName("ViTModel"))
	models.Build("vit.NewModel", opts, func() {
		m.Embeddings = newEmbeddings(c)
		m.Layers = nn.NewModuleList()
		for range c.HiddenLayers {
			m.Layers.Append(newLayer(c))
		}
		m.Layernorm = norm(c)
		if c.AddPoolingLayer {
			m.Pooler = newPooler(c)
		}
	})
	return m, nil
}

// Forward implements [models.ImageEncoder].
func (m *Model) Forward(pixels *torch.Tensor, opts ...models.ImageOption) (features, pooled *torch.Tensor) {
	out := m.CallN([]*torch.Tensor{pixels}, func(in []*torch.Tensor) []*torch.Tensor {
		x := m.run("Model.Forward", in[0], opts)
		if m.Pooler == nil {
			return []*torch.Tensor{x}
		}
		return []*torch.Tensor{x, m.Pooler.Forward(x)}
	})
	if len(out) == 1 {
		return out[0], nil
	}
	return out[0], out[1]
}

func (m *Model) run(op string, pixels *torch.Tensor, opts []models.ImageOption) *torch.Tensor {
	x := m.Embeddings.forward(op, pixels, models.ReadImageOptions(op, opts))
	for _, l := range m.Layers.Values() {
		before := x
		x = l.(*Layer).Forward(before)
		_ = before.Close() // or the scope would keep the results of all layers
	}
	return m.Layernorm.Forward(x)
}

// LoadOptions let LoadStateDict read the files of transformers, those with a head and old
// ones included.
func (m *Model) LoadOptions() []nn.LoadOption {
	pools := m.Pooler != nil
	return []nn.LoadOption{nn.RenameFunc(func(name string) string {
		name = strings.TrimPrefix(newNames.Replace(name), "vit.")
		if name == "embeddings.mask_token" || !pools && strings.HasPrefix(name, "pooler.") || isHead(name) {
			return ""
		}
		return name
	})}
}

// newNames replaces the names of transformers 4.
var newNames = strings.NewReplacer("encoder.layer.", "layers.", "attention.query", "q_proj", "attention.key", "k_proj",
	"attention.value", "v_proj", "attention.output.dense", "attention.o_proj", "intermediate.dense", "mlp.fc1",
	"output.dense", "mlp.fc2")

func isHead(name string) bool {
	return strings.HasPrefix(name, "classifier.") || strings.HasPrefix(name, "decoder.")
}

// HasPooler reports whether a file with these names has the weights of a [Pooler].
func HasPooler(names []string) bool {
	return slices.ContainsFunc(names, func(n string) bool { return strings.HasSuffix(n, "pooler.dense.weight") })
}

// ForImageClassification assigns a label to an image. Follows ViTForImageClassification.
type ForImageClassification struct {
	nn.Base
	Config     Config `torch:"-"`
	ViT        *Model `torch:"vit"`
	Classifier nn.Layer
}

// NewForImageClassification returns a model with random weights; see [NewModel].
func NewForImageClassification(c Config, opts ...models.NewOption) (*ForImageClassification, error) {
	const op = "vit.NewForImageClassification"
	if len(c.Labels.Names) == 0 {
		return nil, fmt.Errorf("%s: %w: there are no labels", op, torch.ErrValue)
	}
	c.AddPoolingLayer = false
	body, err := NewModel(c, opts...)
	if err != nil {
		return nil, err
	}
	m := &ForImageClassification{Config: body.Config, ViT: body}
	m.Init(m, nn.TypeName("ViTForImageClassification"))
	models.Build(op, opts, func() { m.Classifier = linear(c, c.HiddenSize, int64(len(c.Labels.Names)), true) })
	return m, nil
}

// Forward implements [models.ImageClassifier].
func (m *ForImageClassification) Forward(pixels *torch.Tensor, opts ...models.ImageOption) *torch.Tensor {
	return m.Call(pixels, func(pixels *torch.Tensor) *torch.Tensor {
		return m.Classifier.Forward(m.ViT.run("ForImageClassification.Forward", pixels, opts).Select(1, 0))
	})
}

// Labels implements [models.ImageClassifier].
func (m *ForImageClassification) Labels() []string { return slices.Clone(m.Config.Labels.Names) }

// LoadOptions let LoadStateDict read the files of transformers, old ones included.
func (m *ForImageClassification) LoadOptions() []nn.LoadOption {
	return []nn.LoadOption{nn.RenameFunc(func(name string) string {
		name = newNames.Replace(name)
		if strings.HasPrefix(name, "vit.pooler.") || name == "vit.embeddings.mask_token" {
			return ""
		}
		return name
	})}
}
