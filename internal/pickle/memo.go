package pickle

// memo contains the values of a pickle that opcodes refer to by number. Python starts
// with the number 0.
type memo struct {
	near []any          // values with the numbers 0, 1, 2 and so on, without a gap
	far  map[uint32]any // values whose number follows a gap
}

func (m *memo) put(n uint32, v any) {
	switch at := int(n); {
	case at < len(m.near):
		m.near[at] = v
	case at == len(m.near):
		m.near = append(doubled(m.near), v)
		delete(m.far, n)
	default:
		m.far[n] = v
	}
}

func (m *memo) get(n uint32) (any, bool) {
	if int(n) < len(m.near) {
		return m.near[n], true
	}
	v, ok := m.far[n]
	return v, ok
}

// next returns the number that MEMOIZE assigns.
func (m *memo) next() uint32 { return uint32(len(m.near) + len(m.far)) }
