package tensorfmt

import "math"

// Profile is a named set of defaults, as in torch.set_printoptions(profile=...).
type Profile uint8

const (
	// ProfileDefault is precision 4, threshold 1000, 3 edge items, line width 80.
	ProfileDefault Profile = iota
	// ProfileShort is precision 2, threshold 1000, 2 edge items, line width 80.
	ProfileShort
	// ProfileFull is ProfileDefault without a threshold: it shows every element.
	ProfileFull
)

// SciMode selects when floating-point numbers are written with an exponent.
type SciMode uint8

const (
	// SciAuto uses an exponent if the shown numbers differ by more than a factor of 1000,
	// exceed 1e8 or are below 1e-4.
	SciAuto SciMode = iota
	// SciOn always uses an exponent.
	SciOn
	// SciOff never uses an exponent.
	SciOff
)

// Options are the settings of torch.set_printoptions. The zero value has PyTorch's
// defaults. A field that is zero takes its value from Profile. To set a field to zero,
// use a negative number.
type Options struct {
	// Profile provides the values of fields that are zero.
	Profile Profile
	// Precision is the number of digits after the decimal point.
	Precision int
	// Threshold is the number of elements above which only the ends of each dimension are
	// shown.
	Threshold int
	// EdgeItems is the number of entries shown at each end of a cut dimension. With a
	// negative number, which means zero, the whole tensor is shown as "...".
	EdgeItems int
	// LineWidth is the line length at which lines wrap.
	LineWidth int
	// SciMode selects when exponents are used.
	SciMode SciMode
	// Element, if set, returns the text of each element: a float64, int64, uint64, bool
	// or complex128. Precision and SciMode then have no effect.
	Element func(v any) string
}

// maxPrecision limits Precision: a float64 has no more nonzero digits.
const maxPrecision = 1100

// settings are Options with all defaults filled in.
type settings struct {
	precision int
	threshold int64
	edge      int64
	width     int
	sci       SciMode
	element   func(v any) string
}

func (o Options) resolve() settings {
	s := settings{precision: 4, threshold: 1000, edge: 3, width: 80, sci: o.SciMode, element: o.Element}
	switch o.Profile {
	case ProfileShort:
		s.precision, s.edge = 2, 2
	case ProfileFull:
		s.threshold = math.MaxInt64
	}
	if o.Precision != 0 {
		s.precision = min(max(o.Precision, 0), maxPrecision)
	}
	if o.Threshold != 0 {
		s.threshold = int64(max(o.Threshold, 0))
	}
	if o.EdgeItems != 0 {
		// The limit prevents an overflow of 2*edge.
		s.edge = min(int64(max(o.EdgeItems, 0)), math.MaxInt64/4)
	}
	if o.LineWidth != 0 {
		s.width = max(o.LineWidth, 0)
	}
	return s
}
