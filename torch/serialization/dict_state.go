package serialization

import (
	"fmt"

	"github.com/gotorch/gotorch/torch"
)

// The methods in this file make Dict an nn.StateSource and an optim.StateSource, from
// which models, optimizers, schedulers and scalers load their state.

// LoadDict is like [Load], for a file that holds a dict, such as a checkpoint. With [Key]
// it returns the dict in an entry and does not read the rest of the file into memory. If
// the file or entry holds something else, the error is a [*torch.FileError] of kind
// [torch.ErrFormat].
func LoadDict(path string, opts ...StateDictOption) (*Dict, error) {
	c, err := readStateDictLoading("serialization.LoadDict", opts)
	if err != nil {
		return nil, err
	}
	v, err := loadPath(path, c)
	if err != nil {
		return nil, err
	}
	d, ok := v.(*Dict)
	if !ok {
		err := (&file{path: path}).fail(torch.ErrFormat, -1, "expected a dict, got %s%s", typeName(v), within(c.key))
		Close(v)
		return nil, err
	}
	return d, nil
}

// Dict returns the dict under a key, or nil if the key is missing or its value is not a
// dict. Loading a model from a nil dict returns an error.
func (d *Dict) Dict(key any) *Dict {
	v, _ := d.Get(key)
	of, _ := v.(*Dict)
	return of
}

// Names returns, in order, the string keys whose values are tensors or parameters. These
// are the names of a state dict.
func (d *Dict) Names() []string {
	var names []string
	for key, v := range d.All() {
		if name, ok := key.(string); ok && plainTensor(v) != nil {
			names = append(names, name)
		}
	}
	return names
}

// Tensor returns the tensor or parameter under a key. The tensor still belongs to the
// dict. The error is a *torch.Error: ErrValue for a missing key, ErrType for a value
// that is not a tensor.
func (d *Dict) Tensor(name string) (*torch.Tensor, error) {
	const op = "serialization.Dict.Tensor"
	v, ok := d.Get(name)
	if !ok {
		return nil, torch.NewError(op, torch.ErrValue, "name", fmt.Sprintf("no key %.100q", name))
	}
	t := plainTensor(v)
	if t == nil {
		return nil, torch.NewError(op, torch.ErrType, "name", fmt.Sprintf("%.100q is %s", name, typeName(v)))
	}
	return t, nil
}

// LayerVersion returns the version of the layer at path, from the "_metadata" of a state
// dict. Models read the version when they load from the dict, because older versions of a
// layer may have fewer tensors.
func (d *Dict) LayerVersion(path string) (version int64, ok bool) {
	if d == nil {
		return 0, false
	}
	layer := d.Attributes.Dict("_metadata").Dict(path)
	v, _ := layer.Get("version")
	version, ok = v.(int64)
	return version, ok
}

// plainTensor returns v's tensor if v is a tensor or parameter, or nil for other values.
func plainTensor(v any) *torch.Tensor {
	switch v := v.(type) {
	case *torch.Tensor:
		return v
	case *Parameter:
		return v.Tensor
	case *Attributed:
		return v.Tensor
	}
	return nil
}
