package tensorboard_test

import (
	"image"
	"os"
	"path/filepath"
	"sort"
	"strings"
	"testing"
	"testing/synctest"

	"github.com/stretchr/testify/require"

	"github.com/gotorch/gotorch/internal/compilefail"
	"github.com/gotorch/gotorch/internal/optiontest"
	"github.com/gotorch/gotorch/torch"
	"github.com/gotorch/gotorch/torch/tensorboard"
	"github.com/gotorch/gotorch/torchtest"
)

// wrote runs a function with a writer and a fake clock, and returns the files that it
// wrote, with their contents.
func wrote(t *testing.T, run func(w *tensorboard.SummaryWriter) error) optiontest.Outcome {
	folder := t.TempDir()
	var mistake any
	synctest.Test(t, func(t *testing.T) {
		w, err := tensorboard.NewSummaryWriter(folder)
		require.NoError(t, err)
		defer func() {
			mistake = recover() // a panic would end the test's bubble
			require.NoError(t, w.Close())
		}()
		if err := run(w); err != nil {
			panic(err)
		}
	})
	if mistake != nil {
		panic(mistake)
	}
	return optiontest.Outcome{"files": tree(t, folder)}
}

func tree(t *testing.T, folder string) string {
	var all []string
	require.NoError(t, filepath.WalkDir(folder, func(name string, d os.DirEntry, err error) error {
		if err == nil && !d.IsDir() {
			text, err := os.ReadFile(name)
			all = append(all, strings.TrimPrefix(name, folder)+"\n"+string(text))
			return err
		}
		return err
	}))
	sort.Strings(all)
	return strings.Join(all, "\n")
}

// Each option of each function is tested alone, after a different value, and next to a
// nil option.
func TestOptions(t *testing.T) {
	defer torchtest.CheckLeaks(t)()
	values := optiontest.Values
	x := torch.Tidy(func() *torch.Tensor { return torch.Arange(0, 24, 1).Reshape(1, 3, 2, 4).To(torch.Uint8) })
	defer func() { _ = x.Close() }()
	one := x.Select(0, 0)
	defer func() { _ = one.Close() }()
	then := values(tensorboard.WallTime(5), tensorboard.WallTime(0))
	rows := map[string]optiontest.Row{
		"SummaryWriter.AddScalar": optiontest.For(func(opts ...tensorboard.ScalarOption) optiontest.Outcome {
			return wrote(t, func(w *tensorboard.SummaryWriter) error {
				return w.AddScalar("a", 0.1, 1,
					append([]tensorboard.ScalarOption{tensorboard.NewStyle(true)}, opts...)...)
			})
		},
			then,
			values(tensorboard.NewStyle(false), tensorboard.NewStyle(true)),
			values(tensorboard.DoublePrecision(true), tensorboard.DoublePrecision(false)),
		),
		"SummaryWriter.AddScalars": optiontest.For(func(opts ...tensorboard.EventOption) optiontest.Outcome {
			return wrote(t, func(w *tensorboard.SummaryWriter) error {
				return w.AddScalars("a", map[string]float64{"b": 1}, 1, opts...)
			})
		}, then),
		"SummaryWriter.AddText": optiontest.For(func(opts ...tensorboard.EventOption) optiontest.Outcome {
			return wrote(t, func(w *tensorboard.SummaryWriter) error { return w.AddText("a", "b", 1, opts...) })
		}, then),
		"SummaryWriter.AddFigure": optiontest.For(func(opts ...tensorboard.EventOption) optiontest.Outcome {
			return wrote(t, func(w *tensorboard.SummaryWriter) error {
				return w.AddFigure("a", image.NewGray(image.Rect(0, 0, 2, 2)), 1, opts...)
			})
		}, then),
		"SummaryWriter.AddHistogramRaw": optiontest.For(func(opts ...tensorboard.EventOption) optiontest.Outcome {
			return wrote(t, func(w *tensorboard.SummaryWriter) error {
				return w.AddHistogramRaw("a", 0, 1, 2, 3, 4, []float64{5}, []float64{6}, 1, opts...)
			})
		}, then),
		"SummaryWriter.AddHistogram": optiontest.For(func(opts ...tensorboard.HistogramOption) optiontest.Outcome {
			return wrote(t, func(w *tensorboard.SummaryWriter) error { return w.AddHistogram("a", x, 1, opts...) })
		},
			then,
			values(tensorboard.Bins{0, 3, 9}, tensorboard.Bins(nil)),
			values(tensorboard.MaxBins(2), tensorboard.MaxBins(100)),
		),
		"SummaryWriter.AddImage": optiontest.For(func(opts ...tensorboard.ImageOption) optiontest.Outcome {
			return wrote(t, func(w *tensorboard.SummaryWriter) error { return w.AddImage("a", one, 1, opts...) })
		}, then, values(tensorboard.DataFormats("CWH"), tensorboard.DataFormats("CHW"))),
		"SummaryWriter.AddImages": optiontest.For(func(opts ...tensorboard.ImageOption) optiontest.Outcome {
			return wrote(t, func(w *tensorboard.SummaryWriter) error { return w.AddImages("a", x, 1, opts...) })
		}, then, values(tensorboard.DataFormats("NCWH"), tensorboard.DataFormats("NCHW"))),
		"SummaryWriter.AddHParams": optiontest.For(func(opts ...tensorboard.HParamsOption) optiontest.Outcome {
			return wrote(t, func(w *tensorboard.SummaryWriter) error {
				return w.AddHParams(map[string]any{"lr": 1}, nil, opts...)
			})
		},
			values(tensorboard.RunName("x"), tensorboard.RunName("")),
			values(tensorboard.HParamDomainDiscrete{"lr": {1, 2}}, tensorboard.HParamDomainDiscrete(nil)),
			values(tensorboard.GlobalStep(2), tensorboard.GlobalStep(0)),
		),
		"NewSummaryWriter": optiontest.For(func(opts ...tensorboard.WriterOption) optiontest.Outcome {
			t.Chdir(t.TempDir())
			var mistake any
			out := optiontest.Outcome{}
			synctest.Test(t, func(t *testing.T) {
				defer func() { mistake = recover() }()
				w, err := tensorboard.NewSummaryWriter("", opts...)
				if err != nil {
					panic(err)
				}
				for range 25 {
					require.NoError(t, w.AddScalar("a", 1, 1))
				}
				out["files"] = tree(t, ".")
				require.NoError(t, w.Close())
			})
			if mistake != nil {
				panic(mistake)
			}
			return out
		},
			values(tensorboard.Comment("x"), tensorboard.Comment("")),
			values(tensorboard.PurgeStep(0), tensorboard.PurgeStep(3)),
			values(tensorboard.MaxQueue(0), tensorboard.MaxQueue(3)),
			values(tensorboard.FlushSecs(0), tensorboard.FlushSecs(5)),
			values(tensorboard.FilenameSuffix("x"), tensorboard.FilenameSuffix("")),
			optiontest.Refused(tensorboard.MaxQueue(-1)),
			optiontest.Refused(tensorboard.FlushSecs(-1)),
		),
	}
	optiontest.Read(t, ".").Run(t, rows)
}

// Passing an option to a function that does not take it does not compile.
func TestForeignOptions(t *testing.T) {
	s := compilefail.Scope{
		Imports: []string{"github.com/gotorch/gotorch/torch/tensorboard"},
		Decls:   "var w *tensorboard.SummaryWriter",
	}
	s.Accepts(t, "w.AddScalar(``, 1, 1, tensorboard.WallTime(1))",
		"w.AddImage(``, nil, 1, tensorboard.DataFormats(`HW`))")
	s.Rejects(t,
		"w.AddScalar(``, 1, 1, 5.0)", "w.AddScalar(``, 1, 1, tensorboard.MaxBins(1))",
		"w.AddText(``, ``, 1, tensorboard.NewStyle(true))",
		"w.AddHistogram(``, nil, 1, tensorboard.DataFormats(``))", "w.AddHParams(nil, nil, tensorboard.WallTime(1))",
		"tensorboard.NewSummaryWriter(``, tensorboard.RunName(``))")
}
