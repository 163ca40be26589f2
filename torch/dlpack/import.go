package dlpack

import (
	"errors"
	"fmt"
	"sync/atomic"

	native "github.com/gotorch/gotorch/cgotorch/dlpack"
	"github.com/gotorch/gotorch/internal/native/callback"
	"github.com/gotorch/gotorch/internal/native/named"
	"github.com/gotorch/gotorch/torch"
)

// FromDLPack takes the struct of a capsule and returns a tensor over its memory. The
// struct's deleter is called once, after the last tensor over the memory is freed. The
// tensor requires no gradients and is owned by the innermost scope or else by the garbage
// collector. If a copy was requested or is necessary, the tensor is the copy, and the
// deleter is called soon.
//
// On an error the capsule is unchanged. The error is a *torch.Error that names the field:
//
//   - ErrClosed for a capsule whose struct was taken;
//   - ErrDevice for unsupported or unavailable devices;
//   - ErrDType for elements that libtorch does not support;
//   - ErrShape for negative sizes, more than 64 dimensions or too many elements;
//   - ErrNil for nil pointers;
//   - ErrNotImplemented for a major version other than 1;
//   - ErrValue for negative strides, misaligned elements, or read-only memory (see
//     [AllowReadOnly]).
//
// Invalid options panic; a nil option panics with ErrNil. Follows torch.from_dlpack.
func FromDLPack(c *Capsule, opts ...ImportOption) (*torch.Tensor, error) {
	const op = "dlpack.FromDLPack"
	how := readImport(op, opts)
	if c == nil {
		return nil, torch.NewError(op, torch.ErrNil, "c", "a nil *Capsule")
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	a, err := c.array(op)
	if err != nil {
		return nil, err
	}
	moves := how.device != 0 && how.device != a.device
	switch {
	case moves && how.copy == never:
		return nil, torch.NewError(op, torch.ErrValue, "Copy",
			fmt.Sprintf("cannot move a tensor from %v to %v without copying it", a.device, how.device))
	case a.ReadOnly && !how.readOnly && how.copy != always && !moves:
		return nil, torch.NewError(op, torch.ErrValue, "c", "flags: the memory is read-only, but tensors are not; "+
			"use Copy(true), or AllowReadOnly(true) if nothing will write to it")
	}
	var missing *torch.Error
	if errors.As(a.device.Check(), &missing) {
		return nil, torch.NewError(op, torch.ErrDevice, "c", "device: "+missing.Message)
	}
	if errors.As(how.device.Check(), &missing) {
		return nil, torch.NewError(op, torch.ErrDevice, "Device", missing.Message)
	}
	x, l, err := c.tensor(op, a)
	if err != nil {
		return nil, err
	}
	result := x
	if how.copy == always || moves {
		defer func() { _ = x.Close() }()
		if err := torch.Try(func() { result = x.To(how.device, torch.Copy(true)) }); err != nil {
			return nil, err
		}
	}
	c.take()
	l.taken.Store(true)
	return result, nil
}

// lent is the state of a tensor over foreign memory, held by package callback.
type lent struct {
	held  held
	taken atomic.Bool // whether FromDLPack has taken held from the capsule
}

// Release implements callback.Releaser. It is called when libtorch no longer uses the
// memory.
func (l *lent) Release() {
	if l.taken.Load() {
		l.held.release()
	}
}

// tensor returns a tensor over a struct that the capsule still owns.
func (c *Capsule) tensor(op string, a array) (x *torch.Tensor, l *lent, err error) {
	l = &lent{held: c.held}
	id := callback.RegisterAs(named.Shared, l)
	var begun bool
	defer callback.DropUnless(&begun, id)
	err = torch.Try(func() {
		r := torch.BeginRaw(op)
		ret := native.Import(r.Ctx, a.data, a.Shape, a.Stride, a.DType.Code(), a.device.Code(), id)
		x = r.Tensor(ret)
		begun = true
	})
	return x, l, err
}
