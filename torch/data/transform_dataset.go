package data

import (
	"github.com/gotorch/gotorch/torch"
)

// TransformInput returns a [Transform] that applies t to a batch's Input. t is a transform
// of package torch/data/transforms, or a layer. A random transform draws its random numbers
// once for the whole batch. To draw them for each example, use [NewTransformDataset]. It
// panics with ErrNil for a nil t.
func TransformInput(t TensorTransform) func(Example) Example {
	mustBeTransform("data.TransformInput", t)
	return func(e Example) Example {
		e.Input = t.Forward(e.Input)
		return e
	}
}

func mustBeTransform(op string, t TensorTransform) {
	if t == nil {
		panic(torch.NewError(op, torch.ErrNil, "t", "a nil TensorTransform"))
	}
}

// TransformDataset applies a transform to the Input of each example of another dataset. It
// needs no Close; the caller still closes the other dataset. In Python, torchvision's
// datasets take a transform argument instead.
type TransformDataset struct {
	base      Dataset
	transform TensorTransform
}

// NewTransformDataset returns a dataset that applies t to the Input of each example of d
// when it is requested. It panics with ErrNil for a nil dataset or transform.
func NewTransformDataset(d Dataset, t TensorTransform) *TransformDataset {
	const op = "data.NewTransformDataset"
	mustBeDataset(op, d)
	mustBeTransform(op, t)
	return &TransformDataset{d, t}
}

// Len returns the number of examples.
func (d *TransformDataset) Len() int {
	mustBeMade("data.TransformDataset.Len", d.isMade())
	return d.base.Len()
}

func (d *TransformDataset) isMade() bool { return d != nil && d.base != nil }

// Get returns example i. It panics as the dataset's Get and the transform do.
func (d *TransformDataset) Get(i int) Example {
	e, err := d.TryGet(i)
	return orPanic("data.TransformDataset.Get", e, err)
}

// TryGet is Get, but returns the error of the dataset instead of panicking.
func (d *TransformDataset) TryGet(i int) (Example, error) {
	mustBeMade("data.TransformDataset.Get", d.isMade())
	e, err := get(d.base, i)
	if err != nil {
		return Example{}, err
	}
	input := e.Input
	e.Input = torch.Tidy(func() *torch.Tensor { return d.transform.Forward(input) })
	return e, nil
}

// Dataset returns the underlying dataset.
func (d *TransformDataset) Dataset() Dataset {
	mustBeMade("data.TransformDataset.Dataset", d.isMade())
	return d.base
}

// String returns the type and the number of examples, "TransformDataset(100)".
func (d *TransformDataset) String() string { return describe(d, d.isMade()) }
