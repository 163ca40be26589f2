package arrow_test

import (
	"encoding/json"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/gotorch/gotorch/internal/compilefail"
	"github.com/gotorch/gotorch/internal/optiontest"
	"github.com/gotorch/gotorch/torch"
	"github.com/gotorch/gotorch/torch/data"
	"github.com/gotorch/gotorch/torch/data/arrow"
	"github.com/gotorch/gotorch/torchtest"
)

// files are the same table in each format; see testdata/make_files.py.
var files = []string{
	"testdata/table.parquet", "testdata/packed.parquet", "testdata/table.arrow",
	"testdata/table.arrows",
}

func loadGoldens(t *testing.T) map[string][]float64 {
	b, err := os.ReadFile("testdata/table.json")
	require.NoError(t, err)
	var goldens map[string][]float64
	require.NoError(t, json.Unmarshal(b, &goldens))
	return goldens
}

var dtypes = map[string]torch.DType{
	"f16": torch.Float16, "f32": torch.Float32, "f64": torch.Float64, "flag": torch.Bool, "fixed": torch.Float32,
	"list": torch.Int64,
	"gaps": torch.Float64, "holes": torch.Int16, "time": torch.Int64, "day": torch.Int64,
	"i8": torch.Int8, "i16": torch.Int16, "i32": torch.Int32, "i64": torch.Int64,
	"u8": torch.Uint8, "u16": torch.Uint16, "u32": torch.Uint32, "u64": torch.Uint64,
}

// Every column has the same values as in pyarrow.
func TestReadTable(t *testing.T) {
	defer torchtest.CheckLeaks(t)()
	goldens := loadGoldens(t)
	require.Len(t, goldens, len(dtypes))
	for _, path := range files {
		for name, want := range goldens {
			table, err := arrow.ReadTable(path, arrow.Columns{name}, arrow.FillNull(9))
			require.NoError(t, err, "%s %s", path, name)
			torch.Scope(func() {
				x := table.Column(name)
				assert.Equal(t, dtypes[name], x.DType(), name)
				assert.Equal(t, want, x.To(torch.Float64).Reshape(-1).Float64s(), name)
				switch name {
				case "fixed":
					assert.Equal(t, torch.Shape{7, 3}, x.Shape())
				case "list":
					assert.Equal(t, torch.Shape{7, 2}, x.Shape())
				default:
					assert.Equal(t, torch.Shape{7}, x.Shape())
				}
			})
			require.NoError(t, table.Close())
		}
	}
}

func rows(t testing.TB, d *arrow.Dataset, w data.WorkerInfo) (out []string, err error) {
	torch.Scope(func() {
		err = d.Iterate(w, func(e data.Example) bool {
			text := fmt.Sprint(e.Input.ToList())
			if e.Target != nil {
				text += fmt.Sprint("|", e.Target.ToList())
			}
			out = append(out, text)
			return true
		})
	})
	return out, err
}

func TestDataset(t *testing.T) {
	defer torchtest.CheckLeaks(t)()
	for _, path := range files {
		set, err := arrow.NewDataset(path, arrow.Columns{"list", "i8", "f32"}, arrow.Targets{"i8"})
		require.NoError(t, err)
		assert.Equal(t, "Dataset("+path+": list, i8, f32)", set.String())
		assert.Equal(t, []string{"list", "i8", "f32"}, set.Names())
		for range 2 {
			got, err := rows(t, set, data.WorkerInfo{})
			require.NoError(t, err)
			require.Len(t, got, 7)
			assert.Equal(t, "[3 4 1]|0", got[3])
		}
		got, err := rows(t, set, data.WorkerInfo{ID: 1, NumWorkers: 2})
		require.NoError(t, err)
		require.Len(t, got, 3, "the second of three batches")
		assert.Equal(t, "[3 4 1]|0", got[0])
		n := 0
		require.NoError(t, set.Iterate(data.WorkerInfo{}, func(e data.Example) bool {
			_, _ = e.Input.Close(), e.Target.Close()
			n++
			return n < 5
		}))
		assert.Equal(t, 5, n)
		assert.Panics(t, func() {
			_ = set.Iterate(data.WorkerInfo{}, func(e data.Example) bool {
				_, _ = e.Input.Close(), e.Target.Close()
				panic("mine")
			})
		})
	}
	assert.Equal(t, "Dataset(nil)", (*arrow.Dataset)(nil).String())
}

func TestMistakes(t *testing.T) {
	defer torchtest.CheckLeaks(t)()
	whole, err := os.ReadFile(files[0])
	require.NoError(t, err)
	dir := t.TempDir()
	file := func(name string, b []byte) string {
		path := filepath.Join(dir, name)
		require.NoError(t, os.WriteFile(path, b, 0o600))
		return path
	}
	for name, c := range map[string]struct {
		path string
		opts []arrow.TableOption
		kind error
		text string
	}{
		"no file":  {"nowhere", nil, fs.ErrNotExist, "nowhere: cannot be opened"},
		"a folder": {"testdata", nil, torch.ErrFormat, "testdata: expected a file, got a folder"},
		"empty":    {file("empty", nil), nil, torch.ErrTruncated, "empty: ends too early"},
		"another": {
			file("another", []byte("PNG something")), nil, torch.ErrFormat,
			"expected a Parquet or Arrow file",
		}, "cut": {file("cut", whole[:len(whole)-20]), nil, nil, "cut: "},
		"no footer": {file("footer", append([]byte("PAR1"), make([]byte, 100)...)), nil, nil, "footer: "},
		"no such": {
			files[0],
			[]arrow.TableOption{arrow.Columns{"z"}},
			torch.ErrMismatch,
			`there is no column "z"; the columns are f16, f32`,
		},
		"texts": {
			files[0],
			[]arrow.TableOption{arrow.Columns{"text"}},
			torch.ErrFormat,
			`column "text": the column has strings; use Categories to read them as category codes`,
		},
		"nulls": {
			files[0],
			[]arrow.TableOption{arrow.Columns{"gaps"}},
			torch.ErrFormat,
			`column "gaps", row 2: the value is null; set FillNull to replace nulls`,
		},
		"later nulls": {files[3], []arrow.TableOption{arrow.Columns{"gaps"}, arrow.FillNull(0)}, nil, ""},
		"a bad fill": {
			files[0],
			[]arrow.TableOption{arrow.Columns{"holes"}, arrow.FillNull(0.5)},
			torch.ErrFormat,
			`column "holes", row 2: FillNull is 0.5, which is not a valid int16`,
		},
		"a large fill": {
			files[0],
			[]arrow.TableOption{arrow.Columns{"holes"}, arrow.FillNull(1e9)},
			torch.ErrFormat,
			`FillNull is 1e+09, which is not a valid int16`,
		},
		"ragged": {
			files[0],
			[]arrow.TableOption{arrow.Columns{"ragged"}},
			torch.ErrFormat,
			`column "ragged", row 1: the lists differ in length: 1 numbers, but 0 in row 0`,
		},
	} {
		table, err := arrow.ReadTable(c.path, c.opts...)
		if c.text == "" {
			require.NoError(t, err, name)
			_ = table.Close()
			continue
		}
		var fe *data.FileError
		require.ErrorAs(t, err, &fe, name)
		assert.Equal(t, c.path, fe.Path, name)
		if c.kind != nil {
			require.ErrorIs(t, err, c.kind, name)
		}
		assert.ErrorContains(t, err, c.text, name)
	}
	for name, c := range map[string]struct {
		opts []arrow.DatasetOption
		text string
	}{
		"no input": {
			[]arrow.DatasetOption{arrow.Columns{"i8"}, arrow.Targets{"i8"}},
			"no column is left for the input",
		},
		"no target": {
			[]arrow.DatasetOption{arrow.Columns{"i8"}, arrow.Targets{"f32"}},
			`Targets: there is no column "f32"; the columns are i8`,
		},
		"twice": {[]arrow.DatasetOption{arrow.Columns{"i8", "i8"}}, `column "i8" is named twice`},
	} {
		_, err := arrow.NewDataset(files[0], c.opts...)
		require.ErrorIs(t, err, torch.ErrMismatch, name)
		assert.ErrorContains(t, err, c.text, name)
	}
	err = torch.Try(func() { _, _ = arrow.NewDataset(files[0], arrow.Targets{"i8", "i8"}) })
	require.ErrorIs(t, err, torch.ErrValue)
	require.ErrorContains(t, err, `Targets: "i8" twice`)
	require.ErrorIs(t, torch.Try(func() { (*arrow.Dataset)(nil).Names() }), torch.ErrNil)
	set, err := arrow.NewDataset(files[0], arrow.Columns{"gaps"})
	require.NoError(t, err)
	_, err = rows(t, set, data.WorkerInfo{})
	require.ErrorContains(t, err, `column "gaps", row 2: the value is null`)
	require.ErrorIs(t, torch.Try(func() { _ = set.Iterate(data.WorkerInfo{}, nil) }), torch.ErrNil)
	require.ErrorIs(t, torch.Try(func() { _ = (*arrow.Dataset)(nil).Iterate(data.WorkerInfo{}, nil) }), torch.ErrNil)
}

// A changed byte gives an error or different numbers, but never ends the process.
func TestDamagedBytes(t *testing.T) {
	defer torchtest.CheckLeaks(t)()
	for _, path := range files {
		whole, err := os.ReadFile(path)
		require.NoError(t, err)
		damaged := filepath.Join(t.TempDir(), "damaged")
		for at := 5; at < len(whole); at += 97 {
			b := append([]byte(nil), whole...)
			b[at] ^= 0x15
			require.NoError(t, os.WriteFile(damaged, b, 0o600))
			table, err := arrow.ReadTable(damaged, arrow.Columns{"f64", "fixed", "i8"})
			if err == nil {
				_ = table.Close()
				continue
			}
			var fe *data.FileError
			require.ErrorAs(t, err, &fe)
		}
	}
}

func TestOptions(t *testing.T) {
	defer torchtest.CheckLeaks(t)()
	pairs := []optiontest.Pair{
		optiontest.Values(arrow.Columns{"gaps", "i8"}, arrow.Columns{"i8"}),
		optiontest.Values(arrow.FillNull(3), arrow.FillNull(0)),
		optiontest.Values(arrow.Categories{"gaps": {"a"}}, arrow.Categories(nil)),
		optiontest.Values(arrow.MemoryLimit(100), arrow.MemoryLimit(1<<30)),
	}
	optiontest.Read(t, ".").Run(t, map[string]optiontest.Row{
		"ReadTable": optiontest.For(func(opts ...arrow.TableOption) optiontest.Outcome {
			table, err := arrow.ReadTable(files[0], append([]arrow.TableOption{arrow.Columns{"gaps"}}, opts...)...)
			if err != nil {
				return optiontest.Outcome{"table": err.Error()}
			}
			defer table.Close()
			return optiontest.Outcome{"table": fmt.Sprint(table, table.Column(table.Names()[0]).ToList())}
		}, pairs...),
		"NewDataset": optiontest.For(func(opts ...arrow.DatasetOption) optiontest.Outcome {
			var text string
			for _, other := range []string{"gaps", "i16"} { // a column with nulls and a column without nulls
				set, err := arrow.NewDataset(files[0],
					append([]arrow.DatasetOption{arrow.Columns{"i8", other}}, opts...)...)
				if err != nil {
					text += err.Error()
					continue
				}
				got, err := rows(t, set, data.WorkerInfo{})
				text += fmt.Sprint(got, err)
			}
			return optiontest.Outcome{"rows": text}
		}, append(pairs, optiontest.Values(arrow.Targets{"i8"}, arrow.Targets(nil)))...),
	})
}

func ExampleReadTable() {
	table, err := arrow.ReadTable("testdata/table.parquet", arrow.Columns{"f32", "list", "flag"})
	if err != nil {
		fmt.Println(err)
		return
	}
	defer table.Close()
	fmt.Println(table)
	train := table.Dataset("flag")
	defer train.Close()
	for batch := range data.NewLoader(train, data.BatchSize(4)).All() {
		fmt.Println(batch.Input.Shape(), batch.Target.ToList())
	}
	// Output:
	// Table(7 rows: f32 float32, list int64, flag bool)
	// (4, 3) [true false false true]
	// (3, 3) [false false true]
}

func TestOtherOptionsDoNotCompile(t *testing.T) {
	scope := compilefail.Scope{Imports: []string{
		"github.com/gotorch/gotorch/torch/data",
		"github.com/gotorch/gotorch/torch/data/arrow",
	}}
	scope.Accepts(t,
		`arrow.ReadTable("a.parquet", arrow.Columns{"a"}, arrow.FillNull(0))`,
		`arrow.NewDataset("a.parquet", arrow.Columns{"a"}, arrow.FillNull(0), arrow.Targets{"b"})`,
	)
	scope.Rejects(t,
		`arrow.ReadTable("a.parquet", arrow.Targets{"b"})`,
		`arrow.NewDataset("a.parquet", data.Targets{"b"})`,
	)
}

// If a column claims more values than it has, reading it fails immediately. The reader
// neither loops over the claimed values nor allocates memory for them.
func TestLengthThatIsNotThere(t *testing.T) {
	defer torchtest.CheckLeaks(t)()
	whole, err := os.ReadFile("testdata/table.arrow")
	require.NoError(t, err)
	copy(whole[2050:], "\xff\xff\xff\xff\x0f") // overwrites the length of a column
	path := filepath.Join(t.TempDir(), "long.arrow")
	require.NoError(t, os.WriteFile(path, whole, 0o600))
	_, err = arrow.ReadTable(path, arrow.Columns{"flag"})
	require.ErrorIs(t, err, torch.ErrFormat)
	assert.ErrorContains(t, err, "a batch has 3 rows, but a column has 4503599627304963")
}
