package main

import (
	"flag"
	"fmt"
	"math"
	"slices"

	"github.com/gotorch/gotorch/internal/mapped"
	"github.com/gotorch/gotorch/torch"
)

// tolerance is the largest difference allowed between two elements.
type tolerance struct{ rtol, atol float64 }

func (t *tolerance) flags(f *flag.FlagSet) {
	f.Float64Var(&t.rtol, "rtol", 0, "allowed difference relative to the second file's element")
	f.Float64Var(&t.atol, "atol", 0, "allowed absolute difference")
}

func (t *tolerance) check() error {
	if !(t.rtol >= 0) || !(t.atol >= 0) {
		return fmt.Errorf("diff: -rtol and -atol must not be negative, got %v and %v", t.rtol, t.atol)
	}
	return nil
}

// difference describes how two tensors with the same name differ. It can be printed as
// JSON.
type difference struct {
	Name     string   `json:"name"`
	What     string   `json:"what"` // "only in the first", "only in the second", "dtype", "shape" or "elements"
	A        string   `json:"a,omitempty"`
	B        string   `json:"b,omitempty"`
	Elements int64    `json:"elements,omitempty"` // the number of elements that differ
	Most     *float64 `json:"most,omitempty"`     // the largest difference; nil for NaN and infinity
}

func (d *difference) text() string {
	switch d.What {
	case "elements":
		most := "not finite"
		if d.Most != nil {
			most = fmt.Sprintf("%.6g", *d.Most)
		}
		return fmt.Sprintf("%s: %d elements differ; the largest difference is %s", shown(d.Name), d.Elements, most)
	case "dtype", "shape":
		return fmt.Sprintf("%s: %s %s and %s", shown(d.Name), d.What, d.A, d.B)
	}
	return shown(d.Name) + ": " + d.What
}

// diff prints the differences. It returns errFound if there are any.
func (c *command) diff(a, b string) error {
	return c.with(a, func(fa file) error {
		return c.with(b, func(fb file) error {
			as, bs, err := c.both(a, fa, fb)
			if err != nil {
				return err
			}
			found, err := c.differences(fa, fb, as, bs)
			if err != nil {
				return err
			}
			for i := range found {
				d := &found[i]
				if c.json {
					if err := c.encode(d); err != nil {
						return err
					}
					continue
				}
				_, _ = fmt.Fprintln(c.stdout, d.text())
			}
			if len(found) > 0 {
				return errFound
			}
			return nil
		})
	})
}

// both returns the entries to compare. If only one file has entries below -key, they are
// compared with all entries of the other file, as convert -key writes them.
func (c *command) both(a string, fa, fb file) (as, bs []entry, err error) {
	if as, err = c.entries(fa); err != nil {
		return nil, nil, err
	}
	if bs, err = c.entries(fb); err != nil {
		return nil, nil, err
	}
	whole := *c
	whole.key = ""
	switch {
	case len(as) == 0 && len(bs) == 0:
		_, err = c.found(a, fa)
	case len(as) == 0:
		as, err = whole.entries(fa)
	case len(bs) == 0:
		bs, err = whole.entries(fb)
	}
	return as, bs, err
}

func (c *command) differences(fa, fb file, as, bs []entry) ([]difference, error) {
	byName := map[string]*entry{}
	for i := range bs {
		byName[bs[i].Name] = &bs[i]
	}
	var found []difference
	for i := range as {
		a := &as[i]
		b := byName[a.Name]
		if b == nil {
			found = append(found, difference{Name: a.Name, What: "only in the first"})
			continue
		}
		delete(byName, a.Name)
		switch {
		case a.DType != b.DType:
			found = append(found, difference{Name: a.Name, What: "dtype", A: a.DType, B: b.DType})
		case !slices.Equal(a.Shape, b.Shape):
			found = append(found,
				difference{
					Name: a.Name, What: "shape", A: torch.Shape(a.Shape).String(),
					B: torch.Shape(b.Shape).String(),
				})
		default:
			d, err := c.compare(fa, fb, a, b)
			if err != nil {
				return nil, err
			}
			if d.Elements > 0 {
				found = append(found, d)
			}
		}
	}
	for i := range bs {
		if byName[bs[i].Name] != nil {
			found = append(found, difference{Name: bs[i].Name, What: "only in the second"})
		}
	}
	return found, nil
}

// compare compares the elements of two tensors with the same dtype and shape, in parts.
// NaN equals NaN.
func (c *command) compare(fa, fb file, a, b *entry) (d difference, err error) {
	d = difference{Name: a.Name, What: "elements"}
	torch.Scope(func() {
		var x, y *torch.Tensor
		if x, err = fa.tensor(a.asked); err != nil {
			return
		}
		if y, err = fb.tensor(b.asked); err != nil {
			return
		}
		err = torch.Try(func() { c.elements(&d, x, y) })
	})
	return d, err
}

// differ returns the difference between two elements and whether it exceeds the
// tolerance.
func (t *tolerance) differ(v, w float64) (by float64, differ bool) {
	by = math.Abs(v - w)
	switch {
	case v == w, math.IsNaN(v) && math.IsNaN(w):
		return 0, false
	case math.IsInf(v, 0) || math.IsInf(w, 0): // an infinite tolerance would accept everything
		return by, true
	}
	return by, !(by <= t.atol+t.rtol*math.Abs(w))
}

// differWhole is like differ, but for integers, because float64 cannot represent all of
// them.
func (t *tolerance) differWhole(v, w int64, signed bool) (by float64, differ bool) {
	less, size := v < w, math.Abs(float64(w))
	if !signed {
		less, size = uint64(v) < uint64(w), float64(uint64(w))
	}
	if less {
		v, w = w, v
	}
	n := uint64(v) - uint64(w) //nolint:gosec // the difference is right whatever the sign is
	by = float64(n)
	return by, n != 0 && !(by <= t.atol+t.rtol*size)
}

// compared returns a function that compares element i of two tensors.
func (t *tolerance) compared(x, y *torch.Tensor) func(i int) (by float64, differ bool) {
	if d := x.DType(); d == torch.Int64 || d == torch.Uint64 {
		vx, vy := x.ViewDType(torch.Int64).Int64s(), y.ViewDType(torch.Int64).Int64s()
		return func(i int) (float64, bool) { return t.differWhole(vx[i], vy[i], d == torch.Int64) }
	}
	vx, vy := x.To(torch.Float64).Float64s(), y.To(torch.Float64).Float64s()
	return func(i int) (float64, bool) { return t.differ(vx[i], vy[i]) }
}

func (c *command) elements(d *difference, x, y *torch.Tensor) {
	most, finite := 0.0, true
	flatX, flatY := flat(x), flat(y)
	for at, n := int64(0), flatX.Numel(); at < n; at += atOnce {
		torch.Scope(func() {
			part := min(atOnce, n-at)
			px, py := flatX.Narrow(0, at, part), flatY.Narrow(0, at, part)
			if px.Equal(py) {
				return
			}
			compared := c.compared(px, py)
			for i := range int(part) {
				by, differ := compared(i)
				if !differ {
					continue
				}
				d.Elements++
				if finite = finite && !math.IsNaN(by) && !math.IsInf(by, 0); finite {
					most = max(most, by)
				}
			}
		})
	}
	if finite {
		d.Most = &most
	}
}

// flat returns a tensor's elements in one dimension, with complex numbers as two
// elements.
func flat(t *torch.Tensor) *torch.Tensor {
	t = t.Detach()
	if t.Layout() != torch.Strided {
		if n, ok := mapped.Bytes(t.Shape(), t.ElementSize()); !ok || n > mostAgain {
			panic(torch.NewError("diff", torch.ErrUnsupported, "", fmt.Sprintf(
				"expected a sparse tensor of at most %d bytes when dense, got shape %v", mostAgain, t.Shape())))
		}
		t = t.ToDense()
	}
	if t.IsComplex() {
		t = t.ResolveConj().ViewAsReal()
	}
	return t.Reshape(-1)
}
