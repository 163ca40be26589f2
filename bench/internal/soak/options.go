package soak

import (
	"io"
	"time"
)

// Options are the settings of Run. The zero value runs every job on 8
// goroutines for half an hour.
type Options struct {
	Duration time.Duration // length of the run; 0: 30 minutes; ignored if Rounds is set
	Every    time.Duration // length of a round; 0: 10 seconds
	// Warmup is the first part of the run, whose samples are shown but not judged. 0
	// means that all samples are judged.
	Warmup     time.Duration
	Goroutines int    // number of goroutines; 0: 8
	Seed       uint64 // seed for the choice of jobs and for their random numbers
	Data       string // folder with files in MNIST's format; "": generated

	// If Rounds is not 0, the run ends after that number of rounds, and each goroutine
	// runs Jobs jobs per round. A round then counts as one second in the trends.
	Rounds int
	Jobs   int // 0: 10

	// Work contains the jobs to choose from; nil means Work().
	Work []Job

	// Growth up to these tolerances, in bytes per second, does not count as a leak.
	// Tolerance is for native bytes and Go's heap. ResidentTolerance is for the C heap
	// and resident memory, which grow with each new OS thread. 0 means 1024 for Tolerance
	// and 8192 for ResidentTolerance.
	Tolerance, ResidentTolerance float64

	// Progress receives one line for every Report. If it is nil, nothing is written.
	Progress io.Writer
	Report   time.Duration // 0: 30 seconds
}

func (o *Options) defaults() {
	if o.Duration == 0 {
		o.Duration = 30 * time.Minute
	}
	if o.Every == 0 {
		o.Every = 10 * time.Second
	}
	if o.Goroutines == 0 {
		o.Goroutines = 8
	}
	if o.Jobs == 0 {
		o.Jobs = 10
	}
	if o.Work == nil {
		o.Work = Work()
	}
	if o.Tolerance == 0 {
		o.Tolerance = 1024
	}
	if o.ResidentTolerance == 0 {
		o.ResidentTolerance = 8192
	}
	if o.Report == 0 {
		o.Report = 30 * time.Second
	}
	if o.Progress == nil {
		o.Progress = io.Discard
	}
}
