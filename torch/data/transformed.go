package data

import (
	"github.com/gotorch/gotorch/torch"
)

// TransformInput returns a [Transform] that replaces a batch's Input by what t makes of it:
// a transform of package torch/data/transforms, or a layer. A transform that draws does so
// once for the whole batch; [NewTransformDataset] is the like for each example. It panics with
// ErrNil for a nil t.
func TransformInput(t TensorTransform) func(Example) Example {
	checkTransform("data.TransformInput", t)
	return func(e Example) Example {
		e.Input = t.Forward(e.Input)
		return e
	}
}

func checkTransform(op string, t TensorTransform) {
	if t == nil {
		panic(torch.NewError(op, torch.ErrNil, "t", "a nil TensorTransform"))
	}
}

// TransformDataset is another dataset with the Input of each example transformed. It needs
// no Close; the other dataset is still the caller's to close. In Python the datasets of
// torchvision have an argument transform for it.
type TransformDataset struct {
	base Dataset
	t    TensorTransform
}

// NewTransformDataset returns the examples of d with t applied to each Input when the example
// is got. It panics with ErrNil for a nil dataset or transform.
func NewTransformDataset(d Dataset, t TensorTransform) *TransformDataset {
	const op = "data.NewTransformDataset"
	checkDataset(op, d)
	checkTransform(op, t)
	return &TransformDataset{d, t}
}

// Len returns the number of examples.
func (d *TransformDataset) Len() int {
	checkMade("data.TransformDataset.Len", d.made())
	return d.base.Len()
}

func (d *TransformDataset) made() bool { return d != nil && d.base != nil }

// Get returns example i. It panics as the dataset's Get and the transform do.
func (d *TransformDataset) Get(i int) Example {
	e, err := d.TryGet(i)
	return tried("data.TransformDataset.Get", e, err)
}

// TryGet is Get with the dataset's error.
func (d *TransformDataset) TryGet(i int) (Example, error) {
	checkMade("data.TransformDataset.Get", d.made())
	e, err := get(d.base, i)
	if err != nil {
		return Example{}, err
	}
	input := e.Input
	e.Input = torch.Tidy(func() *torch.Tensor { return d.t.Forward(input) })
	return e, nil
}

// Dataset returns the other dataset.
func (d *TransformDataset) Dataset() Dataset {
	checkMade("data.TransformDataset.Dataset", d.made())
	return d.base
}

// String returns the type and the number of examples, "TransformDataset(100)".
func (d *TransformDataset) String() string { return describe(d, d.made()) }
