package main

import "github.com/gotorch/gotorch/torch"

// A plotting library keeps a figure and its data until the program closes it.
func leakyFigures() (step func(int), end func()) {
	open := map[int]*figure{}
	return scoped(func(i int) {
		series := torch.Arange(0, 100, 1) // leaks
		open[i] = &figure{torch.Keep(series)}
		open[i].draw()
	}), func() { closeFigures(open) }
}

func fixedFigures() (step func(int), end func()) {
	open := map[int]*figure{}
	return scoped(func(i int) {
		open[i] = &figure{torch.Keep(torch.Arange(0, 100, 1))}
		open[i].draw()
		closeFigures(open) // as plt.close does
	}), func() {}
}

type figure struct{ data *torch.Tensor }

func (f *figure) draw() { _ = f.data.Shape() }

func closeFigures(open map[int]*figure) {
	for i, f := range open {
		_ = f.data.Close()
		delete(open, i)
	}
}
