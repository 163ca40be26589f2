// Package swa averages the weights of a model over its training, as
// torch.optim.swa_utils does in Python: stochastic weight averaging (SWA) and
// exponential moving averages (EMA).
//
//	ema := swa.NewAveragedModel(model, swa.EMAMultiAvgFn(0.999))
//	defer ema.Close()
//	for ... {
//		...
//		opt.Step()
//		ema.UpdateParameters(model)
//	}
//	swa.UpdateBN(inputs, ema)
//
// The matching scheduler is [SWALR].
package swa

import (
	"github.com/gotorch/gotorch/optim"
	"github.com/gotorch/gotorch/optim/schedule"
)

// SWALR moves the learning rates to a constant. It is [schedule.SWALR].
type SWALR = schedule.SWALR

// SWALROption is an option of [NewSWALR]: [schedule.AnnealEpochs],
// [schedule.AnnealStrategy], [schedule.LastEpoch].
type SWALROption = schedule.SWALROption

// NewSWALR makes an SWALR, as [schedule.NewSWALR] does.
// Follows torch.optim.swa_utils.SWALR.
func NewSWALR(opt optim.Optimizer, swaLR float64, opts ...SWALROption) *SWALR {
	return schedule.NewSWALR(opt, swaLR, opts...)
}
