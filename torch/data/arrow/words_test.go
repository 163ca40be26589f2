package arrow_test

import (
	"encoding/json"
	"os"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/gotorch/gotorch/torch"
	"github.com/gotorch/gotorch/torch/data"
	"github.com/gotorch/gotorch/torch/data/arrow"
	"github.com/gotorch/gotorch/torchtest"
)

// forms returns the paths of a table from testdata/make_words.py, one for each format.
func forms(name string) []string {
	return []string{"testdata/" + name + ".parquet", "testdata/" + name + ".arrow", "testdata/" + name + ".arrows"}
}

// Strings, dictionaries and empty lists have the same values as in Python.
func TestWords(t *testing.T) {
	defer torchtest.CheckLeaks(t)()
	b, err := os.ReadFile("testdata/words.json")
	require.NoError(t, err)
	var golden struct {
		Words        []string
		Codes, Pairs []int64
		Sizes, Gaps  []float64
		Empty        torch.Shape
		Nothing      string
	}
	require.NoError(t, json.Unmarshal(b, &golden))
	given := []string{"blue", "red", "green", golden.Words[3]}
	for _, path := range forms("words") {
		table, err := arrow.ReadTable(path, arrow.FillNull(9),
			arrow.Categories{"text": nil, "large": nil, "dictionary": given, "pairs": nil})
		require.NoError(t, err, path)
		torch.Scope(func() {
			assert.Equal(t, 7, table.Len())
			for _, name := range []string{"text", "large"} {
				assert.Equal(t, golden.Words, table.Words(name), name)
				assert.Equal(t, golden.Codes, table.Column(name).Int64s(), name)
			}
			assert.Equal(t, given, table.Words("dictionary"))
			assert.Equal(t, []int64{1, 2, -1, 1, 0, 2, 3}, table.Column("dictionary").Int64s())
			assert.Equal(t, torch.Shape{7, 2}, table.Column("pairs").Shape())
			red := table.Column("pairs").Int64s()[1]
			for i, code := range golden.Pairs {
				assert.Equal(t, []int64{code, red}, table.Column("pairs").Int64s()[2*i:2*i+2])
			}
			assert.Equal(t, golden.Sizes, table.Column("sizes").Float64s())
			assert.Equal(t, golden.Gaps, table.Column("gaps").Float64s())
			assert.Equal(t, []int64{1, 9, 1, 2, 9, 2, 1}, table.Column("whole").Int64s())
			assert.Equal(t, golden.Empty, table.Column("empty").Shape())
			assert.Equal(t, golden.Empty, table.Column("nothing").Shape())
			assert.Equal(t, golden.Nothing, "torch."+table.Column("nothing").DType().String())
			assert.Nil(t, table.Words("sizes"))
			assert.Equal(t, torch.Shape{7, 2}, table.Tensor("empty", "sizes", "gaps").Shape(),
				"no numbers of the empty lists")
		})
		require.NoError(t, table.Close())

		set, err := arrow.NewDataset(path, arrow.Columns{"sizes", "text"}, arrow.Categories{"text": golden.Words},
			arrow.Targets{"text"})
		require.NoError(t, err)
		got, err := rows(t, set, data.WorkerInfo{})
		require.NoError(t, err)
		assert.Equal(t, []string{"[1.5]|2", "[2.5]|1", "[1.5]|-1", "[2.5]|2", "[1.5]|0", "[2.5]|1", "[1.5]|3"}, got)
	}
	views, err := arrow.ReadTable("testdata/views.arrow", arrow.Categories{"view": nil})
	require.NoError(t, err)
	assert.Equal(t, golden.Codes, views.Column("view").Int64s())
	require.NoError(t, views.Close())
}

// A file without rows gives a table without rows that has the file's columns.
func TestNoRows(t *testing.T) {
	defer torchtest.CheckLeaks(t)()
	for i, path := range forms("none") {
		table, err := arrow.ReadTable(path,
			arrow.Categories{"text": nil, "large": {"a"}, "dictionary": nil, "pairs": nil})
		require.NoError(t, err, path)
		torch.Scope(func() {
			assert.Zero(t, table.Len())
			assert.Equal(t, torch.Shape{0}, table.Column("text").Shape())
			assert.Equal(t, torch.Int64, table.Column("text").DType())
			assert.Empty(t, table.Words("text"))
			assert.Equal(t, []string{"a"}, table.Words("large"))
			assert.Equal(t, torch.Shape{0}, table.Column("sizes").Shape())
			assert.Equal(t, torch.Float64, table.Column("sizes").DType())
			assert.Equal(t, torch.Shape{0, 0}, table.Column("empty").Shape(), "the length of its lists is unknown")
			fixed := torch.Shape{0, 3}
			if i == 0 {
				fixed = torch.Shape{0, 0} // Parquet does not record that lists have a fixed length
			}
			assert.Equal(t, fixed, table.Column("fixed").Shape(), path)
			assert.Equal(t, torch.Float32, table.Column("fixed").DType())
			assert.Equal(t, torch.Shape{0, 2}, table.Tensor("sizes", "gaps").Shape())
		})
		require.NoError(t, table.Close())
		set, err := arrow.NewDataset(path, arrow.Columns{"sizes", "fixed"})
		require.NoError(t, err)
		got, err := rows(t, set, data.WorkerInfo{})
		require.NoError(t, err)
		assert.Empty(t, got)
	}
}

func TestMistakesOfCategories(t *testing.T) {
	defer torchtest.CheckLeaks(t)()
	for text, c := range map[string]struct {
		opts []arrow.TableOption
		kind error
	}{
		`column "text": the column has strings; use Categories to read them as category codes`: {
			[]arrow.TableOption{arrow.Columns{"text"}}, torch.ErrFormat,
		},
		`column "dictionary": the column has strings; use Categories to read them as category codes`: {
			[]arrow.TableOption{arrow.Columns{"dictionary"}}, torch.ErrFormat,
		},
		`"green" is not one of the Categories red`: {[]arrow.TableOption{
			arrow.Columns{"text"},
			arrow.Categories{"text": {"red"}},
		}, torch.ErrFormat},
		`Categories applies to strings`: {[]arrow.TableOption{
			arrow.Columns{"sizes"},
			arrow.Categories{"sizes": nil},
		}, torch.ErrFormat},
		`Categories: there is no column "text"`: {[]arrow.TableOption{
			arrow.Columns{"sizes"},
			arrow.Categories{"text": nil},
		}, torch.ErrMismatch},
		`column "gaps", row 1: the value is null`: {
			[]arrow.TableOption{arrow.Columns{"gaps"}},
			torch.ErrFormat,
		},
		`column "whole", row 1: FillNull is 0.5, which is not a valid int64`: {[]arrow.TableOption{
			arrow.Columns{"whole"},
			arrow.FillNull(0.5),
		}, torch.ErrFormat},
	} {
		for _, path := range forms("words")[1:] {
			_, err := arrow.ReadTable(path, c.opts...)
			require.ErrorIs(t, err, c.kind, text)
			assert.ErrorContains(t, err, text)
		}
	}
	err := torch.Try(func() { _, _ = arrow.NewDataset(forms("words")[0], arrow.Categories{"text": nil}) })
	require.ErrorIs(t, err, torch.ErrValue)
	assert.ErrorContains(t, err, `expected a list of words for "text", because the file is read as a stream`)
}
