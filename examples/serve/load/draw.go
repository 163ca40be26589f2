package main

import (
	"context"
	"fmt"
	"io"
	"time"

	"github.com/gotorch/gotorch/memory/plot"
)

// crowds are the numbers of clients for which the plot shows latency and throughput.
var crowds = []int{1, 2, 4, 8, 16, 32, 64}

// sweep measures once with each number of clients in crowds, and draws latency and
// throughput.
func (l *load) sweep(ctx context.Context, out io.Writer, path string) error {
	var clients, rate, median, tail []float64
	for _, n := range crowds {
		l.clients = n
		r, err := l.measure(ctx, l.requests)
		if err != nil {
			return err
		}
		perSecond := float64(len(r.latencies)) / r.wall.Seconds()
		fmt.Fprintf(out, "%d clients: %.0f a second, latency %v, 99 %% within %v\n", n, perSecond, r.quantile(0.5),
			r.quantile(0.99))
		clients, rate = append(clients, float64(n)), append(rate, perSecond)
		median, tail = append(median, milliseconds(r.quantile(0.5))), append(tail, milliseconds(r.quantile(0.99)))
	}
	return plot.Save(path, "clients",
		plot.Panel{Label: "latency, ms", FromZero: true, Lines: []plot.Line{
			{Label: "99 % within", X: clients, Y: tail}, {Label: "median", X: clients, Y: median},
		}},
		plot.Panel{Label: "requests a second", FromZero: true, Lines: []plot.Line{{X: clients, Y: rate}}})
}

func milliseconds(d time.Duration) float64 { return 1e3 * d.Seconds() }
