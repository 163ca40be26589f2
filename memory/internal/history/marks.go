package history

import "sync"

// Mark is the start or the end of a period that the program named with memory.Annotate.
type Mark struct {
	Name, Stage string
	TimeUs      int64
}

// Annotate adds a mark to every recording that records all events.
func Annotate(m Mark) {
	state.cpu.marks.add(m)
	state.cuda.marks.add(m)
}

// Marks returns the marks of a recording.
func (r *Recording) Marks() []Mark {
	r.marks.mu.Lock()
	defer r.marks.mu.Unlock()
	return append([]Mark(nil), r.marks.list...)
}

type markList struct {
	mu   sync.Mutex
	on   bool
	most int
	list []Mark
}

// record applies the options of a recording. It discards earlier marks if their events were
// discarded.
func (m *markList) record(o Options, forgot bool) {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.on = o.Mode == All
	m.most = o.Most
	if forgot {
		m.list = nil
	}
}

func (m *markList) add(a Mark) {
	m.mu.Lock()
	defer m.mu.Unlock()
	if !m.on {
		return
	}
	if m.most > 0 && len(m.list) >= m.most {
		// Drop the older half of the list in one go, so that most marks can be appended
		// without copying the list.
		m.list = append(m.list[:0], m.list[(len(m.list)+1)/2:]...)
	}
	m.list = append(m.list, a)
}
