package main

import (
	"fmt"
	"image"
	_ "image/jpeg" // registers the JPEG decoder
	_ "image/png"
	"os"
	"strings"

	"gonum.org/v1/plot"
	"gonum.org/v1/plot/vg"

	"github.com/gotorch/gotorch/examples/internal/tiles"
)

// drawLabels draws the images side by side, with their labels above.
func drawLabels(path string, pictures []string, found [][]labelled) error {
	row := make([]*plot.Plot, len(pictures))
	for i, name := range pictures {
		f, err := os.Open(name)
		if err != nil {
			return err
		}
		img, _, err := image.Decode(f)
		_ = f.Close() // only read
		if err != nil {
			return fmt.Errorf("%s: %w", name, err)
		}
		var lines []string
		for _, l := range found[i] {
			lines = append(lines, fmt.Sprintf("%.1f %%  %s", 100*l.Probability, l.Label))
		}
		row[i] = tiles.Picture(strings.Join(lines, "\n"), img)
	}
	return tiles.Save(path, vg.Length(len(row))*3*vg.Inch, 3.2*vg.Inch, row)
}
