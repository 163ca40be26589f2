package optim

/*
#cgo noescape gt_optimizer_step
#cgo nocallback gt_optimizer_step
#cgo noescape gt_optimizer_feed
#cgo nocallback gt_optimizer_feed
#include <stdlib.h>
#include "optim.h"
*/
import "C"

import (
	"unsafe"

	"github.com/gotorch/gotorch/cgotorch/abi"
)

// Optimizer is the number of an optimizer; see Find.
type Optimizer int32

// Find returns the optimizer with this name, or 0 if there is none.
func Find(name string) Optimizer {
	c := C.CString(name)
	defer C.free(unsafe.Pointer(c))
	return Optimizer(C.gt_optimizer_find(c))
}

// Settings are the settings of a step. Each optimizer reads only its own settings.
type Settings struct {
	LR, WeightDecay, Eps, Momentum float64
	Beta1, Beta2                   float64 // Rprop: etas
	Dampening                      float64 // SGD
	Alpha                          float64 // RMSprop, ASGD
	Rho                            float64 // Adadelta
	// for Adagrad; Initial is also Rprop's and ASGD's lr
	LRDecay, Initial float64
	MomentumDecay    float64 // NAdam
	Lambd, T0        float64 // ASGD
	Least, Most      float64 // Rprop: step_sizes
	// for Adafactor; a NaN Eps1 means None
	Eps1, Beta2Decay, D float64
	// settings of one optimizer; its Rule in C++ defines their order
	Own                                              [6]float64
	Amsgrad, Centered, Decoupled, Maximize, Nesterov bool
}

// Recorded identifies an optimizer's step in a captured graph.
type Recorded uintptr

// Step performs one step for every parameter with a gradient. While a graph is captured,
// the graph repeats this step at each replay, and recorded is not 0.
func Step(cx abi.Ctx, optimizer Optimizer, g *Group, o *Settings, h *How) (recorded Recorded, st abi.Status) {
	c := o.native()
	ch := h.native()
	var out C.uintptr_t
	states := 0
	if len(g.Params) > 0 {
		states = len(g.State) / len(g.Params)
	}
	st = abi.Status(C.gt_optimizer_step(C.gt_ctx(cx), C.int32_t(optimizer), handles(g.Params), handles(g.State),
		C.int64_t(len(g.Params)), C.int64_t(states), &c, &ch, &out))
	return Recorded(out), st
}

// Feed sets the settings for later replays. The graph of r must still exist.
func (r Recorded) Feed(o *Settings) {
	c := o.native()
	C.gt_optimizer_feed(C.uintptr_t(r), &c)
}

func (o *Settings) native() C.gt_settings {
	return C.gt_settings{
		lr: C.double(o.LR), weight_decay: C.double(o.WeightDecay), eps: C.double(o.Eps), momentum: C.double(o.Momentum),
		beta1: C.double(o.Beta1), beta2: C.double(o.Beta2), dampening: C.double(o.Dampening), alpha: C.double(o.Alpha),
		rho: C.double(o.Rho), lr_decay: C.double(o.LRDecay), initial: C.double(o.Initial),
		momentum_decay: C.double(o.MomentumDecay),
		lambd:          C.double(o.Lambd), t0: C.double(o.T0), least: C.double(o.Least), most: C.double(o.Most),
		eps1: C.double(o.Eps1), beta2_decay: C.double(o.Beta2Decay), d: C.double(o.D),
		own: [6]C.double{
			C.double(o.Own[0]), C.double(o.Own[1]), C.double(o.Own[2]), C.double(o.Own[3]), C.double(o.Own[4]),
			C.double(o.Own[5]),
		},
		amsgrad: flag(o.Amsgrad), centered: flag(o.Centered), decoupled: flag(o.Decoupled),
		maximize: flag(o.Maximize),
		nesterov: flag(o.Nesterov),
	}
}
