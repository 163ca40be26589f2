// Package swa averages the weights of a model over its training, as
// torch.optim.swa_utils in Python: stochastic weight averaging (SWA) and
// exponential moving averages (EMA).
//
//	ema := swa.NewAveragedModel(model, swa.GetEMAMultiAvgFn(0.999))
//	defer ema.Close()
//	for ... {
//		...
//		opt.Step()
//		ema.UpdateParameters(model)
//	}
//	swa.UpdateBN(inputs, ema)
//
// The schedule that goes with it is [SWALR].
package swa

import (
	"github.com/gotorch/gotorch/optim"
	"github.com/gotorch/gotorch/optim/lr_scheduler"
)

// SWALR moves the rates to a constant. It is [lr_scheduler.SWALR].
type SWALR = lr_scheduler.SWALR

// SWALROption is an option of [NewSWALR]: [lr_scheduler.AnnealEpochs],
// [lr_scheduler.AnnealStrategy], [lr_scheduler.LastEpoch].
type SWALROption = lr_scheduler.SWALROption

// NewSWALR makes an SWALR, as [lr_scheduler.NewSWALR] does.
// Follows torch.optim.swa_utils.SWALR.
func NewSWALR(opt optim.Optimizer, swaLR float64, opts ...SWALROption) *SWALR {
	return lr_scheduler.NewSWALR(opt, swaLR, opts...)
}
