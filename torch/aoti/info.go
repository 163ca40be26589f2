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

// ModelInfo is what a package says of one of its models.
type ModelInfo struct {
	Name     string            // as [ModelName] takes it
	Metadata map[string]string // see [Model.Metadata]
	Inputs   []Input           // see [Model.Inputs]

	// Described is whether the package has the source of the model, which says what the
	// constants are.
	Described bool
	Constants []ConstantInfo // in the order of the source
}

// ConstantInfo is what a package says of a constant of a model.
type ConstantInfo struct {
	Name      string      // the Python module's, as in its state dict; else the compiler's
	DType     torch.DType // zero for one that libtorch here does not have
	Layout    string      // "strided", or "mkldnn" for weights that were put in the order of a kernel
	Shape     torch.Shape
	Strides   []int64
	Bytes     int64 // that it takes in the library
	Parameter bool  // else a buffer, or a tensor that tracing or compiling made
	Folded    bool  // computed from others when the model is loaded
}

// ReadInfo returns what a package says of its models, in alphabetical order. Nothing of the
// package is run, and it may be for any machine. The error is a *[FileError], of the kinds
// that [Load] returns for what no machine could load. PyTorch has nothing like it.
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
			return ModelInfo{}, a.Fail(parts.library, ErrFormat, "constant %d of model %.80q is no tensor that could be", i, name)
		}
		info.Constants = append(info.Constants, described)
	}
	return info, nil
}

// info makes numbers of the source's texts; ok is false for what is no tensor.
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
		Name: name, DType: dtypes[strings.TrimPrefix(c.dtype, "cached_torch_dtype_")], Layout: strings.Trim(layout, "_)"),
		Shape: shape, Strides: strides, Bytes: bytes,
		Parameter: strings.HasSuffix(c.kind, "::Parameter)"), Folded: c.folded == "true",
	}, true
}
