package swapped

import "github.com/gotorch/gotorch/torch"

func compared(z *torch.Tensor) {
	mask := z.GtScalar(0)
	z.SetIndex(mask, 0)                           // want `the value comes first, SetIndex\(0, mask\)`
	z.SetIndex(z.IsNaN(), 0.5)                    // want `the value comes first, SetIndex\(0.5, mask\)`
	z.SetIndex(mask.LogicalNot(), 1)              // want `SetIndex writes the mask into element 1`
	z.SetIndex(z.Eq(z).LogicalAnd(mask), -1)      // want `SetIndex writes the mask`
	z.Clone().SetIndex(z.Detach().GtScalar(0), 0) // want `SetIndex writes the mask`
	copied := z.Clone()
	copied.SetIndex(mask, 0) // want `SetIndex writes the mask`
}

func made(x *torch.Tensor, n int) {
	z := torch.Randn(torch.Shape{3, 3})
	z.SetIndex(x.GtScalar(0), n)    // want `SetIndex writes the mask into element n`
	x.Add(z).SetIndex(x.IsNaN(), 0) // want `SetIndex writes the mask`
}

func right(z, x, mask *torch.Tensor, other bool) {
	z.SetIndex(0, z.GtScalar(0))
	z.SetIndex(x, 0)
	z.SetIndex(mask, 0) // which may hold anything
	z.SetIndex(z.GtScalar(0), 0, 1)
	z.SetIndex(z.GtScalar(0), mask)
	done := x.GtScalar(3)
	done.SetIndex(x.Eq(z), 0) // masks go into masks
	done.Clone().SetIndex(done.Eq(mask), 0)
	z.SetIndex(x.GtScalar(0), 0) // z may hold masks
	value := z.GtScalar(0)
	if other {
		value = x
	}
	z.SetIndex(value, 0)
	z.SetIndex(z.ArgMax(), 0)
}

func intended(z *torch.Tensor) {
	z.SetIndex(z.GtScalar(0), 0) //torchvet:ignore swapped row 0 holds which elements were positive
}
