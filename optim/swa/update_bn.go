package swa

import (
	"iter"

	"github.com/gotorch/gotorch/internal/embedded"
	"github.com/gotorch/gotorch/internal/opt"
	"github.com/gotorch/gotorch/internal/script"
	"github.com/gotorch/gotorch/nn"
	"github.com/gotorch/gotorch/torch"
)

// UpdateBN recomputes the running statistics of a model's batch normalizations as means
// over the inputs. It runs the model on each input, in training mode and without
// gradients. It does nothing for a model without batch normalizations. It frees the
// results of each forward pass; the caller still owns the inputs. To run on a different
// device, move the inputs in the sequence.
//
//	swa.UpdateBN(loader.Inputs(), model) // loader is a data.Loader
//
// It panics with ErrNil for a nil model, sequence or input, and with ErrValue for a batch
// normalization within a script of torch/jit, whose momentum cannot be changed.
// Afterwards, even after a panic, the momenta are restored, and the whole model is in the
// mode that its root had before. Follows torch.optim.swa_utils.update_bn.
func UpdateBN(inputs iter.Seq[*torch.Tensor], model nn.Layer) {
	const op = "UpdateBN"
	if inputs == nil {
		panic(torch.NilFunc(op, "inputs"))
	}
	if opt.IsNil(model) {
		panic(torch.NewError(op, torch.ErrNil, "model", "a nil module"))
	}
	for _, m := range nn.Modules(model) {
		script.RefuseBatchNorm(op, "model", m)
	}
	withCumulativeStats(model, func() {
		was := model.ModuleBase().Training()
		defer model.ModuleBase().SetTraining(was)
		model.Train()
		torch.NoGrad(func() {
			for x := range inputs {
				if x == nil {
					panic(torch.NewError(op, torch.ErrNil, "inputs", "a nil tensor"))
				}
				torch.Scope(func() { model.Forward(x) })
			}
		})
	})
}

// withCumulativeStats resets the running statistics of all batch normalizations of m, and
// calls fn. While fn runs, the statistics are means over all batches, as with a momentum
// of None. Then it restores the momenta, even if fn panics. If m has no batch
// normalization, fn is not called.
func withCumulativeStats(m nn.Module, fn func()) {
	var momenta []**float64
	for _, l := range nn.Modules(m) {
		if n := batchNorm(l); n != nil {
			momenta = append(momenta, &n.Momentum)
			n.ResetRunningStats()
		}
	}
	before := make([]*float64, len(momenta))
	for i, m := range momenta {
		before[i], *m = *m, nil
	}
	defer func() {
		for i, m := range momenta {
			*m = before[i]
		}
	}()
	if len(momenta) > 0 {
		fn()
	}
}

// batchNorm returns the NormBase of a batch normalization, or of the one that a module embeds, and
// nil for other modules.
func batchNorm(m nn.Module) *nn.NormBase {
	if l, ok := embedded.Find[*nn.BatchNorm1d](m); ok {
		return &l.NormBase
	}
	if l, ok := embedded.Find[*nn.BatchNorm2d](m); ok {
		return &l.NormBase
	}
	if l, ok := embedded.Find[*nn.BatchNorm3d](m); ok {
		return &l.NormBase
	}
	return nil
}
