// Command scaling measures what the sum of gradients over ranks costs on this machine, fits
// the costs of its parts, compares what they say of more ranks with what those take, and
// writes down what they say of many machines. docs/distributed.md has the model.
//
//	GLOO_SOCKET_IFNAME=lo go run ./bench/cmd/scaling [-out build/scaling.json]
package main

import (
	"context"
	"encoding/json"
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"sync"
	"time"

	"github.com/gotorch/gotorch/torch"
	"github.com/gotorch/gotorch/torch/distributed"
)

func main() {
	out := flag.String("out", "build/scaling.json", "where the figures go")
	flag.Parse()
	if err := run(*out); err != nil {
		fmt.Fprintln(os.Stderr, "scaling:", err)
		os.Exit(1)
	}
}

// sizes are the bytes of a sum, worlds how many ranks take part.
var (
	sizes  = []int64{1 << 10, 1 << 16, 1 << 20, 4 << 20, 16 << 20}
	worlds = []int{2, 4, 8}
)

// Report is what the command writes.
type Report struct {
	Processors int       `json:"processors"`
	Points     []Point   `json:"points"`
	Model      Model     `json:"model"`
	Many       []Machine `json:"many"`
}

// Point is one sum, measured and as the model has it, in seconds.
type Point struct {
	World    int     `json:"world"`
	Bytes    int64   `json:"bytes"`
	Measured float64 `json:"measured"`
	Modelled float64 `json:"modelled"`
}

func run(out string) error {
	if err := os.MkdirAll(filepath.Dir(out), 0o755); err != nil {
		return err
	}
	r := Report{Processors: runtime.GOMAXPROCS(0)}
	for _, world := range worlds {
		times, err := measure(world)
		if err != nil {
			return err
		}
		for i, n := range sizes {
			r.Points = append(r.Points, Point{World: world, Bytes: n, Measured: times[i]})
		}
	}
	r.Model = fit(r.Points, r.Processors)
	fmt.Println(r.Model)
	fmt.Printf("\n%6s %10s %12s %12s %6s\n", "ranks", "bytes", "measured", "modelled", "ratio")
	for i := range r.Points {
		p := &r.Points[i]
		p.Modelled = r.Model.shared(p.World, p.Bytes, r.Processors)
		fmt.Printf("%6d %10d %12v %12v %6.2f\n", p.World, p.Bytes, seconds(p.Measured), seconds(p.Modelled), p.Measured/p.Modelled)
	}
	fmt.Printf("\n%6s %14s %14s %12s\n", "ranks", "sum of 100 MB", "step of 500 ms", "efficiency")
	for _, world := range []int{2, 8, 64, 256, 1000} {
		m := r.Model.many(world)
		r.Many = append(r.Many, m)
		fmt.Printf("%6d %14v %14v %11.0f%%\n", m.World, seconds(m.Sum), seconds(m.Step), 100*m.Efficiency)
	}
	text, err := json.MarshalIndent(r, "", "  ")
	if err != nil {
		return err
	}
	return os.WriteFile(out, append(text, '\n'), 0o644)
}

func seconds(s float64) time.Duration {
	return time.Duration(s * float64(time.Second)).Round(time.Microsecond)
}

// measure returns the median time of a sum of each size.
func measure(world int) ([]float64, error) {
	ctx := context.Background()
	store, err := distributed.NewHashStore()
	if err != nil {
		return nil, err
	}
	defer store.Close()
	times, errs := make([]float64, len(sizes)), make([]error, world)
	var ranks sync.WaitGroup
	for r := range world {
		ranks.Go(func() { errs[r] = rank(ctx, store, r, world, times) })
	}
	ranks.Wait()
	for _, err := range errs {
		if err != nil {
			return nil, err
		}
	}
	return times, nil
}

func rank(ctx context.Context, store *distributed.Store, r, world int, times []float64) error {
	g, err := distributed.InitProcessGroup(ctx, distributed.Gloo, distributed.WithStore(store), distributed.Rank(r),
		distributed.WorldSize(world), distributed.Check(false))
	if err != nil {
		return err
	}
	defer g.Close()
	for i, n := range sizes {
		x := torch.Ones(torch.Shape{n / 4})
		var all []float64
		for range 7 {
			if err := g.Barrier(ctx); err != nil {
				return err
			}
			reps := int(max(1, min(200, (8<<20)/n)))
			start := time.Now()
			for range reps {
				if err := g.AllReduce(ctx, x); err != nil {
					return err
				}
			}
			all = append(all, time.Since(start).Seconds()/float64(reps))
		}
		if r == 0 {
			slices.Sort(all)
			times[i] = all[len(all)/2]
		}
		_ = x.Close()
	}
	return nil
}
