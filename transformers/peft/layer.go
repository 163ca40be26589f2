package peft

import (
	"fmt"
	"math"
	"slices"

	"github.com/gotorch/gotorch/nn"
	F "github.com/gotorch/gotorch/nn/functional"
	"github.com/gotorch/gotorch/nn/nninit"
	"github.com/gotorch/gotorch/torch"
	"github.com/gotorch/gotorch/transformers/models"
	"github.com/gotorch/gotorch/transformers/models/gpt2"
	"github.com/gotorch/gotorch/transformers/quant"
)

// kind is what kind of layer has adapters.
type kind int

const (
	kindOther kind = iota
	kindLinear
	kindConv1D // a linear layer with a transposed weight
	kindBlocks // a quantised linear layer
	kindEmbedding
	kindConv2d
)

func kindOf(m nn.Module) kind {
	switch m.(type) {
	case *models.Linear, *nn.Linear:
		return kindLinear
	case *gpt2.Conv1D:
		return kindConv1D
	case *quant.Linear:
		return kindBlocks
	case *nn.Embedding:
		return kindEmbedding
	case *nn.Conv2d:
		return kindConv2d
	}
	return kindOther
}

// weightOf returns the weight of a layer, or nil if it is quantised.
func weightOf(m nn.Module) *torch.Tensor {
	switch l := m.(type) {
	case *models.Linear:
		return l.Weight
	case *nn.Linear:
		return l.Weight
	case *gpt2.Conv1D:
		return l.Weight
	case *nn.Embedding:
		return l.Weight
	case *nn.Conv2d:
		return l.Weight
	}
	return nil
}

// biasOf returns the bias of a layer, or nil if it has none.
func biasOf(m nn.Module) *torch.Tensor {
	switch l := m.(type) {
	case *models.Linear:
		return l.Bias
	case *nn.Linear:
		return l.Bias
	case *gpt2.Conv1D:
		return l.Bias
	case *quant.Linear:
		return l.Bias
	case *nn.Conv2d:
		return l.Bias
	}
	return nil
}

// featuresOf returns the numbers of input and output features of a layer.
func featuresOf(m nn.Module) (in, out int64) {
	switch l := m.(type) {
	case *quant.Linear:
		return l.InFeatures, l.OutFeatures
	case *nn.Conv2d:
		return l.InChannels, l.OutChannels
	case *gpt2.Conv1D:
		return l.Weight.Size(0), l.Weight.Size(1)
	case *nn.Embedding:
		return l.NumEmbeddings, l.EmbeddingDim
	}
	w := weightOf(m)
	return w.Size(1), w.Size(0)
}

// Layer is a layer with adapters. [Add] makes it. Its parameters have the names of Python's
// lora.Linear, lora.Embedding and lora.Conv2d.
type Layer struct {
	nn.Base
	BaseLayer           nn.Layer
	LoRADropout         *nn.ModuleDict    `torch:"lora_dropout"`
	LoRAA               *nn.ModuleDict    `torch:"lora_A"`
	LoRAB               *nn.ModuleDict    `torch:"lora_B"`
	LoRAEmbeddingA      *nn.ParameterDict `torch:"lora_embedding_A"`
	LoRAEmbeddingB      *nn.ParameterDict `torch:"lora_embedding_B"`
	LoRAMagnitudeVector *nn.ModuleDict    `torch:"lora_magnitude_vector"`

	kind    kind
	state   *state             `torch:"-"`
	scaling map[string]float64 // by the name of the adapter
	merged  []string
	norms   map[string][]float32 // of the weights before a DoRA adapter was merged
}

// state is what the layers of a model share.
type state struct {
	active   []string
	disabled bool
}

func newLayer(base nn.Layer, s *state) *Layer {
	l := &Layer{
		BaseLayer: base, kind: kindOf(base), state: s, scaling: map[string]float64{}, norms: map[string][]float32{},
		LoRADropout: nn.NewModuleDict(), LoRAA: nn.NewModuleDict(), LoRAB: nn.NewModuleDict(),
		LoRAEmbeddingA: nn.NewParameterDict(), LoRAEmbeddingB: nn.NewParameterDict(),
		LoRAMagnitudeVector: nn.NewModuleDict(),
	}
	name := map[kind]string{kindEmbedding: "lora.Embedding", kindConv2d: "lora.Conv2d"}[l.kind]
	if name == "" {
		name = "lora.Linear"
	}
	l.Init(l, nn.TypeName(name))
	return l
}

// magnitude has the trained magnitudes of DoRA.
type magnitude struct {
	nn.Base
	Weight *torch.Tensor
}

func newMagnitude(w *torch.Tensor) *magnitude {
	m := new(magnitude)
	m.Init(m, nn.TypeName("lora.dora.DoraLinearLayer"))
	m.Weight = m.RegisterParameter("weight", w)
	return m
}

// check reports why a layer cannot have an adapter of the configuration.
func check(base nn.Module, c config, rank int64) error {
	switch k := kindOf(base); {
	case k == kindOther:
		return fmt.Errorf("%w: a %s cannot have adapters; supported are nn.Linear, nn.Embedding, nn.Conv2d, "+
			"models.Linear, gpt2.Conv1D and quant.Linear", torch.ErrUnsupported, base.ModuleBase().TypeName())
	case k == kindEmbedding && c.LoRABias:
		return fmt.Errorf("%w: lora_bias of an embedding", torch.ErrUnsupported)
	case c.UseDoRA && k != kindLinear && k != kindConv1D:
		return fmt.Errorf("%w: use_dora of a %s", torch.ErrUnsupported, base.ModuleBase().TypeName())
	case k == kindConv2d && rank%base.(*nn.Conv2d).Groups != 0:
		return fmt.Errorf("%w: r: %d is not a multiple of the %d groups of a convolution", torch.ErrValue, rank,
			base.(*nn.Conv2d).Groups)
	case k == kindConv2d && base.(*nn.Conv2d).PaddingMode != "" && base.(*nn.Conv2d).PaddingMode != nn.PaddingModeZeros:
		return fmt.Errorf("%w: a convolution with the padding mode %s", torch.ErrUnsupported,
			base.(*nn.Conv2d).PaddingMode)
	}
	return nil
}

// addAdapter adds an adapter. If draw is false, its values are arbitrary.
func (l *Layer) addAdapter(c config, rank int64, alpha float64, draw bool) {
	var drop nn.Layer = nn.NewIdentity()
	if c.Dropout > 0 {
		drop = nn.NewDropout(c.Dropout)
	}
	l.LoRADropout.Add(c.name, drop)
	l.scaling[c.name] = alpha / float64(rank)
	if c.UseRSLoRA {
		l.scaling[c.name] = alpha / math.Sqrt(float64(rank))
	}
	in, out := featuresOf(l.BaseLayer)
	if l.kind == kindEmbedding {
		a := torch.Disown(torch.Randn(torch.Shape{rank, in}))
		b := torch.Disown(torch.Randn(torch.Shape{out, rank}))
		if draw && InitWeights(c.Init) != InitWeightsFalse {
			nninit.Zeros_(a)
			nninit.Normal_(b, 0, 1)
		}
		l.LoRAEmbeddingA.Add(c.name, nn.NewParameter(l.placed(a)))
		l.LoRAEmbeddingB.Add(c.name, nn.NewParameter(l.placed(b)))
	} else {
		a, b := l.matrices(in, out, rank, c.LoRABias)
		l.draw(a, b, c, rank, draw)
		l.place(a)
		l.place(b)
		l.LoRAA.Add(c.name, a)
		l.LoRAB.Add(c.name, b)
		if c.UseDoRA {
			l.LoRAMagnitudeVector.Add(c.name, newMagnitude(torch.Disown(l.weightNorm(c.name))))
		}
	}
	l.SetTraining(l.BaseLayer.ModuleBase().Training())
}

// matrices returns the two layers of an adapter.
func (l *Layer) matrices(in, out, rank int64, bias bool) (a, b nn.Layer) {
	conv, ok := l.BaseLayer.(*nn.Conv2d)
	if !ok {
		return nn.NewLinear(in, rank, nn.Bias(false)), nn.NewLinear(rank, out, nn.Bias(bias))
	}
	opts := []nn.ConvOption{nn.Strides(conv.Stride), nn.Bias(false)}
	if conv.PaddingWord != "" {
		opts = append(opts, conv.PaddingWord)
	} else {
		opts = append(opts, nn.Paddings(conv.Padding))
	}
	return nn.NewConv2d(in, rank, []int64(conv.KernelSize), opts...),
		nn.NewConv2d(rank, out, 1, nn.Groups(conv.Groups), nn.Bias(bias))
}

// draw initializes an adapter. The constructors have drawn values as with InitWeightsFalse.
func (l *Layer) draw(a, b nn.Layer, c config, rank int64, draw bool) {
	if !draw {
		return
	}
	switch InitWeights(c.Init) {
	case InitWeightsFalse:
		return
	case InitWeightsGaussian:
		nninit.Normal_(weightOf(a), 0, 1/float64(rank))
	default:
		nninit.KaimingUniform_(weightOf(a), nninit.A(math.Sqrt(5)))
	}
	nninit.Zeros_(weightOf(b))
	if bias := biasOf(b); bias != nil {
		nninit.Zeros_(bias)
	}
}

// place moves a part of an adapter to the layer's device. As in Python, its values are
// rounded to the layer's dtype and have at least 32 bits.
func (l *Layer) place(m nn.Module) {
	w := weightOf(l.BaseLayer)
	if w == nil {
		m.ModuleBase().To(l.BaseLayer.(*quant.Linear).Buffers()[0].Device())
		return
	}
	m.ModuleBase().To(w.DType(), w.Device())
	if isHalf(w.DType()) {
		m.ModuleBase().To(torch.Float32)
	}
}

// placed is place for a tensor, which it closes if it returns another one.
func (l *Layer) placed(t *torch.Tensor) *torch.Tensor {
	w := weightOf(l.BaseLayer)
	y := torch.Disown(torch.Tidy(func() *torch.Tensor {
		y := t.To(w.DType(), w.Device(), torch.Copy(true))
		if isHalf(w.DType()) {
			y = y.Float()
		}
		return y
	}))
	_ = t.Close()
	return y
}

func isHalf(d torch.DType) bool { return d == torch.Float16 || d == torch.BFloat16 }

// has reports whether the layer has an adapter.
func (l *Layer) has(name string) bool { return l.LoRAA.Has(name) || l.LoRAEmbeddingA.Has(name) }

// partsOf returns the parameters of an adapter with their names in a file.
func (l *Layer) partsOf(name string) (out []nn.NamedTensor) {
	add := func(name string, t *torch.Tensor) {
		if t != nil {
			out = append(out, nn.NamedTensor{Name: name, Tensor: t})
		}
	}
	if l.LoRAEmbeddingA.Has(name) {
		add("lora_embedding_A", l.LoRAEmbeddingA.At(name))
		add("lora_embedding_B", l.LoRAEmbeddingB.At(name))
	}
	if l.LoRAA.Has(name) {
		add("lora_A.weight", weightOf(l.LoRAA.At(name)))
		add("lora_B.weight", weightOf(l.LoRAB.At(name)))
		add("lora_B.bias", biasOf(l.LoRAB.At(name)))
	}
	if l.LoRAMagnitudeVector.Has(name) {
		add("lora_magnitude_vector", l.LoRAMagnitudeVector.At(name).(*magnitude).Weight)
	}
	return out
}

// remove closes an adapter.
func (l *Layer) remove(name string) {
	for _, p := range l.partsOf(name) {
		_ = p.Tensor.Close()
	}
	for _, d := range []*nn.ModuleDict{l.LoRADropout, l.LoRAA, l.LoRAB, l.LoRAMagnitudeVector} {
		if d.Has(name) {
			d.Pop(name)
		}
	}
	for _, d := range []*nn.ParameterDict{l.LoRAEmbeddingA, l.LoRAEmbeddingB} {
		if d.Has(name) {
			d.Pop(name)
		}
	}
	delete(l.scaling, name)
}

// Forward returns the result of the base layer with the updates of the active adapters.
func (l *Layer) Forward(x *torch.Tensor) *torch.Tensor {
	return l.Call(x, func(x *torch.Tensor) *torch.Tensor {
		y := l.BaseLayer.Forward(x)
		if l.state.disabled || len(l.merged) > 0 {
			return y
		}
		dtype := y.DType()
		for _, name := range l.state.active {
			if l.has(name) {
				y = l.updated(name, x, y)
			}
		}
		if y.DType() != dtype {
			y = y.To(dtype)
		}
		return y
	})
}

// updated returns y, the result for x, with the update of an adapter.
func (l *Layer) updated(name string, x, y *torch.Tensor) *torch.Tensor {
	scale := l.scaling[name]
	if l.kind == kindEmbedding {
		a, b := l.LoRAEmbeddingA.At(name), l.LoRAEmbeddingB.At(name)
		return F.Embedding(x, a.T(), l.embeddingOptions()...).MatMul(b.T()).MulScalar_(scale).Add_(y)
	}
	a, b := l.LoRAA.At(name).(nn.Layer), l.LoRAB.At(name).(nn.Layer)
	if d := weightOf(a).DType(); x.DType() != d {
		x = x.To(d)
	}
	drop := l.LoRADropout.At(name).(nn.Layer)
	if l.LoRAMagnitudeVector.Has(name) {
		return l.updatedDoRA(name, x, y, drop)
	}
	return b.Forward(a.Forward(drop.Forward(x))).MulScalar_(scale).Add_(y)
}

// embeddingOptions returns the options of the base layer.
func (l *Layer) embeddingOptions() []F.EmbeddingOption {
	e := l.BaseLayer.(*nn.Embedding)
	opts := []F.EmbeddingOption{F.ScaleGradByFreq(e.ScaleGradByFreq), F.Sparse(e.Sparse), F.NormType(e.NormType)}
	if e.PaddingIdx != nil {
		opts = append(opts, F.PaddingIdx(*e.PaddingIdx))
	}
	if e.MaxNorm != nil {
		opts = append(opts, F.MaxNorm(*e.MaxNorm))
	}
	return opts
}

// trains sets which adapters are trained.
func (l *Layer) trains(names []string) {
	for name := range l.scaling {
		for _, p := range l.partsOf(name) {
			p.Tensor.SetRequiresGrad(slices.Contains(names, name))
		}
	}
}
