package data_test

import (
	"bytes"
	"fmt"
	"io/fs"
	"math"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"testing/iotest"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/gotorch/gotorch/internal/optiontest"
	"github.com/gotorch/gotorch/torch"
	"github.com/gotorch/gotorch/torch/data"
	"github.com/gotorch/gotorch/torchtest"
)

const iris = "\ufefflength,width,\"species, latin\",n\r\n5.1,3.5,setosa,1\r\n# not a " +
	"row\r\n7,NA,\"versi\"\"color\",-2\r\n6.3, 3.3 ,setosa,3\r\n"

// species makes the column of species categorical, with the distinct words in the file.
var species = data.Categories{"species, latin": nil}

func decodeCSV(t testing.TB, text string, opts ...data.CSVOption) *data.Table {
	table, err := data.DecodeCSV(strings.NewReader(text), "iris", opts...)
	require.NoError(t, err)
	t.Cleanup(func() { _ = table.Close() })
	return table
}

func TestDecodeCSV(t *testing.T) {
	table := decodeCSV(t, iris, data.Comment('#'), species, data.DTypes{"n": torch.Int32, "length": torch.Float64})
	assert.Equal(t, "Table(3 rows: length float64, width float32, species, latin int64, n int32)", table.String())
	assert.Equal(t, 3, table.Len())
	assert.Equal(t, []string{"length", "width", "species, latin", "n"}, table.Names())
	assert.Equal(t, []float64{5.1, 7, 6.3}, table.Column("length").Float64s())
	width := table.Column("width").Float32s()
	assert.True(t, math.IsNaN(float64(width[1])))
	assert.Equal(t, []float32{3.5, 3.3}, []float32{width[0], width[2]})
	assert.Equal(t, []int64{0, 1, 0}, table.Column("species, latin").Int64s())
	assert.Equal(t, []string{"setosa", `versi"color`}, table.Words("species, latin"))
	assert.Nil(t, table.Words("n"))
	assert.Equal(t, []int32{1, -2, 3}, table.Column("n").Int32s())
	torch.Scope(func() {
		assert.Equal(t, torch.Shape{3, 4}, table.Tensor().Shape())
		x := table.Tensor("n", "species, latin")
		assert.Equal(t, torch.Int64, x.DType())
		assert.Equal(t, []int64{1, 0, -2, 1, 3, 0}, x.Int64s())
	})
}

func TestTableDataset(t *testing.T) {
	defer torchtest.CheckLeaks(t)()
	table, err := data.DecodeCSV(strings.NewReader("a,b,y,z\n1,2,0,5\n3,4,1,6\n"), "t", data.DTypes{"y": torch.Int64})
	require.NoError(t, err)
	one, two, none := table.Dataset("y"), table.Dataset("z", "y"), table.Dataset()
	require.ErrorIs(t, torch.Try(func() { table.Dataset("a", "b", "y", "z") }), torch.ErrValue)
	require.ErrorContains(t, torch.Try(func() { table.Dataset("x") }),
		`there is no column "x"; the columns are a, b, y, z`)
	require.ErrorIs(t, torch.Try(func() { table.Tensor("x") }), torch.ErrValue)
	require.NoError(t, table.Close())
	assert.Equal(t, "Table(2 rows: a, b, y, z)", table.String())
	torch.Scope(func() {
		e := one.Get(1)
		assert.Equal(t, []float32{3, 4, 6}, e.Input.Float32s())
		assert.EqualValues(t, 1, e.Target.Int64s()[0])
		assert.Equal(t, torch.Shape{}, e.Target.Shape())
		assert.Equal(t, []float32{6, 1}, two.Get(1).Target.Float32s())
		assert.Nil(t, none.Get(0).Target)
	})
	for _, d := range []*data.TensorDataset{one, two, none} {
		require.NoError(t, d.Close())
	}
	require.NoError(t, (*data.Table)(nil).Close())
	assert.Equal(t, "Table(nil)", (*data.Table)(nil).String())
}

func TestNewTable(t *testing.T) {
	defer torchtest.CheckLeaks(t)()
	a, b := torch.Disown(torch.Arange(0, 3)), torch.Disown(torch.Ones(torch.Shape{3, 2}, torch.Int64))
	table := data.NewTable([]string{"a", "b"}, []*torch.Tensor{a, b})
	defer table.Close()
	assert.Equal(t, "Table(3 rows: a int64, b int64)", table.String())
	torch.Scope(func() {
		assert.Equal(t, []int64{1, 1, 0, 1, 1, 1, 1, 1, 2}, table.Tensor("b", "a").Int64s())
		scalar := torch.Ones(torch.Shape{})
		for text, c := range map[string]struct {
			kind    error
			names   []string
			columns []*torch.Tensor
		}{
			"1 names for 2 columns":          {torch.ErrValue, []string{"a"}, []*torch.Tensor{a, b}},
			`"a" twice`:                      {torch.ErrValue, []string{"a", "a"}, []*torch.Tensor{a, b}},
			"expected one or two dimensions": {torch.ErrShape, []string{"a"}, []*torch.Tensor{scalar}},
			`"b" has 2 rows, but "a" has 3`: {
				torch.ErrShape,
				[]string{"a", "b"},
				[]*torch.Tensor{a, torch.Ones(torch.Shape{2})},
			},
		} {
			err := torch.Try(func() { data.NewTable(c.names, c.columns) })
			require.ErrorIs(t, err, c.kind, text)
			assert.ErrorContains(t, err, text)
		}
		words := data.NewTable([]string{"a"}, []*torch.Tensor{a}, data.Categories{"a": {"x", "y", "z"}})
		assert.Equal(t, []string{"x", "y", "z"}, words.Words("a"))
		err := torch.Try(func() { data.NewTable([]string{"a"}, []*torch.Tensor{a}, data.Categories{"b": nil}) })
		require.ErrorIs(t, err, torch.ErrValue)
		assert.ErrorContains(t, err, `Categories: there is no column "b"; the columns are a`)
	})
}

func TestCSVDTypes(t *testing.T) {
	text := "a\n1\n0\n"
	for _, d := range []torch.DType{
		torch.Float32, torch.Float64, torch.Float16, torch.BFloat16,
		torch.Int64, torch.Int32, torch.Int16, torch.Int8, torch.Uint8, torch.Bool,
	} {
		x := decodeCSV(t, text, data.DType(d)).Column("a")
		assert.Equal(t, d, x.DType())
		y := x.To(torch.Float64)
		assert.Equal(t, []float64{1, 0}, y.Float64s(), d)
		_ = y.Close()
	}
	// A number is converted to float32 directly, and not first rounded to float64.
	x := decodeCSV(t, "a\n16777217.0000001\n").Column("a")
	assert.Equal(t, []float32{16777218}, x.Float32s())
}

func TestCSVColumns(t *testing.T) {
	text := "a,b,a,a\n1,2,3,4\n"
	assert.Equal(t, []string{"a", "b", "a.1", "a.2"}, decodeCSV(t, text).Names())
	assert.Equal(t, []string{"a.1", "a"}, decodeCSV(t, text, data.UseCols{"a.1", "a"}).Names())
	assert.Equal(t, []string{"b", "a"}, decodeCSV(t, text, data.UseColsAt{1, 0}).Names())
	assert.Equal(t, []string{"w", "x", "y", "z"}, decodeCSV(t, text, data.Names{"w", "x", "y", "z"}).Names())
	plain := decodeCSV(t, "1;2\n3;4\n", data.Header(false), data.Sep(';'))
	assert.Equal(t, []string{"0", "1"}, plain.Names())
	assert.Equal(t, []float32{2, 4}, plain.Column("1").Float32s())
	assert.Equal(t, 0, decodeCSV(t, "a,b\n").Len())
	assert.Equal(t, torch.Shape{0}, decodeCSV(t, "a,b\n").Column("b").Shape())
}

func TestCSVMissing(t *testing.T) {
	text := "a,b\n,NULL\n-,2\n"
	table := decodeCSV(t, text, data.NAValues{"-"}, data.FillNA(7), data.DTypes{"b": torch.Int64})
	assert.Equal(t, []float32{7, 7}, table.Column("a").Float32s())
	assert.Equal(t, []int64{7, 2}, table.Column("b").Int64s())
	table = decodeCSV(t, text, data.Categories{"b": {"2"}, "a": nil}, data.FillNA(7))
	assert.Equal(t, []int64{-1, 0}, table.Column("a").Int64s())
	assert.Equal(t, []int64{-1, 0}, table.Column("b").Int64s())
	table = decodeCSV(t, text, data.KeepDefaultNA(false), data.Categories{"a": nil, "b": nil})
	assert.Equal(t, []string{"", "-"}, table.Words("a"))
}

func writeCSV(t testing.TB, text string) string {
	path := filepath.Join(t.TempDir(), "a.csv")
	require.NoError(t, os.WriteFile(path, []byte(text), 0o600))
	return path
}

func TestReadCSV(t *testing.T) {
	defer torchtest.CheckLeaks(t)()
	for _, b := range [][]byte{[]byte("a\n1\n2\n"), zipped([]byte("a\n1\n2\n"))} {
		table, err := data.ReadCSV(writeCSV(t, string(b)))
		require.NoError(t, err)
		assert.Equal(t, []float32{1, 2}, table.Column("a").Float32s())
		require.NoError(t, table.Close())
	}
}

func TestCSVMistakes(t *testing.T) {
	defer torchtest.CheckLeaks(t)()
	read := func(text string, opts ...data.CSVOption) func() error {
		return func() error {
			_, err := data.DecodeCSV(strings.NewReader(text), "t.csv", opts...)
			return err
		}
	}
	zip := string(zipped([]byte("a\n1\n2\n")))
	for name, c := range map[string]struct {
		kind error
		text string
		read func() error
	}{
		"no file": {fs.ErrNotExist, "nowhere.csv: cannot be opened", func() error {
			_, err := data.ReadCSV("nowhere.csv")
			return err
		}},
		"empty": {torch.ErrTruncated, "t.csv: empty", read("")},
		"no reader": {torch.ErrNil, "t.csv: cannot be read", func() error {
			_, err := data.DecodeCSV(nil, "t.csv")
			return err
		}},
		"a word": {
			torch.ErrFormat, `t.csv: line 3, column 3, field "b": "x" is not a valid float32`,
			read("a,b\n1,2\n3,x\n"),
		},
		"the first row": {
			torch.ErrFormat, `t.csv: line 1, column 3, field "1": "x" is not a valid float32`,
			read("1,x\n", data.Header(false)),
		},
		"a large int": {
			torch.ErrFormat, `"300" is out of the range of uint8`,
			read("a\n300\n", data.DType(torch.Uint8)),
		},
		"a negative one": {torch.ErrFormat, `"-1" is not a valid uint8`, read("a\n-1\n", data.DType(torch.Uint8))},
		"a large float":  {torch.ErrFormat, `"1e60" is out of the range of float32`, read("a\n1e60\n")},
		"a missing int": {
			torch.ErrFormat,
			`line 2, column 1, field "a": int64 cannot hold the missing value "NA"; set FillNA to replace it`,
			read("a\nNA\n", data.DType(torch.Int64)),
		},
		"half filled": {
			torch.ErrFormat, `"0.5" is not a valid int64`,
			read("a\nNA\n", data.DType(torch.Int64), data.FillNA(0.5)),
		},
		"a short row":   {torch.ErrFormat, "line 3, column 1: wrong number of fields", read("a,b\n1,2\n3\n")},
		"a long row":    {torch.ErrFormat, "wrong number of fields", read("a,b\n1,2,3\n")},
		"a bare quote":  {torch.ErrFormat, "line 2, column 2: bare", read("a,b\n1\"1,2\n")},
		"an open quote": {torch.ErrFormat, "extraneous or missing", read("a,b\n1,\"2\n")},
		"an unknown word": {
			torch.ErrFormat, `"c" is not one of the Categories a, b`,
			read("x\nc\n", data.Categories{"x": {"a", "b"}}),
		},
		"no such column": {
			torch.ErrMismatch, `UseCols: there is no column "z"; the columns are a, b`,
			read("a,b\n", data.UseCols{"z"}),
		},
		"no such place": {torch.ErrMismatch, "UseColsAt: column 2 is out of range for 2 columns", read("a,b\n",
			data.UseColsAt{2})},
		"no such dtype": {torch.ErrMismatch, `DTypes: there is no column "z"`, read("a,b\n",
			data.DTypes{"z": torch.Int64})},
		"no such category": {
			torch.ErrMismatch, `Categories: there is no column "b"`,
			read("a,b\n", data.UseCols{"a"}, data.Categories{"b": nil}),
		},
		"other names": {
			torch.ErrMismatch, "the file has 2 columns, but Names has 1 names",
			read("a,b\n", data.Names{"a"}),
		},
		"cut gzip": {torch.ErrTruncated, "t.csv: ends after line 3", read(zip[:len(zip)-4])},
		"bad gzip": {torch.ErrTruncated, "t.csv: ends after line 0", read(zip[:5])},
		"a bad disk": {iotest.ErrTimeout, "t.csv: cannot be read after line 0: timeout", func() error {
			_, err := data.DecodeCSV(iotest.TimeoutReader(iotest.OneByteReader(strings.NewReader("a\n1\n"))), "t.csv")
			return err
		}},
	} {
		err := c.read()
		var fe *data.FileError
		require.ErrorAs(t, err, &fe, name)
		assert.ErrorIs(t, err, c.kind, name)
		assert.ErrorContains(t, err, c.text, name)
	}
	for name, c := range map[string]struct {
		kind error
		opts []data.CSVOption
	}{
		"a quote":          {torch.ErrValue, []data.CSVOption{data.Sep('"')}},
		"no separator":     {torch.ErrValue, []data.CSVOption{data.Sep(0)}},
		"the same":         {torch.ErrValue, []data.CSVOption{data.Comment(',')}},
		"a line break":     {torch.ErrValue, []data.CSVOption{data.Comment('\n')}},
		"complex":          {torch.ErrDType, []data.CSVOption{data.DType(torch.Complex64)}},
		"no dtype":         {torch.ErrDType, []data.CSVOption{data.DTypes{"a": 0}}},
		"names and places": {torch.ErrValue, []data.CSVOption{data.UseCols{"a"}, data.UseColsAt{0}}},
		"a column twice":   {torch.ErrValue, []data.CSVOption{data.UseCols{"a", "a"}}},
		"a place twice":    {torch.ErrValue, []data.CSVOption{data.UseColsAt{0, 0}}},
	} {
		err := torch.Try(func() { _, _ = data.DecodeCSV(strings.NewReader("a\n1\n"), "t", c.opts...) })
		require.ErrorIs(t, err, c.kind, name)
	}
	table := decodeCSV(t, "a\n1\n")
	defer table.Close()
	require.ErrorIs(t, torch.Try(func() { table.Column("b") }), torch.ErrValue)
	err := torch.Try(func() { table.Dataset("a", "a") })
	require.ErrorIs(t, err, torch.ErrValue)
	require.ErrorContains(t, err, `targets: "a" twice`)
	err = torch.Try(func() { _, _ = data.NewCSVDataset("nowhere", data.Targets{"a", "a"}) })
	require.ErrorIs(t, err, torch.ErrValue)
	require.ErrorContains(t, err, `Targets: "a" twice`)
	none := (*data.Table)(nil)
	for name, fn := range map[string]func(){
		"Len": func() { none.Len() }, "Names": func() { none.Names() }, "Column": func() { none.Column("a") },
		"Words": func() { none.Words("a") }, "Tensor": func() { none.Tensor() }, "Dataset": func() { none.Dataset() },
	} {
		err := torch.Try(fn)
		require.ErrorIs(t, err, torch.ErrNil, name)
		assert.ErrorContains(t, err, "data.Table."+name, name)
	}
}

// streamed reads a stream of rows to its end. It returns each row as text.
func streamed(t testing.TB, d data.IterableDataset, w data.WorkerInfo) (out []string, err error) {
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

func TestCSVDataset(t *testing.T) {
	defer torchtest.CheckLeaks(t)()
	path := writeCSV(t, "a,b,y,c\n1,2,0,u\n3,4,1,v\n5,6,0,u\n")
	set, err := data.NewCSVDataset(path, data.UseCols{"b", "a", "y"}, data.Targets{"y"}, data.DTypes{"y": torch.Int64})
	require.NoError(t, err)
	assert.Equal(t, []string{"b", "a", "y"}, set.Names())
	assert.Equal(t, "CSVDataset("+path+": b, a, y)", set.String())
	assert.Equal(t, "CSVDataset(nil)", (*data.CSVDataset)(nil).String())
	for range 2 {
		got, err := streamed(t, set, data.WorkerInfo{})
		require.NoError(t, err)
		assert.Equal(t, []string{"[2 1]|0", "[4 3]|1", "[6 5]|0"}, got)
	}
	got, err := streamed(t, set, data.WorkerInfo{ID: 1, NumWorkers: 2})
	require.NoError(t, err)
	assert.Equal(t, []string{"[4 3]|1"}, got)
	n := 0
	require.NoError(t, set.Iterate(data.WorkerInfo{}, func(e data.Example) bool {
		_, _ = e.Input.Close(), e.Target.Close()
		n++
		return false
	}))
	assert.Equal(t, 1, n)
	two, err := data.NewCSVDataset(path, data.UseColsAt{2, 0, 3}, data.Categories{"c": {"v", "u"}},
		data.DTypes{"y": torch.Int64, "a": torch.Float64}, data.Targets{"c", "y"})
	require.NoError(t, err)
	got, err = streamed(t, two, data.WorkerInfo{})
	require.NoError(t, err)
	assert.Equal(t, []string{"[1]|[1 0]", "[3]|[0 1]", "[5]|[1 0]"}, got)
	require.NoError(t, os.WriteFile(path, []byte("a,b,y,c\n1,2,0,u\nx,4,1,v\n"), 0o600))
	got, err = streamed(t, set, data.WorkerInfo{})
	assert.Len(t, got, 1)
	require.ErrorContains(t, err, path+": line 3, column 1, field \"a\": \"x\" is not a valid float32")
	require.NoError(t, os.Remove(path))
	_, err = streamed(t, set, data.WorkerInfo{})
	require.ErrorIs(t, err, fs.ErrNotExist)
}

func TestCSVDatasetMistakes(t *testing.T) {
	path := writeCSV(t, "a,b\n1,2\n")
	for name, c := range map[string]struct {
		text string
		opts []data.CSVDatasetOption
	}{
		"no input":  {"no column is left for the input", []data.CSVDatasetOption{data.Targets{"a", "b"}}},
		"no target": {`Targets: there is no column "z"`, []data.CSVDatasetOption{data.Targets{"z"}}},
		"two dtypes": {
			`columns "a" of dtype float32 and "b" of dtype int64 cannot be joined in one tensor`,
			[]data.CSVDatasetOption{data.DTypes{"b": torch.Int64}},
		},
	} {
		_, err := data.NewCSVDataset(path, c.opts...)
		require.ErrorIs(t, err, torch.ErrMismatch, name)
		assert.ErrorContains(t, err, c.text, name)
	}
	_, err := data.NewCSVDataset("nowhere.csv")
	require.ErrorIs(t, err, fs.ErrNotExist)
	require.ErrorIs(t, torch.Try(func() { _, _ = data.NewCSVDataset(path, data.Categories{"a": nil}) }), torch.ErrValue)
	require.ErrorIs(t, torch.Try(func() { _, _ = data.NewCSVDataset(path, data.ShuffleBuffer(-1)) }), torch.ErrValue)
	require.ErrorIs(t, torch.Try(func() { _, _ = data.NewCSVDataset(path, generator(1)) }), torch.ErrValue,
		"a generator from which nothing draws")
	set, err := data.NewCSVDataset(path)
	require.NoError(t, err)
	require.ErrorIs(t, torch.Try(func() { _ = set.Iterate(data.WorkerInfo{}, nil) }), torch.ErrNil)
	require.ErrorIs(t, torch.Try(func() { _ = (*data.CSVDataset)(nil).Iterate(data.WorkerInfo{}, nil) }), torch.ErrNil)
}

// The buffer yields every row exactly once, in an order drawn from the generator.
func TestShuffleBuffer(t *testing.T) {
	defer torchtest.CheckLeaks(t)()
	var text strings.Builder
	text.WriteString("a\n")
	for i := range 300 {
		fmt.Fprintln(&text, i)
	}
	path := writeCSV(t, text.String())
	read := func(buffer int, seed uint64) []string {
		set, err := data.NewCSVDataset(path, data.ShuffleBuffer(buffer), generator(seed))
		require.NoError(t, err)
		got, err := streamed(t, set, data.WorkerInfo{})
		require.NoError(t, err)
		return got
	}
	plain := read(0, 1)
	assert.Len(t, plain, 300)
	assert.Equal(t, plain, read(1, 1))
	for _, buffer := range []int{2, 50, 1000} {
		got := read(buffer, 1)
		assert.ElementsMatch(t, plain, got)
		assert.NotEqual(t, plain, got)
		assert.Equal(t, got, read(buffer, 1))
		assert.NotEqual(t, got, read(buffer, 2))
		// The buffer reads at most two rows for each row that it yields. Yielded row i is
		// therefore one of about the first 2*i rows.
		for i, v := range got {
			var at int
			_, err := fmt.Sscanf(v, "[%d]", &at)
			require.NoError(t, err)
			assert.LessOrEqual(t, at, min(i+buffer, 2*i+max(min(100, buffer), 2)), "place %d", i)
		}
	}
	set, err := data.NewCSVDataset(path, data.ShuffleBuffer(20))
	require.NoError(t, err)
	n := 0
	require.NoError(t, set.Iterate(data.WorkerInfo{}, func(e data.Example) bool {
		_ = e.Input.Close()
		n++
		return n < 290 // stops after the last row was read, while the buffer yields the rest
	}))
	assert.Equal(t, 290, n)
}

func csvRows(t testing.TB) map[string]optiontest.Row {
	values := optiontest.Values
	// Each option must change the result or the error.
	pairs := []optiontest.Pair{
		values(data.Sep(';'), data.Sep(',')),
		values(data.Comment('0'), data.Comment(0)),
		values(data.Header(false), data.Header(true)),
		values(data.Names{"p", "q", "r"}, data.Names(nil)),
		values(data.UseCols{"c"}, data.UseCols(nil)),
		values(data.UseColsAt{1}, data.UseColsAt(nil)),
		values(data.DType(torch.Int64), data.DType(0)),
		values(data.DTypes{"c": torch.Float64, "a;b": torch.Bool}, data.DTypes(nil)),
		values(data.Categories{"b": {"x", "3"}}, data.Categories(nil)),
		values(data.NAValues{"x", "-"}, data.NAValues(nil)),
		values(data.KeepDefaultNA(false), data.KeepDefaultNA(true)),
		values(data.FillNA(3), data.FillNA(0)),
		values(data.MaxRowBytes(100), data.MaxRowBytes(1<<20)),
	}
	limited := append(pairs[:len(pairs):len(pairs)], values(data.MemoryLimit(40), data.MemoryLimit(1<<20)))
	table := func(tab *data.Table, err error) string {
		if err != nil {
			return err.Error()
		}
		defer tab.Close()
		out := tab.String()
		for _, n := range tab.Names() {
			out += fmt.Sprint(tab.Column(n).ToList())
		}
		return out
	}
	// The second text contains no invalid fields.
	texts := []string{"a;b,c,b\n1,NA,x\n-,\"2\",3\n", "a;b,c,b\n1,NA,1\n0,2,3\n"}
	paths := []string{writeCSV(t, texts[0]), writeCSV(t, texts[1])}
	read := func(call func(text, path string) string) optiontest.Outcome {
		return optiontest.Outcome{"read": call(texts[0], paths[0]) + call(texts[1], paths[1])}
	}
	return map[string]optiontest.Row{
		"ReadCSV": optiontest.For(func(opts ...data.CSVOption) optiontest.Outcome {
			return read(func(_, path string) string { return table(data.ReadCSV(path, opts...)) })
		}, limited...),
		"DecodeCSV": optiontest.For(func(opts ...data.CSVOption) optiontest.Outcome {
			return read(func(text, _ string) string {
				return table(data.DecodeCSV(strings.NewReader(text), "t", opts...))
			})
		}, limited...),
		"NewCSVDataset": optiontest.For(func(opts ...data.CSVDatasetOption) optiontest.Outcome {
			return read(func(_, path string) string {
				torch.ManualSeed(1)
				var base []data.CSVDatasetOption
				for _, o := range opts {
					if _, ok := o.(data.GeneratorOption); ok {
						base = append(base, data.ShuffleBuffer(2)) // which draws from the generator
					}
				}
				set, err := data.NewCSVDataset(path, append(base, opts...)...)
				if err != nil {
					return err.Error()
				}
				got, err := streamed(t, set, data.WorkerInfo{})
				return fmt.Sprint(got, err)
			})
		}, append(pairs[:len(pairs):len(pairs)],
			values(data.Targets{"c"}, data.Targets(nil)),
			values(data.ShuffleBuffer(2), data.ShuffleBuffer(0)),
			values(func() any { return generator(1) }, data.Generator(nil)).Hides("read",
				"TestShuffleBuffer shows it"))...),
	}
}

func FuzzDecodeCSV(f *testing.F) {
	f.Add([]byte(iris))
	f.Add(zipped([]byte("a,b\n1,2\n")))
	f.Add([]byte("a;b\n\"1;\n\"\n"))
	f.Fuzz(func(t *testing.T, b []byte) {
		defer torchtest.CheckLeaks(t)()
		for _, opts := range [][]data.CSVOption{
			{data.FillNA(0)},
			{data.Header(false), data.Sep(';'), data.DType(torch.Int8)},
		} {
			table, err := data.DecodeCSV(bytes.NewReader(b), "fuzz", opts...)
			var fe *data.FileError
			if err != nil {
				require.ErrorAs(t, err, &fe)
			}
			_ = table.Close()
		}
	})
}
