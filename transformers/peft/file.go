package peft

import (
	"errors"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/gotorch/gotorch/internal/files"
	"github.com/gotorch/gotorch/nn"
	"github.com/gotorch/gotorch/torch"
	"github.com/gotorch/gotorch/torch/safetensors"
)

// maxConfig is the greatest size of the file of the settings.
const maxConfig = 64 << 20

const (
	configFile  = "adapter_config.json"
	weightsFile = "adapter_model.safetensors"
	keyPrefix   = "base_model.model."
)

// tensorsOf returns the tensors of an adapter with their names in a file.
func (a *Adapters) tensorsOf(name string) map[string]*torch.Tensor {
	out := map[string]*torch.Tensor{}
	for _, n := range a.layers() {
		var parts []nn.NamedTensor
		switch l := n.Module.(type) {
		case *Layer:
			parts = l.partsOf(name)
			if b := biasOf(l.BaseLayer); b != nil && Bias(a.configs[name].Bias) == BiasLoRAOnly {
				parts = append(parts, nn.NamedTensor{Name: "base_layer.bias", Tensor: b})
			}
		case *Saved:
			if l.ModulesToSave.Has(name) {
				parts = l.ModulesToSave.At(name).ModuleBase().StateDict()
			}
		}
		for _, p := range parts {
			out[keyPrefix+n.Name+"."+p.Name] = p.Tensor
		}
	}
	if Bias(a.configs[name].Bias) == BiasAll {
		for _, p := range a.model.ModuleBase().NamedParameters() {
			inAdapter := strings.Contains(p.Name, ".lora_B.") || strings.Contains(p.Name, ".modules_to_save.")
			if p.Name == "bias" || strings.HasSuffix(p.Name, ".bias") && !inAdapter {
				out[keyPrefix+p.Name] = p.Tensor
			}
		}
	}
	return out
}

// Save writes the adapters as Python's save_pretrained does: adapter_config.json and
// adapter_model.safetensors in dir for the adapter "default", and in a folder of dir for
// each other adapter. It creates the folders.
func (a *Adapters) Save(dir string) error {
	const op = "peft.Adapters.Save"
	a.mustBeOpen(op)
	for _, name := range a.names {
		to := dir
		if name != defaults().name {
			to = filepath.Join(dir, name)
		}
		if err := a.save(name, to); err != nil {
			return fmt.Errorf("%s: %w", op, err)
		}
	}
	return nil
}

func (a *Adapters) save(name, dir string) error {
	b, err := a.configs[name].bytes()
	if err != nil {
		return err
	}
	if err := os.MkdirAll(dir, 0o777); err != nil {
		return err
	}
	err = safetensors.SaveFile(a.tensorsOf(name), filepath.Join(dir, weightsFile), safetensors.Metadata{"format": "pt"},
		safetensors.ForceContiguous(true))
	if err != nil {
		return err
	}
	return os.WriteFile(filepath.Join(dir, configFile), b, 0o666)
}

// Load adds an adapter to a model from a folder that [Adapters.Save] or Python's
// save_pretrained wrote, and makes it active. The adapter is frozen, and the model put into
// evaluation mode, unless [IsTrainable] is true. After an error the model is unchanged.
// Follows PeftModel.from_pretrained.
func Load(model nn.Module, dir string, opts ...LoadOption) (*Adapters, error) {
	const op = "peft.Load"
	name, trainable := readLoadOptions(op, opts)
	a, err := start(op, model)
	if err == nil {
		err = a.load(dir, name, trainable)
	}
	if err != nil {
		return nil, fmt.Errorf("%s: %w", op, err)
	}
	a.setActive(a.names, trainable)
	return a, nil
}

// Load adds another adapter from a folder, which is not active. It puts the model into
// evaluation mode unless [IsTrainable] is true, and returns an error as the function [Load]
// does. Follows load_adapter.
func (a *Adapters) Load(dir string, opts ...LoadOption) error {
	const op = "peft.Adapters.Load"
	a.mustBeOpen(op)
	name, trainable := readLoadOptions(op, opts)
	train := a.trainable()
	if err := a.load(dir, name, trainable); err != nil {
		return fmt.Errorf("%s: %w", op, err)
	}
	a.setActive(a.state.active, train)
	return nil
}

func readLoadOptions(op string, opts []LoadOption) (name string, trainable bool) {
	name = defaults().name
	for _, o := range opts {
		switch o := o.(type) {
		case Name:
			name = string(o)
		case IsTrainable:
			trainable = bool(o)
		default:
			panic(torch.BadOption(op, o))
		}
	}
	return name, trainable
}

// load adds the adapter of a folder.
func (a *Adapters) load(dir, name string, trainable bool) error {
	path := filepath.Join(dir, configFile)
	b, err := files.Read(path, maxConfig)
	if err != nil {
		return err
	}
	c, err := parseConfig(b)
	if err != nil {
		return fmt.Errorf("%s: %w", path, err)
	}
	f, err := safetensors.Open(filepath.Join(dir, weightsFile))
	if err != nil {
		return err
	}
	defer func() { _ = f.Close() }()
	c.name = name
	before := a.requiresGrad()
	if err := a.add(c, false); err != nil {
		return fmt.Errorf("%s: %w", path, err)
	}
	if err := a.read(f, name); err != nil {
		a.drop(name)
		a.shrink()
		for p, on := range before {
			p.SetRequiresGrad(on)
		}
		return err
	}
	if !trainable {
		a.model.Eval()
	}
	return nil
}

// requiresGrad returns which of the model's parameters are trained.
func (a *Adapters) requiresGrad() map[*torch.Tensor]bool {
	out := map[*torch.Tensor]bool{}
	for _, p := range a.model.ModuleBase().Parameters() {
		out[p] = p.RequiresGrad()
	}
	return out
}

// read copies the tensors of a file into an adapter. It changes nothing if a tensor is
// missing, unknown, of another shape or cannot be read.
func (a *Adapters) read(f *safetensors.File, name string) error {
	want := a.tensorsOf(name)
	mismatch := func(key, format string, args ...any) error {
		return &torch.FileError{
			Format: "safetensors", Path: f.Path(), Tensor: key, Kind: torch.ErrMismatch,
			Detail: fmt.Sprintf(format, args...), Offset: -1,
		}
	}
	for _, key := range f.Names() {
		// Python saves embeddings, and they can be those of a model with more tokens.
		if p := a.model.ModuleBase().GetParameter(strings.TrimPrefix(key, keyPrefix)); want[key] == nil && p != nil {
			want[key] = p
		}
		if want[key] == nil {
			return mismatch(key, "the adapter of %s has no such tensor", configFile)
		}
	}
	var errs []error
	torch.Scope(func() {
		read := map[string]*torch.Tensor{}
		for _, key := range slices.Sorted(maps.Keys(want)) {
			t, err := f.Tensor(key)
			if err == nil && !slices.Equal(t.Shape(), want[key].Shape()) {
				err = mismatch(key, "expected the shape %v, got %v", want[key].Shape(), t.Shape())
			}
			if err != nil {
				errs = append(errs, err)
				return
			}
			read[key] = t
		}
		torch.NoGrad(func() {
			for key, t := range read {
				want[key].Copy_(t)
			}
		})
	})
	return errors.Join(errs...)
}
