package data

import (
	"fmt"

	"github.com/gotorch/gotorch/cgotorch"
	"github.com/gotorch/gotorch/cgotorch/abi"
	"github.com/gotorch/gotorch/torch"
)

// Stack joins examples into a batch. Each tensor of the result is a copy: the
// examples' tensors stacked along a new first dimension; what the examples have in Value
// is joined by [Collate]. A loader uses it unless [CollateFn] says otherwise. It panics
// with ErrValue if there are no examples or if they have different numbers of tensors, with
// ErrShape if their shapes differ and with ErrDType if their dtypes do; the error names the
// examples. Python's promotes dtypes without workers, and with workers raises a TypeError
// for some orders of the examples. Follows torch.utils.data.default_collate.
func Stack(examples []Example) Example { return new(columns).stack(examples) }

// columns stacks examples, and keeps its list for the next batch.
type columns struct {
	tensors []*torch.Tensor // a column after the other
}

// stack is Stack.
func (c *columns) stack(examples []Example) Example {
	const op = "data.Stack"
	if len(examples) == 0 {
		panic(torch.NewError(op, torch.ErrValue, "examples", "an empty list"))
	}
	width := examples[0].width()
	for i := range examples {
		if n := examples[i].width(); n != width {
			panic(torch.NewError(op, torch.ErrValue, "examples", fmt.Sprintf("number %d has %d tensors, number 0 has %d", i, n, width)))
		}
	}
	together := c.together(op, examples, width)
	return joined(op, examples, func(k int) *torch.Tensor {
		if together != nil {
			return together[k]
		}
		return stacked(op, exampleField(k), column(examples, k))
	})
}

// together stacks all columns in one call of libtorch. It returns nil if that cannot be
// done, for a tensor that is not there too: [stacked] does it then, or says why not.
func (c *columns) together(op string, examples []Example, width int) (out []*torch.Tensor) {
	defer func() { clear(c.tensors) }() // which belong to others
	c.tensors = c.tensors[:0]
	for k := range width {
		for i := range examples {
			t := examples[i].tensor(k)
			if t == nil {
				return nil
			}
			c.tensors = append(c.tensors, t)
		}
	}
	made := make([]abi.Tensor, width)
	err := torch.Try(func() {
		handles := torch.Handles(op, c.tensors, false)
		r := torch.BeginRaw(op, c.tensors...)
		st := cgotorch.StackColumns(r.Ctx, handles, made)
		r.Status(st)
		out = r.WrapAll(made)
	})
	if err != nil {
		return nil
	}
	return out
}

// joined makes a batch whose k-th tensor is join(k). If that panics it leaves nothing.
func joined(op string, examples []Example, join func(k int) *torch.Tensor) (batch Example) {
	out := make([]*torch.Tensor, examples[0].width())
	returned := false
	defer func() {
		if !returned { // the tensors of one example do not fit those of another
			closeAll(out)
		}
	}()
	for k := range out {
		out[k] = join(k)
	}
	batch = exampleOf(out)
	if examples[0].Value != nil {
		values := make([]any, len(examples))
		for i, e := range examples {
			values[i] = e.Value
		}
		batch.Value = collated(op, "Value", values)
	}
	returned = true
	return batch
}

// column lists the k-th tensors of examples.
func column(examples []Example, k int) []*torch.Tensor {
	ts := make([]*torch.Tensor, len(examples))
	for i := range examples {
		ts[i] = examples[i].tensor(k)
	}
	return ts
}

// exampleField is the name of the k-th tensor of an example.
func exampleField(k int) string {
	if k < 2 {
		return [...]string{"Input", "Target"}[k]
	}
	return fmt.Sprintf("Extra[%d]", k-2)
}

// stacked is the stack of ts; where is what they are in the examples. If they do not fit
// one another the error names two that differ. All nil is nil.
func stacked(op, where string, ts []*torch.Tensor) (out *torch.Tensor) {
	none := 0
	for _, t := range ts {
		if t == nil {
			none++
		}
	}
	if none == len(ts) {
		return nil
	}
	sameDTypes(op, where, ts)
	err := torch.Try(func() { out = torch.Stack(ts) })
	if err == nil {
		return out
	}
	for i, t := range ts {
		switch a := ts[0]; {
		case t == nil || a == nil:
			if (t == nil) != (a == nil) {
				panic(torch.NewError(op, torch.ErrNil, "examples", fmt.Sprintf("%s of number %d is nil, that of number 0 %s", where, i, nilOrNot(a))))
			}
		case t.IsClosed() || a.IsClosed():
		case !t.Shape().Equal(a.Shape()):
			panic(torch.NewError(op, torch.ErrShape, "examples", fmt.Sprintf(
				"%s of number %d has shape %v, that of number 0 %v; a transform, such as Resize for images, makes them alike, and PadCollate joins tensors of different lengths",
				where, i, t.Shape(), a.Shape())))
		}
	}
	panic(torch.WrapError(op, fmt.Errorf("%s: %w", where, err)))
}

// sameDTypes panics with ErrDType for examples of different dtypes, which a stack would
// convert to a dtype that depends on which examples are in the batch.
func sameDTypes(op, where string, ts []*torch.Tensor) {
	for i, t := range ts {
		a := ts[0]
		if t == nil || a == nil || t.IsClosed() || a.IsClosed() || t.DType() == a.DType() {
			continue
		}
		panic(torch.NewError(op, torch.ErrDType, "examples", fmt.Sprintf(
			"%s of number %d has dtype %v, that of number 0 %v; convert them to one dtype in the dataset, for example with To", where, i, t.DType(), a.DType())))
	}
}

func nilOrNot(t *torch.Tensor) string {
	if t == nil {
		return "is nil"
	}
	return "is not"
}
