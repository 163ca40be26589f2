package memory

import "time"

// TickBy gives a Monitor a clock that advances by d each time it is read, because the
// time of a step on a busy machine is not predictable.
func (m *Monitor) TickBy(d time.Duration) {
	now := time.UnixMilli(0)
	m.now = func() time.Time {
		now = now.Add(d)
		return now
	}
}
