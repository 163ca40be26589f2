package opt

import (
	"fmt"

	"github.com/gotorch/gotorch/torch"
)

// Dims has one number for each of up to three dimensions, stored without an allocation.
type Dims [3]int64

// Set sets the first n dimensions to v.
func (d *Dims) Set(n int, v int64) {
	for i := range d[:n] {
		d[i] = v
	}
}

// SetAll sets the first n dimensions to the numbers in list, which has one number per
// dimension, or one number for all of them. It panics with ErrValue for a list of any
// other length.
func (d *Dims) SetAll(op, arg string, n int, list []int64) {
	switch len(list) {
	case n:
		copy(d[:], list)
	case 1:
		d.Set(n, list[0])
	default:
		panic(torch.NewError(op, torch.ErrValue, arg, count(n, append([]int64(nil), list...))))
	}
}

// Read sets the first n dimensions to v. v is an int, an int64, or an []int, []int64 or
// torch.Shape with one number per dimension or one for all. Read panics with ErrType for
// any other type, and with ErrValue for a list of any other length.
func (d *Dims) Read(op, arg string, n int, v any) {
	switch v := v.(type) {
	case int:
		d.Set(n, int64(v))
	case int64:
		d.Set(n, v)
	case []int64:
		d.SetAll(op, arg, n, v)
	case torch.Shape:
		d.SetAll(op, arg, n, v)
	case []int:
		switch len(v) {
		case n:
			for i, x := range v {
				d[i] = int64(x)
			}
		case 1:
			d.Set(n, int64(v[0]))
		default:
			panic(torch.NewError(op, torch.ErrValue, arg, count(n, append([]int(nil), v...))))
		}
	default:
		panic(torch.NewError(op, torch.ErrType, arg, fmt.Sprintf("expected an int or a slice of %d, got %s", n,
			typeName(v))))
	}
}

func count(n int, list any) string {
	return fmt.Sprintf("expected one number or %d, got %v", n, list)
}

// ReadSize returns the result of [Dims.Read] as a slice that the caller may keep.
func ReadSize(op, arg string, v any, n int) []int64 {
	var d Dims
	d.Read(op, arg, n, v)
	return append([]int64(nil), d[:n]...)
}
