package data_test

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/gotorch/gotorch/internal/optiontest"
	"github.com/gotorch/gotorch/torch"
	"github.com/gotorch/gotorch/torch/data"
	"github.com/gotorch/gotorch/torchtest"
)

// writeFiles makes a new directory with a copy of the same image at each path. It returns
// the directory.
func writeFiles(t testing.TB, paths ...string) string {
	root := t.TempDir()
	b, err := os.ReadFile("testdata/images/gray.png")
	require.NoError(t, err)
	for _, p := range paths {
		p = filepath.Join(root, filepath.FromSlash(p))
		require.NoError(t, os.MkdirAll(filepath.Dir(p), 0o700))
		require.NoError(t, os.WriteFile(p, b, 0o600))
	}
	return root
}

// half is a transform that makes a temporary tensor.
type half struct{}

func (half) Forward(x *torch.Tensor) *torch.Tensor { return x.To(torch.Float32).DivScalar(2) }
func (half) String() string                        { return "Half(\n    by=2\n)" }

func TestImageFolder(t *testing.T) {
	defer torchtest.CheckLeaks(t)()
	// The order is the same as with Python's os.walk: directories by path, and the files
	// of a directory by name.
	root := writeFiles(t, "dog/b.PNG", "dog/a.png", "cat/z/1.png", "cat/z-1/2.png", "cat/9.jpeg", "cat/notes.txt",
		"ant/x/y/q.webp", "top.png")
	require.NoError(t, os.Symlink(filepath.Join(root, "cat"), filepath.Join(root, "dog", "loop")))
	require.NoError(t, os.Symlink(filepath.Join(root, "cat"), filepath.Join(root, "cat", "z", "back")))
	set, err := data.NewImageFolder(root)
	require.NoError(t, err)
	assert.Equal(t, []string{"ant", "cat", "dog"}, set.Classes())
	assert.Equal(t, map[string]int{"ant": 0, "cat": 1, "dog": 2}, set.ClassToIdx())
	var got []string
	for _, s := range set.Samples() {
		rel, err := filepath.Rel(root, s.Path)
		require.NoError(t, err)
		got = append(got, fmt.Sprint(filepath.ToSlash(rel), " ", s.Class))
	}
	assert.Equal(t, []string{
		"ant/x/y/q.webp 0", "cat/9.jpeg 1", "cat/z/1.png 1", "cat/z-1/2.png 1", "dog/a.png 2", "dog/b.PNG 2",
		"dog/loop/9.jpeg 2", "dog/loop/z/1.png 2", "dog/loop/z-1/2.png 2",
	}, got)
	assert.Equal(t, []int{0, 1, 1, 1, 2, 2, 2, 2, 2}, set.Targets())
	assert.Equal(t, root, set.Root())
	assert.Equal(t, "Dataset ImageFolder\n    Number of datapoints: 9\n    Root location: "+root, set.String())
	for b := range data.NewLoader(set, data.BatchSize(9)).All() {
		assert.Equal(t, torch.Shape{9, 3, 7, 11}, b.Input.Shape())
		assert.Equal(t, []int64{0, 1, 1, 1, 2, 2, 2, 2, 2}, b.Target.Int64s())
	}
}

func TestFolderTransforms(t *testing.T) {
	root := writeFiles(t, "a/1.png", "b/2.png")
	set, err := data.NewImageFolder(root, data.ImageReadModeGray, data.WithTransform(half{}),
		data.TargetTransform(func(c int64) int64 { return c + 5 }))
	require.NoError(t, err)
	before := torch.NumLiveTensors()
	e := set.Get(1)
	assert.Equal(t, before+2, torch.NumLiveTensors(), "an input and a target")
	assert.EqualValues(t, 6, e.Target.Item())
	assert.Equal(t, torch.Float32, e.Input.DType())
	_, _ = e.Input.Close(), e.Target.Close()
	assert.Equal(t, "Dataset ImageFolder\n    Number of datapoints: 2\n    Root location: "+root+
		"\n    StandardTransform\nTransform: Half(\n               by=2\n           )", set.String())
}

func TestDatasetFolder(t *testing.T) {
	defer torchtest.CheckLeaks(t)()
	root := writeFiles(t, "a/1.png", "b/2.BIN", "b/3.bin")
	load := func(path string) (*torch.Tensor, error) { return torch.FromSlice([]byte(filepath.Base(path))), nil }
	set, err := data.NewDatasetFolder(root, load, data.Extensions{".bin"}, data.AllowEmpty(true))
	require.NoError(t, err)
	assert.Equal(t, 2, set.Len())
	assert.Contains(t, set.String(), "Dataset DatasetFolder\n    Number of datapoints: 2")
	torch.Scope(func() {
		e := set.Get(1)
		assert.Equal(t, []byte("3.bin"), e.Input.Uint8s())
		assert.EqualValues(t, 1, e.Target.Item())
	})
	assert.Equal(t, "x/y: 3", data.FolderSample{Path: "x/y", Class: 3}.String())
}

func TestFolderMistakes(t *testing.T) {
	defer torchtest.CheckLeaks(t)()
	full, flat, gap := writeFiles(t, "a/1.png"), writeFiles(t, "1.png"), writeFiles(t, "a/1.png", "b/x.txt", "c/x.txt")
	for name, c := range map[string]struct {
		kind error
		text string
		fn   func() (any, error)
	}{
		"no folder": {fs.ErrNotExist, "nowhere: the folder cannot be read: ", func() (any, error) {
			return data.NewImageFolder("nowhere")
		}},
		"no classes": {fs.ErrNotExist, flat + ": has no folders; expected one for each class", func() (any, error) {
			return data.NewImageFolder(flat)
		}},
		"unknown ends": {
			fs.ErrNotExist, "the extensions are " + strings.Join(data.ImageExtensions(), ", "),
			func() (any, error) {
				return data.NewImageFolder(gap)
			},
		},
		"empty classes": {
			fs.ErrNotExist, gap + ": there is no valid file for the classes b, c; the extensions are .jpg, .jpeg",
			func() (any, error) {
				return data.NewImageFolder(gap)
			},
		},
		"none is valid": {fs.ErrNotExist, "no valid file for the classes a", func() (any, error) {
			return data.NewImageFolder(full, data.IsValidFile(func(string) bool { return false }))
		}},
	} {
		_, err := c.fn()
		var fe *data.FileError
		require.ErrorAs(t, err, &fe, name)
		require.ErrorIs(t, err, c.kind, name)
		assert.ErrorContains(t, err, c.text, name)
	}
	load := func(string) (*torch.Tensor, error) { return nil, nil }
	valid := data.IsValidFile(func(string) bool { return true })
	set, err := data.NewDatasetFolder(full, load, valid)
	require.NoError(t, err)
	_, err = set.TryGet(0)
	require.ErrorContains(t, err, "1.png: the load function returned no tensor")
	for name, c := range map[string]struct {
		kind error
		text string
		fn   func()
	}{
		"no function": {torch.ErrNil, "load", func() { _, _ = data.NewDatasetFolder(full, nil, valid) }},
		"neither": {torch.ErrValue, "exactly one of Extensions and IsValidFile", func() {
			_, _ = data.NewDatasetFolder(full, load)
		}},
		"both": {torch.ErrValue, "exactly one of Extensions and IsValidFile", func() {
			_, _ = data.NewDatasetFolder(full, load, valid, data.Extensions{".a"})
		}},
		"out of range":  {torch.ErrIndex, "1 is out of range for 1 examples", func() { set.Get(1) }},
		"a nil dataset": {torch.ErrNil, "a nil *data.DatasetFolder", func() { (*data.DatasetFolder)(nil).Get(0) }},
	} {
		err := torch.Try(c.fn)
		require.ErrorIs(t, err, c.kind, name)
		assert.ErrorContains(t, err, c.text, name)
	}
}

// A damaged file ends the loop with an error that names the example and the file.
func TestFolderWithADamagedImage(t *testing.T) {
	defer torchtest.CheckLeaks(t)()
	root := writeFiles(t, "a/1.png", "a/2.png")
	bad := filepath.Join(root, "a", "2.png")
	require.NoError(t, os.WriteFile(bad, []byte("\x89PNG\r\n\x1a\n nothing"), 0o600))
	set, err := data.NewImageFolder(root)
	require.NoError(t, err)
	err = torch.Try(func() { data.NewLoader(set).Each(func(data.Batch) bool { return true }) })
	var fe *data.FileError
	require.ErrorAs(t, err, &fe)
	assert.Equal(t, bad, fe.Path)
	require.ErrorContains(t, err, "example 1: data: "+bad+": not decoded: ")
	require.ErrorIs(t, torch.Try(func() { set.Get(1) }), torch.ErrTruncated)
	require.NoError(t, os.Remove(bad))
	_, err = set.TryGet(1)
	require.ErrorIs(t, err, fs.ErrNotExist)
}

func folderRows(t testing.TB) map[string]optiontest.Row {
	root := writeFiles(t, "a/1.png", "a/2.bin", "b/3.png")
	none := writeFiles(t, "a/1.png", "b/x.txt")
	turned, err := os.ReadFile("testdata/images/turned6.png")
	require.NoError(t, err)
	require.NoError(t, os.WriteFile(filepath.Join(root, "a", "1.png"), turned, 0o600))
	describe := func(set *data.DatasetFolder, err error) string {
		if err != nil {
			return errors.Unwrap(err).Error()
		}
		var text string
		torch.Scope(func() {
			e, err := set.TryGet(0)
			text = fmt.Sprint(set.Targets(), e, err)
			if err == nil {
				text += fmt.Sprint(e.Input, e.Target)
			}
		})
		return text
	}
	ends := func(e string) data.IsValidFile {
		return func(path string) bool { return filepath.Ext(path) == e }
	}
	shared := []optiontest.Pair{
		optiontest.Values(data.WithTransform(half{}), data.WithTransform(nil)).Hides("empty", "nothing is read"),
		optiontest.Values(data.TargetTransform(func(c int64) int64 { return c + 3 }),
			data.TargetTransform(nil)).Hides("empty", "nothing is read"),
		optiontest.Values(data.AllowEmpty(true), data.AllowEmpty(false)).Hides("full", "no class is empty"),
	}
	images := shared
	for _, p := range imageValues() {
		images = append(images[:len(images):len(images)], p.Hides("empty", "nothing is read"))
	}
	images = append(images,
		optiontest.Values(data.IsValidFile(func(string) bool { return true }), data.IsValidFile(nil)))
	load := func(path string) (*torch.Tensor, error) { return torch.FromSlice([]byte(filepath.Base(path))), nil }
	return map[string]optiontest.Row{
		"NewImageFolder": optiontest.For(func(opts ...data.ImageFolderOption) optiontest.Outcome {
			look := func(root string) string {
				set, err := data.NewImageFolder(root, opts...)
				if err != nil {
					return errors.Unwrap(err).Error()
				}
				return describe(&set.DatasetFolder, nil)
			}
			return optiontest.Outcome{"full": look(root), "empty": look(none)}
		}, images...),
		"NewDatasetFolder": optiontest.For(func(opts ...data.DatasetFolderOption) optiontest.Outcome {
			base := []data.DatasetFolderOption{data.Extensions{".png"}}
			for _, o := range opts {
				switch o.(type) {
				case data.IsValidFile, data.Extensions:
					base = nil // NewDatasetFolder accepts only one of these two options
				}
			}
			look := func(root string) string {
				return describe(data.NewDatasetFolder(root, load, append(base, opts...)...))
			}
			return optiontest.Outcome{"full": look(root), "empty": look(none)}
		}, append(shared[:len(shared):len(shared)],
			optiontest.Values(data.Extensions{".bin", ".png"}, data.Extensions{".png"}).Hides("empty",
				"there is no .bin"),
			optiontest.Values(ends(".png"), data.IsValidFile(func(string) bool { return true })))...),
	}
}
