package serialization

import (
	"fmt"

	"github.com/gotorch/gotorch/torch"
)

// A Dict of Python's is what models, optimizers, schedulers and scalers load from: it is an
// nn.StateSource and an optim.StateSource.

// LoadDict is [Load] of a file that holds a dict, such as a checkpoint, or with [Key] of
// the dict in an entry of it; the rest of the file is not read into memory then. A file
// that holds something else is a [*FileError] of kind [ErrFormat].
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
		err := (&file{path: path}).fail(ErrFormat, -1, "no dict: there is %s%s", typeName(v), within(c.key))
		Close(v)
		return nil, err
	}
	return d, nil
}

// Dict returns the dict under a key, or nil if there is none: what is loaded from a nil
// dict returns an error.
func (d *Dict) Dict(key any) *Dict {
	v, _ := d.Get(key)
	of, _ := v.(*Dict)
	return of
}

// Names returns the keys whose values are tensors or parameters, in order, if they are
// strings: the names of a state dict.
func (d *Dict) Names() []string {
	var names []string
	for key, v := range d.All() {
		if name, ok := key.(string); ok && plainTensor(v) != nil {
			names = append(names, name)
		}
	}
	return names
}

// Tensor returns the tensor or parameter under a key. It stays the dict's: whoever closes
// it closes it there. The error is an *torch.Error of kind ErrValue for a key that is not
// there, and ErrType for one of something else.
func (d *Dict) Tensor(name string) (*torch.Tensor, error) {
	const op = "serialization.Dict.Tensor"
	v, ok := d.Get(name)
	if !ok {
		return nil, torch.NewError(op, torch.ErrValue, "name", fmt.Sprintf("there is no %.100q", name))
	}
	t := plainTensor(v)
	if t == nil {
		return nil, torch.NewError(op, torch.ErrType, "name", fmt.Sprintf("%.100q is %s", name, typeName(v)))
	}
	return t, nil
}

// LayerVersion returns the version of the layer at a path of a state dict, as its "_metadata"
// says. A model asks for it when it loads from the dict: files of older versions of a layer
// may have fewer tensors.
func (d *Dict) LayerVersion(path string) (version int64, ok bool) {
	if d == nil {
		return 0, false
	}
	layer := d.Attributes.Dict("_metadata").Dict(path)
	v, _ := layer.Get("version")
	version, ok = v.(int64)
	return version, ok
}

// plainTensor is the tensor of a value that has one, or nil.
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
