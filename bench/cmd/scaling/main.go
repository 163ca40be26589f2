// Command scaling measures the cost of summing gradients over ranks on this machine. It
// measures 2, 4 and 8 ranks, each in its own process, and fits a cost model to the times.
// It compares the model with the times, and writes its predictions for many machines.
// docs/distributed.md describes the model.
//
//	go run ./bench/cmd/scaling [-out build/scaling.json]
package main

import (
	"encoding/json"
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"time"
)

func main() {
	if task := os.Getenv(child); task != "" {
		if err := rank(task); err != nil {
			fmt.Fprintln(os.Stderr, "scaling:", err)
			os.Exit(1)
		}
		return
	}
	out := flag.String("out", "build/scaling.json", "file to write the figures to")
	flag.Parse()
	if err := run(*out); err != nil {
		fmt.Fprintln(os.Stderr, "scaling:", err)
		os.Exit(1)
	}
}

// sizes are the sizes in bytes of the measured sums, worlds are the numbers of ranks to
// measure, and many are the numbers of machines to predict.
var (
	sizes  = []int64{1 << 10, 1 << 16, 1 << 20, 4 << 20, 16 << 20}
	worlds = []int{2, 4, 8}
	many   = []int{2, 8, 64, 256, 1000}
)

// Report is the content of the output file.
type Report struct {
	Processors int       `json:"processors"`
	Points     []Point   `json:"points"`
	Model      Model     `json:"model"`
	Many       []Machine `json:"many"`
}

// Point is the measured time of one sum in seconds, and the model's time.
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
		fmt.Printf("%6d %10d %12v %12v %6.2f\n", p.World, p.Bytes, seconds(p.Measured), seconds(p.Modelled),
			p.Measured/p.Modelled)
	}
	fmt.Println(ratios(r.Points))
	fmt.Printf("\n%6s %14s %14s %12s\n", "ranks", "sum of 100 MB", "step of 500 ms", "efficiency")
	for _, world := range many {
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
