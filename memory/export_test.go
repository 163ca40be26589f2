package memory

import "time"

// TickBy gives the Monitor a clock that advances by d each time it is read. Real time would
// depend on how busy the machine is.
func (m *Monitor) TickBy(d time.Duration) {
	now := time.UnixMilli(0)
	m.now = func() time.Time {
		now = now.Add(d)
		return now
	}
}
