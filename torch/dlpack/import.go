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

// FromDLPack returns a tensor over the memory of a capsule's struct, which it takes: the
// struct's deleter is called once, after the last tensor over the memory is gone. The
// tensor requires no gradients and is owned by the innermost scope, else by the collector.
// Where a copy was asked for, or has to be made, the tensor is that, and the deleter is due
// at once.
//
// On an error the capsule is as it was. The error is a *torch.Error that names the field:
// of kind torch.ErrClosed for a capsule whose struct was taken, ErrDevice for memory of
// devices that tensors are not on, or that are not there, ErrDType for elements that
// libtorch does not have, ErrShape for negative sizes, more dimensions than 64 or more
// elements than can be, ErrNil for pointers that are nil, ErrNotImplemented for another
// major version than 1, and ErrValue for negative strides, elements that are not aligned,
// or memory that is read-only (see [AllowReadOnly]). It panics for options as sibling
// functions do: with ErrNil for a nil one.
// Follows torch.from_dlpack.
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
		return nil, torch.NewError(op, torch.ErrValue, "Copy", fmt.Sprintf("cannot move a tensor from %v to %v without copying it", a.device, how.device))
	case a.ReadOnly && !how.readOnly && how.copy != always && !moves:
		return nil, torch.NewError(op, torch.ErrValue, "c", "flags: the memory is read-only, and tensors are not: give Copy(true), or AllowReadOnly(true) if nothing will write to it")
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

// lent is what package callback keeps for a tensor over foreign memory.
type lent struct {
	held  held
	taken atomic.Bool // from the capsule, which has nothing to do with it any more
}

// Release implements callback.Releaser: libtorch let go of the memory.
func (l *lent) Release() {
	if l.taken.Load() {
		l.held.release()
	}
}

// tensor returns a tensor over a struct that is still the capsule's.
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
