package soak_test

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"os"
	"path/filepath"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/gotorch/gotorch/bench/internal/soak"
	"github.com/gotorch/gotorch/memory"
	"github.com/gotorch/gotorch/torch"
)

// The same number of bytes is live at every barrier, and no bytes are live at the end.
func TestComesBack(t *testing.T) {
	var progress bytes.Buffer
	r, err := soak.Run(t.Context(), soak.Options{Goroutines: 3, Rounds: 4, Jobs: 8, Seed: 7, Progress: &progress})
	require.NoError(t, err)
	require.NoError(t, r.Err())
	assert.Equal(t, r.Start, r.End)
	require.Len(t, r.Samples, 4)
	for _, s := range r.Samples {
		assert.Positive(t, s.Native, "the workers' networks")
		assert.Equal(t, r.Samples[0].Native, s.Native)
		assert.Equal(t, r.Samples[0].Tensors, s.Tensors)
		assert.Equal(t, r.Start.Callbacks, s.Callbacks)
	}
	jobs := int64(0)
	for _, n := range r.Jobs {
		jobs += n
	}
	assert.EqualValues(t, 3*4*8, jobs)
	assert.Equal(t, jobs, r.Samples[3].Jobs)
	assert.Contains(t, progress.String(), "96 jobs")
}

// Each job is tested separately, so that a failure names the job that leaks.
func TestEveryJobComesBack(t *testing.T) {
	for _, job := range soak.Work() {
		t.Run(job.Name, func(t *testing.T) {
			r, err := soak.Run(t.Context(), soak.Options{Goroutines: 2, Rounds: 2, Jobs: 2, Work: []soak.Job{job}})
			require.NoError(t, err)
			require.NoError(t, r.Err())
			assert.Equal(t, r.Samples[0].Native, r.Samples[1].Native)
			assert.Equal(t, r.Samples[0].Tensors, r.Samples[1].Tensors)
		})
	}
}

// A job that keeps a tensor on each call is reported as a leak.
func TestFindsALeak(t *testing.T) {
	var mu sync.Mutex
	var kept []*torch.Tensor
	leak := soak.Job{Name: "leak", Weight: 1, Run: func(*soak.Worker) error {
		x := torch.Zeros(torch.Shape{1 << 14})
		mu.Lock()
		defer mu.Unlock()
		kept = append(kept, x)
		return nil
	}}
	r, err := soak.Run(t.Context(), soak.Options{Goroutines: 3, Rounds: 15, Jobs: 2, Work: []soak.Job{leak}})
	require.NoError(t, err)
	assert.Equal(t, memory.Leaking, r.Of(memory.NativeBytes).Verdict)
	assert.Equal(t, memory.Leaking, r.Of(memory.OpenTensors).Verdict)
	assert.Positive(t, r.Of(memory.NativeBytes).Slope)
	assert.EqualValues(t, 15*3*2<<16, r.End.Native-r.Start.Native)
	assert.EqualValues(t, 15*3*2, r.End.Tensors-r.Start.Tensors)
	assert.ErrorContains(t, r.Err(), "native bytes grow")
	assert.ErrorContains(t, r.Err(), "5898240 native bytes, 90 tensors")

	var table bytes.Buffer
	require.NoError(t, r.WriteTable(&table))
	assert.Contains(t, table.String(), "leaking at 99 %")
	for _, x := range kept {
		require.NoError(t, x.Close())
	}
}

// Work that keeps nothing is reported as flat. The rounds are so short that a new
// goroutine's kilobytes look like megabytes per second, so the tolerances are large.
func TestFlat(t *testing.T) {
	idle := soak.Job{Name: "idle", Weight: 1, Run: func(*soak.Worker) error { return nil }}
	r, err := soak.Run(t.Context(), soak.Options{
		Goroutines: 3, Rounds: 15, Work: []soak.Job{idle}, Tolerance: 1 << 40, ResidentTolerance: 1 << 40,
	})
	require.NoError(t, err)
	require.NoError(t, r.Err())
	assert.Equal(t, memory.Flat, r.Of(memory.NativeBytes).Verdict)
	assert.Equal(t, memory.Flat, r.Of(memory.OpenTensors).Verdict)
	assert.Zero(t, r.Of(memory.NativeBytes).Slope)
}

// An error and an operator's panic are reported, and do not end the run.
func TestFailedJobs(t *testing.T) {
	work := []soak.Job{
		{Name: "error", Weight: 1, Run: func(*soak.Worker) error { return errors.New("no more") }},
		{Name: "panic", Weight: 1, Run: func(*soak.Worker) error { torch.Ones(torch.Shape{2}).View(3); return nil }},
	}
	r, err := soak.Run(t.Context(), soak.Options{Goroutines: 2, Rounds: 2, Jobs: 20, Work: work})
	require.NoError(t, err)
	assert.EqualValues(t, 2*2*20, r.Failed)
	assert.Contains(t, r.Failures, "error: no more")
	assert.Len(t, r.Failures, 20)
	assert.ErrorContains(t, r.Err(), "80 jobs failed")
	assert.Equal(t, r.Start, r.End)
}

// A run that is interrupted still compares its state at the end with its state at the
// start.
func TestInterrupted(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	stop := soak.Job{Name: "stop", Weight: 1, Run: func(*soak.Worker) error { cancel(); return nil }}
	r, err := soak.Run(ctx, soak.Options{
		Goroutines: 2, Duration: time.Hour, Every: time.Hour, Warmup: time.Hour,
		Work: []soak.Job{stop},
	})
	require.NoError(t, err)
	require.NoError(t, r.Err())
	assert.True(t, r.Interrupted)
	require.Len(t, r.Samples, 1)
	assert.True(t, r.Samples[0].Warmup)
	assert.Equal(t, memory.Unsure, r.Of(memory.NativeBytes).Verdict, "nothing but warm-up")
	assert.Equal(t, r.Start, r.End)

	path := filepath.Join(t.TempDir(), "new", "soak.json")
	require.NoError(t, r.WriteJSON(path))
	text, err := os.ReadFile(path)
	require.NoError(t, err)
	var back soak.Report
	require.NoError(t, json.Unmarshal(text, &back))
	assert.Equal(t, *r, back)
}

// The example fails in a directory without the data files.
func TestMissingData(t *testing.T) {
	var example []soak.Job
	for _, job := range soak.Work() {
		if job.Name == "example" {
			example = append(example, job)
		}
	}
	r, err := soak.Run(t.Context(), soak.Options{Goroutines: 1, Rounds: 1, Jobs: 1, Data: t.TempDir(), Work: example})
	require.NoError(t, err)
	assert.EqualValues(t, 1, r.Failed)
	assert.ErrorContains(t, r.Err(), "example: data: ")
}
