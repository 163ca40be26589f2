// Package tiles writes several plots, in rows and columns, into one PNG file.
package tiles

import (
	"errors"
	"os"
	"path/filepath"

	"gonum.org/v1/plot"
	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"
	"gonum.org/v1/plot/vg/vgimg"
)

// Save draws rows of plots into a file of width x height at 80 dots per inch. All rows
// must have the same length. An existing file is replaced.
func Save(path string, width, height vg.Length, rows ...[]*plot.Plot) error {
	img := vgimg.NewWith(vgimg.UseWH(width, height), vgimg.UseDPI(80))
	const pad = 4 * vg.Millimeter
	tiles := draw.Tiles{
		Rows: len(rows), Cols: len(rows[0]), PadX: 2 * pad, PadY: pad,
		PadTop: pad, PadBottom: pad, PadLeft: pad, PadRight: pad,
	}
	for i, line := range plot.Align(rows, tiles, draw.New(img)) {
		for k, canvas := range line {
			rows[i][k].Draw(canvas)
		}
	}
	f, err := os.Create(filepath.Clean(path))
	if err != nil {
		return err
	}
	_, err = vgimg.PngCanvas{Canvas: img}.WriteTo(f)
	return errors.Join(err, f.Close())
}
