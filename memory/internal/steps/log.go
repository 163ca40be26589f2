// Package steps keeps the usage of each step of a loop in a bounded number of records, and
// writes it as a table, as JSON and as CSV. It measures nothing itself. A Log is not safe
// for concurrent use.
package steps

import "time"

// Step is the usage of a step, or of several consecutive steps whose records were merged.
// Bytes are counted as in memory.Usage.
type Step struct {
	Name string
	// Number is the number of the first of the steps. The first step of a loop has number
	// 0.
	Number         int
	Steps          int // number of steps
	Start          int64
	End            int64
	Peak           int64
	PeakAllocated  int64
	Reserved       int64
	Resident       int64
	Allocations    int64
	AllocatedBytes int64
	Duration       time.Duration
}

// Log contains the records of the steps of a loop.
type Log struct {
	keep    int
	steps   int // steps recorded so far
	grain   int // maximum number of steps in a record
	records []Step
	groups  []group // ordered by their first step
}

// New returns an empty Log that has room for keep records. keep must be at least 2.
func New(keep int) *Log { return &Log{keep: keep, grain: 1} }

// Add records s as the next step. It returns s with its number.
func (l *Log) Add(s Step) Step {
	s.Number, s.Steps = l.steps, 1
	l.steps++
	l.add(s)
	l.count(s)
	return s
}

// Records returns the records, oldest first.
func (l *Log) Records() []Step { return append([]Step(nil), l.records...) }

// add appends s, or merges it into the last record if that record has the same name and is
// not full. If the log has no room for another record, it first merges neighboring records.
func (l *Log) add(s Step) {
	if n := len(l.records); n > 0 && l.sameName(l.records[n-1], s) {
		l.records[n-1] = merge(l.records[n-1], s)
		return
	}
	if len(l.records) == l.keep {
		l.coarsen()
	}
	l.records = append(l.records, s)
}

func (l *Log) fits(a, b Step) bool { return a.Steps+b.Steps <= l.grain }

func (l *Log) sameName(a, b Step) bool { return a.Name == b.Name && l.fits(a, b) }

// coarsen merges neighboring records until there is room for another record. It first
// merges records with the same name, even if full records become twice as long. If names
// alternate, that may free too little. Then it also merges records with different names,
// up to the length of a full record.
//
// The average length of a record is the number of steps divided by keep. The length of a
// full record is doubled only if it is at most twice the average, or if no two neighbors
// fit into one record. So a record never covers more than about four times the average.
func (l *Log) coarsen() {
	free := func() int { return l.keep - len(l.records) }
	enough := max(l.keep/4, 1)
	l.mergeNeighbours(l.sameName)
	if free() < enough && l.grain <= 2*l.steps/l.keep {
		l.grain *= 2
		l.mergeNeighbours(l.sameName)
	}
	if free() < enough {
		l.mergeNeighbours(l.fits)
	}
	for free() == 0 {
		l.grain *= 2
		l.mergeNeighbours(l.fits)
	}
}

// mergeNeighbours merges each pair of neighboring records for which the function together
// returns true.
func (l *Log) mergeNeighbours(together func(a, b Step) bool) {
	kept := l.records[:0]
	for i := 0; i < len(l.records); i++ {
		s := l.records[i]
		if i+1 < len(l.records) && together(s, l.records[i+1]) {
			i++
			s = merge(s, l.records[i])
		}
		kept = append(kept, s)
	}
	clear(l.records[len(kept):])
	l.records = kept
}

// merge returns a and its successor b as one record. If the names of a and b differ, the
// result has no name.
func merge(a, b Step) Step {
	if a.Name != b.Name {
		a.Name = ""
	}
	a.Steps += b.Steps
	a.End, a.Reserved, a.Resident = b.End, b.Reserved, b.Resident
	a.Peak, a.PeakAllocated = max(a.Peak, b.Peak), max(a.PeakAllocated, b.PeakAllocated)
	a.Allocations += b.Allocations
	a.AllocatedBytes += b.AllocatedBytes
	a.Duration += b.Duration
	return a
}
