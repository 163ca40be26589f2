package transformers

import (
	"fmt"
	"path/filepath"
	"strings"

	"github.com/gotorch/gotorch/nn"
	F "github.com/gotorch/gotorch/nn/functional"
	"github.com/gotorch/gotorch/torch"
	"github.com/gotorch/gotorch/transformers/models"
	"github.com/gotorch/gotorch/transformers/weights"
)

// sentenceLayer is a module of a [SentenceTransformer] after the pooling.
type sentenceLayer struct {
	module  nn.Module // or nil if it has no parameters
	forward func(*torch.Tensor) *torch.Tensor
}

// denseActivations are the classes that a Dense may name as its activation.
var denseActivations = map[string]func(*torch.Tensor) *torch.Tensor{
	"Identity": func(x *torch.Tensor) *torch.Tensor { return x },
	"Tanh":     func(x *torch.Tensor) *torch.Tensor { return x.Tanh() },
	"ReLU":     F.ReLU,
	"GELU":     func(x *torch.Tensor) *torch.Tensor { return F.GELU(x) },
	"Sigmoid":  func(x *torch.Tensor) *torch.Tensor { return x.Sigmoid() },
	"SiLU":     F.SiLU,
}

// newSentenceLayer loads a module of a folder. width is the number of features before the
// module, and then after it.
func newSentenceLayer(dir string, m sentenceModule, width *int64, opts []models.NewOption) (sentenceLayer, error) {
	at := filepath.Join(dir, m.Path)
	switch m.kind() {
	case "Normalize":
		return sentenceLayer{forward: func(x *torch.Tensor) *torch.Tensor { return F.Normalize(x) }}, nil
	case "Dropout": // it changes nothing in evaluation
		return sentenceLayer{forward: func(x *torch.Tensor) *torch.Tensor { return x }}, nil
	case "Dense":
		return newDense(at, width, opts)
	case "LayerNorm":
		return newSentenceNorm(at, *width, opts)
	}
	return sentenceLayer{}, fmt.Errorf("%w: modules.json: the type %q", torch.ErrUnsupported, m.Type)
}

// denseConfig is the config.json of a Dense.
type denseConfig struct {
	In         int64  `json:"in_features"`
	Out        int64  `json:"out_features"`
	Bias       bool   `json:"bias"`
	Activation string `json:"activation_function"`
	Input      string `json:"module_input_name"`
	Output     string `json:"module_output_name"`
}

// readDense reads the config.json of a Dense. width is the number of features before it.
func readDense(dir string, width int64) (denseConfig, error) {
	c := denseConfig{Bias: true, Activation: "torch.nn.modules.activation.Tanh"}
	if err := readConfig(dir, &c); err != nil {
		return c, err
	}
	if err := models.CheckSizes("in_features out_features", c.In, c.Out); err != nil {
		return c, fmt.Errorf("%w: config.json: %w", torch.ErrFormat, err)
	}
	if c.In != width {
		return c, fmt.Errorf("%w: config.json: in_features is %d, but the modules before have %d features",
			torch.ErrFormat, c.In, width)
	}
	for _, name := range []string{c.Input, c.Output} {
		if name != "" && name != "sentence_embedding" {
			return c, fmt.Errorf("%w: config.json: the module reads or writes %q", torch.ErrUnsupported, name)
		}
	}
	return c, nil
}

func newDense(dir string, width *int64, opts []models.NewOption) (l sentenceLayer, err error) {
	c, err := readDense(dir, *width)
	if err != nil {
		return l, err
	}
	act := denseActivations[c.Activation[strings.LastIndexByte(c.Activation, '.')+1:]]
	if act == nil || !strings.HasPrefix(c.Activation, "torch.nn.") {
		return l, fmt.Errorf("%w: config.json: activation_function %q", torch.ErrUnsupported, c.Activation)
	}
	var linear *nn.Linear
	models.Build("transformers.LoadSentenceTransformer", onMeta(opts), func() {
		linear = nn.NewLinear(c.In, c.Out, nn.Bias(c.Bias))
	})
	*width = c.Out
	return sentenceLayer{linear, func(x *torch.Tensor) *torch.Tensor { return act(linear.Forward(x)) }},
		loadLayer(dir, linear, "linear.", opts)
}

func newSentenceNorm(dir string, width int64, opts []models.NewOption) (l sentenceLayer, err error) {
	var c struct {
		Dimension int64 `json:"dimension"`
	}
	if err := readConfig(dir, &c); err != nil {
		return l, err
	}
	if c.Dimension != width {
		return l, fmt.Errorf("%w: config.json: dimension is %d, but the modules before have %d features",
			torch.ErrFormat, c.Dimension, width)
	}
	var norm *nn.LayerNorm
	models.Build("transformers.LoadSentenceTransformer", onMeta(opts), func() {
		norm = nn.NewLayerNorm(torch.Shape{width})
	})
	return sentenceLayer{norm, norm.Forward}, loadLayer(dir, norm, "norm.", opts)
}

// readConfig reads the config.json of a module, which must be there.
func readConfig(dir string, v any) error {
	found, err := readJSON(dir, "config.json", v)
	if err == nil && !found {
		err = fmt.Errorf("%w: there is no config.json", torch.ErrFormat)
	}
	return err
}

// loadLayer loads weights, whose names begin with prefix. It closes the layer after an error.
func loadLayer(dir string, layer nn.Module, prefix string, opts []models.NewOption) (err error) {
	defer func() {
		if err != nil {
			_ = layer.ModuleBase().Close()
		}
	}()
	file, err := weights.Open(dir, weightOptions(opts)...)
	if err != nil {
		return err
	}
	defer func() { _ = file.Close() }()
	rename := nn.RenameFunc(func(name string) string { return strings.TrimPrefix(name, prefix) })
	if err := layer.ModuleBase().LoadStateDict(file, nn.Assign(true), rename); err != nil {
		return err
	}
	layer.ModuleBase().Eval()
	return nil
}
