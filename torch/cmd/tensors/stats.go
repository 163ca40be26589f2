package main

import (
	"errors"
	"fmt"
	"math"
	"strconv"

	"github.com/gotorch/gotorch/torch"
)

// stats describes the elements of a tensor. Min, Max, Mean and Std cover only finite
// elements. They are nil if there are none, and for complex numbers.
type stats struct {
	Min   *float64 `json:"min,omitempty"`
	Max   *float64 `json:"max,omitempty"`
	Mean  *float64 `json:"mean,omitempty"`
	Std   *float64 `json:"std,omitempty"` // with Bessel's correction, like torch.std
	NaNs  int64    `json:"nan"`
	Infs  int64    `json:"inf"`
	Zeros int64    `json:"zero"`
}

func (c *command) stats(path string) error {
	return c.with(path, func(f file) error {
		entries, err := c.entries(f)
		if err != nil {
			return err
		}
		for i := range entries {
			e := &entries[i]
			if e.Error != "" {
				continue
			}
			torch.Scope(func() {
				var t *torch.Tensor
				if t, err = f.tensor(e.asked); err == nil {
					e.Stats, err = statsOf(t)
				}
			})
			if errors.Is(err, torch.ErrDType) || errors.Is(err, torch.ErrNotImplemented) {
				// libtorch can store elements of this dtype but not compute with them, so
				// there are no statistics.
				err = nil
				e.Stats = nil
			}
			if err != nil {
				e.Error, e.Stats = err.Error(), nil
			}
		}
		return c.print(path, f, entries)
	})
}

func statsOf(t *torch.Tensor) (*stats, error) {
	s := &stats{}
	n, mean, squares := int64(0), 0.0, 0.0
	least, largest := math.Inf(1), math.Inf(-1)
	isComplex := t.IsComplex()
	err := parts(t, func(v []float64) {
		for _, x := range v {
			switch {
			case x == 0:
				s.Zeros++
			case math.IsNaN(x):
				s.NaNs++
				continue
			case math.IsInf(x, 0):
				s.Infs++
				continue
			}
			n++
			d := x - mean
			mean += d / float64(n)
			squares += d * (x - mean)
			least, largest = min(least, x), max(largest, x)
		}
	})
	if n > 0 && !isComplex {
		s.Min, s.Max, s.Mean = &least, &largest, &mean
		if n > 1 {
			std := math.Sqrt(squares / float64(n-1))
			s.Std = &std
		}
	}
	return s, err
}

// atOnce is the number of elements in one part.
const atOnce = 1 << 20

// parts passes the elements of a tensor to a function: the absolute values of complex
// numbers, and only the stored values of a sparse tensor.
func parts(t *torch.Tensor, use func(v []float64)) error {
	return torch.Try(func() {
		if t.Layout() == torch.SparseCOO {
			t = t.Coalesce()
		}
		if t.Layout() != torch.Strided {
			t = t.Values()
		}
		flat := t.Detach().Reshape(-1)
		for at, n := int64(0), flat.Numel(); at < n; at += atOnce {
			torch.Scope(func() {
				part := flat.Narrow(0, at, min(atOnce, n-at))
				if part.IsComplex() {
					part = part.To(torch.Complex128).Abs()
				}
				use(part.To(torch.Float64).Float64s())
			})
		}
	})
}

// String returns the cells of a table row.
func (s *stats) String() string {
	text := func(name string, v *float64) string {
		if v == nil {
			return name + " -"
		}
		return name + " " + strconv.FormatFloat(*v, 'g', 6, 64)
	}
	out := text("min", s.Min) + "\t" + text("max", s.Max) + "\t" + text("mean", s.Mean) + "\t" + text("std", s.Std)
	return out + fmt.Sprintf("\tnan %d\tinf %d\tzero %d", s.NaNs, s.Infs, s.Zeros)
}
