package data

import (
	"fmt"
	"reflect"
	"strings"

	"github.com/gotorch/gotorch/internal/opt"
	"github.com/gotorch/gotorch/torch"
)

// Example is one item of a dataset, or a batch of them stacked along a new first dimension.
// A dataset without labels leaves Target nil; a dataset with more than two tensors puts the
// others in Extra. Value holds everything else: a string, a number, or a struct or map,
// which may contain tensors; it may be nil. If a dataset or a [Transform] returns an empty
// Example, the loop panics, unless a [CollateFn] handles it.
type Example struct {
	Input, Target *torch.Tensor
	Extra         []*torch.Tensor
	Value         any
}

// String shows the type of each tensor, not its values, for example "Input float32 (28, 28)
// cpu, Target int64 () cpu".
func (e Example) String() string {
	var parts []string
	for i, t := range e.tensors() {
		name := fmt.Sprintf("Extra[%d]", i-2)
		if i < 2 {
			name = [...]string{"Input", "Target"}[i]
		}
		switch {
		case t == nil:
			name += " nil"
		case t.IsClosed():
			name += " closed"
		default:
			name += fmt.Sprintf(" %v %v %v", t.DType(), t.Shape(), t.Device())
		}
		parts = append(parts, name)
	}
	if e.Value != nil {
		parts = append(parts, fmt.Sprintf("Value %T", e.Value))
	}
	return strings.Join(parts, ", ")
}

// tensors returns Input, Target and the elements of Extra in one list. It leaves out Target
// if there is neither a Target nor an Extra.
func (e Example) tensors() []*torch.Tensor {
	ts := make([]*torch.Tensor, 0, 2+len(e.Extra))
	ts = append(ts, e.Input)
	if e.Target != nil || len(e.Extra) > 0 {
		ts = append(ts, e.Target)
	}
	return append(ts, e.Extra...)
}

func (e *Example) isEmpty() bool {
	return e.Input == nil && e.Target == nil && len(e.Extra) == 0 && e.Value == nil
}

// width returns the length of the list that tensors returns.
func (e *Example) width() int {
	switch {
	case len(e.Extra) > 0:
		return 2 + len(e.Extra)
	case e.Target != nil:
		return 2
	}
	return 1
}

// tensor returns element k of the list that tensors returns.
func (e *Example) tensor(k int) *torch.Tensor {
	switch k {
	case 0:
		return e.Input
	case 1:
		return e.Target
	}
	return e.Extra[k-2]
}

// exampleOf is the inverse of tensors.
func exampleOf(ts []*torch.Tensor) Example {
	var e Example
	if len(ts) > 0 {
		e.Input = ts[0]
	}
	if len(ts) > 1 {
		e.Target = ts[1]
	}
	if len(ts) > 2 {
		e.Extra = ts[2:]
	}
	return e
}

// Dataset is a list of examples: torch.utils.data.Dataset in Python, with __len__ and
// __getitem__.
//
// A loader calls Get with 0 <= i < Len() inside a scope. It frees the tensors that Get
// makes once they have been copied into a batch, before the batch is transformed or
// moved. If the dataset keeps a tensor for later calls, it must call [torch.Disown] on
// it.
//
// A dataset may also be a [TryDataset], whose examples can fail to load, or a
// [BatchDataset], which makes whole batches. If a struct embeds such a dataset and declares
// Get again, a loader calls this Get.
type Dataset interface {
	Len() int
	Get(i int) Example
}

// TensorDataset is a dataset over tensors with the same first dimension: example i is the
// i-th row of each. A loader takes a whole batch from it with one operator per tensor.
// Follows torch.utils.data.TensorDataset.
type TensorDataset struct {
	tensors []*torch.Tensor
	n       int
}

// NewTensorDataset returns a dataset over tensors: the inputs, the targets, and any
// others. The dataset takes ownership of the tensors without copying them, and Close
// closes them. It panics with ErrValue if there are no tensors, and with ErrShape if a
// tensor has no dimensions or the first dimensions differ.
func NewTensorDataset(tensors ...*torch.Tensor) *TensorDataset {
	const op = "data.NewTensorDataset"
	if len(tensors) == 0 {
		panic(torch.NewError(op, torch.ErrValue, "tensors", "an empty list"))
	}
	d := &TensorDataset{tensors: append([]*torch.Tensor(nil), tensors...)}
	for i, t := range d.tensors {
		if t.IsClosed() {
			// panics with the reason if the tensor cannot be used
			t.HandleFor(fmt.Sprintf("%s(tensors[%d])", op, i), 0)
		}
		shape := t.Shape()
		if len(shape) == 0 {
			panic(torch.NewError(op, torch.ErrShape, "tensors", fmt.Sprintf("tensor %d has no dimensions", i)))
		}
		if i == 0 {
			d.n = int(shape[0])
		} else if shape[0] != int64(d.n) {
			panic(torch.NewError(op, torch.ErrShape, "tensors",
				fmt.Sprintf("tensor %d has %d rows, but tensor 0 has %d", i, shape[0], d.n)))
		}
	}
	return d
}

// Len returns the number of examples.
func (d *TensorDataset) Len() int {
	mustBeMade("data.TensorDataset.Len", d.isMade())
	return d.n
}

func (d *TensorDataset) isMade() bool { return d != nil && d.tensors != nil }

// Get returns views of the i-th row of each tensor; writing to them changes the
// dataset. It panics with ErrIndex if i is out of range.
func (d *TensorDataset) Get(i int) Example {
	const op = "data.TensorDataset.Get"
	mustBeMade(op, d.isMade())
	if i < 0 || i >= d.n {
		panic(torch.NewError(op, torch.ErrIndex, "i", fmt.Sprintf("%d is out of range for %d examples", i, d.n)))
	}
	rows := make([]*torch.Tensor, len(d.tensors))
	for k, t := range d.tensors {
		rows[k] = t.Select(0, int64(i))
	}
	return exampleOf(rows)
}

// Batch returns copies of the rows with the given indices, of shape
// (len(indices), ...). It panics with ErrIndex if an index is out of range.
func (d *TensorDataset) Batch(indices []int64) Example {
	const op = "data.TensorDataset.Batch"
	mustBeMade(op, d.isMade())
	for _, i := range indices {
		if i < 0 || i >= int64(d.n) {
			panic(torch.NewError(op, torch.ErrIndex, "indices",
				fmt.Sprintf("%d is out of range for %d examples", i, d.n)))
		}
	}
	rows := make([]*torch.Tensor, len(d.tensors))
	var index *torch.Tensor
	defer func() { _ = index.Close() }()
	for k, t := range d.tensors {
		if t.IsClosed() {
			t.HandleFor(fmt.Sprintf("%s(tensors[%d])", op, k), 0)
		}
		if dev := t.Device(); index == nil || index.Device() != dev {
			_ = index.Close()
			index = torch.FromSliceWith(indices, nil, dev)
		}
		rows[k] = t.IndexSelect(0, index)
	}
	return exampleOf(rows)
}

// Tensors returns the dataset's own tensors, not copies of them.
func (d *TensorDataset) Tensors() []*torch.Tensor {
	mustBeMade("data.TensorDataset.Tensors", d.isMade())
	return append([]*torch.Tensor(nil), d.tensors...)
}

// Close closes the tensors. It always returns nil. Closing a nil dataset does nothing.
func (d *TensorDataset) Close() error {
	if d == nil {
		return nil
	}
	for _, t := range d.tensors {
		_ = t.Close()
	}
	return nil
}

// mustBeDataset panics for a nil dataset, for a nil pointer in d, and for a negative Len.
func mustBeDataset(op string, d Dataset) {
	if opt.IsNil(d) {
		panic(torch.NewError(op, torch.ErrNil, "d", "a nil Dataset"))
	}
	if n := d.Len(); n < 0 {
		panic(torch.NewError(op, torch.ErrValue, "d", fmt.Sprintf("Len returned %d, expected 0 or more", n)))
	}
}

// String returns the type and the number of examples, "TensorDataset(60000)".
func (d *TensorDataset) String() string { return describe(d, d.isMade()) }

// describe formats a dataset as its type and number of examples, or as nil if made is
// false, which means that no constructor made the dataset.
func describe(d Dataset, made bool) string {
	t := reflect.TypeOf(d)
	if t.Kind() == reflect.Pointer {
		t = t.Elem()
	}
	if !made {
		return t.Name() + "(nil)"
	}
	return fmt.Sprintf("%s(%d)", t.Name(), d.Len())
}

// mustBeMade panics with ErrNil if made is false, which means that the receiver of method op
// is nil or a zero value.
func mustBeMade(op string, made bool) {
	if !made {
		name, _, _ := strings.Cut(strings.TrimPrefix(op, "data."), ".")
		panic(torch.NewError(op, torch.ErrNil, "receiver",
			"a nil *data."+name+", or a zero value; use its constructor"))
	}
}
