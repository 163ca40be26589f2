package torch

// readOption returns the last of op's options, which all have the type of def, or def if
// there is none. It panics for an option that is nil or of another type. So do
// readOptions2, readOptions3 and readOptions4, which read options of several types.
//
// Package internal/opt has the same functions for other packages.
func readOption[A, O any](op string, opts []O, def A) A {
	for _, o := range opts {
		v, ok := any(o).(A)
		if !ok {
			panic(badOption(op, o))
		}
		def = v
	}
	return def
}

func readOptions2[A, B, O any](op string, opts []O, a A, b B) (A, B) {
	for _, o := range opts {
		switch o := any(o).(type) {
		case A:
			a = o
		case B:
			b = o
		default:
			panic(badOption(op, o))
		}
	}
	return a, b
}

func readOptions3[A, B, C, O any](op string, opts []O, a A, b B, c C) (A, B, C) {
	for _, o := range opts {
		switch o := any(o).(type) {
		case A:
			a = o
		case B:
			b = o
		case C:
			c = o
		default:
			panic(badOption(op, o))
		}
	}
	return a, b, c
}

func readOptions4[A, B, C, D, O any](op string, opts []O, a A, b B, c C, d D) (A, B, C, D) {
	for _, o := range opts {
		switch o := any(o).(type) {
		case A:
			a = o
		case B:
			b = o
		case C:
			c = o
		case D:
			d = o
		default:
			panic(badOption(op, o))
		}
	}
	return a, b, c, d
}
