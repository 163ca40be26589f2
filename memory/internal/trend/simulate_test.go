package trend_test

import (
	"math"
	"math/rand/v2"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"

	"github.com/gotorch/gotorch/internal/thorough"
	"github.com/gotorch/gotorch/memory/internal/trend"
)

const mib = 1 << 20

// series is a kind of random series of byte counts. Its function returns a new random
// series.
type series struct {
	name string
	leak bool
	of   func(r *rand.Rand) func(i int) float64
}

func noise(r *rand.Rand, deviation float64) func() float64 {
	return func() float64 { return deviation * r.NormFloat64() }
}

// reverting returns a random walk that tends to return to its start. rho is the
// autocorrelation.
func reverting(r *rand.Rand, rho, deviation float64) func() float64 {
	at, step := 0.0, deviation*math.Sqrt(1-rho*rho)
	return func() float64 {
		at = rho*at + step*r.NormFloat64()
		return at
	}
}

func plus(a func(i int) float64, b func() float64) func(i int) float64 {
	return func(i int) float64 { return a(i) + b() }
}

func level(int) float64 { return 100 * mib }

// rising returns a series that grows by the given number of bytes per second. Two samples
// are taken per second.
func rising(bytes float64) func(i int) float64 {
	return func(i int) float64 { return 100*mib + bytes*float64(i)/2 }
}

var kinds = []series{
	{"steady", false, func(*rand.Rand) func(int) float64 { return level }},
	{"noise", false, func(r *rand.Rand) func(int) float64 { return plus(level, noise(r, mib)) }},
	{"saw-tooth", false, func(r *rand.Rand) func(int) float64 {
		period, step := 2+r.IntN(40), 1e4*(1+9*r.Float64())
		return func(i int) float64 { return step * float64(i%period) }
	}},
	{"ring buffer that fills", false, func(r *rand.Rand) func(int) float64 {
		full, step := 1+r.IntN(49), 1e4*(1+9*r.Float64())
		return func(i int) float64 { return step * float64(min(i, full)) }
	}},
	{"noisy ring buffer that fills", false, func(r *rand.Rand) func(int) float64 {
		full, step := 1+r.IntN(45), 1e4*(1+9*r.Float64())
		return plus(func(i int) float64 { return step * float64(min(i, full)) }, noise(r, step))
	}},
	{"steps", false, func(r *rand.Rand) func(int) float64 {
		at := 0.0
		return func(int) float64 {
			if r.IntN(60) == 0 {
				at = mib * r.Float64()
			}
			return at
		}
	}},
	{"warm-up", false, func(r *rand.Rand) func(int) float64 {
		tau := 1 + 29*r.Float64()
		return plus(func(i int) float64 { return 5 * mib * (1 - math.Exp(-float64(i)/tau)) }, noise(r, 1e3))
	}},
	{"a large start", false, func(r *rand.Rand) func(int) float64 {
		n := 1 + r.IntN(30)
		return plus(func(i int) float64 {
			if i < n {
				return 500 * mib
			}
			return 100 * mib
		}, noise(r, 1e5))
	}},
	{"waves", false, func(r *rand.Rand) func(int) float64 {
		period, at := 3+60*r.Float64(), 6*r.Float64()
		return plus(func(i int) float64 { return mib * math.Sin(at+2*math.Pi*float64(i)/period) }, noise(r, 1e4))
	}},
	{"short memory", false, func(r *rand.Rand) func(int) float64 { return plus(level, reverting(r, 0.8, mib)) }},
	{"long memory", false, func(r *rand.Rand) func(int) float64 { return plus(level, reverting(r, 0.95, mib)) }},
	{"shrinking", false, func(r *rand.Rand) func(int) float64 { return plus(rising(-1e5), noise(r, 1e5)) }},

	{"leak", true, func(r *rand.Rand) func(int) float64 { return rising(2048 + 1e6*r.Float64()) }},
	{"leak after a warm-up", true, func(r *rand.Rand) func(int) float64 {
		leak := rising(1e5)
		return func(i int) float64 { return leak(i) + 2*mib*(1-math.Exp(-float64(i)/10)) }
	}},
	{"leak in noise", true, func(r *rand.Rand) func(int) float64 { return plus(rising(1e5), noise(r, 2e5)) }},
	{"slow leak in noise", true, func(r *rand.Rand) func(int) float64 { return plus(rising(2e4), noise(r, 1e5)) }},
	{"leak in a saw-tooth", true, func(r *rand.Rand) func(int) float64 {
		leak, period := rising(1e5), 2+r.IntN(15)
		return func(i int) float64 { return leak(i) + 3e4*float64(i%period) }
	}},
	{"leak in waves", true, func(r *rand.Rand) func(int) float64 {
		leak, wave := rising(1e5), reverting(r, 0.8, 1e5)
		return plus(leak, wave)
	}},
	{"leak in steps", true, func(r *rand.Rand) func(int) float64 {
		every := 2 + r.IntN(9)
		return func(i int) float64 { return 1e5 * float64(i/every) }
	}},
}

// walk returns the memory of a queue. With each sample the queue's length changes by one,
// between 0 and most.
func walk(r *rand.Rand, most int, unit float64) func(i int) float64 {
	at := r.IntN(most + 1)
	return func(int) float64 {
		at = min(max(at+2*r.IntN(2)-1, 0), most)
		return level(0) + unit*float64(at)
	}
}

// slow contains kinds of series whose growth is visible only over hours.
var slow = []series{
	{"queue of 20", false, func(r *rand.Rand) func(int) float64 { return walk(r, 20, mib) }},
	{"epochs", false, func(r *rand.Rand) func(int) float64 {
		period, step := 50+r.IntN(2000), 1e4*(1+9*r.Float64())
		return func(i int) float64 { return step * float64(i%period) }
	}},
	{"long waves", false, func(r *rand.Rand) func(int) float64 {
		period, at := 50+2000*r.Float64(), 6*r.Float64()
		return plus(func(i int) float64 { return mib * math.Sin(at+2*math.Pi*float64(i)/period) }, noise(r, 1e4))
	}},
	{"noise", false, func(r *rand.Rand) func(int) float64 { return plus(level, noise(r, mib)) }},

	{"1,000 bytes a second", true, func(r *rand.Rand) func(int) float64 { return rising(1000) }},
	{"1 KiB each 2 seconds", true, func(r *rand.Rand) func(int) float64 {
		return func(i int) float64 { return level(0) + 1024*float64(i/4) }
	}},
	{"16 MiB each 10 minutes", true, func(r *rand.Rand) func(int) float64 {
		at := r.IntN(1200)
		return func(i int) float64 { return level(0) + 16*mib*float64((i+at)/1200) }
	}},
	{"1 MiB each 50 samples", true, func(r *rand.Rand) func(int) float64 {
		return func(i int) float64 { return level(0) + mib*float64(i/50) }
	}},
	{"1 MiB each 500 samples in noise", true, func(r *rand.Rand) func(int) float64 {
		return plus(func(i int) float64 { return level(0) + mib*float64(i/500) }, noise(r, 1e5))
	}},
}

// A slow leak raises an alert within hours. Memory that stays within bounds may seem to
// grow in its first 20 minutes. After that it seldom raises an alert.
func TestSlowSeries(t *testing.T) {
	runs := thorough.Or(20, 1)
	const hours = 7200 // samples
	r := rand.New(rand.NewPCG(3, 4))
	for _, k := range slow {
		alarms, latest := 0, 0
		for range runs {
			n := 2 * hours
			if k.leak {
				n = 4 * hours
			}
			after := hours / 3
			if k.leak {
				after = 0
			}
			at := alarmedAfter(after, k.of(r), n)
			latest = max(latest, at)
			if at > 0 {
				alarms++
			}
		}
		t.Logf("%-32s %3d alarms in %d runs, at the latest after %.1f hours", k.name, alarms, runs,
			float64(latest)/hours)
		if k.leak {
			assert.Equal(t, runs, alarms, k.name)
		} else {
			assert.LessOrEqual(t, alarms, runs/10, k.name)
		}
	}
}

// alarmed returns the number of samples after which a watch raises an alert. If n samples
// raise none, it returns 0.
func alarmed(value func(i int) float64, n int) int { return alarmedAfter(0, value, n) }

// alarmedAfter is like alarmed, but ignores alerts in the first samples.
func alarmedAfter(first int, value func(i int) float64, n int) int {
	w := trend.New(trend.Options{Window: 300, MinSamples: 80, Confidence: 0.99, Alerts: []int{0}},
		[]trend.Quantity[float64]{{Value: func(v float64) float64 { return v }, Tolerance: 1024}})
	for i := range n {
		if len(w.Add(value(i), time.UnixMilli(int64(500*i)), false)) > 0 && i >= first {
			return i + 1
		}
	}
	return 0
}

// A series that does not leak raises no alert in 600 samples. A series that leaks raises
// an alert within 200.
func TestSimulatedSeries(t *testing.T) {
	runs := thorough.Or(200, 10)
	const flat, leaky = 600, 200
	r := rand.New(rand.NewPCG(1, 2))
	wrong, missed, all, leaks := 0, 0, 0, 0
	for _, k := range kinds {
		alarms, latest := 0, 0
		for range runs {
			n := flat
			if k.leak {
				n = leaky
			}
			at := alarmed(k.of(r), n)
			latest = max(latest, at)
			if at > 0 {
				alarms++
			}
		}
		t.Logf("%-30s %3d alarms in %d runs, at the latest after %d samples", k.name, alarms, runs, latest)
		if k.leak {
			leaks += runs
			missed += runs - alarms
		} else {
			all += runs
			wrong += alarms
		}
	}
	t.Logf("%d false alarms of %d, %d leaks missed of %d", wrong, all, missed, leaks)
	assert.LessOrEqual(t, wrong, all/200)
	assert.LessOrEqual(t, missed, leaks/100)
}
