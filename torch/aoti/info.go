package aoti

import (
	"archive/zip"
	"maps"
	"math"
	"slices"
	"strconv"
	"strings"

	"github.com/gotorch/gotorch/torch"
)

// ModelInfo describes a model in a package.
type ModelInfo struct {
	Name     string            // for [ModelName]
	Metadata map[string]string // see [Model.Metadata]
	Inputs   []Input           // see [Model.Inputs]

	// Described reports whether the package contains the model's source code. ReadInfo
	// reads the descriptions of the constants from this code.
	Described bool
	Constants []ConstantInfo // in the order of the source code
}

// ConstantInfo describes a constant of a model.
type ConstantInfo struct {
	Name      string      // the name in the Python module's state dict, or the compiler's name if it is not there
	DType     torch.DType // zero if this version of libtorch lacks the dtype
	Layout    string      // "strided", or "mkldnn" for weights in the layout of a kernel
	Shape     torch.Shape
	Strides   []int64
	Bytes     int64 // size in the library
	Parameter bool  // false for a buffer, or a tensor made by tracing or compiling
	Folded    bool  // true if loading the model computes the constant from other constants
}

// ReadInfo describes the models in a package, in alphabetical order. It runs nothing from
// the package, which may be for a different machine. The error is a [*torch.FileError] of
// the same kinds as for [Load], except those that depend on the machine. PyTorch has no
// such function.
func ReadInfo(path string) ([]ModelInfo, error) {
	a, err := openArchive(path)
	if err != nil {
		return nil, err
	}
	defer a.close()
	var all []ModelInfo
	for _, name := range slices.Sorted(maps.Keys(a.models)) {
		info, err := a.info(name, a.models[name])
		if err != nil {
			return nil, err
		}
		all = append(all, info)
	}
	return all, nil
}

func (a *archive) info(name string, files []*zip.File) (ModelInfo, error) {
	m := &Model{path: a.Path}
	parts, err := m.read(a, files)
	if err != nil {
		return ModelInfo{}, err
	}
	info := ModelInfo{Name: name, Metadata: m.metadata, Described: m.shapes.known || len(m.shapes.shapes) > 0}
	if m.shapes.known {
		info.Inputs = clone(m.shapes.inputs)
	}
	for i, c := range m.shapes.constants {
		described, ok := c.info(m.shapes.shapes[i], m.shapes.steps[i])
		if !ok {
			return ModelInfo{}, a.Fail(parts.library, torch.ErrFormat,
				"constant %d of model %.80q is not a valid tensor", i, name)
		}
		info.Constants = append(info.Constants, described)
	}
	return info, nil
}

// info returns the information about a constant that the source code describes. ok is
// false if the source does not describe a valid tensor.
func (c constant) info(shape, strides []int64) (info ConstantInfo, ok bool) {
	name, err := strconv.Unquote(c.fqn)
	if err != nil || name == "" {
		if name, err = strconv.Unquote(c.name); err != nil {
			return info, false
		}
	}
	bytes, err := strconv.ParseInt(c.bytes, 10, 64)
	if err != nil || bytes < 0 || len(shape) != len(strides) || len(shape) > mostDims {
		return info, false
	}
	elements := int64(1)
	for _, n := range shape {
		if n < 0 || n > 0 && elements > math.MaxInt64/16/n {
			return info, false
		}
		elements *= n
	}
	_, layout, _ := strings.Cut(c.layout, "torch_layout_")
	return ConstantInfo{
		Name: name, DType: dtypes[strings.TrimPrefix(c.dtype, "cached_torch_dtype_")],
		Layout: strings.Trim(layout, "_)"),
		Shape:  shape, Strides: strides, Bytes: bytes,
		Parameter: strings.HasSuffix(c.kind, "::Parameter)"), Folded: c.folded == "true",
	}, true
}
