package main

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"slices"
	"sync"
	"time"

	"github.com/gotorch/gotorch/torch"
	"github.com/gotorch/gotorch/torch/distributed"
)

// child is the environment variable that contains a task. If it is set, the process runs
// as one rank of a measurement.
const child = "GOTORCH_SCALING_RANK"

// task contains the settings of a rank's process, which the process reads from the
// environment variable in child.
type task struct {
	Rank, World int
	Port        int // port of the store
	Sizes       []int64
}

// patience is how long a rank waits for the other ranks to connect.
const patience = 2 * time.Minute

// measure returns the median time of a sum over world ranks, for each of sizes. Each rank
// is a process, as in a real training run, because goroutines of one process would share
// that process's threads.
func measure(world int) ([]float64, error) {
	if world < 1 {
		return nil, fmt.Errorf("cannot measure with %d ranks", world)
	}
	self, err := os.Executable()
	if err != nil {
		return nil, err
	}
	ctx, cancel := context.WithCancel(context.Background())
	defer cancel()
	store, err := distributed.NewTCPStore(ctx, "127.0.0.1:0", distributed.IsMaster(true),
		distributed.WaitForWorkers(false))
	if err != nil {
		return nil, err
	}
	defer store.Close()
	var said bytes.Buffer // output of rank 0
	errs := make([]error, world)
	var ranks sync.WaitGroup
	for r := range world {
		text, err := json.Marshal(task{Rank: r, World: world, Port: store.Port(), Sizes: sizes})
		if err != nil {
			return nil, err
		}
		cmd := exec.CommandContext(ctx, self)
		cmd.Env = append(os.Environ(), child+"="+string(text), "OMP_NUM_THREADS=1")
		cmd.Stderr = os.Stderr
		if r == 0 {
			cmd.Stdout = &said
		}
		ranks.Go(func() {
			if err := cmd.Run(); err != nil {
				errs[r] = fmt.Errorf("rank %d of %d: %w", r, world, err)
				cancel() // The ranks that are still running must not wait for the one that failed.
			}
		})
	}
	ranks.Wait()
	if err := errors.Join(errs...); err != nil {
		return nil, err
	}
	var times []float64
	if err := json.Unmarshal(said.Bytes(), &times); err != nil {
		return nil, fmt.Errorf("rank 0 said %q: %w", said.String(), err)
	}
	return times, nil
}

// rank runs this process as one rank of a measurement. Rank 0 prints the times.
func rank(text string) error {
	var k task
	if err := json.Unmarshal([]byte(text), &k); err != nil {
		return err
	}
	ctx := context.Background()
	store, err := distributed.NewTCPStore(ctx, fmt.Sprint("127.0.0.1:", k.Port), distributed.Timeout(patience))
	if err != nil {
		return err
	}
	defer store.Close()
	g, err := distributed.InitProcessGroup(ctx, distributed.Gloo, distributed.WithStore(store),
		distributed.Rank(k.Rank),
		distributed.WorldSize(k.World), distributed.Check(false), distributed.Interfaces("lo"),
		distributed.Timeout(patience))
	if err != nil {
		return err
	}
	defer g.Close()
	var times []float64
	for _, n := range k.Sizes {
		t, err := sums(ctx, g, n)
		if err != nil {
			return err
		}
		times = append(times, t)
	}
	if k.Rank > 0 {
		return nil
	}
	return json.NewEncoder(os.Stdout).Encode(times)
}

// sums returns the median time, in seconds, of a sum of n bytes over the group.
func sums(ctx context.Context, g *distributed.ProcessGroup, n int64) (float64, error) {
	x := torch.Ones(torch.Shape{n / 4})
	defer func() { _ = x.Close() }()
	var all []float64
	for range 7 {
		if err := g.Barrier(ctx); err != nil {
			return 0, err
		}
		reps := int(max(1, min(200, (8<<20)/n)))
		start := time.Now()
		for range reps {
			if err := g.AllReduce(ctx, x); err != nil {
				return 0, err
			}
		}
		all = append(all, time.Since(start).Seconds()/float64(reps))
	}
	slices.Sort(all)
	return all[len(all)/2], nil
}
