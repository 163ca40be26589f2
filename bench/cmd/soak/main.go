// Command soak runs mixed work on several goroutines for half an hour and reports whether
// memory grew. Package bench/internal/soak describes the work, and CONTRIBUTING.md
// explains the result.
//
//	go run ./bench/cmd/soak                   # half an hour
//	go run ./bench/cmd/soak -duration 2m -warmup 20s
//
// The exit status is 1 if a quantity keeps growing, if something is left after everything
// was closed, or if a job failed. Ctrl-C ends the run early, with the verdict so far.
package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"os"
	"os/signal"
	"strconv"
	"strings"
	"time"

	"github.com/gotorch/gotorch/bench/internal/soak"
)

func main() {
	o := soak.Options{Progress: os.Stdout}
	flag.DurationVar(&o.Duration, "duration", 30*time.Minute, "duration of the run")
	flag.DurationVar(&o.Warmup, "warmup", 10*time.Minute, "time at the start that is not judged")
	flag.DurationVar(&o.Every, "every", 10*time.Second, "time between samples")
	flag.IntVar(&o.Goroutines, "goroutines", 8, "number of goroutines")
	flag.Uint64Var(&o.Seed, "seed", 1, "seed of the choice of jobs and of random numbers")
	flag.StringVar(&o.Data, "data", "", "folder with Fashion-MNIST; default: generated images")
	flag.Func("only", "run only this kind of work, such as \"two ranks\"", func(name string) error {
		var names []string
		for _, j := range soak.Work() {
			if j.Name == name {
				o.Work = []soak.Job{j}
				return nil
			}
			names = append(names, strconv.Quote(j.Name))
		}
		return fmt.Errorf("expected one of %s", strings.Join(names, ", "))
	})
	lean := flag.Bool("lean", true, "turn off the heaps and caches per thread of glibc's malloc")
	out := flag.String("out", "build/soak.json", "file for samples and verdicts")
	flag.Parse()
	if *lean {
		if err := leanMalloc(); err != nil {
			fmt.Fprintln(os.Stderr, "soak: with malloc as it is:", err)
		}
	}
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt)
	context.AfterFunc(ctx, stop) // After the first Ctrl-C, a second one kills the program.
	if err := run(ctx, o, *out); err != nil {
		fmt.Fprintln(os.Stderr, "soak:", err)
		os.Exit(1)
	}
}

func run(ctx context.Context, o soak.Options, out string) error {
	if o.Duration <= 0 || o.Every <= 0 || o.Warmup < 0 || o.Goroutines <= 0 {
		return errors.New("-duration, -every and -goroutines must be positive, and -warmup not negative")
	}
	r, err := soak.Run(ctx, o)
	if err != nil {
		return err
	}
	if err := r.WriteTable(os.Stdout); err != nil {
		return err
	}
	if err := r.WriteJSON(out); err != nil {
		return err
	}
	fmt.Println("samples and verdicts:", out)
	return r.Err()
}
