package tensorboard_test

import (
	"fmt"
	"image"
	"io/fs"
	"math"
	"os"
	"path/filepath"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/gotorch/gotorch/internal/pythontest"
	"github.com/gotorch/gotorch/torch"
	"github.com/gotorch/gotorch/torch/tensorboard"
	"github.com/gotorch/gotorch/torchtest"
)

func newWriter(t *testing.T, folder string, opts ...tensorboard.WriterOption) *tensorboard.SummaryWriter {
	t.Helper()
	w, err := tensorboard.NewSummaryWriter(folder, opts...)
	require.NoError(t, err)
	t.Cleanup(func() { assert.NoError(t, w.Close()) })
	return w
}

// written returns the number of records in the file of a directory.
func written(t *testing.T, folder string) int { return len(records(t, events(t, folder))) }

func TestTheDefaultFolder(t *testing.T) {
	t.Chdir(t.TempDir())
	host, err := os.Hostname()
	require.NoError(t, err)
	synctest.Test(t, func(t *testing.T) {
		w, err := tensorboard.NewSummaryWriter("", tensorboard.Comment("LR_0.1"))
		require.NoError(t, err)
		at := time.Now().Format("Jan02_15-04-05")
		assert.Equal(t, filepath.Join("runs", at+"_"+host+"LR_0.1"), w.LogDir())
		require.NoError(t, w.Close())
	})
}

func TestNamesOfFiles(t *testing.T) {
	folder := t.TempDir()
	synctest.Test(t, func(t *testing.T) {
		for range 2 {
			w, err := tensorboard.NewSummaryWriter(folder, tensorboard.FilenameSuffix(".mine"))
			require.NoError(t, err)
			require.NoError(t, w.Close())
		}
	})
	names, err := os.ReadDir(folder)
	require.NoError(t, err)
	require.Len(t, names, 2)
	for i, n := range names {
		assert.Regexp(t, fmt.Sprintf(`^events\.out\.tfevents\.0946684800\..+\.%d\.%d\.mine$`, os.Getpid(), i), n.Name())
	}
}

// Events are flushed when the buffer is full, after the flush interval, and on Flush.
func TestWhenEventsAreWritten(t *testing.T) {
	folder := t.TempDir()
	synctest.Test(t, func(t *testing.T) {
		w, err := tensorboard.NewSummaryWriter(folder, tensorboard.MaxQueue(3), tensorboard.FlushSecs(60))
		require.NoError(t, err)
		add := func() { require.NoError(t, w.AddScalar("a", 1, 1)) }
		assert.Equal(t, 1, written(t, folder), "the first record is there at once")
		add()
		add()
		assert.Equal(t, 1, written(t, folder))
		add()
		assert.Equal(t, 4, written(t, folder), "three are enough")
		add()
		time.Sleep(59 * time.Second) // on the fake clock
		synctest.Wait()
		assert.Equal(t, 4, written(t, folder))
		time.Sleep(2 * time.Second)
		synctest.Wait()
		assert.Equal(t, 5, written(t, folder), "a minute is over")
		add()
		require.NoError(t, w.Flush())
		assert.Equal(t, 6, written(t, folder))
		require.NoError(t, w.Flush(), "with nothing to write")
		add()
		require.NoError(t, w.Close())
		assert.Equal(t, 7, written(t, folder))
	})
}

func TestQueueWithoutLimit(t *testing.T) {
	folder := t.TempDir()
	w := newWriter(t, folder, tensorboard.MaxQueue(0))
	for i := range 100 {
		require.NoError(t, w.AddScalar("a", 1, i))
	}
	assert.Equal(t, 1, written(t, folder))
	require.NoError(t, w.Flush())
	assert.Equal(t, 101, written(t, folder))
}

func TestSeveralGoroutines(t *testing.T) {
	folder := t.TempDir()
	w := newWriter(t, folder)
	var all sync.WaitGroup
	for g := range 8 {
		all.Go(func() {
			for i := range 50 {
				assert.NoError(t, w.AddScalar("a", float64(g), i))
				assert.NoError(t, w.AddScalars("b", map[string]float64{"x": 1}, i))
			}
			assert.NoError(t, w.Flush())
		})
	}
	all.Wait()
	assert.Equal(t, 1+8*50, written(t, folder))
	assert.Equal(t, 1+8*50, written(t, filepath.Join(folder, "b_x")))
}

func TestAddFigure(t *testing.T) {
	folder := t.TempDir()
	w := newWriter(t, folder, tensorboard.FlushSecs(0))
	require.NoError(t, w.AddFigure("f", image.NewGray(image.Rect(0, 0, 3, 2)), 1, tensorboard.WallTime(5)))
	assert.Contains(t, string(events(t, folder)), "\x89PNG")
}

func TestClosed(t *testing.T) {
	defer torchtest.CheckLeaks(t)()
	w := newWriter(t, t.TempDir())
	require.NoError(t, w.Close())
	require.NoError(t, w.Close(), "a second time")
	require.NoError(t, (*tensorboard.SummaryWriter)(nil).Close())
	x := torch.Zeros(torch.Shape{1, 2, 2})
	defer func() { _ = x.Close() }()
	for name, err := range map[string]error{
		"AddScalar":    w.AddScalar("a", 1, 1),
		"AddScalars":   w.AddScalars("a", map[string]float64{"b": 1}, 1),
		"AddHistogram": w.AddHistogram("a", x, 1),
		"AddImage":     w.AddImage("a", x, 1),
		"AddText":      w.AddText("a", "b", 1),
		"AddHParams":   w.AddHParams(map[string]any{"a": 1}, nil),
		"Flush":        w.Flush(),
	} {
		require.ErrorIs(t, err, torch.ErrClosed, name)
		assert.ErrorContains(t, err, "tensorboard.SummaryWriter."+name)
	}
}

func TestMistakes(t *testing.T) {
	defer torchtest.CheckLeaks(t)()
	w := newWriter(t, t.TempDir())
	x := torch.Zeros(torch.Shape{2, 3, 3})
	defer func() { _ = x.Close() }()
	empty := torch.Zeros(torch.Shape{3, 0, 4})
	defer func() { _ = empty.Close() }()
	complex := torch.Zeros(torch.Shape{3, 1, 1}, torch.Complex64)
	defer func() { _ = complex.Close() }()
	gone := torch.Zeros(torch.Shape{3})
	_ = gone.Close()
	for name, c := range map[string]struct {
		err  error
		kind error
		want string
	}{
		"no tensor":       {w.AddHistogram("a", nil, 1), torch.ErrNil, "values: expected a tensor"},
		"a closed tensor": {w.AddHistogram("a", gone, 1), torch.ErrClosed, "used after Close"},
		"no elements":     {w.AddHistogram("a", empty, 1), torch.ErrValue, "values: the tensor has no elements"},
		"complex numbers": {w.AddHistogram("a", complex, 1), torch.ErrDType, "expected real numbers, got complex64"},
		"all outside": {
			w.AddHistogram("a", x, 1, tensorboard.Bins{1, 2}), torch.ErrValue,
			"none of the 18 values is within the bins, from 1 to 2",
		},
		"one edge": {
			w.AddHistogram("a", x, 1, tensorboard.Bins{1}), torch.ErrValue,
			"Bins: expected two edges or more, got 1",
		},
		"edges that fall": {
			w.AddHistogram("a", x, 1, tensorboard.Bins{2, 1}), torch.ErrValue,
			"Bins: expected increasing edges",
		},
		"an edge NaN": {w.AddHistogram("a", x, 1, tensorboard.Bins{1, math.NaN()}), torch.ErrValue, "Bins"},
		"bins of none": {
			w.AddHistogram("a", x, 1, tensorboard.MaxBins(0)), torch.ErrValue,
			"MaxBins: expected a positive number, got 0",
		},
		"lists unlike": {
			w.AddHistogramRaw("a", 0, 0, 0, 0, 0, []float64{1}, nil, 1), torch.ErrValue,
			"bucketCounts: expected one count for each of 1 limits, got 0",
		},
		"no image":         {w.AddImage("a", nil, 1), torch.ErrNil, "img: expected a tensor"},
		"two channels":     {w.AddImage("a", x, 1), torch.ErrShape, "expected 1 or 3 channels"},
		"a dimension more": {w.AddImages("a", x, 1), torch.ErrShape, "the 4 dimensions of NCHW"},
		"no pixels":        {w.AddImage("a", empty, 1), torch.ErrShape, "expected pixels, got an image of 0 by 4"},
		"complex pixels":   {w.AddImage("a", complex, 1), torch.ErrDType, "complex64"},
		"a closed image":   {w.AddImage("a", gone, 1), torch.ErrClosed, "used after Close"},
		"unknown letters": {
			w.AddImage("a", x, 1, tensorboard.DataFormats("CHX")), torch.ErrValue,
			`DataFormats: expected the letters NCHW, CHW or HW in some order, got "CHX"`,
		},
		"a letter twice": {w.AddImage("a", x, 1, tensorboard.DataFormats("CHH")), torch.ErrValue, "DataFormats"},
		"no letters":     {w.AddImage("a", x, 1, tensorboard.DataFormats("")), torch.ErrValue, "DataFormats"},
		"no figure":      {w.AddFigure("a", nil, 1), torch.ErrNil, "figure: expected an image"},
		"a nil figure":   {w.AddFigure("a", (*image.Gray)(nil), 1), torch.ErrNil, "figure: expected an image"},
		"a curve outside": {
			w.AddScalars("a", map[string]float64{"/../../b": 1}, 1), torch.ErrValue,
			`"a_/../../b" leads out of the writer's folder`,
		},
		"a run outside": {
			w.AddHParams(map[string]any{"b": 1}, nil, tensorboard.RunName("../b")), torch.ErrValue,
			`RunName: "../b" leads out`,
		},
		"an empty figure": {w.AddFigure("a", image.NewGray(image.Rect(0, 0, 0, 3)), 1), torch.ErrShape, "3 by 0"},
		"64 bits of 32": {
			w.AddScalar("a", 1, 1, tensorboard.DoublePrecision(true)), torch.ErrValue,
			"NewStyle(true)",
		},
		"a list": {
			w.AddHParams(map[string]any{"a": []int{1}}, nil), torch.ErrType,
			`hparams: "a": expected a number, string, bool or tensor, got []int`,
		},
		"a nil tensor": {
			w.AddHParams(map[string]any{"a": (*torch.Tensor)(nil)}, nil), torch.ErrType,
			"got *torch.Tensor",
		},
		"several elements": {w.AddHParams(map[string]any{"a": x}, nil), torch.ErrShape, "18 elements"},
		"a name unknown": {
			w.AddHParams(nil, nil, tensorboard.HParamDomainDiscrete{"b": nil}), torch.ErrValue,
			`"b" is not a hyperparameter`,
		},
		"values unlike": {
			w.AddHParams(map[string]any{"b": 1}, nil, tensorboard.HParamDomainDiscrete{"b": {"x"}}),
			torch.ErrValue, `"b" is a int, but one of its values, x, is a string`,
		},
		"values of a list": {w.AddHParams(map[string]any{"b": 1}, nil,
			tensorboard.HParamDomainDiscrete{"b": {[]int{}}}), torch.ErrType, "got []int"},
		"a folder's suffix": {
			wrong(tensorboard.NewSummaryWriter(t.TempDir(), tensorboard.Comment("a"))),
			torch.ErrValue, "Comment: applies only to the default folder",
		},
		"a negative queue": {
			wrong(tensorboard.NewSummaryWriter("", tensorboard.MaxQueue(-1))), torch.ErrValue,
			"MaxQueue: expected 0 or more events, got -1",
		},
		"a negative time": {
			wrong(tensorboard.NewSummaryWriter("", tensorboard.FlushSecs(-1))), torch.ErrValue,
			"FlushSecs: expected 0 or more seconds, got -1",
		},
		"no time": {
			wrong(tensorboard.NewSummaryWriter("", tensorboard.FlushSecs(math.NaN()))), torch.ErrValue,
			"FlushSecs",
		},
	} {
		require.ErrorIs(t, c.err, c.kind, name)
		assert.ErrorContains(t, c.err, c.want, name)
	}
}

// Invalid UTF-8 would make readers reject the following events.
func TestTextsAreUTF8(t *testing.T) {
	folder := t.TempDir()
	w := newWriter(t, folder)
	require.NoError(t, w.AddText("tag\xff", "text\xc3", 1))
	require.NoError(t,
		w.AddHParams(map[string]any{"name\xfe": "value\x80"}, map[string]float64{"metric\xff": 1},
			tensorboard.RunName("run")))
	require.NoError(t, w.Close())
	for _, dir := range []string{folder, filepath.Join(folder, "run")} {
		text := events(t, dir)
		assert.Contains(t, string(text), "\ufffd")
		for _, record := range records(t, text) {
			data := string(record[12 : len(record)-4]) // without the checksums, which may have any byte
			for _, bad := range []string{"tag\xff", "text\xc3", "name\xfe", "value\x80", "metric\xff"} {
				assert.NotContains(t, data, bad)
			}
		}
	}
}

// A writer that NewSummaryWriter did not make, for example the nil writer of an ignored
// error, returns an error that says so.
func TestNoWriter(t *testing.T) {
	x := torch.Ones(torch.Shape{1, 2, 2})
	defer x.Close()
	for _, w := range []*tensorboard.SummaryWriter{nil, {}} {
		for name, err := range map[string]error{
			"AddScalar":       w.AddScalar("a", 1, 1),
			"AddScalars":      w.AddScalars("a", map[string]float64{"x": 1}, 1),
			"AddText":         w.AddText("a", "b", 1),
			"AddHistogram":    w.AddHistogram("a", x, 1),
			"AddHistogramRaw": w.AddHistogramRaw("a", 0, 1, 1, 1, 1, []float64{1}, []float64{1}, 1),
			"AddImage":        w.AddImage("a", x, 1),
			"AddImages":       w.AddImages("a", x, 1, tensorboard.DataFormats("CHW")),
			"AddFigure":       w.AddFigure("a", image.NewGray(image.Rect(0, 0, 2, 2)), 1),
			"AddHParams":      w.AddHParams(map[string]any{"lr": 1}, nil),
			"Flush":           w.Flush(),
		} {
			require.ErrorIs(t, err, torch.ErrNil, name)
			assert.ErrorContains(t, err, "not made by NewSummaryWriter", name)
		}
		assert.Empty(t, w.LogDir())
		require.NoError(t, w.Close())
	}
}

func wrong(_ *tensorboard.SummaryWriter, err error) error { return err }

// A directory that cannot be created and a directory that was removed give errors of the
// file system.
func TestFolders(t *testing.T) {
	folder := t.TempDir()
	file := filepath.Join(folder, "file")
	require.NoError(t, os.WriteFile(file, nil, 0o600))
	_, err := tensorboard.NewSummaryWriter(filepath.Join(file, "runs"))
	require.Error(t, err)
	_, err = tensorboard.NewSummaryWriter(filepath.Join(folder, "a"), tensorboard.FilenameSuffix("/x/y"))
	require.ErrorIs(t, err, fs.ErrNotExist)

	w := newWriter(t, filepath.Join(folder, "b"))
	require.NoError(t, os.WriteFile(filepath.Join(folder, "b", "curves_x"), nil, 0o600))
	require.Error(t, w.AddScalars("curves", map[string]float64{"x": 1}, 1))
	require.Error(t, w.AddHParams(map[string]any{"a": 1}, nil, tensorboard.RunName("curves_x")))
	require.NoError(t, w.AddScalar("a", 1, 1))
}

// TensorBoard's own reader reads everything.
func TestTensorBoardReadsIt(t *testing.T) {
	python := pythontest.Interpreter(t, "tensorboard")
	folder := t.TempDir()
	writeGolden(t, folder)
	w := newWriter(t, filepath.Join(folder, "c"))
	require.NoError(t,
		w.AddHParams(map[string]any{"lr": 0.1, "layers": 3, "wide": true, "name": "adam"},
			map[string]float64{"accuracy": 0.5}, tensorboard.RunName("run")))
	got := pythontest.Run(t, python, "", filepath.Join("testdata", "read.py"), folder)
	want, err := os.ReadFile(filepath.Join("testdata", "read.txt"))
	require.NoError(t, err)
	assert.Equal(t, string(want), got)
}
