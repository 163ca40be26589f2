package functional

import (
	"fmt"

	"github.com/gotorch/gotorch/cgotorch/aten"
	"github.com/gotorch/gotorch/internal/opt"
	"github.com/gotorch/gotorch/torch"
)

// CTCLoss returns the connectionist temporal classification loss: the negative log
// probability of the target labels given a sequence of class probabilities, summed over
// all alignments.
//
// logProbs has shape (T, N, C), or (T, C) for one sequence, and holds log probabilities,
// as [LogSoftmax] returns them. targets has shape (N, S), padded, or is one-dimensional
// and holds all targets one after the other. The lengths of inputs and targets are each
// an []int64, []int or torch.Shape, or an int32 or int64 tensor of shape (N) or ().
// libtorch needs the lengths on the CPU: on CUDA devices, passing slices avoids copying
// tensors from the device.
//
// [Blank] is the class index of the blank label. With ReductionMean, each loss is divided
// by the length of its target before the mean is taken. With ReductionNone the result has
// shape (N) or (). A target longer than its input allows gives +Inf, or 0 with
// [ZeroInfinity].
//
// Targets of a dtype other than int32 and int64 are converted to int64, as in PyTorch.
//
// It panics with ErrType for lengths of any other type, and with ErrShape or ErrValue for
// invalid lengths. It panics with ErrValue for a Blank that is not a class, and with
// ErrIndex for a target on the CPU that is not a class. Follows
// torch.nn.functional.ctc_loss.
func CTCLoss(logProbs, targets *torch.Tensor, inputLengths, targetLengths any, opts ...CTCLossOption) *torch.Tensor {
	const op = "CTCLoss(logProbs, targets, inputLengths, targetLengths)"
	blank, zero, red := opt.Read3(op, opts, Blank(0), ZeroInfinity(false), ReductionMean)
	h, t := logProbs.HandleFor(op, 0), targets.HandleFor(op, 1)
	code := reductionCode(op, red)
	in, ins := readLengths(op, "inputLengths", inputLengths)
	out, outs := readLengths(op, "targetLengths", targetLengths)
	mustFitCTC(op, logProbs, targets, in, out, ins, outs, int64(blank))
	if in == nil && out == nil {
		r := torch.BeginRaw(op, logProbs, targets)
		return r.Tensor(aten.CtcLossIntList(r.Ctx, h, t, ins, outs, int64(blank), code, bool(zero)))
	}
	// At least one argument is a tensor. libtorch takes either two lists or two
	// tensors, so convert a slice to a tensor.
	return torch.Tidy(func() *torch.Tensor {
		if in == nil {
			in = torch.FromSlice(ins)
		}
		if out == nil {
			out = torch.FromSlice(outs)
		}
		a, b := in.HandleFor(op, 2), out.HandleFor(op, 3)
		r := torch.BeginRaw(op, logProbs, targets, in, out)
		return r.Tensor(aten.CtcLossTensor(r.Ctx, h, t, a, b, int64(blank), code, bool(zero)))
	})
}

// readLengths returns v if it is a tensor, or else the lengths in the slice v.
func readLengths(op, arg string, v any) (*torch.Tensor, []int64) {
	switch v := v.(type) {
	case *torch.Tensor:
		if v == nil {
			break
		}
		return v, nil
	case []int64:
		return nil, v
	case torch.Shape:
		return nil, v
	case []int:
		list := make([]int64, len(v))
		for i, n := range v {
			list[i] = int64(n)
		}
		return nil, list
	default:
		panic(torch.NewError(op, torch.ErrType, arg, fmt.Sprintf("expected a tensor or a slice of lengths, got %T", v)))
	}
	panic(torch.NewError(op, torch.ErrNil, arg, "a nil tensor"))
}

// mustFitCTC panics for invalid lengths and for labels that are not classes, because
// libtorch would read out of bounds. It ignores the elements of targets after the
// length of each target. It does not read lengths and labels on devices other than the
// CPU, because it would have to wait for the device. libtorch checks the other sizes.
func mustFitCTC(op string, logProbs, targets, in, out *torch.Tensor, ins, outs []int64, blank int64) {
	x := logProbs.Shape()
	if len(x) != 2 && len(x) != 3 {
		panic(torch.NewError(op, torch.ErrShape, "logProbs",
			fmt.Sprintf("expected size (T, N, C) or (T, C), got %v", x)))
	}
	steps, batch, classes := x[0], int64(1), x[len(x)-1]
	if len(x) == 3 {
		batch = x[1]
	}
	if blank < 0 || blank >= classes {
		panic(torch.NewError(op, torch.ErrValue, "Blank",
			fmt.Sprintf("expected a class from 0 to %d, got %d", classes-1, blank)))
	}
	ins, outs = readableLengths(in, ins), readableLengths(out, outs)
	mustFitLengths(op, "inputLengths", ins, batch, steps)
	mustFitLengths(op, "targetLengths", outs, batch, targets.Numel())
	if targets.Device() != torch.CPU || targets.Dim() == 2 && targets.Size(0) != batch {
		return
	}
	labels, row := targets.Int64s(), int64(0)
	for i, n := range outs {
		if targets.Dim() == 2 {
			if row = int64(i) * targets.Size(1); n > targets.Size(1) {
				return
			}
		}
		if row+n > int64(len(labels)) {
			return
		}
		for j, c := range labels[row : row+n] {
			if c < 0 || c >= classes {
				panic(torch.NewError(op, torch.ErrIndex, "targets",
					fmt.Sprintf("expected classes from 0 to %d, got %d as label %d of sequence %d", classes-1, c, j,
						i)))
			}
		}
		row += n
	}
}

// readableLengths returns the lengths that can be read without waiting for a device, or
// nil.
func readableLengths(t *torch.Tensor, list []int64) []int64 {
	if t == nil || t.Device() != torch.CPU {
		return list
	}
	return t.Int64s()
}

func mustFitLengths(op, arg string, list []int64, n, most int64) {
	if list == nil {
		return
	}
	if int64(len(list)) != n {
		panic(torch.NewError(op, torch.ErrShape, arg, fmt.Sprintf("expected %d lengths, got %d", n, len(list))))
	}
	for i, v := range list {
		if v < 0 || v > most {
			panic(torch.NewError(op, torch.ErrValue, arg,
				fmt.Sprintf("expected lengths from 0 to %d, got %d at index %d", most, v, i)))
		}
	}
}
