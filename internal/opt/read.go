package opt

// Read returns the last of op's options, which all have the type of def, or def if there
// is none. It panics for an option that is nil or of another type. So do [Read2], [Read3]
// and [Read4], which read options of several types.
func Read[A, O any](op string, opts []O, def A) A {
	for _, o := range opts {
		v, ok := any(o).(A)
		if !ok {
			panic(Unknown(op, o))
		}
		def = v
	}
	return def
}

// Read2 returns the last option of each of two types, or the given values.
func Read2[A, B, O any](op string, opts []O, a A, b B) (A, B) {
	for _, o := range opts {
		switch o := any(o).(type) {
		case A:
			a = o
		case B:
			b = o
		default:
			panic(Unknown(op, o))
		}
	}
	return a, b
}

// Read3 is Read2 for three types.
func Read3[A, B, C, O any](op string, opts []O, a A, b B, c C) (A, B, C) {
	for _, o := range opts {
		switch o := any(o).(type) {
		case A:
			a = o
		case B:
			b = o
		case C:
			c = o
		default:
			panic(Unknown(op, o))
		}
	}
	return a, b, c
}

// Read4 is Read2 for four types.
func Read4[A, B, C, D, O any](op string, opts []O, a A, b B, c C, d D) (A, B, C, D) {
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
			panic(Unknown(op, o))
		}
	}
	return a, b, c, d
}

// ReadOr is Read, but passes options of other types to rest.
func ReadOr[A, O any](op string, opts []O, rest func(op string, o any), def A) A {
	for _, o := range opts {
		if v, ok := any(o).(A); ok {
			def = v
		} else {
			rest(op, o)
		}
	}
	return def
}

// ReadOr2 is ReadOr for two types.
func ReadOr2[A, B, O any](op string, opts []O, rest func(op string, o any), a A, b B) (A, B) {
	for _, o := range opts {
		switch o := any(o).(type) {
		case A:
			a = o
		case B:
			b = o
		default:
			rest(op, o)
		}
	}
	return a, b
}
