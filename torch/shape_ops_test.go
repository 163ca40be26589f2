package torch_test

import (
	"testing"

	"github.com/gotorch/gotorch/torch"
)

var shapeOps = goldOps{
	"Diagonal":   {from[torch.Offset], from[torch.Dim1], from[torch.Dim2]},
	"ViewOfT":    {func(a *goldArgs) []*torch.Tensor { return goldOut(a.x(0).Transpose(0, 1).View(a.ints(1)...)) }},
	"ReshapeOfT": {func(a *goldArgs) []*torch.Tensor { return goldOut(a.x(0).Transpose(0, 1).Reshape(a.ints(1)...)) }},
	"FlattenOfT": {func(a *goldArgs) []*torch.Tensor {
		return goldOut(a.x(0).Transpose(0, 1).Flatten(a.int(1), a.int(2)))
	}},
	"SelectOfT": {func(a *goldArgs) []*torch.Tensor {
		return goldOut(a.x(0).Transpose(0, 1).Select(a.int(1), a.int(2)))
	}},

	"RepeatInterleave":     {from[torch.Dim]},
	"RepeatInterleaveEach": {from[torch.Dim]},
	"DiagEmbed":            {from[torch.Offset], from[torch.Dim1], from[torch.Dim2]},
	"DiagonalScatter":      {from[torch.Offset], from[torch.Dim1], from[torch.Dim2]},
	"TrilIndices":          {torch.TrilIndices},
	"TriuIndices":          {torch.TriuIndices},

	"Cat":           {torch.Cat, from[torch.Dim]},
	"Stack":         {torch.Stack, from[torch.Dim]},
	"HStack":        {torch.HStack},
	"VStack":        {torch.VStack},
	"DStack":        {torch.DStack},
	"ColumnStack":   {torch.ColumnStack},
	"BlockDiag":     {torch.BlockDiag},
	"CartesianProd": {torch.CartesianProd},
	"Meshgrid": {func(a *goldArgs) []*torch.Tensor {
		return torch.Meshgrid(a.list(1), torch.Indexing(a.str(0)))
	}},
	"BroadcastTensors": {torch.BroadcastTensors},
	"Combinations":     {from[torch.WithReplacement]},

	"TakeAlongDim": {from[torch.Dim]},

	"ScatterReduce":  {from[torch.IncludeSelf]},
	"ScatterReduce_": {from[torch.IncludeSelf]},
	"IndexReduce":    {from[torch.IncludeSelf]},
	"IndexReduce_":   {from[torch.IncludeSelf]},
	"Put":            {from[torch.Accumulate]},
	"Put_":           {from[torch.Accumulate]},

	"Sort":          {from[torch.Dim], from[torch.Descending]},
	"SortStable":    {"Sort", from[torch.Dim], from[torch.Descending], torch.Stable(true)},
	"ArgSort":       {from[torch.Dim], from[torch.Descending]},
	"ArgSortStable": {"ArgSort", from[torch.Dim], from[torch.Descending], torch.Stable(true)},
	"TopK":          {from[torch.Dim], from[torch.Largest]},
	"SearchSorted":  {torch.SearchSorted, from[torch.Right]},
	"Bucketize":     {torch.Bucketize, from[torch.Right]},
}

func TestShapesLikePython(t *testing.T) { runGolden(t, "shape.json", shapeOps, 8) }

func TestEveryShapeOperatorHasGoldens(t *testing.T) {
	checkGoldCover(t, "shape.json", "shape_view.go", "shape_repeat.go", "shape_join.go", "shape_split.go",
		"index_gather.go", "index_scatter.go", "index_scatter_reduce.go", "shape_diagonal.go", "index_sort.go",
		"index_search.go", "shape_inplace.go")
}
