package swa

import (
	"fmt"
	"slices"

	"github.com/gotorch/gotorch/internal/opt"
	"github.com/gotorch/gotorch/nn"
	"github.com/gotorch/gotorch/torch"
)

// AveragedModel is a copy of a model. Its parameters are averages of the model's parameters over
// the training.
type AveragedModel struct {
	nn.Base
	Module    nn.Module     // the copy of the model
	NAveraged *torch.Tensor // the number of averaged models, an int64 scalar

	avg        AvgFn
	multiAvg   MultiAvgFn
	buffers    bool
	updatedNow []*torch.Tensor // averages that the running update has already updated
	// Versions of the averages that a failed update has updated, to detect later changes.
	updatedBefore map[*torch.Tensor]int64
}

// An AveragedOption is an option of [NewAveragedModel]: [Device], [AvgFn],
// [MultiAvgFn], [UseBuffers].
//
//gotorch:options Device AvgFn MultiAvgFn UseBuffers
type AveragedOption interface{ averagedOption() }

// Device is the device of the copy. The default is the model's device.
type Device torch.Device

// UseBuffers says whether to average buffers instead of copying them. The default is
// false.
type UseBuffers bool

// NewAveragedModel makes an AveragedModel from a deep copy of model. Its options are [Device],
// [AvgFn], [MultiAvgFn] and [UseBuffers]. By default it computes the mean of the models passed to
// UpdateParameters. The functions are not part of the state dict. It panics as [nn.DeepCopy] does,
// with ErrNil for a nil function or option, and with ErrValue if both functions are given. Follows
// torch.optim.swa_utils.AveragedModel.
func NewAveragedModel(model nn.Module, opts ...AveragedOption) *AveragedModel {
	const op = "NewAveragedModel"
	a := new(AveragedModel)
	var on torch.Device
	for _, o := range opts {
		switch o := o.(type) {
		case Device:
			on = torch.Device(o)
		case AvgFn:
			if o == nil {
				panic(torch.NilFunc(op, "avg_fn"))
			}
			a.avg = o
		case MultiAvgFn:
			if o == nil {
				panic(torch.NilFunc(op, "multi_avg_fn"))
			}
			a.multiAvg = o
		case UseBuffers:
			a.buffers = bool(o)
		default:
			panic(torch.BadOption(op, o))
		}
	}
	if a.avg != nil && a.multiAvg != nil {
		panic(torch.NewError(op, torch.ErrValue, "multi_avg_fn", "only one of avg_fn and multi_avg_fn can be given"))
	}
	if opt.IsNil(model) {
		panic(torch.NewError(op, torch.ErrNil, "model", "a nil module"))
	}
	a.Init(a)
	a.Module = nn.DeepCopy(model)
	made := false
	defer func() {
		if !made {
			_ = a.Module.Close()
		}
	}()
	if on != 0 {
		a.Module.To(on)
	}
	a.NAveraged = a.RegisterBuffer("n_averaged", torch.Zeros(torch.Shape{}, torch.Int64, on))
	a.Register("module", a.Module)
	made = true
	return a
}

// Forward runs the copy. It panics with ErrType if the copy does not take one tensor and return one
// tensor. In that case run Module itself.
func (a *AveragedModel) Forward(x *torch.Tensor) *torch.Tensor {
	if a == nil {
		panic(torch.NewError("AveragedModel.Forward", torch.ErrNil, "receiver", "a nil *swa.AveragedModel"))
	}
	return a.Call(x, func(x *torch.Tensor) *torch.Tensor {
		l, ok := a.Module.(nn.Layer)
		if !ok {
			panic(torch.NewError("AveragedModel.Forward", torch.ErrType, "module",
				fmt.Sprintf("the Forward of %T does not take one tensor and return one tensor", a.Module)))
		}
		return l.Forward(x)
	})
}

// UpdateParameters updates the averages with the parameters of model. The first call
// copies them. Buffers are copied, or averaged with [UseBuffers]. It panics with ErrNil
// for a nil model. For a model with different parameters or buffers, it panics with
// ErrValue and changes nothing.
//
// If memory runs out, some averages are updated and others are not, and NAveraged is
// unchanged. The next call updates the rest. Changes by a [MultiAvgFn] that failed
// remain. Follows AveragedModel.update_parameters.
func (a *AveragedModel) UpdateParameters(model nn.Module) {
	const op = "AveragedModel.UpdateParameters"
	if opt.IsNil(model) {
		panic(torch.NewError(op, torch.ErrNil, "model", "a nil module"))
	}
	averaged, current := a.Module.Parameters(), model.Parameters()
	buffers, from := a.Module.ModuleBase().Buffers(), model.ModuleBase().Buffers()
	mustMatch(op, "parameter", averaged, current)
	mustMatch(op, "buffer", buffers, from)
	if a.buffers {
		averaged, current = slices.Concat(averaged, buffers), slices.Concat(current, from)
		buffers, from = nil, nil
	}
	defer a.keepUpdated()
	torch.NoGrad(func() {
		if a.NAveraged.Item() == 0 {
			copyAll(averaged, current)
		} else {
			torch.Scope(func() { a.updateAverages(averaged, current) })
		}
		copyAll(buffers, from)
		a.NAveraged.AddScalar_(1)
		a.updatedNow = nil
	})
}

// keepUpdated records which averages a failed update had updated.
func (a *AveragedModel) keepUpdated() {
	a.updatedBefore = nil
	for _, t := range a.updatedNow {
		if !t.IsInference() { // inference tensors have no version
			if a.updatedBefore == nil {
				a.updatedBefore = map[*torch.Tensor]int64{}
			}
			a.updatedBefore[t] = t.TensorVersion()
		}
	}
	a.updatedNow = nil
}

// remaining returns the tensors that a failed update had not updated, and the tensors
// that have been written to since then.
func (a *AveragedModel) remaining(averaged, current []*torch.Tensor) (restAveraged, restCurrent []*torch.Tensor) {
	if a.updatedBefore == nil {
		return averaged, current
	}
	for i, t := range averaged {
		if version, ok := a.updatedBefore[t]; ok && t.TensorVersion() == version {
			a.updatedNow = append(a.updatedNow, t)
			continue
		}
		restAveraged, restCurrent = append(restAveraged, t), append(restCurrent, current[i])
	}
	return restAveraged, restCurrent
}

// mustMatch panics unless two lists have tensors of the same shapes.
func mustMatch(op, what string, to, from []*torch.Tensor) {
	if len(to) != len(from) {
		panic(torch.NewError(op, torch.ErrValue, "model",
			fmt.Sprintf("has %d %ss, but the average has %d", len(from), what, len(to))))
	}
	for i, t := range to {
		if !slices.Equal(t.Shape(), from[i].Shape()) {
			panic(torch.NewError(op, torch.ErrValue, "model",
				fmt.Sprintf("%s %d has shape %v, but shape %v in the average", what, i, from[i].Shape(), t.Shape())))
		}
	}
}

func copyAll(to, from []*torch.Tensor) {
	for i, t := range to {
		withDetached(t, func(t *torch.Tensor) { t.Copy_(from[i]) })
	}
}

func withDetached(t *torch.Tensor, fn func(t *torch.Tensor)) {
	torch.Scope(func() { fn(t.Detach()) })
}

func (a *AveragedModel) updateAverages(averaged, current []*torch.Tensor) {
	averaged, current = a.remaining(averaged, current)
	if multi := a.multiAvg; multi != nil || a.avg == nil {
		for _, g := range groups(averaged, current) {
			n := a.NAveraged.To(g.averaged[0].Device())
			switch {
			case multi != nil:
				multi(g.averaged, g.current, n)
			case g.averaged[0].Device().IsCUDA():
				SWAMultiAvgFn()(g.averaged, g.current, n)
			default:
				a.applyAvg(SWAAvgFn(), g, n)
				continue
			}
			a.updatedNow = append(a.updatedNow, g.params...)
		}
		return
	}
	for i, t := range averaged {
		torch.Scope(func() {
			g := &group{
				[]*torch.Tensor{t},
				[]*torch.Tensor{t.Detach()},
				[]*torch.Tensor{current[i].Detach().To(t.Device())},
			}
			a.applyAvg(a.avg, g, a.NAveraged.To(t.Device()))
		})
	}
}

// applyAvg calls fn for each parameter and copies the result to its average.
func (a *AveragedModel) applyAvg(fn AvgFn, g *group, n *torch.Tensor) {
	for i, t := range g.averaged {
		torch.Scope(func() {
			next := fn(t, g.current[i], n)
			if next == nil {
				panic(torch.NewError("AveragedModel.UpdateParameters", torch.ErrNil, "avg_fn", "returned no tensor"))
			}
			t.Copy_(next)
		})
		a.updatedNow = append(a.updatedNow, g.params[i])
	}
}

// group holds tensors with the same device and dtype.
type group struct{ params, averaged, current []*torch.Tensor }

func groups(averaged, current []*torch.Tensor) []*group {
	var all []*group
	for i, of := range averaged {
		t := of.Detach()
		at := slices.IndexFunc(all,
			func(g *group) bool { return g.averaged[0].Device() == t.Device() && g.averaged[0].DType() == t.DType() })
		if at < 0 {
			at = len(all)
			all = append(all, new(group))
		}
		all[at].params = append(all[at].params, of)
		all[at].averaged = append(all[at].averaged, t)
		all[at].current = append(all[at].current, current[i].Detach().To(t.Device()))
	}
	return all
}
