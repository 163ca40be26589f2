package main

import "github.com/gotorch/gotorch/memory/plot"

// draw draws the resident memory after each step, with a curve for each process.
func (p *progress) draw(path string) error {
	var lines []plot.Line
	for _, l := range p.Lives {
		x, y := []float64{float64(l.From)}, []float64{mebibytes(l.Start)}
		for step := l.From; step < l.To; step++ {
			x, y = append(x, float64(step+1)), append(y, mebibytes(p.Resident[step]))
		}
		lines = append(lines, plot.Line{X: x, Y: y})
	}
	return plot.Save(path, "step", plot.Panel{Label: "resident, MiB", FromZero: true, Lines: lines})
}

func mebibytes(n int64) float64 { return float64(n) / (1 << 20) }
