package soak

import (
	"context"
	"fmt"
	"os"
	"runtime/pprof"
	"sync"
	"time"

	"github.com/gotorch/gotorch/memory"
	"github.com/gotorch/gotorch/torch"
)

// stuckAfter is how long goroutines may take to finish their last job of a round. After
// that the run counts as stuck.
const stuckAfter = 5 * time.Minute

// run is a running soak.
type run struct {
	options Options
	shared  *shared
	started time.Time
	workers []*Worker
	rounds  []chan round
	ended   sync.WaitGroup // of the goroutines
	samples []Sample

	reader               *memory.Monitor // takes the samples
	judge, judgeResident *memory.Monitor // monitors that get the samples after the warm-up
}

// Run runs jobs until the time is up or ctx is done, and reports how memory has changed.
// It returns an error only if the soak itself could not run; leaks and failed jobs are in
// the Report. No other code in the process should create tensors during the run.
func Run(ctx context.Context, o Options) (*Report, error) {
	o.defaults()
	r := &run{options: o, shared: &shared{
		data: o.Data, exchange: make(chan *torch.Tensor, 64), work: o.Work, jobs: map[string]int64{},
	}}
	for m, tolerance := range map[**memory.Monitor]float64{
		&r.reader: o.Tolerance, &r.judge: o.Tolerance, &r.judgeResident: o.ResidentTolerance,
	} {
		var err error
		if *m, err = monitor(tolerance); err != nil {
			return nil, err
		}
	}
	if o.Data == "" {
		dir, err := os.MkdirTemp("", "gotorch-soak-")
		if err != nil {
			return nil, err
		}
		defer os.RemoveAll(dir)
		if err := madeUp(dir, o.Seed); err != nil {
			return nil, err
		}
		r.shared.data = dir
	}
	torch.ManualSeed(o.Seed)
	settle()
	r.started = time.Now()
	start := stateNow()
	r.start()
	err := r.all(ctx)
	if err != nil {
		// Stuck goroutines may still be using the tensors, so closing the tensors would
		// be a race.
		return nil, err
	}
	r.stop()
	return r.report(start, stateNow(), ctx.Err() != nil), nil
}

// start creates the workers and starts their goroutines, which then wait for the first
// round.
func (r *run) start() {
	for id := range r.options.Goroutines {
		w, rounds := newWorker(r.shared, r.options.Seed, id), make(chan round)
		r.workers, r.rounds = append(r.workers, w), append(r.rounds, rounds)
		r.ended.Add(1)
		go func() {
			defer r.ended.Done()
			w.loop(rounds)
		}()
	}
}

// stop ends the goroutines and closes everything that the workers hold.
func (r *run) stop() {
	for _, c := range r.rounds {
		close(c)
	}
	r.ended.Wait()
	for _, w := range r.workers {
		w.close()
	}
	r.workers = nil
	settle()
}

// all runs rounds until the run is over.
func (r *run) all(ctx context.Context) error {
	o, reported := &r.options, time.Now()
	for n := 0; ; n++ {
		if err := r.round(ctx); err != nil {
			return err
		}
		s := r.observe()
		r.samples = append(r.samples, s)
		last := ctx.Err() != nil || (o.Rounds > 0 && n+1 >= o.Rounds) ||
			(o.Rounds == 0 && time.Since(r.started) >= o.Duration)
		if last || time.Since(reported) >= o.Report {
			reported = time.Now()
			fmt.Fprintln(o.Progress, r.line(s))
		}
		if last {
			return nil
		}
	}
}

// round starts a round on every goroutine and waits until all have finished it.
func (r *run) round(ctx context.Context) error {
	jobs := 0
	if r.options.Rounds > 0 {
		jobs = r.options.Jobs
	} else {
		left := min(r.options.Every, r.options.Duration-time.Since(r.started))
		var cancel context.CancelFunc
		ctx, cancel = context.WithTimeout(ctx, left)
		defer cancel()
	}
	var working sync.WaitGroup
	working.Add(len(r.rounds))
	for _, c := range r.rounds {
		c <- round{ctx, jobs, &working}
	}
	done := make(chan struct{})
	go func() {
		working.Wait()
		close(done)
	}()
	if jobs == 0 {
		<-ctx.Done()
	}
	stuck := time.NewTimer(stuckAfter)
	defer stuck.Stop()
	select {
	case <-done:
	case <-stuck.C:
		_ = pprof.Lookup("goroutine").WriteTo(os.Stderr, 1)
		return fmt.Errorf("soak: a goroutine did not finish its job within %v", stuckAfter)
	}
	r.shared.drain()
	return nil
}
