package data

import (
	"fmt"
	"slices"

	"github.com/gotorch/gotorch/cgotorch"
	"github.com/gotorch/gotorch/cgotorch/abi"
	"github.com/gotorch/gotorch/torch"
)

// Stack joins examples into a batch. It stacks their tensors along a new first dimension
// and joins their Values with [Collate]. The tensors of the batch are copies. A loader
// uses Stack unless [CollateFn] replaces it.
//
// It panics with ErrValue for an empty list or different numbers of tensors, with ErrShape
// for different shapes, with ErrDType for different dtypes and with ErrType if only some
// examples have a Value; the error names the examples. For different dtypes, Python without
// workers promotes them, and Python with workers raises a TypeError for some orders of the
// examples. Follows torch.utils.data.default_collate.
func Stack(examples []Example) Example { return new(columnStacker).stack(examples) }

// columnStacker stacks examples. It reuses its slice of tensors for the next batch.
type columnStacker struct {
	// all tensors of the examples: first the first tensor of each example, then the second,
	// and so on
	tensors []*torch.Tensor
}

func (c *columnStacker) stack(examples []Example) Example {
	const op = "data.Stack"
	if len(examples) == 0 {
		panic(torch.NewError(op, torch.ErrValue, "examples", "an empty list"))
	}
	width := examples[0].width()
	for i := range examples {
		if n := examples[i].width(); n != width {
			panic(torch.NewError(op, torch.ErrValue, "examples",
				fmt.Sprintf("example %d has %d tensors, but example 0 has %d", i, n, width)))
		}
	}
	together := c.stackTogether(op, examples, width)
	return joinExamples(op, examples, func(k int) *torch.Tensor {
		if together != nil {
			return together[k]
		}
		return stackOrNil(op, exampleField(k), column(examples, k))
	})
}

// stackTogether stacks all columns in one call of libtorch. It returns nil if that is
// impossible or a tensor is nil; [stackOrNil] then stacks them or reports the error.
func (c *columnStacker) stackTogether(op string, examples []Example, width int) (out []*torch.Tensor) {
	defer func() { clear(c.tensors) }() // a tensor in the list would not be collected
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

// joinExamples makes a batch whose k-th tensor is join(k). If join panics, joinExamples
// frees the tensors made so far.
func joinExamples(op string, examples []Example, join func(k int) *torch.Tensor) (batch Example) {
	out := make([]*torch.Tensor, examples[0].width())
	returned := false
	defer func() {
		if !returned { // join panicked, for example because the examples' tensors do not match
			closeAll(out)
		}
	}()
	for k := range out {
		out[k] = join(k)
	}
	batch = exampleOf(out)
	// If only some examples have a Value, collateValues reports the others.
	if slices.ContainsFunc(examples, func(e Example) bool { return e.Value != nil }) {
		values := make([]any, len(examples))
		for i, e := range examples {
			values[i] = e.Value
		}
		batch.Value = collateValues(op, "Value", values)
	}
	returned = true
	return batch
}

func column(examples []Example, k int) []*torch.Tensor {
	ts := make([]*torch.Tensor, len(examples))
	for i := range examples {
		ts[i] = examples[i].tensor(k)
	}
	return ts
}

// exampleField returns the name of the field that holds the k-th tensor of an example.
func exampleField(k int) string {
	if k < 2 {
		return [...]string{"Input", "Target"}[k]
	}
	return fmt.Sprintf("Extra[%d]", k-2)
}

// stackOrNil returns the stack of ts, or nil if all are nil. If the tensors do not match,
// it panics with an error that names two examples that differ. where is the name of the
// examples' field that holds ts.
func stackOrNil(op, where string, ts []*torch.Tensor) (out *torch.Tensor) {
	none := 0
	for _, t := range ts {
		if t == nil {
			none++
		}
	}
	if none == len(ts) {
		return nil
	}
	mustHaveOneDType(op, where, ts)
	err := torch.Try(func() { out = torch.Stack(ts) })
	if err == nil {
		return out
	}
	for i, t := range ts {
		switch a := ts[0]; {
		case t == nil || a == nil:
			if (t == nil) != (a == nil) {
				panic(torch.NewError(op, torch.ErrNil, "examples",
					fmt.Sprintf("%s of example %d is nil, but in example 0 it %s", where, i, nilOrNot(a))))
			}
		case t.IsClosed() || a.IsClosed():
		case !t.Shape().Equal(a.Shape()):
			panic(torch.NewError(op, torch.ErrShape, "examples", fmt.Sprintf(
				"%s of example %d has shape %v, but %v in example 0; give all examples one shape with a transform, "+
					"such as Resize for images, or use PadCollate for tensors of different lengths",
				where, i, t.Shape(), a.Shape())))
		}
	}
	panic(torch.WrapError(op, fmt.Errorf("%s: %w", where, err)))
}

// mustHaveOneDType panics with ErrDType for examples of different dtypes. Stacking would
// convert them to a dtype that depends on the examples in the batch.
func mustHaveOneDType(op, where string, ts []*torch.Tensor) {
	for i, t := range ts {
		a := ts[0]
		if t == nil || a == nil || t.IsClosed() || a.IsClosed() || t.DType() == a.DType() {
			continue
		}
		panic(torch.NewError(op, torch.ErrDType, "examples", fmt.Sprintf(
			"%s of example %d has dtype %v, but %v in example 0; convert them to one dtype in the dataset, for "+
				"example with To", where, i, t.DType(), a.DType())))
	}
}

func nilOrNot(t *torch.Tensor) string {
	if t == nil {
		return "is nil"
	}
	return "is not"
}
