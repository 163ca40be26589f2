package claims

import (
	"syscall"
	"time"

	"github.com/gotorch/gotorch/bench/internal/harness"
	"github.com/gotorch/gotorch/memory"
	"github.com/gotorch/gotorch/torch"
)

// sheet collects the points of a claim during the measurement.
type sheet struct {
	claim    Claim
	rounds   int
	quick    bool
	points   []Point
	headline int
}

// manyRounds doubles the number of rounds, for claims about differences of a few percent.
// Because the short turns alternate often, other programs on the machine slow all
// variants equally.
func (s *sheet) manyRounds() {
	if !s.quick {
		s.rounds *= 2
	}
}

// pick returns full, or quick in a quick run.
func (s *sheet) pick(full, quick int64) int64 {
	if s.quick {
		return quick
	}
	return full
}

// judge adds a value that is compared with the claim's own range. The first such value is
// the headline unless another is chosen.
func (s *sheet) judge(what string, value float64) {
	s.judgeIn(what, value, s.claim.Unit, s.claim.Range)
}

// judgeIn is like judge, but for a part of the claim that has its own range.
func (s *sheet) judgeIn(what string, value float64, unit string, in Range) {
	if s.headline < 0 {
		s.headline = len(s.points)
	}
	s.points = append(s.points, Point{What: what, Value: value, Unit: unit, Range: &in})
}

// judgeHeadline is like judge, but makes the point the headline of the claim.
func (s *sheet) judgeHeadline(what string, value float64) {
	s.headline = len(s.points)
	s.judge(what, value)
}

// note reports a value that is not judged.
func (s *sheet) note(what string, value float64, unit string) {
	s.points = append(s.points, Point{What: what, Value: value, Unit: unit})
}

// series contains the results of one variant's rounds.
type series struct {
	nanos    []float64 // wall-clock nanoseconds
	cpu      []float64 // nanoseconds of processor time, collector included
	peak     []float64 // most bytes alive at once
	reserved []float64 // most bytes reserved at once
}

func (r series) time() float64         { return harness.Median(r.nanos) }
func (r series) peakBytes() float64    { return harness.Median(r.peak) }
func (r series) reservedMost() float64 { return harness.Median(r.reserved) }

// slower returns by how many percent r used more processor time than base. Processor time
// includes the collector's work on other cores, but excludes other programs on this core.
func (r series) slower(base series) float64 { return over(r.cpu, base.cpu) }

// slowerOnTheWall is like slower, but compares wall-clock time.
func (r series) slowerOnTheWall(base series) float64 { return over(r.nanos, base.nanos) }

// over returns by how many percent a is above b: the median of the ratios within each
// round. Turns of the same round are compared because they ran under similar conditions.
func over(a, b []float64) float64 {
	ratios := make([]float64, len(a))
	for i := range ratios {
		ratios[i] = a[i] / b[i]
	}
	return percent(harness.Median(ratios))
}

// processorTime returns the processor time that the process has used, in nanoseconds.
func processorTime() float64 {
	var u syscall.Rusage
	if err := syscall.Getrusage(syscall.RUSAGE_SELF, &u); err != nil {
		panic(err)
	}
	return float64(u.Utime.Nano() + u.Stime.Nano())
}

// percent returns by how many percent the ratio is above 1.
func percent(ratio float64) float64 { return 100 * (ratio - 1) }

// alternate runs the variants in turns, in several rounds after a warm-up round. Each
// round starts with a different variant, and each turn with an empty cache.
func (s *sheet) alternate(variants ...func()) []series {
	all := make([]series, len(variants))
	for round := range s.rounds + 1 {
		for turn := range variants {
			i := (round + turn) % len(variants)
			memory.Clear()
			memory.ResetPeak(torch.CPU)
			began := processorTime()
			usage := memory.Track(s.claim.Name, variants[i])
			spent := processorTime() - began
			if round == 0 {
				continue
			}
			all[i].nanos = append(all[i].nanos, float64(usage.Duration.Nanoseconds()))
			all[i].cpu = append(all[i].cpu, spent)
			all[i].peak = append(all[i].peak, float64(usage.Peak))
			all[i].reserved = append(all[i].reserved, float64(memory.MaxReserved(torch.CPU)))
		}
	}
	memory.Clear()
	return all
}

// median calls fn once per round and times only the function that fn returns. It returns
// the median time in milliseconds.
func (s *sheet) median(fn func() (timed func())) float64 {
	times := make([]float64, s.rounds)
	for i := range times {
		timed := fn()
		start := time.Now()
		timed()
		times[i] = float64(time.Since(start).Nanoseconds()) / 1e6
	}
	return harness.Median(times)
}

// closeAll closes every tensor in list.
func closeAll(list []*torch.Tensor) {
	for _, t := range list {
		t.Close()
	}
}

// float32s returns the shape of a vector of the given size in bytes.
func float32s(bytes int64) torch.Shape { return torch.Shape{bytes / 4} }

const (
	kib = 1 << 10
	mib = 1 << 20
	gib = 1 << 30
)
