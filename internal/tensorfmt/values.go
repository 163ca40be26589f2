package tensorfmt

// Values contains the elements of a tensor that remain after the cuts, in row-major
// order. They have the Go type that represents the dtype exactly. Create Values with
// [Floats], [Ints], [Uints], [Bools] or [Complexes]. The slice is not copied and not
// changed.
type Values struct {
	floats    []float64
	ints      []int64
	uints     []uint64
	bools     []bool
	complexes []complex128
}

// Floats returns Values for any floating-point dtype, from float8 to float64.
func Floats(v []float64) Values { return Values{floats: v} }

// Ints returns Values for a signed integer dtype, or for uint8, uint16 or uint32.
func Ints(v []int64) Values { return Values{ints: v} }

// Uints returns Values for uint64.
func Uints(v []uint64) Values { return Values{uints: v} }

// Bools returns Values for bool.
func Bools(v []bool) Values { return Values{bools: v} }

// Complexes returns Values for a complex dtype.
func Complexes(v []complex128) Values { return Values{complexes: v} }

// Len returns the number of elements.
func (v Values) Len() int {
	return len(v.floats) + len(v.ints) + len(v.uints) + len(v.bools) + len(v.complexes)
}

// at returns element i.
func (v Values) at(i int) any {
	switch {
	case v.floats != nil:
		return v.floats[i]
	case v.ints != nil:
		return v.ints[i]
	case v.uints != nil:
		return v.uints[i]
	case v.bools != nil:
		return v.bools[i]
	default:
		return v.complexes[i]
	}
}
