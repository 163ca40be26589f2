package memory

import "time"

// TickBy gives a Monitor a clock that is so much later each time it is read: how
// long a step takes on a busy machine is luck.
func (m *Monitor) TickBy(d time.Duration) {
	now := time.UnixMilli(0)
	m.now = func() time.Time {
		now = now.Add(d)
		return now
	}
}
