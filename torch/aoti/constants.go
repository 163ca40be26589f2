package aoti

import (
	"fmt"
	"maps"
	"slices"

	"github.com/gotorch/gotorch/cgotorch/abi"
	native "github.com/gotorch/gotorch/cgotorch/aoti"
	"github.com/gotorch/gotorch/internal/opt"
	"github.com/gotorch/gotorch/torch"
)

// A ConstantOption configures [Model.LoadConstants]: [CheckFullUpdate] or [UserManaged].
//
//gotorch:options CheckFullUpdate UserManaged
type ConstantOption interface{ constantOption() }

// CheckFullUpdate says whether a tensor is required for every parameter of the module;
// buffers may be missing. The default is true. It is check_full_update in Python, where
// it has no default.
type CheckFullUpdate bool

// UserManaged says whether the given tensors are used without copying them. They must
// then have the constants' strides, and writing to them changes the model. You may close
// them. The default is false. It is user_managed in Python.
type UserManaged bool

// Constants returns the names of the model's parameters and buffers, and of tensors that
// tracing created, in alphabetical order. The names are those in the Python module's
// state dict. Parameters that compilation replaced, for example by their transposes, may
// be missing. Follows get_constant_fqns.
func (m *Model) Constants() []string {
	m.must("aoti.Model.Constants")
	var names []string
	for _, c := range m.info.Constants {
		if !c.Folded {
			names = append(names, c.Name)
		}
	}
	slices.Sort(names)
	return slices.Compact(names)
}

// ExtractConstants returns copies of the constants by name. It panics with ErrClosed for
// a closed model. Follows extract_constants_map of PyTorch's runner.
func (m *Model) ExtractConstants() map[string]*torch.Tensor {
	const op = "aoti.Model.ExtractConstants"
	m.must(op)
	m.mu.RLock()
	defer m.mu.RUnlock()
	m.open(op)
	all := map[string]*torch.Tensor{}
	for _, name := range m.Constants() {
		r := torch.BeginRaw(op)
		t := r.Tensor(native.ConstantCopy(r.Ctx, m.raw, name))
		if t != nil {
			all[name] = t
		}
	}
	return all
}

// LoadConstants replaces parameters and buffers, for example with the tensors in a newer
// checkpoint's state dict. The tensors must have the same dtypes, sizes and device;
// LoadConstants copies them unless [UserManaged] is true. LoadConstants waits for running
// calls, and later calls wait for LoadConstants, so each call uses either the old or the
// new constants.
//
// The error is a *torch.Error: ErrValue for an unknown name and, with [CheckFullUpdate],
// for a missing one; ErrShape, ErrDType or ErrDevice for a tensor that does not match;
// ErrNil or ErrClosed for a nil or closed tensor or a closed model. If it fails, no
// constant changes. Follows load_constants.
func (m *Model) LoadConstants(constants map[string]*torch.Tensor, opts ...ConstantOption) error {
	const op = "aoti.Model.LoadConstants"
	m.must(op)
	full, shared := opt.Read2(op, opts, CheckFullUpdate(true), UserManaged(false))
	return torch.Try(func() {
		torch.Scope(func() { m.update(op, constants, bool(full), bool(shared)) })
	})
}

func (m *Model) update(op string, constants map[string]*torch.Tensor, full, shared bool) {
	byName := map[string]bool{}
	var names []string
	var tensors []*torch.Tensor
	for i, c := range m.info.Constants {
		if c.Folded {
			continue
		}
		byName[c.Name] = true
		t, given := constants[c.Name]
		if !given {
			if full && c.Param && c.Bytes > 0 {
				panic(torch.NewError(op, torch.ErrValue, "constants", fmt.Sprintf("%q is missing", c.Name)))
			}
			continue
		}
		names = append(names, c.CodeName)
		tensors = append(tensors, m.fitting(op, i, c, t, shared))
	}
	for _, name := range slices.Sorted(maps.Keys(constants)) {
		if !byName[name] {
			panic(torch.NewError(op, torch.ErrValue, "constants", fmt.Sprintf("the model has no constant %.80q", name)))
		}
	}
	handles := torch.Handles(op, tensors, false)
	m.mu.Lock()
	defer m.mu.Unlock()
	m.open(op)
	m.replace(op, names, tensors, handles, shared)
	for name := range constants {
		delete(m.missing, name)
	}
}

func (m *Model) replace(op string, names []string, tensors []*torch.Tensor, handles []abi.Tensor, shared bool) {
	r := torch.BeginRaw(op, tensors...)
	st := native.Update(r.Ctx, m.raw, names, handles, shared)
	r.Status(st)
}

// fitting returns t in the form that the compiled library requires for constant i: t itself
// if shared is true, otherwise a dense tensor. fitting checks sizes, because the library
// copies whole storages without a check.
func (m *Model) fitting(op string, i int, c native.Constant, t *torch.Tensor, shared bool) *torch.Tensor {
	arg := fmt.Sprintf("constants[%q]", c.Name)
	if t == nil {
		panic(torch.NewError(op, torch.ErrNil, arg, "is nil"))
	}
	shape, strides := c.Shape, c.Strides
	if c.Missing {
		shape, strides = m.shapes.shapes[i], m.shapes.steps[i]
	}
	want := torch.DTypeOf(c.DType)
	switch {
	case t.DType() != want:
		panic(torch.NewError(op, torch.ErrDType, arg, fmt.Sprintf("expected %v, got %v", want, t.DType())))
	case t.Device() != m.device:
		panic(torch.NewError(op, torch.ErrDevice, arg,
			fmt.Sprintf("expected a tensor on %v, got one on %v", m.device, t.Device())))
	case t.Layout() != torch.Strided:
		panic(torch.NewError(op, torch.ErrValue, arg,
			fmt.Sprintf("expected a dense tensor, got one of layout %v", t.Layout())))
	case c.Missing && (shape == nil || len(strides) != len(shape)):
		panic(torch.NewError(op, torch.ErrNotImplemented, arg, "the package has neither the constant nor its sizes"))
	case !slices.Equal(t.Shape(), shape):
		panic(torch.NewError(op, torch.ErrShape, arg,
			fmt.Sprintf("expected shape %v, got %v", torch.Shape(shape), t.Shape())))
	}
	if shared {
		if !slices.Equal(t.Stride(), strides) {
			panic(torch.NewError(op, torch.ErrValue, arg, fmt.Sprintf("expected strides %v, got %v; a tensor that "+
				"is not copied must have the constant's strides", strides, t.Stride())))
		}
		return t.Detach()
	}
	var dense *torch.Tensor
	torch.NoGrad(func() {
		dense = torch.EmptyStrided(shape, strides, want, t.Device())
		dense.Copy_(t)
	})
	if n := dense.StorageBytes(); n > c.Bytes {
		panic(torch.NewError(op, torch.ErrShape, arg, fmt.Sprintf("needs %d bytes, but the model has %d", n, c.Bytes)))
	}
	return dense
}
