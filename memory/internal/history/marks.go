package history

import "sync"

// Mark is the beginning or the end of a period that the program names.
type Mark struct {
	Name, Stage string
	TimeUs      int64
}

// Annotate adds a mark to the recordings of all events.
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

// record begins a stretch of the history, without earlier marks if their events
// were forgotten.
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
		// Half at a time, so that a full list costs no copy at each mark.
		m.list = append(m.list[:0], m.list[(len(m.list)+1)/2:]...)
	}
	m.list = append(m.list, a)
}
